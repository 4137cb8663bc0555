"""What may be sent to the robot: one place decides, before anything reaches the wire.

A joint command is allowed if the robot is enabled, its states are fresh and come from one node
each, the values are finite and within the limits, they are near enough to what was measured, and
the arm touches neither itself nor the known world on the way; under velocities and torques also not
on the way to rest if we fell silent right after. `gate.Gate` asks here, and sends what is allowed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.baxter import Baxter
from baxterkit.checks.numbers import scalar
from baxterkit.collision.checker import Nearest
from baxterkit.errors import BaxterkitError
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.names import SIDES, joint_names
from baxterkit.ros.clear_way import head_obstruction, obstruction
from baxterkit.ros.errors import RefusedError
from baxterkit.ros.prediction import after_torque, after_velocity, ahead
from baxterkit.ros.rules import Rules
from baxterkit.ros.states import ArmReading, States
from baxterkit.ros.waiting import LONGEST
from baxterkit.types import Array, JointVector

__all__ = ["Judge", "Rules"]

BUNCHING = 0.1
"""Time by which position commands may follow each other too soon [s], as after a short delay."""
STILL = 0.005
"""An arm that comes to rest within this [rad] stays where it is."""
TURNING = 5.0
"""Time within which a head arrives [s]."""


class Judge:
    """Decides on commands; sends nothing.

    Args:
        states: What the robot says.
        robot: The robot's model.
        rules: What is allowed.

    Attributes:
        sent: The last command of each arm that was sent: time, mode, values.
        borne: Sides whose gravity compensation is suppressed under torques.
        panned: When the head was last told to turn, and where to [rad].
    """

    def __init__(self, states: States, robot: Baxter, rules: Rules) -> None:
        self._states, self._robot, self.rules = states, robot, rules
        self._clock = states.clock
        self.sent: dict[str, tuple[float, str, JointVector]] = {}
        self.borne: set[str] = set()
        self.panned: tuple[float, float] | None = None

    def reckon_with(self, robot: Baxter) -> None:
        """Checks with another model from now on: a hand wears another tool."""
        self._robot = robot
        if self._states.arm("left") is not None:
            self.prepare()

    def prepare(self) -> None:
        """Makes what the first check would be slow to make: the body, and the way to measure it."""
        left, right = (self._states.arm(side) for side in SIDES)
        if left is not None and right is not None and self.rules.collisions:
            both = np.concatenate([left.q, right.q])
            self._robot.edge_free(both, both, padding=self.rules.padding, world=self.rules.world)
            self._robot.clearance(left.q, right.q, world=self.rules.world)

    def joints(self, side: str, mode: str, values: ArrayLike) -> JointVector:
        """The values of a joint command, shape (7,), if it is allowed.

        Raises:
            RefusedError: If it is not.
        """
        row = self._finite(side, mode, values)
        self.robot_is_ready()
        here, there = self._fresh(side), self._fresh(_other(side))
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
        pan, speed = _number(pan, "pan"), _number(speed, "speed")
        low, high = self._robot.head.lower, self._robot.head.upper
        if not low <= pan <= high:
            raise refusal(
                "position", f"head_pan = {pan} rad; its limits are {low:.3f} and {high:.3f} rad"
            )
        if not 0.0 <= speed <= 1.0:
            raise refusal("velocity", f"speed of the head = {speed}; it must be from 0 to 1")
        if self.rules.collisions:
            now, rules = self._states.head, self.rules
            for here in self._postures():
                self._refuse(
                    head_obstruction(self._robot, here, now, pan, rules.padding, rules.world)
                )
        return pan, speed

    def gripper(self, side: str, opening: float | None) -> float | None:
        """The opening, if the gripper may move there.

        Raises:
            RefusedError: If it is not from 0 to 100, or the gripper is not calibrated.
        """
        self.robot_is_ready()
        if opening is not None:
            opening = _number(opening, "opening")
            if not 0.0 <= opening <= 100.0:
                raise refusal("position", f"opening {opening} %; it must be from 0 to 100")
        state = self._states.grippers.get(side)
        if opening is not None and state is not None and state.calibrated == 0:
            raise refusal(
                "not calibrated",
                f"the {side} gripper is not calibrated, and would not move; "
                f"call link.{side}.calibrate_gripper() first",
            )
        return opening

    def speed_ratio(self, ratio: float) -> float:
        """The ratio; refuses one that is not above 0 and at most 1."""
        self.sources_are_single()
        ratio = _number(ratio, "speed ratio")
        if not 0.0 < ratio <= 1.0:
            raise refusal("velocity", f"speed ratio {ratio}; it must be above 0 and at most 1")
        return ratio

    def sources_are_single(self) -> None:
        """Refuses unless one node publishes the robot's state, and one each arm's joints."""
        nodes = self._states.state_sources.now()
        if not nodes:
            age = self._states.state_age
            since = f"for {age:.1f} s" if age < LONGEST else "yet"
            raise refusal(
                "stale", f"/robot/state was not heard {since}; nothing is sent until it comes"
            )
        if len(nodes) > 1:
            raise refusal(
                "publishers",
                f"{len(nodes)} nodes publish /robot/state {nodes}; "
                "one is expected: is a mock still running?",
            )
        for side in SIDES:
            nodes = self._states.sources[side].now()
            if not nodes:
                raise refusal("stale", f"the {side} arm's joints are not heard any more")
            if len(nodes) > 1:
                raise refusal(
                    "publishers",
                    f"{len(nodes)} nodes publish the {side} arm's joints "
                    f"{nodes}; one is expected: stop the others",
                )

    def robot_is_ready(self) -> None:
        """Refuses unless the robot is enabled and not stopped, and was heard just now."""
        self.sources_are_single()
        state, age = self._states.assembly, self._states.state_age
        if state is None or age > 5.0 * self.rules.stale:
            raise refusal("stale", f"/robot/state is {age:.2f} s old; nothing is sent")
        if state.stopped or state.estop_button == 1:
            raise refusal(
                "stopped",
                "the robot is stopped: release its button, call link.reset() and link.enable()",
            )
        if not state.enabled:
            raise refusal("disabled", "the robot is disabled; call link.enable()")

    def _finite(self, side: str, mode: str, values: ArrayLike) -> JointVector:
        model = getattr(self._robot, side).model
        try:
            row: JointVector = model.joint_values(values, f"{mode} command")
        except BaxterkitError as error:
            raise refusal("not finite", str(error)) from error
        if row.shape != (7,):
            raise refusal("not finite", f"{mode} command of shape {row.shape}; (7,) is wanted")
        return row.copy()

    def _fresh(self, side: str) -> ArmReading:
        state = self._states.arm(side)
        if state is None or state.age > self.rules.stale:
            age = "missing" if state is None else f"{state.age:.2f} s old"
            raise refusal(
                "stale", f"the {side} arm's states are {age}; nothing is sent until they come again"
            )
        return state

    def _within(
        self, side: str, row: Array, reason: str, what: str, low: Array, high: Array
    ) -> None:
        bad = ~((row >= low) & (row <= high))
        if bad.any():
            i = np.unravel_index(int(np.argmax(bad)), row.shape)
            j = int(i[-1])
            raise refusal(
                reason,
                f"{what}: {joint_names(side)[j]} = {float(row[i]):.3f} is outside "
                f"{low[j]:.3f} to {high[j]:.3f}",
            )

    def _check_position(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        limits = getattr(self._robot, side).limits
        low, high = limits.lower - LIMIT_TOLERANCE, limits.upper + LIMIT_TOLERANCE
        self._within(side, row, "position", "position command [rad]", low, high)
        away = np.abs(row - here.q)
        if away.max() > self.rules.jump:
            j = int(np.argmax(away))
            raise refusal(
                "jump",
                f"{joint_names(side)[j]} = {row[j]:.3f} rad is {away[j]:.3f} rad "
                f"from where it is; at most {self.rules.jump:g} are allowed: move there "
                "by move_to or follow, or set Rules(jump=...)",
            )
        last = self.sent.get(side)
        if last is not None and last[1] == mode:
            room = limits.velocity * (self._clock.now() - last[0] + BUNCHING)
            self._within(side, row - last[2], "velocity", "step of position [rad]", -room, room)
        if mode == "raw position" and (last is None or last[1] != mode or self._over(last[0])):
            room = limits.velocity * BUNCHING  # nothing smooths this step
            what = "first raw step from where it is [rad]"
            self._within(side, row - here.q, "velocity", what, -room, room)
        self._check_way(side, np.vstack([here.q, row]), there)

    def _check_velocity(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        limits = getattr(self._robot, side).limits
        slack = 1e-9
        self._within(
            side,
            row,
            "velocity",
            "velocity command [rad/s]",
            -limits.velocity - slack,
            limits.velocity + slack,
        )
        now = ahead(here, self._told(side, "velocity"))
        way = np.vstack([here.q, after_velocity(now, here.qd, row, self.rules.timeout)])
        self._check_rest(side, way)
        self._check_way(side, way, there)

    def _check_torque(
        self, side: str, mode: str, row: Array, here: ArmReading, there: ArmReading
    ) -> None:
        arm = getattr(self._robot, side)
        limits = arm.limits
        self._within(side, row, "effort", "torque command [N m]", -limits.effort, limits.effort)
        rigid = arm.with_effects(None) if arm.effects is not None else arm
        told = self._states.torques(side, self.rules.stale)
        borne = arm.gravity(here.q) if told is None else told.gravity
        offset = borne - rigid.gravity(here.q)
        tau = row if side in self.borne else row + borne
        now = ahead(here, None)
        way, fast = after_torque(rigid, now, here.qd, tau, offset, self.rules.torque_timeout)
        self._within(
            side, fast, "velocity", "predicted velocity [rad/s]", -limits.velocity, limits.velocity
        )
        way = np.vstack([here.q, way])
        self._check_rest(side, way)
        self._check_way(side, way, there)

    def _check_rest(self, side: str, way: Array) -> None:
        """The arm must come to rest within its limits; joints that move inwards are free to."""
        limits = getattr(self._robot, side).limits
        low = np.minimum(limits.lower, way[0]) - LIMIT_TOLERANCE
        high = np.maximum(limits.upper, way[0]) + LIMIT_TOLERANCE
        self._within(side, way[-1], "position", "position at rest after it [rad]", low, high)

    def _check_way(self, side: str, way: Array, there: ArmReading) -> None:
        """The way must be free of contacts; a pair that touches may not come nearer.

        The other arm may be where it is, on its own way, or at the end of that.
        """
        if not self.rules.collisions:
            return
        rules = self.rules
        others = [np.broadcast_to(there.q, way.shape)]
        moving = self._way_of(_other(side), there)
        if np.abs(moving - there.q).max() > STILL:
            n = max(len(way), len(moving))
            way, moving = _in_steps(way, n), _in_steps(moving, n)
            others = [np.broadcast_to(x, way.shape) for x in (there.q, moving, moving[-1])]
        ways = [
            np.concatenate([way, other] if side == "left" else [other, way], axis=-1)
            for other in others
        ]
        self._refuse(
            obstruction(self._robot, side, ways, self._heads(), rules.padding, rules.world)
        )

    def _refuse(self, pair: Nearest | None) -> None:
        if pair is None:
            return
        gap = 1e3 * float(pair.clearance)
        inside = f", {-gap:.1f} mm inside each other" if gap <= -0.05 else ""
        raise refusal(
            "collision",
            f"{pair.names[0]} and {pair.names[1]} would come within {max(gap, 0.0):.1f} mm"
            f"{inside}; {1e3 * self.rules.padding:g} mm are to be kept",
        )

    def _way_of(self, side: str, state: ArmReading) -> Array:
        """Where an arm goes that gets no new command: to its last position, or to rest."""
        last = self.sent.get(side)
        if last is not None and "position" in last[1] and self._clock.now() - last[0] < 0.5:
            return np.vstack([state.q, last[2]])
        told = self._told(side, "velocity")
        now = ahead(state, told)
        way = after_velocity(now, state.qd, state.qd if told is None else told, self.rules.timeout)
        return np.vstack([state.q, way])

    def _told(self, side: str, mode: str) -> JointVector | None:
        """The last command of an arm, if it has that mode and the robot still obeys it."""
        last = self.sent.get(side)
        if last is None or last[1] != mode or self._over(last[0]):
            return None
        return last[2]

    def _over(self, t: float) -> bool:
        """Whether the robot no longer obeys a command of that time."""
        return self._clock.now() - t > self.rules.timeout + self.rules.stale

    def _postures(self) -> list[Array]:
        """Both arms where they are, and where they go, left then right [rad], shape (14,) each."""
        states = [self._fresh(side) for side in SIDES]
        ends = [self._way_of(side, state)[-1] for side, state in zip(SIDES, states, strict=True)]
        return [np.concatenate([state.q for state in states]), np.concatenate(ends)]

    def _heads(self) -> list[float]:
        """Pan angles of the head: where it is, and those through which it turns."""
        now = self._states.head
        if self.panned is None or self._clock.now() - self.panned[0] > TURNING:
            return [now]
        pan = self.panned[1]
        return [float(x) for x in np.linspace(now, pan, 1 + math.ceil(abs(pan - now) / 0.1))]


def _in_steps(way: Array, n: int) -> Array:
    """The way by `n` postures, shape (n, 7)."""
    if len(way) == n:
        return way
    at = np.linspace(0.0, len(way) - 1.0, n)
    return np.stack([np.interp(at, range(len(way)), x) for x in way.T], axis=-1)


def _other(side: str) -> str:
    return "right" if side == "left" else "left"


def _number(value: float, name: str) -> float:
    try:
        return scalar(value, name)
    except BaxterkitError as error:
        raise refusal("not finite", str(error)) from error


def refusal(reason: str, message: str) -> RefusedError:
    return RefusedError(reason, f"not sent: {message}")
