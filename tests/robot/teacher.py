"""A person who teaches a twin over ROS: squeezes its cuff, leads its hand, presses its buttons."""

from __future__ import annotations

import numpy as np

from baxterkit import Arm
from baxterkit.collision import World
from baxterkit.ros import InProcess
from baxterkit.spatial.formulas import pose_difference, so3_exp, transform
from baxterkit.types import Array, Transform

STIFFNESS = np.array([2000.0, 30.0])
"""Of the grasp of a person on the wrist [N/m, N m/rad]."""
DAMPING = np.array([150.0, 0.8])
"""Of the same [N s/m, N m s/rad]."""
TABLE = -0.15
HEIGHT = 0.12
DOWN = np.diag([1.0, -1.0, -1.0])


class Teacher:
    """Hands of a person on one arm of the twin.

    Args:
        both: The link and the robot.
        side: The arm.
    """

    def __init__(self, both: InProcess, side: str) -> None:
        self._both, self._side = both, side
        self._limb = both.twin.limb(side)
        self._path: tuple[float, float, Transform, Array] | None = None
        both.robot.lock.before.append(self._pull)
        self._task = both.clock.every(0.001, self._go_on, "teacher")

    def close(self) -> None:
        """Takes the hands off."""
        self._task.close()
        self._path = None
        self._pull()
        self._both.robot.lock.before.remove(self._pull)

    def _go_on(self) -> None:
        """Steps the twin to the present: a grasp that is felt every millisecond is firm."""
        if self._path is not None:
            with self._both.robot.lock:
                pass

    def squeeze(self, on: bool = True) -> None:
        """Squeezes the cuff, or lets go of it."""
        self._both.robot.buttons.press(f"{self._side}_cuff", on)
        self._both.clock.sleep(0.15)
        if not on:
            self._path = None
            self._both.clock.sleep(0.3)

    def press(self, key: str) -> None:
        """Presses a button of the arm, as "lower_button"."""
        self._both.robot.buttons.press(f"{self._side}_{key}")
        self._both.clock.sleep(0.15)
        self._both.robot.buttons.press(f"{self._side}_{key}", False)
        self._both.clock.sleep(0.15)

    def lead(self, T: Transform, seconds: float, rest: float = 0.4) -> None:
        """Leads the hand to a pose, and keeps it there for a while."""
        here, now = self._limb.tip, self._both.clock.now()
        self._path = (now, seconds, here, pose_difference(here, T))
        self._both.clock.sleep(seconds + rest)

    def wait(self, seconds: float) -> None:
        """Keeps still."""
        self._both.clock.sleep(seconds)

    def _pull(self) -> None:
        data = self._both.twin.data
        body = self._both.twin.model.body(f"{self._side}_w2_link").id
        if self._path is None:
            data.xfrc_applied[body] = 0.0
            return
        begun, seconds, start, away = self._path
        x = min(max((self._both.clock.now() - begun) / seconds, 0.0), 1.0)
        share = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
        goal = transform(so3_exp(share * away[3:]) @ start[:3, :3], start[:3, 3] + share * away[:3])
        tip, state = self._limb.tip, self._limb.truth
        off, speed = pose_difference(tip, goal), self._limb.arm.twist(state.q, state.qd)
        force, torque = (
            STIFFNESS[i] * off[3 * i : 3 * i + 3] - DAMPING[i] * speed[3 * i : 3 * i + 3]
            for i in range(2)
        )
        data.xfrc_applied[body, :3] = force
        data.xfrc_applied[body, 3:] = torque + np.cross(tip[:3, 3] - data.xipos[body], force)


def world(at: tuple[float, float]) -> World:
    """A table with a carton on it."""
    made = World()
    made.add_table("table", height=TABLE)
    made.add_box("carton", (0.04, 0.04, HEIGHT), (*at, TABLE + 0.5 * HEIGHT), mass=0.2)
    return made


def over(at: tuple[float, float], height: float) -> Transform:
    """The tip above a place of the table, pointing down."""
    return transform(DOWN, [*at, TABLE + height])


def ready_pose(arm: Arm, at: tuple[float, float]) -> Array:
    """Joint positions above a place, with the elbow where it does not bother."""
    return (
        arm.ik(over(at, 0.3), seed=arm.configuration("untuck"), posture="elbow_out")
        .raise_if_failed()
        .q
    )


def teach_pick(
    teacher: Teacher, pick: tuple[float, float], place: tuple[float, float], hurry: float = 1.0
) -> None:
    """What a person does: down, close, up, aside, down, open, up."""
    teacher.squeeze()
    teacher.lead(over(pick, 0.08), 2.0 / hurry)
    teacher.press("upper_button")
    teacher.wait(0.5)
    teacher.lead(over(pick, 0.2), 1.5 / hurry, 0.1)
    teacher.press("button_ok")
    teacher.lead(over(place, 0.2), 2.0 / hurry, 0.1)
    teacher.press("button_ok")
    teacher.lead(over(place, 0.085), 1.5 / hurry)
    teacher.press("lower_button")
    teacher.wait(0.5)
    teacher.lead(over(place, 0.25), 1.5 / hurry)
    teacher.squeeze(False)
