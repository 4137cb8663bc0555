"""What may be sent to the robot: one place decides, before anything reaches the wire.

A joint command is allowed if the robot is enabled, its states are fresh and come from one node
each, the values are finite and within the limits, they are near enough to what was measured, and
the arm touches neither itself nor the known world on any motion that it may make: to the commanded
position, or to rest if no other command came. `underway.Underway` knows what was sent and where it
leads; `gate.Gate` asks here, and sends what is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.collision.nearest import Nearest
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.messages import Message
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.ros import bounds, prediction, strength, topics
from baxterkit.ros.finger_checks import check_fingers
from baxterkit.ros.near import NearPairs
from baxterkit.ros.openings import Grippers
from baxterkit.ros.readiness import robot_is_ready, sources_are_single
from baxterkit.ros.refusals import (
    contact,
    grip_advice,
    head_speed,
    number,
    raw_step,
    refusal,
    within,
)
from baxterkit.ros.rules import Rules
from baxterkit.ros.states import ArmReading, States
from baxterkit.ros.sweeps import in_order, tubes_of, tubes_of_both
from baxterkit.ros.underway import Underway
from baxterkit.scene import Scene
from baxterkit.scene.clear_motions import Measured, box_is_clear, head_obstruction, obstruction
from baxterkit.types import Array, JointVector

BUNCHING = 0.1
"""Time by which position commands may follow each other too soon [s], as after a short delay."""
BEGINS = 0.5
"""Time within which a head says that it turns [s]."""
STOOD = 1.0
"""A head that has not moved for this time [s], and does not say that it turns, goes on no more."""
THERE = 0.02
"""A head this near to where it was told to turn is there [rad]."""
RESTING = 0.1
"""An arm is at rest, for raw commands, if no joint is faster than this [rad/s]."""
SETTLING = 0.1
"""Time from the last raw or torque command until a raw stream may begin [s]: two time constants of
the position loop. Published velocities, `prediction.LATE` behind and up to a period of the states
old, do not yet show what that command did."""
RAW_BEGINS = "speed [rad/s], and raw commands begin at rest: wait, or send zero velocities"
SOON = int(np.searchsorted(prediction.TIMES, 0.06)) + 1
"""So many of the predicted times, 0.06 s, pairs that may come near are checked ahead: a hand that
slows down onto an object has not the room to go on for longer, and brake then."""
AS_TOLD = int(np.argmax(prediction.RATES == 1.0))
"""The predicted motion of joints that are as quick as the twin's."""
RAW_TOP = 0.97
"""Share of the velocity limits that the predicted speed under raw commands may reach: published
velocities are `prediction.LATE` behind, and the arm overshoots."""


class Judge(Underway):
    """Decides on commands, by what is under way; sends nothing.

    Args:
        states: What the robot says.
        scene: The robot's model, the obstacles around it and the safety margin.
        rules: What is allowed.

    Attributes:
        panned: When the head was last told to turn, and where to [rad].
        grippers: What is known of the grippers' openings.
        near: Pairs that may come near, where hands take objects or leave them.
    """

    def __init__(self, states: States, scene: Scene, rules: Rules) -> None:
        super().__init__(states, scene, rules)
        self.panned: tuple[float, float] | None = None
        self.grippers = Grippers()
        self.near = NearPairs()
        self._gripper_topics = {topics.limb(side, "gripper_state").name: side for side in SIDES}
        states.taps.append(self._hear)

    def prepare(self) -> None:
        """Makes what the first check would be slow to make: the body, and how to measure it."""
        left, right = (self._states.arm(side) for side in SIDES)
        if left is not None and right is not None and self.rules.collisions:
            for side, here, there in (("left", left, right), ("right", right, left)):
                motion = prediction.after_raw_position(
                    here.q, here.qd, here.q, self._velocity(side), here.q
                )
                moment = self.measured(side)
                tubes = tubes_of(side, here.q, motion, there.q, prediction.at_rest(there.q))
                moment.blocked(tubes)
                moment.nearest(np.concatenate([left.q, right.q]), moment.heads[0])

    def joints(self, side: str, mode: str, values: ArrayLike) -> JointVector:
        """The values of a joint command, shape (7,), if it is allowed.

        Raises:
            RefusedError: If it is not.
        """
        row = self._finite(side, mode, values)
        self.robot_is_ready()
        here, there = self._fresh(side), self._fresh(other_side(side))
        check = {
            "position": self._check_position,
            "raw position": self._check_position,
            "velocity": self._check_velocity,
            "torque": self._check_torque,
        }[mode]
        check(side, mode, row, here, there)
        age = max(here.age, there.age)
        if age > self.rules.stale:  # the process stood still meanwhile
            raise refusal(
                "stale", f"the check has ended {age:.2f} s after the states were measured"
            )
        return row

    def head(self, pan: float, speed: float) -> tuple[float, float]:
        """Pan angle [rad] and speed, if the head may turn there.

        Raises:
            RefusedError: If the angle is outside the head's limits, the speed outside 0 to 1, or
                the screen would touch an arm.
        """
        self.robot_is_ready()
        pan, speed = number(pan, "pan"), head_speed(speed)
        low, high = self.scene.robot.head.lower, self.scene.robot.head.upper
        if not low <= pan <= high:
            raise refusal(
                "position", f"head_pan = {pan} rad; its limits are {low:.3f} and {high:.3f} rad"
            )
        if self.rules.collisions:
            moment = self.moments()[0]
            for here in self._configurations():
                self._refuse(head_obstruction(moment, here, pan))
        return pan, speed

    def gripper(self, side: str, command: str, opening: float | None) -> float | None:
        """The opening, if the gripper may move there.

        Raises:
            RefusedError: If it is not from 0 to 100, the gripper is not calibrated, or its fingers
                would touch something that they are not meant to grip.
        """
        self.robot_is_ready()
        if opening is not None:
            opening = number(opening, "opening")
            if not 0.0 <= opening <= 100.0:
                raise refusal("position", f"opening {opening} %; it must be from 0 to 100")
        state = self._states.grippers.get(side)
        if opening is not None and state is not None and state.calibrated == 0:
            raise refusal(
                "not calibrated",
                f"the {side} gripper is not calibrated, and would not move; "
                f"call link.{side}.calibrate_gripper() first, or baxterkit ros calibrate-gripper",
            )
        if self.rules.collisions and (opening is not None or command == "calibrate"):
            present = self.grippers.now(side, state, self._now())
            ends = None if opening is None else opening / 100.0
            readings = [self._fresh(each) for each in SIDES]
            motions = [self._motion_of(each, x) for each, x in zip(SIDES, readings, strict=True)]
            tubes = tubes_of_both([x.q for x in readings], motions)
            here = np.concatenate([x.q for x in readings])
            pair = check_fingers(self.moments()[0], side, present, ends, tubes, here, self.rules)
            self._refuse(pair, grip_advice(pair, side, self.scene.world))
        return opening

    def speed_ratio(self, ratio: float) -> float:
        """The ratio; refuses one that is not above 0 and at most 1."""
        self.sources_are_single()
        ratio = number(ratio, "speed ratio")
        if not 0.0 < ratio <= 1.0:
            raise refusal("velocity", f"speed ratio {ratio}; it must be above 0 and at most 1")
        return ratio

    def sources_are_single(self) -> None:
        """Refuses unless one node publishes the robot's state, and one each arm's joints."""
        sources_are_single(self._states)

    def robot_is_ready(self) -> None:
        """Refuses unless the robot is enabled and not stopped, and was heard just now."""
        robot_is_ready(self._states, self.rules)

    def _finite(self, side: str, mode: str, values: ArrayLike) -> JointVector:
        model = self._arm(side).model
        try:
            row: JointVector = model.joint_values(values, f"{mode} command")
        except BaxterkitError as error:
            raise refusal("not finite", str(error)) from error
        if row.shape != (7,):
            wrong = InputError(f"{mode} command must have shape (7,), got {row.shape}")
            raise refusal("not finite", str(wrong)) from wrong
        return row.copy()

    def _check_position(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        limits = self._arm(side).limits
        allowed = bounds.of_position(limits, here.q)
        within(side, row, "position", "position command [rad]", *allowed)
        away = np.abs(row - here.q)
        if away.max() > self.rules.jump:
            j = int(np.argmax(away))
            raise refusal(
                "jump",
                f"{joint_names(side)[j]} = {row[j]:.3f} rad is {away[j]:.3f} rad "
                f"from where it is; at most {self.rules.jump:g} are allowed: move there "
                "by move_to or follow, or set Rules(jump=...)",
            )
        last, velocity = self.sent.get(side), limits.velocity
        q_now, qd = prediction.ahead(here, self._told(side, "velocity")), prediction.loud(here.qd)
        if mode == "raw position":
            told = self._told(side, mode)
            start = q_now if told is None else told
            if told is None:
                settled = self._now() - self._stirred[side] >= SETTLING
                fast, most = np.abs(here.qd), np.full(7, RESTING * settled)
                within(side, fast, "not at rest", RAW_BEGINS, np.zeros(7), most)
            raw_step(side, row, *self.allowance(side), velocity)
            fast, most = prediction.raw_speed(q_now, qd, row, velocity, start), RAW_TOP * velocity
            within(side, fast, "velocity", "predicted speed [rad/s]", -most, most)
            M, load = self._arm(side).inertia(here.q), self._borne(side, here)
            then = self._shadows[side].after(M, here.q, row, self._now(), told is None)
            then.check(side, limits, load)
            # Were the next command refused, the arm would brake from the speed of the stream.
            going = prediction.after_raw_position(q_now, qd, row, velocity, start)
            stream = self._allowances[side].speed(row, start, self._now())
            braking = prediction.after_raw_stream(row, qd, stream, self.rules.timeout)
            outwards = (row - here.q) * prediction.faster(stream, qd) > 0.0
            low = np.where(outwards, limits.lower - bounds.NOISE, -np.inf)
            high = np.where(outwards, limits.upper + bounds.NOISE, np.inf)
            self._check_ends(side, braking[:, 1 : len(prediction.RATES)], low, high)
            motion = np.concatenate([going, braking], axis=1)
            self._check_motion(side, here, there, [motion], lambda: motion)
        else:
            if last is not None and last.mode == mode:
                room = velocity * (self._now() - last.t + BUNCHING)
                within(side, row - last.values, "velocity", "step of position [rad]", -room, room)
            ends = [q_now, row, q_now + qd * np.abs(qd) / (2.0 * prediction.BRAKING)]
            self._check_motion(
                side, here, there, ends,
                lambda: prediction.after_position(q_now, qd, row, self._tops(side)),
            )  # fmt: skip

    def _check_velocity(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        limits = self._arm(side).limits
        most = bounds.of_velocity(limits)
        within(side, row, "velocity", "velocity command [rad/s]", -most, most)
        if not row.any():
            return  # to stop is always allowed
        told = self._told(side, "velocity")
        q_now, qd = (
            prediction.ahead(here, told),
            prediction.speeds(here.age, prediction.loud(here.qd), told),
        )
        motion = prediction.after_velocity(q_now, qd, row, self.rules.timeout)
        strength.check(self.scene, side, motion[:, AS_TOLD], qd[AS_TOLD], row)
        self._check_ends(side, motion, *bounds.at_rest_after_velocity(limits, row))
        self._check_motion(side, here, there, [motion], lambda: motion)

    def _check_torque(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        arm = self._arm(side)
        limits = arm.limits
        within(side, row, "effort", "torque command [N m]", -limits.effort, limits.effort)
        qd = prediction.loud(here.qd)
        motion, fast, last = self._under_torques(side, here, row, self.rules)
        most = bounds.under_torques(limits, qd, last)
        within(side, fast, "velocity", "predicted speed [rad/s]", -most, most)
        self._check_ends(side, motion, *bounds.at_rest_after_torques(limits, here.q, qd, last))
        self._check_motion(side, here, there, [motion], lambda: motion)

    def _check_ends(self, side: str, motion: Array, low: Array, high: Array) -> None:
        """The arm must come to rest between these."""
        reason, what = "position", "position at rest after it [rad]"
        within(side, motion.min(axis=(0, 1)), reason, what, low, np.full(7, np.inf))
        within(side, motion.max(axis=(0, 1)), reason, what, np.full(7, -np.inf), high)

    def _check_motion(
        self,
        side: str,
        here: ArmReading,
        there: ArmReading,
        ends: Sequence[Array],
        motion: Callable[[], Array],
    ) -> None:
        """A motion must be clear of contacts; a pair that touches may not come nearer.

        The other arm may be where it is, on its own motion, or at the end of that.

        Args:
            side: The arm that moves.
            here: Its state.
            there: The state of the other arm.
            ends: Positions between which its joints stay [rad], shape (..., 7) each.
            motion: Gives the motions that it may make, if that box is not known to be clear.
        """
        if not self.rules.collisions:
            return
        moments = self.moments(side)
        moving = self._motion_of(other_side(side), there)
        rows = np.concatenate([here.q[None], *(x.reshape(-1, 7) for x in ends)])
        others = np.concatenate([there.q[None], moving.reshape(-1, 7)])
        low = in_order(side, rows.min(axis=0), others.min(axis=0))
        high = in_order(side, rows.max(axis=0), others.max(axis=0))
        moments = tuple(one for one in moments if not box_is_clear(one, low, high))
        if not moments:
            return
        motions = motion()
        for one in moments:
            times = len(motions) if one.least is None else SOON
            own, others = motions[:times], moving[:times]
            tubes = tubes_of(side, here.q, own, there.q, others)
            paths = in_order(side, own, np.broadcast_to(there.q, own.shape))
            pair = obstruction(one, tubes, in_order(side, here.q, there.q), paths)
            self._refuse(pair, margin=one.margin)

    def _refuse(self, pair: Nearest | None, advice: str = "", margin: float | None = None) -> None:
        if pair is not None:
            keep = self.scene.margin if margin is None else margin
            raise refusal("collision", contact(pair, keep) + advice)

    def measured(self, side: str = "both") -> Measured:
        """The robot among its obstacles as they are now, for motions of one arm, or of both."""
        known, heads = self.scene, self._heads()
        openings = self.grippers.spans(self._states.grippers, self._now())
        scene = known.robot.scene(known.world, head=heads[0], opening=openings, margin=known.margin)
        return Measured(scene, heads, side)

    def moments(self, side: str = "both") -> tuple[Measured, ...]:
        """The same in parts: all pairs that keep the margin, then those that may come near.

        Fingers that close on an object stop there: beside it they are no more closed than now.
        """
        moment = self.measured(side)
        if not (near := self.near.within(moment.scene.world)):
            return (moment,)
        stopping = moment.opened(self.grippers.stopping(self._states.grippers, self._now())).scene
        parts = [replace(moment, scene=moment.scene.replace(without=tuple(near)))]
        for least in sorted(set(near.values())):
            alone = stopping._alone(tuple(pair for pair in near if near[pair] == least))
            if alone.checker.pairs:
                parts.append(replace(moment, scene=alone, least=least))
        return tuple(parts)

    def _hear(self, topic: str, _message: Message) -> None:
        side = self._gripper_topics.get(topic)
        if side is not None:
            self.grippers.heard(side, self._now())

    def _configurations(self) -> list[Array]:
        """Both arms where they are, and where they go, left then right [rad], shape (14,) each."""
        states = [self._fresh(side) for side in SIDES]
        ends = [
            self._motion_of(side, state)[-1, 0] for side, state in zip(SIDES, states, strict=True)
        ]
        return [np.concatenate([state.q for state in states]), np.concatenate(ends)]

    def _heads(self) -> list[float]:
        """Pan angles of the head: where it is, and those through which it turns.

        It turns at a speed of its own, and may take long.
        """
        head, states = self.scene.robot.head, self._states
        now = min(max(states.head, head.lower), head.upper)  # sensors err beyond them
        if self.panned is None:
            return [now]
        told, pan = self.panned
        if states.head_at - told > BEGINS:
            stands = not states.head_turns and states.head_at - states.head_moved > STOOD
            if abs(now - pan) < THERE or (stands and states.head_at - told > STOOD):
                return [now]
        return [float(x) for x in np.linspace(now, pan, 1 + math.ceil(abs(pan - now) / 0.1))]
