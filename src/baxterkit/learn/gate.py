"""The safety gate of many robots at once: the verdicts of `ros.safety.Judge`, row by row.

The same predictions of the motion after a command (`ros.prediction`) and the same checks of what it
sweeps (`scene.clear_motions`), over all rows in one call of the compiled checker. States are those
that the robots publish just now. `tests/learn` compares the verdicts with the link's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baxterkit.collision.motion import FREE
from baxterkit.collision.openings import Span
from baxterkit.model.names import ARM_COLUMNS, SIDES, other_side
from baxterkit.ros import bounds, prediction, strength
from baxterkit.ros.finger_checks import check_fingers
from baxterkit.ros.rules import Rules
from baxterkit.ros.safety import AS_TOLD, BUNCHING
from baxterkit.ros.sweeps import STILL, in_order, tubes_of_both, tubes_of_rows
from baxterkit.ros.underway import GOING, RATIOS
from baxterkit.scene import Scene
from baxterkit.scene.clear_motions import Measured, Tubes, boxes_are_clear, obstruction
from baxterkit.types import Array

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
REASONS = ("", "not finite", "position", "velocity", "effort", "jump", "collision")
"""Why a command is refused, by the numbers that `BatchGate.judge` gives; "": it is not."""
_CODE = {reason: code for code, reason in enumerate(REASONS)}
KEPT = 8
"""Torque commands of the past that are kept."""
_REST, _COASTING, _COMMANDED = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Seen:
    """What n robots have just published.

    Attributes:
        t: Time of each [s], shape (n,).
        q: Positions, left then right [rad], shape (n, 14).
        qd: Velocities [rad/s], shape (n, 14).
        tau: Torques [N m], shape (n, 14).
        borne: Torques that hold the arms, springs included [N m], shape (n, 14).
    """

    t: Array
    q: Array
    qd: Array
    tau: Array
    borne: Array

    def of(self, side: str, rows: Rows | slice = slice(None)) -> Seen:
        """One arm of some of them, 7 columns."""
        columns = ARM_COLUMNS[side]
        q, qd, tau, borne = (x[rows, columns] for x in (self.q, self.qd, self.tau, self.borne))
        return Seen(self.t[rows], q, qd, tau, borne)


class BatchGate:
    """Decides on commands of one mode for n robots; sends nothing.

    Args:
        n: Number of robots.
        scene: The robot among the obstacles that the gate keeps clear of, with its safety margin.
        mode: "position", "velocity" or "torque".
        rules: What is allowed; the link's defaults if None.
        ratio: Speed ratio that was set for position commands; None if none was.
    """

    def __init__(
        self,
        n: int,
        scene: Scene,
        mode: str,
        rules: Rules | None = None,
        ratio: float | None = None,
    ) -> None:
        self.mode, self.rules, self._scene = mode, Rules() if rules is None else rules, scene
        self._arms = {"left": scene.robot.left, "right": scene.robot.right}
        self._rigid = {side: arm.with_effects(None) for side, arm in self._arms.items()}
        self._ratios = RATIOS if ratio is None else np.array([ratio])
        self._sent = {side: np.zeros((n, 7)) for side in SIDES}
        self._when = {side: np.full(n, -np.inf) for side in SIDES}
        self._torques = {side: np.zeros((KEPT, n, 7)) for side in SIDES}
        self._times = {side: np.full((KEPT, n), -np.inf) for side in SIDES}
        self._openings: list[tuple[Span, Span]] = [((1.0, 1.0), (1.0, 1.0))]
        self._opening_of: Rows = np.zeros(n, dtype=np.intp)
        self._moments: dict[tuple[tuple[Span, Span], str], Measured] = {}
        self._check = {
            "position": self._position,
            "velocity": self._velocity,
            "torque": self._torque,
        }[mode]

    def reset(self, rows: Rows) -> None:
        """Forgets the commands of some robots."""
        for side in SIDES:
            self._when[side][rows] = -np.inf
            self._times[side][:, rows] = -np.inf

    def set_openings(self, openings: list[tuple[Span, Span]]) -> None:
        """Sets how far the grippers may be open: left and right, least and greatest, of each."""
        self._openings = list(dict.fromkeys(openings))
        numbers = {opening: k for k, opening in enumerate(self._openings)}
        self._opening_of = np.array([numbers[opening] for opening in openings], dtype=np.intp)

    def judge(self, side: str, values: Array, seen: Seen) -> NDArray[np.int8]:
        """Whether commands to one arm are allowed: 0, or else an index into `REASONS`, shape (n,).

        Args:
            side: The arm, "left" or "right".
            values: The commands, shape (n, 7).
            seen: The states of now.
        """
        finite: Mask = np.all(np.isfinite(values), axis=1)
        check = self._check(side, np.where(finite[:, None], values, 0.0), seen)
        code = np.zeros(len(values), dtype=np.int8)
        for reason, bad in (("not finite", ~finite), *check.refused):
            code[bad & (code == 0)] = _CODE[reason]
        rows = np.flatnonzero((code == 0) & ~check.always)
        if self.rules.collisions and len(rows):
            code[rows[self._blocked(side, rows, seen, check)]] = _CODE["collision"]
        return code

    def note(self, side: str, values: Array, rows: Mask, t: Array) -> None:
        """Notes commands that are being sent, to some robots."""
        self._sent[side][rows], self._when[side][rows] = values[rows], t[rows]
        if self.mode == "torque":
            torques, times = self._torques[side], self._times[side]
            torques[1:, rows], times[1:, rows] = torques[:-1, rows], times[:-1, rows]
            torques[0, rows], times[0, rows] = values[rows], t[rows]

    def fingers(self, side: str, row: int, now: float, end: float, seen: Seen) -> bool:
        """Whether the fingers of one hand may move from an opening to another, 0 to 1."""
        rows = np.array([row])
        states = [seen.of(each, rows) for each in SIDES]
        motions = [
            self._motion_of(each, state, rows, int(self._kinds(each, state, rows)[0]))[:, 0]
            for each, state in zip(SIDES, states, strict=True)
        ]
        tubes = tubes_of_both([state.q[0] for state in states], motions)
        moment = self._moment(int(self._opening_of[row]), "both")
        pair = check_fingers(moment, side, (now, now), end, tubes, seen.q[row], self.rules)
        return pair is None

    def _position(self, side: str, row: Array, seen: Seen) -> _Check:
        limits, here = self._arms[side].limits, seen.of(side)
        room = limits.velocity * (here.t - self._when[side] + BUNCHING)[:, None]
        qd, tops = prediction.loud(here.qd), self._tops(side)
        refused = (
            ("position", _outside(row, *bounds.of_position(limits, here.q))),
            ("jump", _outside(row - here.q, -self.rules.jump, self.rules.jump)),
            ("velocity", _outside(row - self._sent[side], -room, room)),
        )
        return _Check(
            refused,
            np.stack([here.q, row, here.q + qd * np.abs(qd) / (2.0 * prediction.BRAKING)]),
            lambda k: prediction.after_position(here.q[k], qd[k], row[k], tops),
            np.zeros(len(row), dtype=bool),
        )

    def _velocity(self, side: str, row: Array, seen: Seen) -> _Check:
        limits = self._arms[side].limits
        most = bounds.of_velocity(limits)
        here = seen.of(side)
        fast = self._speeds(side, here, slice(None))
        motion = prediction.after_velocity(here.q, fast, row, self.rules.timeout)
        low, high = bounds.at_rest_after_velocity(limits, row)
        stop: Mask = ~np.any(row, axis=1)  # is always allowed
        as_told = (motion[..., AS_TOLD, :], fast[:, AS_TOLD], row)
        weak = strength.too_weak(self._scene, side, *as_told)
        refused = (
            ("velocity", _outside(row, -most, most)),
            ("effort", weak & ~stop),
            ("position", _ends_outside(motion, low, high) & ~stop),
        )
        return _Check(refused, _by_rows(motion), lambda k: motion[:, k], stop)

    def _torque(self, side: str, row: Array, seen: Seen) -> _Check:
        limits, here = self._arms[side].limits, seen.of(side)
        qd = prediction.loud(here.qd)
        motion, fast, last = self._under_torques(side, here, np.arange(len(row)), row)
        most = bounds.under_torques(limits, qd, last)
        low, high = bounds.at_rest_after_torques(limits, here.q, qd, last)
        refused = (
            ("effort", _outside(row, -limits.effort, limits.effort)),
            ("velocity", _outside(fast, -most, most)),
            ("position", _ends_outside(motion, low, high)),
        )
        never = np.zeros(len(row), dtype=bool)
        return _Check(refused, _by_rows(motion), lambda k: motion[:, k], never)

    def _blocked(self, side: str, rows: Rows, seen: Seen, check: _Check) -> Mask:
        """Which of some robots would touch something."""
        other = other_side(side)
        blocked = np.zeros(len(rows), dtype=bool)
        kinds, openings = self._kinds(other, seen.of(other, rows), rows), self._opening_of[rows]
        for kind, opening in dict.fromkeys(zip(kinds.tolist(), openings.tolist(), strict=True)):
            which = np.flatnonzero((kinds == kind) & (openings == opening))
            some = rows[which]
            here, there, moment = (
                seen.of(side, some),
                seen.of(other, some),
                self._moment(opening, side),
            )
            moving = self._motion_of(other, there, some, kind)
            low, high = (
                in_order(
                    side,
                    extreme(extreme.reduce(check.ends[:, some], axis=0), here.q),
                    extreme(extreme.reduce(moving, axis=(0, 2)), there.q),
                )
                for extreme in (np.minimum, np.maximum)
            )
            left = np.flatnonzero(~boxes_are_clear(moment, low, high))
            farthest = np.abs(moving - there.q[:, None]).max(axis=(0, 2, 3))
            for moves in (False, True):
                k = left[(farthest[left] > STILL) == moves]
                if len(k):
                    both = (here.q[k], check.motion(some[k]), there.q[k], moving[:, k])
                    blocked[which[k]] = _swept(moment, side, both, moves)
        return blocked

    def _kinds(self, side: str, state: Seen, rows: Rows) -> NDArray[np.int8]:
        """What moves arms that get no new command: the last one, their speed, or nothing."""
        kinds = np.where(prediction.loud(state.qd).any(axis=1), _COASTING, _REST).astype(np.int8)
        age = state.t - self._when[side][rows]
        kinds[(age < GOING) if self.mode == "position" else self._obeyed(age)] = _COMMANDED
        return kinds

    def _motion_of(self, side: str, state: Seen, rows: Rows, kind: int) -> Array:
        """Where arms go that get no new command, shape (times, rows, variants, 7)."""
        qd = prediction.loud(state.qd)
        if kind == _REST:
            return prediction.at_rest(state.q)
        if kind == _COASTING:
            fast = prediction.speeds(0.0, qd, None)
            return prediction.after_velocity(state.q, fast, qd, self.rules.timeout)
        sent = self._sent[side][rows]
        if self.mode == "position":
            return prediction.after_position(state.q, qd, sent, self._tops(side))
        if self.mode == "torque":
            return self._under_torques(side, state, rows, sent)[0]
        fast = self._speeds(side, state, rows)
        return prediction.after_velocity(state.q, fast, sent, self.rules.timeout)

    def _speeds(self, side: str, state: Seen, rows: Rows | slice) -> Array:
        """Velocities that arms may have now [rad/s], as `prediction.speeds` gives them."""
        qd, told = prediction.loud(state.qd), self._obeyed(state.t - self._when[side][rows])
        return prediction.speeds(0.0, qd, np.where(told[:, None], self._sent[side][rows], qd))

    def _under_torques(
        self, side: str, state: Seen, rows: Rows, row: Array
    ) -> tuple[Array, Array, Array]:
        """Motions, greatest and last speeds, as `prediction.after_torque` gives them.

        Robots whose past commands have acted for the same times are computed together.
        """
        end, since = state.t, state.t - prediction.LATE
        lasted = np.empty((KEPT, len(rows)))
        for back, t in enumerate(self._times[side][:, rows]):
            lasted[back] = np.minimum(end, t + self.rules.torque_timeout) - np.maximum(t, since)
            end = t
        acted: Array = np.maximum(lasted, 0.0).round(9)
        motion = np.empty((len(prediction.TIMES), len(rows), 2 * len(prediction.SHARES), 7))
        fast = np.empty((len(rows), 7))
        last, rigid = np.empty((len(rows), 7)), self._rigid[side]
        histories, of = np.unique(acted, axis=1, return_inverse=True)
        for number, durations in enumerate(histories.T.tolist()):
            k = np.flatnonzero(of.reshape(-1) == number)
            q, borne = state.q[k], state.borne[k]
            before = [
                (self._torques[side][j, rows[k]] + borne, duration)
                for j, duration in reversed(list(enumerate(durations)))
                if duration > 0.0
            ]
            told = np.any(state.tau[k], axis=1, keepdims=True)
            sensed = np.where(told, state.tau[k], borne)
            motion[:, k], fast[k], last[k] = prediction.after_torque(
                rigid,
                q,
                prediction.loud(state.qd[k]),
                row[k] + borne,
                sensed,
                borne - rigid.gravity(q),
                self.rules.torque_timeout,
                (0.0, before),
            )
        return motion, fast, last

    def _moment(self, opening: int, side: str) -> Measured:
        """The scene with the grippers open so far, for motions of one arm or both."""
        key = self._openings[opening], side
        if key not in self._moments:
            scene = self._scene.replace(opening=key[0])
            self._moments[key] = Measured(scene, [scene.head], side)
        return self._moments[key]

    def _tops(self, side: str) -> Array:
        return self._ratios[:, None] * self._arms[side].limits.velocity

    def _obeyed(self, age: Array) -> Mask:
        """Whether robots still obey commands of this age [s]."""
        return age <= self.rules.timeout + self.rules.stale


class _Check(NamedTuple):
    """What is known of commands before contacts are looked for.

    Attributes:
        refused: Reasons, and which rows are refused for them, shape (n,).
        ends: Positions between which the arm's joints stay [rad], shape (m, n, 7).
        motion: Gives the motions of some rows, shape (times, rows, variants, 7).
        always: Rows that are allowed whatever they touch, shape (n,).
    """

    refused: tuple[tuple[str, Mask], ...]
    ends: Array
    motion: Callable[[Rows], Array]
    always: Mask


def _swept(
    moment: Measured, side: str, both: tuple[Array, Array, Array, Array], moves: bool
) -> Mask:
    """Which motions touch something; `both` are positions and motions of the arm and the other."""
    q, motion, q_other, other = both
    tubes, of = tubes_of_rows(side, q, motion, q_other, other, moves)
    verdict, _ = moment.verdicts(tubes)
    blocked = np.zeros(len(q), dtype=bool)
    for i in np.unique(of[verdict[0] != FREE]).tolist():
        mine = of == i
        own = Tubes(tubes.start[mine], tubes.end[mine], tubes.width[mine])
        paths = in_order(side, motion[:, i], np.broadcast_to(q_other[i], motion[:, i].shape))
        here = in_order(side, q[i], q_other[i])
        blocked[i] = obstruction(moment, own, here, paths) is not None
    return blocked


def _by_rows(motion: Array) -> Array:
    """Motions (times, rows, variants, 7) as (times variants, rows, 7)."""
    return np.moveaxis(motion, 2, 1).reshape(-1, motion.shape[1], 7)


def _ends_outside(motion: Array, low: Array, high: Array) -> Mask:
    """Rows whose motions (times, rows, variants, 7) leave these bounds, (rows, 7) each."""
    return _outside(motion.min(axis=(0, 2)), low, np.inf) | _outside(
        motion.max(axis=(0, 2)), -np.inf, high
    )


def _outside(values: Array, low: Array | float, high: Array | float) -> Mask:
    """Rows of which a value is not between two others, shape (n,)."""
    bad: Mask = ~((values >= low) & (values <= high))
    some: Mask = np.any(bad, axis=1)
    return some
