"""The exact inverse kinematics of the extension, declared."""

from __future__ import annotations

from baxterkit.kernels import SEED_LIMIT
from baxterkit.kernels.body_checker import MARGIN
from baxterkit.kernels.seam import (
    FINITE,
    Flag,
    Instance,
    Integer,
    Method,
    Numbers,
    Object,
    Real,
    Record,
    Type,
)

OBJECTIVE = Object(
    "objective",
    "Name of an objective, or a function of joint positions (n, 7) that gives n costs.",
    "str | Callable[[Array], Array]",
)
TARGETS = Numbers("Ts", ("n", 4, 4), "Poses of the tip in base.")
TARGET = Numbers("T", (4, 4), "Pose of the tip in base.")
SEEDS = Numbers("seeds", ("n", 7), "Joint positions to start from [rad].", most=SEED_LIMIT)
STEPS = Numbers("most", (7,), "Largest step of each joint [rad].")
HOLD_ELBOW = Flag("hold_elbow", "Whether e0 stays where it can.")
LIMITED = Flag("limits", "Whether solutions must respect the joint limits.")


def _answers(prefix: tuple[int | str, ...]) -> tuple[Numbers, ...]:
    return (
        Numbers("q", (*prefix, 7), "Joint positions [rad]; NaN if unsolved."),
        Numbers("status", prefix, "Code of an `IkStatus`.", "uint8"),
        Numbers("errors", (*prefix, 2), "Distance [m] and angle [rad] to the target."),
    )


NEAREST = Numbers("nearest", (7,), "The solution that violates the limits least.", optional=True)
VIOLATION = Numbers("violation", (7,), "By how much it does [rad], signed.", optional=True)
BATCH_NEAREST = Numbers("nearest", ("n", 7), "Solutions that violate the limits least, or NaN.")
BATCH_VIOLATION = Numbers("violation", ("n", 7), "By how much they do [rad], signed.")

IK_STEP = Record(
    "IkStep",
    "The answer for one target.",
    (
        Numbers("q", (7,), "Joint positions [rad]; NaN if unsolved."),
        Integer("status", "Code of an `IkStatus`."),
        Real("distance", "Position error [m]."),
        Real("angle", "Orientation error [rad]."),
    ),
)
IK_ROW = Record(
    "IkRow",
    "The answer for one target, with what is nearest to one where limits forbid it.",
    (*IK_STEP.fields, NEAREST, VIOLATION),
)
IK_STEPS = Record("IkSteps", "The answers for a batch of targets.", _answers(("n",)))
IK_ROWS = Record(
    "IkRows",
    "The answers for a batch of targets, with what is nearest where limits forbid one.",
    (*IK_STEPS.fields, BATCH_NEAREST, BATCH_VIOLATION),
)
IK_CLEAR_ROWS = Record(
    "IkClearRows",
    "The answers that touch nothing for a batch of targets.",
    (
        *IK_ROWS.fields,
        Numbers("blamed", ("n", 7), "With COLLISION, joint positions at which links touch [rad]."),
        Numbers("by_hand", ("n",), "Whether the hand does.", "bool"),
    ),
)
IK_ALL = Record(
    "IkAll",
    "Every solution of each target with e0 given.",
    (
        Numbers("q", ("n", 32, 7), "Joint positions [rad], padded with NaN."),
        Numbers("counts", ("n",), "How many there are.", "int32"),
    ),
)
IK_PATH = Record(
    "IkPath",
    "A continuous path through poses.",
    (
        Numbers("q", ("n", 7), "Joint positions [rad], NaN from where it breaks."),
        Integer("reached", "How many poses it goes through."),
    ),
)
IK_MOTION = Record(
    "IkMotion",
    "The self-motion of one target.",
    (
        Numbers("points", ("k", 7), "Points of all curves, one after the other [rad]."),
        Numbers("first", ("c",), "Where each curve begins, and where the last one ends.", "int32"),
        Numbers("feasible", ("m", 7), "Points of all stretches within the limits [rad]."),
        Numbers("stretches", ("s", 3), "First point, count, whether closed, of each.", "int32"),
        Flag("complete", "Whether no search has run out of room or steps."),
    ),
)

IK_SOLVER = Type(
    "IkSolver",
    "Exact inverse kinematics of one arm: mount, tool and limits.",
    (
        Instance("kernels", "The arm.", "ArmKernels"),
        Numbers("lower", (7,), "Lower limits of the joints [rad]; infinite ones are allowed."),
        Numbers("upper", (7,), "Upper limits of the joints [rad], likewise."),
        Numbers("middle", (7,), "Seed where none is given [rad]."),
    ),
    (
        Method(
            "one",
            (
                TARGET,
                Numbers("seed", (7,), "As in `many`.", most=SEED_LIMIT, optional=True),
                OBJECTIVE,
            ),
            IK_ROW,
            "One target.",
            as_given=True,
        ),
        Method("many", (TARGETS, SEEDS, OBJECTIVE), IK_ROWS, "A batch of targets.", as_given=True),
        Method(
            "clear",
            (
                Instance("whole", "Checks of all pairs of links.", "BodyChecker"),
                Instance("hand", "Checks of the hand's pairs.", "BodyChecker"),
                Flag("right", "Whether it is the right arm that moves."),
                TARGETS,
                SEEDS,
                Numbers(
                    "others", ("n?", 7), "Joint positions of the other arm [rad].", most=FINITE
                ),
                Numbers("heads", ("n?",), "Pan of the head [rad].", most=FINITE),
                MARGIN,
            ),
            IK_CLEAR_ROWS,
            "A batch of targets: answers that touch nothing.",
            by_name=True,
        ),
        Method(
            "all_one",
            (TARGET, Real("e0", "Position of the joint e0 [rad]."), LIMITED),
            Numbers("q", ("k", 7), "Joint positions [rad]."),
            "Every solution of one target with e0 given.",
            as_given=True,
        ),
        Method(
            "all",
            (
                TARGETS,
                Numbers("e0", ("n",), "Positions of the joint e0 [rad].", most=FINITE),
                LIMITED,
            ),
            IK_ALL,
            "Every solution of each target with e0 given.",
        ),
        Method(
            "path",
            (
                TARGETS,
                Numbers(
                    "seed", (7,), "Joint positions to start near [rad].", most=FINITE, optional=True
                ),
                Flag("start", "Whether the seed is the solution of the first pose."),
                Numbers("most", ("n-1", 7), "Largest step from pose to pose [rad]."),
            ),
            IK_PATH,
            "A continuous path through a sequence of poses.",
            least=1,
            most=1_000_000,
        ),
        Method(
            "track_one",
            (
                TARGET,
                Numbers("q", (7,), "Where the arm is [rad].", most=SEED_LIMIT),
                STEPS,
                HOLD_ELBOW,
            ),
            IK_STEP,
            "One step after a moving target.",
            as_given=True,
        ),
        Method(
            "track",
            (
                TARGETS,
                Numbers("qs", ("n", 7), "Where each arm is [rad].", most=SEED_LIMIT),
                STEPS,
                HOLD_ELBOW,
            ),
            IK_STEPS,
            "One step after each of many moving targets.",
        ),
        Method("motion", (TARGET,), IK_MOTION, "The self-motion of one target."),
    ),
)
