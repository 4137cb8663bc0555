"""The model of a robot, in some minutes: of one behind a link, or of the twin.

Each arm in turn follows exciting motions that touch nothing, through the safety gate, while the
other one stands. All but the last of them are fitted; the last one is predicted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from baxterkit import identify
from baxterkit.checks.numbers import count
from baxterkit.errors import NoAnswerError
from baxterkit.identify import ExcitingMotion, RobotFit
from baxterkit.model.names import SIDES, check_side, other_side
from baxterkit.recording import Recording
from baxterkit.robot import Robot
from baxterkit.types import JointVector

TARED = 3.0
"""Start of the last motion that tells the zero of the torque sensors [s]; the rest is scored."""
SPACING = 100
"""Between the seeds of two motions: `exciting_motion` tries seeds one after another."""
APPROACH = 60
"""Points on the path to a motion's start that are checked."""
MARGIN = 0.02
"""Safety margin on that path [m]."""


def learn(
    robot: Robot,
    *,
    sides: Sequence[str] = SIDES,
    seconds: float = 60.0,
    motions: int = 3,
    part: float = 0.6,
    seed: int = 0,
    folder: str | Path | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, RobotFit]:
    """Identifies the arms of a robot: moves, records, fits, and predicts a motion left out.

    The robot must be enabled, nobody within reach, and within the arms' reach nothing but the robot
    itself and the obstacles of `robot.scene`: the motions keep off those.

    Args:
        robot: The robot, behind a link or the twin.
        sides: Arms to identify, one after the other.
        seconds: Length of each motion [s].
        motions: Motions that are fitted, for each arm; one more is predicted.
        part: Part of each joint's range that the motions use at most.
        seed: Of the motions.
        folder: Where to keep a bag of every motion, as left_1.bag; nowhere if None.
        progress: Called with a description of the current step, and the share done, 0 to 1.

    Returns:
        For each side the fit, `.save(path)` and `.report(path)`; its `held_out` scores are of the
        last motion after its first three seconds, which tell the zero of the sensors.

    Raises:
        RefusedError: If the gate refuses a motion, or the robot leaves it.
        NoAnswerError: If no motion is free of collisions.
    """
    tell = progress or (lambda _text, _part: None)
    tell("planning", 0.0)
    planned = plan(robot, sides=sides, seconds=seconds, motions=motions, part=part, seed=seed)
    steps = sum(map(len, planned.values())) + len(planned) + 1
    fits: dict[str, RobotFit] = {}
    for i, (side, chosen) in enumerate(planned.items()):
        done = 1 + i * (len(chosen) + 1)
        recorded: list[Recording] = []
        for k, motion in enumerate(chosen):
            tell(f"{side} arm, motion {k + 1} of {len(chosen)}", (done + k) / steps)
            start = (motion.start, None) if side == "left" else (None, motion.start)
            robot.move_to(*start, timeout=60.0)
            path = None if folder is None else Path(folder) / f"{side}_{k + 1}.bag"
            with robot.record(path) as recorder:
                robot.follow({side: motion}).raise_if_failed()
            name = f"{side} motion {k + 1}" if path is None else str(path)
            recorded.append(dataclasses.replace(recorder.recording(side), source=name))
        tell(f"{side} arm, fitting", (done + len(chosen)) / steps)
        fit = identify.robot(recorded[:-1], robot.limb(side).arm.with_effects(None), check=False)
        fits[side] = dataclasses.replace(fit, held_out=_predicted(fit, recorded[-1]))
    tell("done", 1.0)
    return fits


def plan(
    robot: Robot,
    *,
    sides: Sequence[str] = SIDES,
    seconds: float = 60.0,
    motions: int = 3,
    part: float = 0.6,
    seed: int = 0,
) -> dict[str, list[ExcitingMotion]]:
    """The motions of `learn`, free of collisions, from where the arms are; nothing is sent.

    Arguments and errors as there.
    """
    at = {side: robot.limb(side).q for side in SIDES}
    planned: dict[str, list[ExcitingMotion]] = {check_side(side): [] for side in sides}
    for side, chosen in planned.items():
        for k in range(count(motions, "motions", least=1) + 1):
            chosen.append(_motion(robot, side, at, seconds, part, seed + SPACING * k))
            at[side] = chosen[-1].end
    return planned


def _motion(
    robot: Robot, side: str, at: dict[str, JointVector], seconds: float, part: float, seed: int
) -> ExcitingMotion:
    """An exciting motion whose start can be reached on a straight line in joint space."""
    arm, still = robot.limb(side).arm, at[other_side(side)]
    scene = robot.scene.replace(margin=MARGIN)
    for turn in range(SPACING):
        motion = identify.exciting_motion(
            arm.with_effects(None),
            seconds,
            part=part,
            seed=seed + turn,
            scene=scene.replace(margin=0.0),
            other=still,
        )
        approach = np.linspace(at[side], motion.start, APPROACH)
        sides = (approach, still) if side == "left" else (still, approach)
        if scene.first_contact(*sides) is None:
            return motion
    raise NoAnswerError(
        f"the {side} arm reaches the start of none of {SPACING} motions on a straight line; "
        "move both arms to a free place first (robot.untuck())"
    )


def _predicted(fit: RobotFit, last: Recording) -> dict[str, identify.Scores]:
    """Scores of a motion that was not fitted, with the zero of its first seconds."""
    start = float(last.t[0]) + TARED
    today = identify.offsets(fit.arm, last.slice(None, start)).arm
    rest = last.slice(start, None)
    return {
        "memory": identify.score(today, rest),
        "memoryless": identify.score(today, rest, memory=False),
    }
