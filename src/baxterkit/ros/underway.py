"""What the arms were told, and where that leads them if no other command comes."""

from __future__ import annotations

from collections import deque

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


class Underway:
    """Commands under way, and the motions that follow from them.

    Args:
        states: What the robot says.
        scene: The robot's model, the obstacles around it and the safety margin.
        rules: What is allowed.

    Attributes:
        scene: The same; head and openings are those that are measured.
        sent: The last command of each arm that was sent: time, mode, values.
        borne: Sides whose gravity compensation is suppressed under torques.
        ratios: Speed ratios that were set, by side.
    """

    def __init__(self, states: States, scene: Scene, rules: Rules) -> None:
        self._states, self.scene, self.rules = states, scene, rules
        self._clock = states.clock
        self.sent: dict[str, tuple[float, str, JointVector]] = {}
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
        self.sent[side] = (now, mode, row)

    def _motion_of(self, side: str, state: ArmReading) -> Array:
        """Where an arm goes that gets no new command: to its last position, or to rest."""
        last, qd = self.sent.get(side), prediction.loud(state.qd)
        if last is not None and "position" in last[1] and self._now() - last[0] < GOING:
            if last[1] == "raw position":
                going = prediction.after_raw_position(
                    state.q, qd, last[2], self._velocity(side), state.q
                )
                stream = self._allowances[side].speed(last[2], state.q, last[0])
                braking = prediction.after_raw_stream(last[2], qd, stream, self.rules.timeout)
                return np.concatenate([going, braking], axis=1)
            return prediction.after_position(state.q, qd, last[2], self._tops(side))
        if last is not None and last[1] == "torque" and not self._over(last[0]):
            return self._under_torques(side, state, last[2])[0]
        told = self._told(side, "velocity")
        if told is None and not qd.any():
            return prediction.at_rest(state.q)
        q_now, fast = prediction.ahead(state, told), prediction.speeds(state.age, qd, told)
        wanted = qd if told is None else told
        return prediction.after_velocity(q_now, fast, wanted, self.rules.timeout)

    def _under_torques(
        self, side: str, here: ArmReading, row: JointVector
    ) -> tuple[Array, JointVector, JointVector]:
        """Motions under torques, greatest speeds and last ones, as `prediction.after_torque`."""
        arm = self._arm(side)
        rigid = arm.with_effects(None) if arm.effects is not None else arm
        borne = self._borne(side, here)
        load = np.zeros(7) if side in self.borne else borne
        end, before = self._now(), list[tuple[JointVector, float]]()
        since = end - here.age - prediction.LATE
        for t, torques in reversed(self._torques[side]):
            lasted = min(end, t + self.rules.torque_timeout) - max(t, since)
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
            self.rules.torque_timeout,
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
        return self.scene.robot.left if side == "left" else self.scene.robot.right

    def _told(self, side: str, mode: str) -> JointVector | None:
        """The last command of an arm, if it has that mode and the robot still obeys it."""
        last = self.sent.get(side)
        if last is None or last[1] != mode or self._over(last[0]):
            return None
        return last[2]

    def _over(self, t: float) -> bool:
        """Whether the robot no longer obeys a command of that time."""
        return self._now() - t > self.rules.timeout + self.rules.stale

    def _now(self) -> float:
        return self._clock.now()
