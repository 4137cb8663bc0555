"""The facade `Baxter`: two arms and a head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit import spatial
from baxterkit.arm import Arm
from baxterkit.checks.arrays import both_arms_array, head_angle, head_array, one
from baxterkit.checks.explain import explain_shapes
from baxterkit.checks.numbers import positive, small_length
from baxterkit.checks.results import deliver
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError, ShapeError
from baxterkit.free_motion import FreeMotion
from baxterkit.model.frames import Frame, find_frame, robot_frames
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.model.names import check_side, joint_names
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from pathlib import Path

    from baxterkit.collision.checker import Checker, Nearest
    from baxterkit.collision.world import World

LIMIT_SLACK = 0.02
"""Joints beyond a limit by this [rad] are brought inside by the first step of a retreat."""


class Baxter(FreeMotion):
    """The whole robot.

    Args:
        left: The left arm; a nominal one if None.
        right: The right arm; a nominal one if None.
    """

    def __init__(self, left: Arm | None = None, right: Arm | None = None) -> None:
        self.left = _checked(left, "left")
        self.right = _checked(right, "right")
        self.head: HeadModel = load_baxter().head
        self._checkers: dict[object, Checker] = {}

    @classmethod
    def from_urdf(cls, path_or_text: str | Path) -> Baxter:
        """Both arms of a URDF file, each with its own mount."""
        return cls(Arm.from_urdf(path_or_text, "left"), Arm.from_urdf(path_or_text, "right"))

    @classmethod
    def from_file(cls, path: str | Path) -> Baxter:
        """The arms of a robot file (robot.toml).

        An arm that the file lacks is nominal, in the gravity of the other one.

        Raises:
            ModelError: If the file cannot be read.
        """
        from baxterkit import robot_file

        known = robot_file.read_arms(path)
        for arm in known.values():
            arm.warn_if_stale()
        arms = {s: Arm.from_model(arm.model, effects=arm.today) for s, arm in known.items()}
        if len(arms) == 1:
            (one,) = arms.values()
            return cls.of_arm(one)
        return cls(**arms)

    @classmethod
    def of_arm(cls, arm: Arm) -> Baxter:
        """A robot with this arm; the other one is nominal, in the same gravity."""
        other = "right" if arm.side == "left" else "left"
        return cls(**{arm.side: arm, other: Arm(other, gravity_vector=arm.model.gravity)})

    def to_urdf(self) -> str:
        """The robot as URDF: root link `base`, both arms, the head, and every frame of `frames`.

        17 digits, so that other engines agree to rounding. Tools and payloads hang on the hands as
        links of their own. `Baxter.from_urdf` reads the same robot back, but for effects of the
        joints and shapes of the tools, for which URDF has no place.
        """
        from baxterkit.model.urdf_robot import write_robot_urdf

        arms = {"left": self.left.model, "right": self.right.model}
        known = self.left.effects is None and self.right.effects is None
        note = "Rigid arms only: springs, friction and bias of the arms' joints are not in."
        return write_robot_urdf(arms, self.head, "" if known else note)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames for `transform`: links, hands, tips, cameras, sensors."""
        return tuple(self._frames)

    def transform(
        self,
        frame: str,
        other: str,
        q_left: ArrayLike | None = None,
        q_right: ArrayLike | None = None,
        head: ArrayLike = 0.0,
        *,
        out: Array | None = None,
    ) -> Transform:
        """Pose of a frame in another one: p_frame = T_frame_other p_other.

        Args:
            frame: The reference frame: a name of `frames`, as in the robot's description.
            other: The frame whose pose is returned.
            q_left: Joint positions of the left arm [rad], shape (*batch, 7); may be None if neither
                frame is on that arm.
            q_right: The same of the right arm.
            head: Pan of the head [rad], positive to the robot's left, shape (*batch); or a message
                that names `head_pan`.
            out: Array for the result, shape (*batch, 4, 4).

        Returns:
            T_frame_other, shape (*batch, 4, 4).

        Raises:
            UnknownNameError: If there is no such frame.
            InputError: If the positions of an arm are missing.
        """
        places = [find_frame(name, self._frames) for name in (frame, other)]
        given = {"left": q_left, "right": q_right}
        T_base_frame, T_base_other = (self._in_base(place, given, head) for place in places)
        batches = T_base_frame.shape[:-2], T_base_other.shape[:-2]
        try:
            np.broadcast_shapes(*batches)
        except ValueError:
            explain_shapes((frame, other), batches)
        return deliver(spatial.inverse(T_base_frame) @ T_base_other, out)

    def _in_base(
        self, place: Frame, given: Mapping[str, ArrayLike | None], head: ArrayLike
    ) -> Transform:
        if place.body == "base":
            return place.T_link_frame
        if place.body == "head":
            pan = head_array(head)
            with unwarned():
                return self.head.fk(pan) @ place.T_link_frame
        q = given[place.body]
        if q is None:
            raise InputError(
                f"{place.name} moves with the {place.body} arm; give q_{place.body}, the joint "
                "positions of that arm"
            )
        (q,) = self._joint_arrays(**{f"q_{place.body}": q})
        with unwarned():
            Ts = self._arm(place.body).link_poses(q)
        T: Transform = Ts[..., place.link, :, :] @ place.T_link_frame
        return T

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        return robot_frames({"left": self.left.model, "right": self.right.model})

    def in_collision(
        self,
        q_left: ArrayLike,
        q_right: ArrayLike,
        head: ArrayLike = 0.0,
        *,
        opening: float | tuple[float, float] = 1.0,
        padding: float = 0.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> NDArray[np.bool_] | bool:
        """Whether the robot touches itself.

        The body is that of `baxterkit.collision`: it contains the meshes of the robot and of its
        tools, so False is certain, and True may be a near miss.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            head: Pan of the head [rad], shape (*batch).
            opening: Opening of both hands, or of the left and the right one: 0 (closed) to 1
                (open).
            padding: Links nearer to each other than this [m] count as touching.
            without: Pairs of links that are not checked, by their names in
                `baxterkit.collision.LINKS` or in the world; ("left", "right") switches the check of
                arm against arm off.
            world: Obstacles, and what the hands hold.

        Returns:
            A bool for each posture, shape (*batch).

        Raises:
            InputError: If an argument is not finite or an opening is not from 0 to 1.
            UnknownNameError: If there is no such link.
        """
        return self._checker(opening, without, world).in_collision(q_left, q_right, head, padding)

    def clearance(
        self,
        q_left: ArrayLike,
        q_right: ArrayLike,
        head: ArrayLike = 0.0,
        *,
        opening: float | tuple[float, float] = 1.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
        out: Array | None = None,
    ) -> Array:
        """Distance of the two links that are nearest to each other.

        Args:
            q_left: Joint positions of the left arm [rad], shape (*batch, 7).
            q_right: Joint positions of the right arm [rad], shape (*batch, 7).
            head: Pan of the head [rad], shape (*batch).
            opening: As in `in_collision`.
            without: As in `in_collision`.
            world: As in `in_collision`.
            out: Array for the result, shape (*batch).

        Returns:
            The clearance [m], negative where they overlap, shape (*batch).
        """
        gap = self._checker(opening, without, world).clearance(q_left, q_right, head)
        return deliver(gap, out)

    def nearest(
        self,
        q_left: ArrayLike,
        q_right: ArrayLike,
        head: ArrayLike = 0.0,
        *,
        opening: float | tuple[float, float] = 1.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> Nearest:
        """The two links that are nearest to each other: names, points, clearance and its gradient.

        Arguments are those of `clearance`.
        """
        return self._checker(opening, without, world).nearest(q_left, q_right, head)

    def edge_free(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        head: ArrayLike = 0.0,
        *,
        opening: float | tuple[float, float] = 1.0,
        padding: float = 0.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> NDArray[np.bool_] | bool:
        """Whether the straight motion in joint space between two postures is free of collisions.

        True holds for the whole motion, not only for samples: intervals are halved until no two
        links can meet within them, by bounds on the motion of any point. False means a collision,
        or links that come nearer than about 0.1 mm.

        Args:
            q0: Joint positions at the start, left arm then right arm [rad], shape (*batch, 14); or
                by name.
            q1: Joint positions at the end, likewise.
            head: Pan of the head [rad], which stays, shape (*batch).
            opening: As in `in_collision`.
            padding: Links nearer to each other than this [m] count as touching.
            without: As in `in_collision`.
            world: As in `in_collision`.

        Returns:
            A bool for each edge, shape (*batch).
        """
        return self._checker(opening, without, world).edge_free(q0, q1, head, padding)

    def first_contact(
        self,
        q_left: ArrayLike,
        q_right: ArrayLike,
        head: float = 0.0,
        *,
        opening: float | tuple[float, float] = 1.0,
        padding: float = 0.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> tuple[int, tuple[str, str]] | None:
        """Where a path is blocked first: its edges are swept as by `edge_free`.

        Args:
            q_left: Joint positions of the left arm along the path [rad], shape (n, 7), or (7,) if
                it stays.
            q_right: The same for the right arm.
            head: Pan of the head [rad].
            opening: As in `in_collision`.
            padding: What is nearer than this [m] counts as touching.
            without: As in `in_collision`.
            world: As in `in_collision`.

        Returns:
            The row from which the way to the next one is blocked, and the names of the two links
            that touch or are nearest there; None if the whole path is free.

        Raises:
            ShapeError: If a path has another shape, or the arms' paths differ in length.
        """
        left, right = self._joint_arrays(q_left=q_left, q_right=q_right)
        try:
            shape = np.broadcast_shapes(left.shape, right.shape)
        except ValueError:
            shape = ()
        if len(shape) != 2:
            raise ShapeError(
                "a path is joint positions of shape (n, 7) for one arm or for both, got "
                f"{left.shape} and {right.shape}"
            )
        from baxterkit.free_path import first_contact

        checker = self._checker(opening, without, world)
        ways = [np.broadcast_to(x, shape) for x in (left, right)]
        pan, apart = head_angle(head), small_length(padding, "padding")
        with unwarned():  # what was given has been looked at
            return first_contact(checker, ways[0], ways[1], pan, apart)

    def repulsion(
        self,
        side: str,
        other: ArrayLike,
        distance: float = 0.1,
        speed: float = 0.3,
        *,
        opening: float | tuple[float, float] = 1.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> Callable[[ArrayLike], Array]:
        """Joint velocities that lead one arm away from what is near: for a null space.

        Args:
            side: The arm that moves, "left" or "right".
            other: Joint positions of the other arm [rad], shape (7,).
            distance: Clearance below which it acts [m].
            speed: Joint speed at contact [rad/s]; it falls to zero at `distance`.
            opening: As in `in_collision`.
            without: As in `in_collision`.
            world: As in `in_collision`.

        Returns:
            A function of the arm's joint positions [rad], shape (7,), that gives joint velocities
            [rad/s], shape (7,), along which the clearance grows; as `qd_null` of
            `Arm.joint_velocity`, or as `aside` of `control.ResolvedRate`.
        """
        check_side(side, "arm")
        distance, speed = positive(distance, "distance"), positive(speed, "speed")
        checker = self._checker(opening, without, world)
        (still,) = self._joint_arrays(**{"q_right" if side == "left" else "q_left": other})
        own = slice(0, 7) if side == "left" else slice(7, 14)

        def aside(q: ArrayLike) -> Array:
            near = checker.nearest(*((q, still) if side == "left" else (still, q)))
            slope = near.gradient[own]
            size = float(np.linalg.norm(slope))
            share = speed * min(max(1.0 - float(near.clearance) / distance, 0.0), 1.0)
            result: Array = slope * (share / size) if size > 0.0 else np.zeros(7)
            return result

        return aside

    def retreat(
        self,
        q: ArrayLike,
        side: str | None = None,
        head: float = 0.0,
        *,
        clearance: float = 0.002,
        most: float = 0.5,
        opening: float | tuple[float, float] = 1.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
    ) -> Array:
        """A short way out of a slight collision: the clearance is greater at each posture.

        Args:
            q: Joint positions of both arms, left then right [rad], shape (14,), or values with
                names, such as the robot's message.
            side: The arm that moves, "left" or "right"; both if None.
            head: Pan of the head [rad].
            clearance: What the way leads to [m].
            most: Longest way of the joints [rad].
            opening: As in `in_collision`.
            without: As in `in_collision`.
            world: As in `in_collision`.

        Returns:
            The way, `q` first [rad], shape (n, 14); `q` alone if nothing is that near.

        Raises:
            RetreatError: If there is none.
            InputError: If a joint that moves is beyond its limits.
        """
        from baxterkit.collision.retreat import retreat

        if side is not None:
            check_side(side, "arm")
        start = one(both_arms_array(q, "q"), "q")
        gap, longest = positive(clearance, "clearance"), positive(most, "most")
        pan = head_angle(head)
        limits = (self.left.limits, self.right.limits)
        ends = (
            np.concatenate([x.lower for x in limits]),
            np.concatenate([x.upper for x in limits]),
        )
        checker = self.checker(opening=opening, without=without, world=world, side=side)
        columns = {"left": slice(0, 7), "right": slice(7, 14), None: slice(0, 14)}[side]
        _refuse_beyond(start, ends, columns)
        return retreat(checker, start, columns, ends, pan, gap, longest)

    def __getstate__(self) -> dict[str, Any]:
        # The checks are made again when they are asked for.
        return {**vars(self), "_checkers": {}}

    def __repr__(self) -> str:
        return f"Baxter(left={self.left!r}, right={self.right!r})"


def _refuse_beyond(q: Array, limits: tuple[Array, Array], columns: slice) -> None:
    """Raises InputError if joints of both arms (14,) that move are beyond their limits."""
    beyond = np.maximum(limits[0] - q, q - limits[1])[columns]
    if beyond.max() > LIMIT_SLACK:
        joint = columns.start + int(np.argmax(beyond))
        names = (*joint_names("left"), *joint_names("right"))
        raise InputError(
            f"{names[joint]} = {q[joint]:.6f} rad is outside its limits [{limits[0][joint]:.6f}, "
            f"{limits[1][joint]:.6f}]; move it inside first"
        )


def _checked(arm: Arm | None, side: str) -> Arm:
    if arm is None:
        return Arm(side)
    if not isinstance(arm, Arm):
        raise InputError(f"{side} must be an Arm, got {type(arm).__name__}")
    if arm.side != side:
        raise InputError(f"{side} must be the {side} arm, got {arm!r}")
    return arm
