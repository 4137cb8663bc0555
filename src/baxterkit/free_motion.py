"""Methods of `Baxter` for motions that touch neither the robot nor the world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.backend.choice import is_native
from baxterkit.checks.arrays import finite_array, head_angle, joint_array
from baxterkit.checks.numbers import small_length
from baxterkit.errors import InputError, shortened
from baxterkit.model.names import SIDES, check_side, joint_names
from baxterkit.two_arms import Postures, Seeds, TwoArms

if TYPE_CHECKING:
    from baxterkit.collision.checker import Checker
    from baxterkit.collision.world import Obstacle, World
    from baxterkit.free_path import ArmBeside
    from baxterkit.ik.objectives import Objective
    from baxterkit.ik.pair import PairPath, PairResult
    from baxterkit.ik.path import PathResult
    from baxterkit.ik.result import IkResult
    from baxterkit.model.head import HeadModel

Opening = float | tuple[float, float] | tuple[tuple[float, float], tuple[float, float]]
Without = tuple[tuple[str, str], ...]


MOST_CHECKERS = 32
"""Checkers that are kept: openings can take any value."""


class FreeMotion(TwoArms):
    """The methods of `Baxter` that look for joint positions that touch nothing."""

    head: HeadModel
    _checkers: dict[object, Checker]

    def ik(
        self,
        side: str,
        T: ArrayLike,
        other: ArrayLike,
        seed: ArrayLike | None = None,
        *,
        head: ArrayLike = 0.0,
        opening: float | tuple[float, float] = 1.0,
        padding: float = 0.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
        of: str | None = None,
    ) -> IkResult:
        """Joint positions of one arm that reach a pose and touch neither the robot nor the world.

        Where the quick answer of `Arm.ik` touches something, solutions over the whole self-motion
        are tried until some are free, and of those the nearest to the seed is taken. The status is
        COLLISION, and `blocked_by` names two links that touch, where the body forbids every
        solution that was found: at 400 values of e0, or the hand itself, whose pose is the
        target's.

        Args:
            side: The arm that moves, "left" or "right".
            T: T_base_tip, shape (*batch, 4, 4).
            other: Joint positions of the other arm [rad], shape (*batch, 7).
            seed: As in `Arm.ik`.
            head: Pan of the head [rad], shape (*batch).
            opening: As in `in_collision`.
            padding: Links nearer to each other than this [m] count as touching.
            without: As in `in_collision`.
            world: As in `in_collision`.
            of: As in `Arm.ik`.

        Returns:
            The answer: `q` of that arm, `status`, errors.

        Raises:
            UnknownNameError: If there is no such arm, link or frame.
        """
        from baxterkit.free_ik import free_ik

        check_side(side, "arm")
        checkers = self._with_hand(side, opening, without, world)
        return free_ik(self._arm(side), checkers, T, other, seed, head, padding, of)

    def checker(
        self,
        *,
        opening: Opening = 1.0,
        without: tuple[tuple[str, str], ...] = (),
        world: World | None = None,
        side: str | None = None,
    ) -> Checker:
        """The collision checks of this robot in a world as it is now, as an object.

        Args:
            opening: As in `in_collision`; or the least and the greatest opening of each hand, where
                they are not known.
            without: As in `in_collision`.
            world: As in `in_collision`.
            side: "left" or "right": only what a motion of that arm alone can bring together.
        """
        whole = self._checker(opening, without, world)
        if side is None:
            return whole
        check_side(side, "arm")
        key = ("arm of", side, whole)
        found = self._checkers.get(key)  # another thread may clear them at any time
        if found is None:
            rest = whole.all_but_arm(side)
            found = self._checkers[key] = self._checker(opening, (*without, *rest), world)
        return found

    def ik_path(
        self,
        side: str,
        Ts: ArrayLike,
        other: ArrayLike,
        seed: ArrayLike | None = None,
        times: ArrayLike | None = None,
        *,
        max_step: float | None = None,
        head: float = 0.0,
        opening: Opening = 1.0,
        padding: float = 0.0,
        without: Without = (),
        world: World | None = None,
        of: str | None = None,
    ) -> PathResult:
        """A continuous path of one arm through poses that touches neither the robot nor the world.

        The path of `Arm.ik_path` is taken if it is free. Otherwise the redundancy leads it aside:
        it is moved along the self-motions of its poses, and begun from other solutions of the first
        pose (unless the seed is one: then it stays). The whole path is swept, as by `edge_free`.

        Args:
            side: The arm that moves, "left" or "right".
            Ts: T_base_tip along the path, shape (n, 4, 4).
            other: Joint positions of the other arm [rad], shape (7,), or (n, 7) if it moves too.
            seed: As in `Arm.ik_path`.
            times: As in `Arm.ik_path`.
            max_step: As in `Arm.ik_path`.
            head: Pan of the head [rad].
            opening: As in `in_collision`.
            padding: Links nearer to each other than this [m] count as touching.
            without: As in `in_collision`.
            world: As in `in_collision`.
            of: As in `Arm.ik`.

        Returns:
            The path. If every path that was found touches something, the part before: `broken_at`
            is the pose, the status is COLLISION, and `blocked_by` names the two links. That is no
            proof that there is none.

        Raises:
            UnknownNameError: If there is no such arm, link or frame.
        """
        from baxterkit.free_path import free_path
        from baxterkit.kinematics.of_frame import tip_in_frame
        from baxterkit.poses import pose_array

        poses = pose_array(Ts, "Ts")
        beside = self._beside(side, other, head, opening, padding, without, world)
        if of is not None:
            poses = poses @ tip_in_frame(beside.arm.model, of)
        return free_path(beside, poses, seed, times, max_step)

    def ik_pair(
        self,
        T_left: ArrayLike | None = None,
        T_right: ArrayLike | None = None,
        seed: Seeds = None,
        objective: Objective = "quick",
        *,
        relative: ArrayLike | None = None,
        posture: Postures = None,
        free: bool = False,
        head: float = 0.0,
        opening: Opening = 1.0,
        padding: float = 0.0,
        without: Without = (),
        world: World | None = None,
    ) -> PairResult:
        """Joint positions of both arms for a pair of tip poses, within the limits.

        Give the poses of both tips, or of one and `relative`. With `relative` alone the hands meet
        anywhere: all fourteen joints move from the seed by least-norm steps.

        Args:
            T_left: T_base_tip of the left arm, shape (*batch, 4, 4).
            T_right: T_base_tip of the right arm, shape (*batch, 4, 4).
            seed: Joint positions of the left and the right arm to start from [rad], shape
                (*batch, 7) each; the middle of the ranges where None. Or one object that names the
                joints of both, such as the robot's message.
            objective: Which solutions, as in `Arm.ik`.
            relative: T_left_right, the right tip as the left one sees it, shape (*batch, 4, 4).
            posture: As in `Arm.ik`: a name for both arms, or a pair for the left and the right one.
            free: Whether the answers must touch neither the robot nor the world: solutions over
                both self-motions are then tried where the first ones do. Needs the poses of both
                tips, the objective "quick" and no posture.
            head: Pan of the head [rad], with `free`.
            opening: As in `in_collision`, with `free`.
            padding: Links nearer to each other than this [m] count as touching, with `free`.
            without: As in `in_collision`, with `free`.
            world: As in `in_collision`, with `free`.

        Returns:
            The answers of both arms: `q_left`, `q_right`, `solved`, `status`. With `free` the
            status is COLLISION, and `blocked_by` of an arm names two links, where none was found.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        if not free:
            return super().ik_pair(
                T_left, T_right, seed, objective, relative=relative, posture=posture
            )
        from baxterkit.free_pair import free_pair
        from baxterkit.ik.pair import hand_poses

        if objective != "quick" or posture is not None or (T_left is None and T_right is None):
            raise InputError(
                "free=True takes the poses of both hands (or one and relative=), the objective "
                "'quick' and no posture"
            )
        Ts = hand_poses(T_left, T_right, relative)
        checker = self._checker(opening, without, world)
        names = () if world is None else world.names
        alone = [
            self._with_hand(side, opening, (*without, *_nothing_of(other, names)), world)
            for side, other in (("left", "right"), ("right", "left"))
        ]
        return free_pair(
            (self.left, self.right),
            checker,
            (alone[0], alone[1]),
            Ts,
            self._seeds(seed),
            head,
            padding,
        )

    def path_pair(
        self,
        Ts_left: ArrayLike | None = None,
        Ts_right: ArrayLike | None = None,
        seed: Seeds = None,
        times: ArrayLike | None = None,
        *,
        relative: ArrayLike | None = None,
        max_step: float | None = None,
        objective: Objective | None = None,
        posture: Postures = None,
        free: bool = False,
        head: float = 0.0,
        opening: Opening = 1.0,
        padding: float = 0.0,
        without: Without = (),
        world: World | None = None,
    ) -> PairPath:
        """Continuous joint paths of both arms, the hands in step with each other.

        Give the poses of both tips, or of one and `relative`: one pose that is kept, as of two
        hands on a box, or one for each pose of the path, as for handing something over. To carry a
        box along poses Ts_base_box, give Ts_base_box @ T_box_left and Ts_base_box @ T_box_right.

        Args:
            Ts_left: T_base_tip of the left arm along the path, shape (n, 4, 4).
            Ts_right: T_base_tip of the right arm along the path, shape (n, 4, 4).
            seed: Joint positions of the left and the right arm to start near [rad], shape (7,)
                each; free where None. Or one object that names the joints of both, such as the
                robot's message.
            times: When each pose is due [s], increasing, shape (n,); joint speeds are then kept
                within `limits.velocity`.
            relative: T_left_right, the right tip as the left one sees it, shape (4, 4) or
                (n, 4, 4).
            max_step: As in `Arm.ik_path`.
            objective: Objective for the redundancy of both arms, as in `Arm.ik_path`.
            posture: As in `Arm.ik_path`: a name for both arms, or a pair for the left and the right
                one.
            free: Whether the paths must touch neither the robot nor the world: the redundancy of
                one arm after the other then leads them aside, as in `ik_path`. Needs no objective
                and no posture.
            head: Pan of the head [rad], with `free`.
            opening: As in `in_collision`, with `free`.
            padding: Links nearer to each other than this [m] count as touching, with `free`.
            without: As in `in_collision`, with `free`.
            world: As in `in_collision`, with `free`.

        Returns:
            Both paths; if one breaks, the parts before the break, the arm and the reason.

        Raises:
            InputError: If the poses of the hands are not determined by what is given.
            ShapeError: If shapes are wrong or do not broadcast.
        """
        if free and (objective is not None or posture is not None):
            raise InputError("free=True has its own objective; leave objective and posture out")
        paths = super().path_pair(
            Ts_left,
            Ts_right,
            seed,
            times,
            relative=relative,
            max_step=max_step,
            objective=objective,
            posture=posture,
        )
        if not free or not paths.solved:
            return paths
        from baxterkit.free_pair import free_path_pair
        from baxterkit.ik.pair import hand_poses

        Ts = hand_poses(Ts_left, Ts_right, relative)
        beside = [
            self._beside(side, q, head, opening, padding, without, world)
            for side, q in (("left", paths.q_right), ("right", paths.q_left))
        ]
        return free_path_pair((beside[0], beside[1]), Ts, self._seeds(seed), times, max_step, paths)

    def _with_hand(
        self, side: str, opening: Opening, without: Without, world: World | None
    ) -> tuple[Checker, Checker]:
        """Checkers of all pairs, and of those of an arm's hand, whose pose a target gives."""
        whole = self._checker(opening, without, world)
        key = ("hand of", side, whole)
        found = self._checkers.get(key)
        if found is None:
            rest = whole.all_but_hand(side)
            found = self._checkers[key] = self._checker(opening, (*without, *rest), world)
        return whole, found

    def _beside(
        self,
        side: str,
        other: ArrayLike,
        head: float,
        opening: Opening,
        padding: float,
        without: Without,
        world: World | None,
    ) -> ArmBeside:
        from baxterkit.free_path import ArmBeside

        check_side(side, "arm")
        names = joint_names("right" if side == "left" else "left")
        still = joint_array(other, "other", names=names)
        checker, hand = self._with_hand(side, opening, without, world)
        pan, apart = head_angle(head), small_length(padding, "padding")
        return ArmBeside(self._arm(side), checker, hand, np.ascontiguousarray(still), pan, apart)

    def _checker(
        self, opening: Opening, without: Without, world: World | None = None, proven: bool = True
    ) -> Checker:
        """The checks for these settings, made once; `proven` leaves out what can never touch."""
        things = () if world is None else _things(world)
        return self._checker_of(opening, without, things, proven)

    def _checker_of(
        self, opening: Opening, without: Without, things: tuple[Obstacle, ...], proven: bool
    ) -> Checker:
        key: object = (opening, without, things, proven)
        try:
            found = self._checkers.get(key)
        except TypeError:  # a list or an array cannot be a key
            opening, without = _plain_opening(opening), _name_pairs(without)
            key = (opening, without, things, proven)
            found = self._checkers.get(key)
        if found is None:
            from baxterkit.collision.checker import Checker

            models = (self.left.model, self.right.model)
            kernels = (self.left._kernels, self.right._kernels)
            fast = all(map(is_native, kernels))
            natives = kernels if fast else None
            without = _name_pairs(without)
            found = Checker(models, self.head, natives, opening, without, things, proven)
            if len(self._checkers) >= MOST_CHECKERS:
                self._checkers.clear()
            self._checkers[key] = found
        return found


def _plain_opening(opening: Any) -> Any:
    """An opening that can be a key."""
    values = finite_array(opening, "opening")
    if values.ndim == 2:
        return tuple(tuple(row) for row in values.tolist())
    plain = values.tolist()
    return plain if isinstance(plain, float) else tuple(np.ravel(plain).tolist())


def _name_pairs(without: Any) -> Without:
    """Pairs of names, as tuples.

    Raises:
        InputError: If they are something else.
    """
    try:
        pairs = tuple(tuple(pair) for pair in without if not isinstance(pair, str))
        sound = len(pairs) == len(without) and all(len(pair) == 2 for pair in pairs)
        sound = sound and all(isinstance(name, str) for pair in pairs for name in pair)
    except TypeError:
        sound = False
    if not sound:
        raise InputError(
            f"without = {shortened(repr(without))} must hold pairs of names, such as "
            "(('left', 'right'),)"
        )
    return pairs


def _things(world: World) -> tuple[Obstacle, ...]:
    from baxterkit.collision.world import World

    if not isinstance(world, World):
        raise InputError(f"world must be a collision.World, got {type(world).__name__}")
    return world.state


def _nothing_of(side: str, things: tuple[str, ...]) -> Without:
    """Pairs with an arm, to be left out."""
    from baxterkit.collision.body import STANDING

    return tuple((side, name) for name in (*SIDES, *STANDING, *things))
