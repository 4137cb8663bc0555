"""What the arms were told, and where that leads them if no other command comes."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from baxterkit.arm import Arm
from baxterkit.model.names import SIDES
from baxterkit.ros import prediction
from baxterkit.ros.allowance import Allowance
from baxterkit.ros.refusals import refusal
from baxterkit.ros.rules import Rules
from baxterkit.ros.shadow import Shadow
from baxterkit.ros.states import ArmReading, States
from baxterkit.scene import Scene
from baxterkit.types import Array, JointVector, frozen

GOING = 0.5
"""Time for which an arm goes on to its last position command, as others see it [s]."""
TORQUES = 20
"""Torque commands of the past that are kept: velocities that were measured before they acted."""
RATIOS: Array = frozen([0.1, 0.3, 1.0])
"""Speed ratios that a robot may have which we have set none of; 0.3 is its own."""


class Sent(NamedTuple):
    """A command that was sent.

    Attributes:
        t: When it was sent [s].
        mode: Its mode.
        values: Its values, shape (7,).
        rules: The rules then: the robot was told these timeouts, and obeys it that long whatever
            the rules are by now.
    """

    t: float
    mode: str
    values: JointVector
    rules: Rules


class Underway:
    """Commands under way, and the motions that follow from them.

    Args:
        states: What the robot says.
        scene: The robot's model, the obstacles around it and the safety margin.
        rules: What is allowed.

    Attributes:
        scene: The same; head and openings are those that are measured.
        sent: The last command of each arm that was sent.
        borne: Sides whose gravity compensation is suppressed under torques.
        ratios: Speed ratios that were set, by side.
    """

    def __init__(self, states: States, scene: Scene, rules: Rules) -> None:
        self._states, self.scene, self.rules = states, scene, rules
        self._clock = states.clock
        self.sent: dict[str, Sent] = {}
        self.borne: set[str] = set()
        self.ratios: dict[str, float] = {}
        self._allowances = {side: Allowance(self._velocity(side)) for side in SIDES}
        self._shadows = {side: Shadow(self._velocity(side)) for side in SIDES}
        self._stirred = dict.fromkeys(SIDES, -np.inf)
        self._torques = {side: deque[tuple[float, JointVector]](maxlen=TORQUES) for side in SIDES}

    def allowance(self, side: str) -> tuple[JointVector, JointVector]:
        """Least and greatest raw position command that may come now [rad], shape (7,) each."""
        told = self._told(side, "raw position")
        start = self._fresh(side).q if told is None else told
        return self._allowances[side].between(start, self._now(), told is None)

    def must_brake(self, side: str) -> bool:
        """Whether an arm moves by raw commands, and would stop with a jolt if no more came."""
        told, state = self._told(side, "raw position"), self._states.arm(side)
        return told is not None and state is not None and bool(prediction.loud(state.qd).any())

    def note_sent(self, side: str, mode: str, row: JointVector) -> None:
        """Notes a command that is being sent."""
        now = self._now()
        if mode == "raw position":
            told = self._told(side, mode)
            start = self._fresh(side).q if told is None else told
            self._allowances[side].take(start, row, now, told is None)
            self._shadows[side].take(row)
        if mode in ("raw position", "torque"):
            self._stirred[side] = now
        if mode == "torque":
            self._torques[side].append((now, row))
        else:
            self._torques[side].clear()
        self.sent[side] = Sent(now, mode, row, self.rules)

    def _motion_of(self, side: str, state: ArmReading) -> Array:
        """Where an arm goes that gets no new command: to its last position, or to rest."""
        last, qd = self.sent.get(side), prediction.loud(state.qd)
        obeyed = last is not None and self.obeyed(last)
        timeout = last.rules.timeout if last is not None and obeyed else self.rules.timeout
        if last is not None and "position" in last.mode and self._goes_on(last):
            if last.mode == "raw position":
                going = prediction.after_raw_position(
                    state.q, qd, last.values, self._velocity(side), state.q
                )
                stream = self._allowances[side].speed(last.values, state.q, last.t)
                braking = prediction.after_raw_stream(last.values, qd, stream, timeout)
                return np.concatenate([going, braking], axis=1)
            return prediction.after_position(state.q, qd, last.values, self._tops(side))
        if last is not None and last.mode == "torque" and obeyed:
            return self._under_torques(side, state, last.values, last.rules)[0]
        told = self._told(side, "velocity")
        if told is None and not qd.any():
            return prediction.at_rest(state.q)
        q_now, fast = prediction.ahead(state, told), prediction.speeds(state.age, qd, told)
        wanted = qd if told is None else told
        return prediction.after_velocity(q_now, fast, wanted, timeout)

    def _under_torques(
        self, side: str, here: ArmReading, row: JointVector, rules: Rules
    ) -> tuple[Array, JointVector, JointVector]:
        """Motions under torques, greatest speeds and last ones, as `prediction.after_torque`.

        `rules` are those under which the robot obeys them.
        """
        arm = self._arm(side)
        rigid = arm.with_effects(None) if arm.effects is not None else arm
        borne = self._borne(side, here)
        load = np.zeros(7) if side in self.borne else borne
        last = self.sent.get(side)
        lasts = max(one.torque_timeout for one in (rules, rules if last is None else last.rules))
        end, before = self._now(), list[tuple[JointVector, float]]()
        since = end - here.age - prediction.LATE
        for t, torques in reversed(self._torques[side]):
            lasted = min(end, t + lasts) - max(t, since)
            if lasted > 0.0:
                before.insert(0, (torques + load, lasted))
            end = t
        return prediction.after_torque(
            rigid,
            here.q,
            prediction.loud(here.qd),
            row + load,
            here.tau if here.tau.any() else borne,
            borne - rigid.gravity(here.q),
            rules.torque_timeout,
            (min(max(here.age, 0.0), prediction.LATEST), before),
        )

    def _borne(self, side: str, here: ArmReading) -> JointVector:
        """Torques that hold an arm, springs included: the robot's own, or the model's [N m]."""
        told = self._states.torques(side, self.rules.stale)
        return self._arm(side).gravity(here.q) if told is None else told.gravity

    def _fresh(self, side: str) -> ArmReading:
        state = self._states.arm(side)
        if state is None or state.age > self.rules.stale:
            age = "missing" if state is None else f"{state.age:.2f} s old"
            raise refusal(
                "stale", f"the {side} arm's states are {age}; nothing is sent until they come again"
            )
        return state

    def _tops(self, side: str) -> Array:
        """Greatest speeds under position commands, for each speed ratio that may be set, (k, 7)."""
        ratio = self.ratios.get(side)
        ratios = RATIOS if ratio is None else np.array([ratio])
        tops: Array = ratios[:, None] * self._velocity(side)
        return tops

    def _velocity(self, side: str) -> JointVector:
        return self._arm(side).limits.velocity

    def _arm(self, side: str) -> Arm:
        return self.scene.arm(side)

    def _told(self, side: str, mode: str) -> JointVector | None:
        """The last command of an arm, if it has that mode and the robot still obeys it."""
        last = self.sent.get(side)
        if last is None or last.mode != mode or not self.obeyed(last):
            return None
        return last.values

    def obeyed(self, last: Sent) -> bool:
        """Whether the robot may still obey a command: it was told how long when that was sent."""
        return self._now() - last.t <= self._longest(last)

    def _goes_on(self, last: Sent) -> bool:
        """Whether an arm may still be moving to a position."""
        return self._now() - last.t < max(GOING, self._longest(last))

    def _longest(self, last: Sent) -> float:
        rules = last.rules
        obeyed = max(rules.timeout, rules.torque_timeout if last.mode == "torque" else 0.0)
        return obeyed + max(rules.stale, self.rules.stale)

    def _now(self) -> float:
        return self._clock.now()
