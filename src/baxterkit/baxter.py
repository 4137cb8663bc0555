"""The facade `Baxter`: two arms and a head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.arm import Arm
from baxterkit.checks.arrays import head_array
from baxterkit.checks.explain import explain_shapes
from baxterkit.checks.results import deliver
from baxterkit.checks.units import unwarned
from baxterkit.collision.openings import Openings
from baxterkit.collision.pairs import Without
from baxterkit.collision.world import World
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.model.frames import find_frame, robot_frames
from baxterkit.model.head import HeadModel
from baxterkit.model.library import load_baxter
from baxterkit.model.names import check_side, other_side
from baxterkit.model.parts import Frame
from baxterkit.scene.checks import EMPTY
from baxterkit.scene.hands import Hands, Seeds
from baxterkit.scene.scene import Scene
from baxterkit.spatial import formulas
from baxterkit.types import Array, JointsLike, Transform

if TYPE_CHECKING:
    from pathlib import Path

    from baxterkit.collision.nearest import Nearest
    from baxterkit.ik.pair import PairPath, PairResult
    from baxterkit.ik.path import PathResult
    from baxterkit.ik.result import IkResult


class Baxter:
    """The whole robot.

    `left`, `right` and `hands` are kinematics and dynamics alone. The checks and searches here know
    the robot's own body; those of `scene(...)` know obstacles, held objects and margins too.

    Args:
        left: The left arm; a nominal one if None.
        right: The right arm; a nominal one if None.
    """

    def __init__(self, left: Arm | None = None, right: Arm | None = None) -> None:
        self.left = _checked(left, "left")
        self.right = _checked(right, "right")
        self.head: HeadModel = load_baxter().head
        self._fixed: Mapping[str, Frame] = {}

    @classmethod
    def from_urdf(cls, path_or_text: str | Path) -> Baxter:
        """Both arms of a URDF file, each with its own mount, and the frames of the file.

        Frames that the file lacks, or has within 1e-4 (m, rad) of Baxter's, are Baxter's.
        """
        from baxterkit.model.urdf_frames import base_of, head_with_frames, moved_frames
        from baxterkit.model.urdf_reader import read_urdf

        tree = read_urdf(path_or_text)
        robot = cls(Arm.from_urdf(path_or_text, "left"), Arm.from_urdf(path_or_text, "right"))
        base = base_of(tree)
        robot.head = head_with_frames(robot.head, tree, base)
        moved = moved_frames(tree, base, robot._frames)
        del robot._frames  # they are made again, with these
        robot._fixed = {n: frame for n, frame in moved.items() if frame.body in ("base", "head")}
        return robot

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
        today = {side: arm.today for side, arm in known.items()}
        arms = {
            side: Arm.from_model(model, effects=joint) for side, (model, joint) in today.items()
        }
        if len(arms) == 1:
            (one,) = arms.values()
            return cls.of_arm(one)
        return cls(**arms)

    def to_file(self, path: str | Path) -> Path:
        """Writes both arms to a robot file (robot.toml), as `Arm.to_file` writes one.

        The head and frames of the torso are not in it; `to_urdf` keeps those.

        Args:
            path: The file; arms that it holds are replaced.

        Returns:
            The path.

        Raises:
            ModelError: If the file is not called .toml, or is there and no robot file.
            FileError: If it cannot be written.
        """
        from baxterkit import robot_file

        arms = (robot_file.StoredArm(arm.model, arm.effects) for arm in (self.left, self.right))
        return robot_file.write(path, *arms)

    @classmethod
    def of_arm(cls, arm: Arm) -> Baxter:
        """A robot with this arm; the other one is nominal, in the same gravity."""
        other = other_side(arm.side)
        with unwarned():  # the arm that is given has told of its gravity
            nominal = Arm(other, gravity_vector=arm.model.gravity)
        return cls(**{arm.side: arm, other: nominal})

    def replace(self, *, left: Arm | None = None, right: Arm | None = None) -> Baxter:
        """A copy with another left or right arm, or both; head and fixed frames stay.

        Args:
            left: The left arm; this robot's if None.
            right: The right arm; this robot's if None.
        """
        robot = type(self)(left or self.left, right or self.right)
        robot.head, robot._fixed = self.head, self._fixed
        return robot

    def to_urdf(self) -> str:
        """The robot as URDF: root link `base`, both arms, the head, and every frame of `frames`.

        17 digits, so that other engines agree to rounding. Tools and payloads hang on the hands as
        links of their own, and their shapes are collision elements. `Baxter.from_urdf` reads the
        same robot back, but for effects of the joints, for which URDF has no place.
        """
        from baxterkit.model.urdf_robot import write_robot_urdf

        arms = {"left": self.left.model, "right": self.right.model}
        known = self.left.effects is None and self.right.effects is None
        note = "Rigid arms only: springs, friction and bias of the arms' joints are not in."
        return write_robot_urdf(arms, self.head, "" if known else note, self._fixed)

    def arm(self, side: str) -> Arm:
        """The left or the right arm of this robot, by the name of its side.

        Raises:
            UnknownNameError: If there is no such arm.
        """
        return self.left if check_side(side, "arm") == "left" else self.right

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames for `transform`: links, hands, tips, cameras, sensors."""
        return tuple(self._frames)

    def transform(
        self,
        frame: str,
        other: str,
        q_left: JointsLike | None = None,
        q_right: JointsLike | None = None,
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
        return deliver(formulas.inverse(T_base_frame) @ T_base_other, out)

    def _in_base(
        self, place: Frame, given: Mapping[str, JointsLike | None], head: ArrayLike
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
        (q,) = self.hands.joint_arrays(**{f"q_{place.body}": q})
        with unwarned():
            Ts = self.arm(place.body).link_poses(q)
        return Ts[..., place.link, :, :] @ place.T_link_frame

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        arms = {"left": self.left.model, "right": self.right.model}
        return {**robot_frames(arms, self.head), **self._fixed}

    def scene(
        self,
        world: World | None = None,
        *,
        head: float = 0.0,
        opening: Openings = 1.0,
        margin: float = 0.0,
        without: Without = (),
    ) -> Scene:
        """This robot among obstacles: `Scene` has the checks, and the searches of motions.

        Args:
            world: Obstacles, and the objects that the hands hold, as they are now; none if None.
            head: Pan of the head [rad], positive to the robot's left.
            opening: Gripper opening from 0 (closed) to 1 (open): one value, or (left, right).
            margin: Safety margin [m]: anything closer counts as a collision.
            without: Pairs of links that are not checked, by name.
        """
        known = EMPTY if world is None else world
        return Scene(self, known, head, opening, margin, without, self._bare._kept)

    @cached_property
    def _bare(self) -> Scene:
        """The scene of the robot alone."""
        return Scene(self)

    @cached_property
    def hands(self) -> Hands:
        """Both hands: the kinematics of the two arms together, without a body."""
        return Hands(self.left, self.right)

    def in_collision(
        self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether the robot touches itself: `Scene.in_collision` without obstacles."""
        return self._bare.in_collision(q_left, q_right, head)

    def clearance(
        self,
        q_left: JointsLike,
        q_right: JointsLike,
        head: ArrayLike = 0.0,
        *,
        out: Array | None = None,
    ) -> Array:
        """Distance of the robot's nearest two links [m]: `Scene.clearance` without obstacles."""
        return self._bare.clearance(q_left, q_right, head, out=out)

    def nearest(self, q_left: JointsLike, q_right: JointsLike, head: ArrayLike = 0.0) -> Nearest:
        """The robot's nearest two links: `Scene.nearest` without obstacles."""
        return self._bare.nearest(q_left, q_right, head)

    def edge_free(
        self, q0: JointsLike, q1: JointsLike, head: ArrayLike = 0.0
    ) -> NDArray[np.bool_] | bool:
        """Whether a straight joint motion of both arms is clear: `Scene.edge_free` likewise."""
        return self._bare.edge_free(q0, q1, head)

    def first_contact(
        self, q_left: JointsLike, q_right: JointsLike
    ) -> tuple[int, tuple[str, str]] | None:
        """Where the robot first touches itself on a path: `Scene.first_contact` likewise."""
        return self._bare.first_contact(q_left, q_right)

    def repulsion(
        self, side: str, other: JointsLike, distance: float = 0.1, speed: float = 0.3
    ) -> Callable[[ArrayLike], Array]:
        """Joint velocities that lead an arm away from the rest: `Scene.repulsion` likewise."""
        return self._bare.repulsion(side, other, distance, speed)

    def retreat(
        self, q: JointsLike, side: str | None = None, *, clearance: float = 0.002, most: float = 0.5
    ) -> Array:
        """A short path out of a slight collision with itself: `Scene.retreat` likewise."""
        return self._bare.retreat(q, side, clearance=clearance, most=most)

    def ik(
        self,
        side: str,
        T: ArrayLike,
        other: JointsLike | None = None,
        seed: JointsLike | None = None,
        *,
        head: ArrayLike = 0.0,
        of: str | None = None,
    ) -> IkResult:
        """Joint positions of an arm that touch nothing of the robot: `Scene.ik` likewise."""
        return self._bare.ik(side, T, other, seed, head=head, of=of)

    def ik_path(
        self,
        side: str,
        Ts: ArrayLike,
        other: JointsLike | None = None,
        seed: JointsLike | None = None,
        times: ArrayLike | None = None,
        *,
        max_step: float | None = None,
        of: str | None = None,
    ) -> PathResult:
        """A path of an arm that touches nothing of the robot: `Scene.ik_path` likewise."""
        return self._bare.ik_path(side, Ts, other, seed, times, max_step=max_step, of=of)

    def ik_pair(
        self,
        T_left: ArrayLike | None = None,
        T_right: ArrayLike | None = None,
        seed: Seeds = None,
        *,
        relative: ArrayLike | None = None,
    ) -> PairResult:
        """Joint positions of both arms that do not touch each other: `Scene.ik_pair` likewise."""
        return self._bare.ik_pair(T_left, T_right, seed, relative=relative)

    def ik_pair_path(
        self,
        Ts_left: ArrayLike | None = None,
        Ts_right: ArrayLike | None = None,
        seed: Seeds = None,
        times: ArrayLike | None = None,
        *,
        relative: ArrayLike | None = None,
        max_step: float | None = None,
    ) -> PairPath:
        """Paths of both arms that do not touch each other: `Scene.ik_pair_path` likewise."""
        return self._bare.ik_pair_path(
            Ts_left, Ts_right, seed, times, relative=relative, max_step=max_step
        )

    def __getstate__(self) -> dict[str, object]:
        # The checks are made again when they are needed.
        return {name: value for name, value in vars(self).items() if name != "_bare"}

    def _repr_html_(self) -> str:
        rows = [
            (
                arm.side,
                arm.tool.name,
                "none" if arm.model.payload is None else f"{arm.model.payload.mass:g} kg",
                "identified" if arm.effects is not None else "nominal, rigid",
                " ".join(f"{x:.4f}" for x in arm.model.T_base_s0[:3, 3]),
            )
            for arm in (self.left, self.right)
        ]
        head = ("arm", "tool", "payload", "joints", "mount in base [m]")
        return html_table("Baxter", head, rows, "robot.left and robot.right show their limits")

    def __repr__(self) -> str:
        return f"Baxter(left={self.left!r}, right={self.right!r})"


def _checked(arm: Arm | None, side: str) -> Arm:
    if arm is None:
        return Arm(side)
    if not isinstance(arm, Arm):
        raise InputError(f"{side} must be an Arm, got {type(arm).__name__}")
    if arm.side != side:
        raise InputError(f"{side} must be the {side} arm, got {arm!r}")
    return arm
