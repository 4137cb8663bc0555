"""The viewer's session, without a server: limbs, head, a motion that plays, objects, goals."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.arrays import finite_array
from baxterkit.errors import UnknownNameError
from baxterkit.model.tool import ToolLike
from baxterkit.scene.scene import Scene
from baxterkit.types import JointVector
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.motion import Motion, Player
from baxterkit.viewer.state.objects import PlacedObjects

SIDES = ("left", "right")
CONFIGURATIONS = ("neutral", "untuck", "tuck")
FIRST_GOAL = (0.10, 0.0, 0.15)
"""Where a new goal is, from the hand, in base [m]."""


class Session:
    """Joint values of the whole robot, and how they change.

    Every method is fast, and independent of browsers. It is not thread-safe: one thread owns it.

    Args:
        robot: The robot; the nominal one if None.

    Attributes:
        robot: The robot, its tools included.
        limbs: By side.
        pan: The head's angle [rad].
        openings: Gripper openings from 0 (closed) to 1 (open), by side.
        drawing: Whether a path is being drawn, which gizmos would disturb.
        watched: Whether the arms are a robot's, which alone moves them.
        player: The player of motions; idle if there is none.
        objects: What stands around the robot.
        goals: Where planned motions end, by side, for the arms that have a goal. A goal is dragged
            as an arm is; its `target` is the hand pose that is wanted, even out of reach.
    """

    def __init__(self, robot: Baxter | None = None) -> None:
        self.robot = Baxter() if robot is None else robot
        self.limbs: Mapping[str, DraggedArm] = {
            "left": DraggedArm(self.robot.left),
            "right": DraggedArm(self.robot.right),
        }
        self.pan = 0.0
        self.openings = dict.fromkeys(SIDES, 1.0)
        self.drawing = self.watched = False
        self.player = Player()
        self.objects = PlacedObjects()
        self.goals: dict[str, DraggedArm] = {}
        self._next: Motion | None = None

    def limb(self, side: str) -> DraggedArm:
        """The limb of a side.

        Raises:
            UnknownNameError: If there is no such side.
        """
        if side not in self.limbs:
            raise UnknownNameError("side", side, SIDES)
        return self.limbs[side]

    @property
    def scene(self) -> Scene:
        """The robot with its head and fingers, among its obstacles."""
        opening = (self.openings["left"], self.openings["right"])
        return self.robot.scene(self.objects.world, head=self.pan, opening=opening)

    @property
    def moving(self) -> bool:
        """Whether `step` would move anything."""
        return (
            self.player.playing
            or self._next is not None
            or any(limb.moving for limb in self.limbs.values())
            or any(goal.moving for goal in self.goals.values())
        )

    def go_to_configuration(self, name: str) -> None:
        """Sends both arms to a named configuration: "neutral", "untuck" or "tuck"."""
        self.stop_playing()
        for limb in self.limbs.values():
            limb.go_to(limb.arm.configuration(name))

    def change_tool(self, side: str, tool: ToolLike) -> None:
        """Changes the tool of a hand."""
        self.put_arm(side, self.limb(side).arm.replace(tool=tool))

    def put_arm(self, side: str, arm: Arm) -> None:
        """Puts another arm, such as one with another tool, in an arm's place; the joints stay."""
        self.limb(side).put_arm(arm)
        if side in self.goals:
            self.goals[side].put_arm(arm)
        self.robot = self.robot.replace(left=self.limbs["left"].arm, right=self.limbs["right"].arm)

    def aim(self, sides: Collection[str]) -> None:
        """Gives these arms a goal, above the hand if they had none, and the others none."""
        for side in SIDES:
            if side not in sides:
                self.goals.pop(side, None)
            elif side not in self.goals:
                limb = self.limb(side)
                goal = DraggedArm(limb.arm, limb.q)
                target = goal.T_base_tip
                target[:3, 3] += FIRST_GOAL
                if goal.drag(target) is None:  # out of reach: at the hand
                    goal.stop()
                self.goals[side] = goal

    def turn_head(self, pan: float) -> None:
        """Turns the head [rad], clipped to its limits."""
        head = self.robot.head
        self.pan = float(np.clip(finite_array(pan, "pan"), head.lower, head.upper))

    def open_gripper(self, side: str, opening: float) -> None:
        """Sets the opening of a hand's fingers, clipped to 0 (closed) to 1 (open)."""
        self.limb(side)
        self.openings[side] = float(np.clip(finite_array(opening, "opening"), 0.0, 1.0))

    def play(self, motion: Motion) -> None:
        """Goes to the start of a motion, then plays it."""
        self.player.stop()
        for limb in self.limbs.values():
            limb.stop()
        for side, q in motion.at(0.0).items():
            self.limb(side).go_to(q)
        self._next = motion

    def stop_playing(self) -> None:
        """Stops a motion where it is."""
        self.player.stop()
        self._next = None

    def close_motion(self) -> None:
        """Stops a motion, and forgets it."""
        self.stop_playing()
        self.player.motion, self.player.time = None, 0.0

    def pause(self) -> None:
        """Stops a motion where it is, or plays on from there."""
        if self.player.playing:
            self.stop_playing()
        elif self._next is None:
            self._show(self.player.seek(self.player.time))
            self.player.go_on()

    def seek(self, time: float) -> None:
        """Shows the motion that was played last at a time [s]; it plays on if it was playing."""
        self._next = None
        self._show(self.player.seek(time))

    def _show(self, q: Mapping[str, JointVector]) -> None:
        for side, values in q.items():
            self.limbs[side].set_joints(values, clip=False)

    def examine(self) -> None:
        """Checks targets that may be out of reach; see `DraggedArm.examine`. 10 Hz is enough."""
        for limb in (*self.limbs.values(), *self.goals.values()):
            limb.examine()

    def step(self, dt: float) -> bool:
        """Moves everything on by `dt` [s]; returns whether anything moved."""
        aimed = [goal.step(dt) for goal in self.goals.values()]
        if self.player.playing:
            self._show(self.player.advance(dt))
            return True
        moved = [limb.step(dt) for limb in self.limbs.values()]
        if self._next is not None and not any(limb.moving for limb in self.limbs.values()):
            self.player.start(self._next)
            self._next = None
        return any(moved) or any(aimed)
