"""The extension's types and functions besides the kernels, each declared once.

`python -m baxterkit.codegen` makes from these declarations the type stub, the records that methods
give (`records.py`), and in C++ the structs of arguments with what reads them, the structs of
results with what makes Python objects of them, and the method tables. By hand, a method is one C++
function from its arguments to its result: see native/README.md.
"""

from __future__ import annotations

from baxterkit.kernels import SEED_LIMIT
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
    Records,
    Structure,
    Text,
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
HEAD = Real("head", "Pan of the head [rad].")
HEADS = Numbers("head", ("n?",), "Pan of the head [rad].", most=FINITE)
MARGIN = Real("margin", "Safety margin [m]: anything closer counts as a collision.")
BOTH = ("n", 14)


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

ARM_KERNELS = Type(
    "ArmKernels",
    "Kernels of one arm: its mount, tool, inertias and gravity.",
    (
        Numbers("mount", (3, 4), "T_base_s0 without its last row."),
        Numbers("tool", (3, 4), "T_hand_tip without its last row."),
        Numbers("beta", (45,), "The base parameters."),
        Numbers("gravity", (3,), "Gravity in the frame of s0 [m/s²]."),
        Real("mount_energy", "Potential energy per mass at the mount.", any_value=True),
        Numbers("effects", (12, 7), "Joint effects, `JointEffects.kernel_numbers`.", optional=True),
        Object("model", "For what Python computes.", "ArmModel", optional=True),
    ),
    kernels=True,
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
            unchecked=True,
        ),
        Method("many", (TARGETS, SEEDS, OBJECTIVE), IK_ROWS, "A batch of targets.", unchecked=True),
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
            unchecked=True,
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
            unchecked=True,
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

WORLD_BOXES = Record(
    "WorldBoxes",
    "Boxes of one obstacle, which share their axes and their radius.",
    (
        Integer("links", "Links that are checked against it, as bits.", 0, 2**32 - 1),
        Numbers("axes", (9,), "Axes of the boxes in base, one after the other."),
        Numbers("centers", ("n", 3), "Their centres in base [m]."),
        Numbers("halves", ("n?", 3), "Half their sizes [m]."),
        Real("radius", "Of the rounding of edges and corners [m]."),
    ),
)
BODY_NEAREST = Record(
    "BodyNearest",
    "The nearest pair of primitives at each configuration.",
    (
        Numbers("clearance", ("n",), "Distance [m], negative where they overlap."),
        Numbers(
            "primitives",
            ("n", 2),
            "Their numbers: capsules of the left arm and of what it holds, of the right one, boxes "
            "of the body and of obstacles, cylinders, planes; -1 where no pair is checked.",
            "int32",
        ),
        Numbers("points", ("n", 2, 3), "The nearest points on their surfaces, in base [m]."),
        Numbers("gradient", ("n", 14), "Of the clearance by the joints, left then right [m/rad]."),
    ),
)
TUBES = Record(
    "TubeVerdicts",
    "What is known of boxes around straight lines.",
    (
        Numbers("verdict", ("n",), "0 blocked, 1 free, 2 open.", "uint8"),
        Numbers("where", BOTH, "Where something touches, or near which it is open [rad]."),
    ),
)
PLANNED = Record(
    "Planned",
    "How a search for a path ended.",
    (
        Integer("end", "0 found, 1 no samples left, 2 no time left, 3 stopped."),
        Integer("goal", "Which goal the path leads to; -1 without a path."),
        Numbers("points", ("k", 14), "The path, both ends included [rad]."),
        Integer("samples", "Samples drawn."),
        Integer("verdicts", "Configurations that were checked."),
        Integer("proofs", "Edges that were swept."),
        Integer("refuted", "Those of them that touch something."),
        Integer("nodes_at_start", "Nodes of the tree at the start."),
        Integer("nodes_at_goals", "Nodes of the tree at the goals."),
        Numbers("edges_at_start", ("s", 2, 14), "Parent and child, if trees are kept [rad]."),
        Numbers("edges_at_goals", ("g", 2, 14), "The same of the tree at the goals."),
    ),
)
SMOOTHED = Record(
    "Smoothed",
    "A shorter path, and how round its corners may be.",
    (
        Numbers("corners", ("k", 14), "The path [rad]."),
        Numbers("roundings", ("k",), "How far from each corner a parabola may round it [rad]."),
    ),
)

BODY_CHECKER = Type(
    "BodyChecker",
    "Collision checks of the whole robot among obstacles, and paths that touch nothing.",
    (
        Instance("left", "The left arm.", "ArmKernels"),
        Instance("right", "The right arm.", "ArmKernels"),
        Numbers("pan", (3, 4), "T_base_head at pan zero, without its last row."),
        Numbers("left_capsules", ("l", 8), "Link, start, end, radius; sorted by link."),
        Numbers("right_capsules", ("r", 8), "The same of the right arm."),
        Numbers("boxes", ("b", 17), "Link, centre, axes, half sizes, radius of the body's boxes."),
        Numbers("pairs", ("p", 2), "Links that are checked, the smaller number first.", "int32"),
        Numbers("reaches", (2, 9, 7), "Farthest of each link's points from each axis [m]."),
        Records("world_boxes", "Boxes of the obstacles.", WORLD_BOXES),
        Numbers("cylinders", ("c", 9), "Links as bits, centre, axis, half the height, radius."),
        Numbers("planes", ("h", 5), "Links as bits, normal, offset."),
    ),
    (
        Method(
            "hit",
            (
                Numbers("left", (7,), "Joint positions of the left arm [rad]."),
                Numbers("right", (7,), "Joint positions of the right arm [rad]."),
                HEAD,
                MARGIN,
            ),
            Flag("hit", "Whether something touches."),
            "Whether one configuration is in collision.",
            unchecked=True,
        ),
        Method(
            "hits",
            (
                Numbers("left", ("n?", 7), "Joint positions of the left arm [rad]."),
                Numbers("right", ("n?", 7), "Joint positions of the right arm [rad]."),
                HEADS,
                MARGIN,
            ),
            Numbers("hits", ("n",), "Whether something touches.", "bool"),
            "Whether each configuration of a batch is in collision.",
        ),
        Method(
            "clearances",
            (
                Numbers("left", ("n?", 7), "Joint positions of the left arm [rad]."),
                Numbers("right", ("n?", 7), "Joint positions of the right arm [rad]."),
                HEADS,
            ),
            Numbers("clearances", ("n",), "Distances [m]."),
            "The clearance of each configuration of a batch.",
        ),
        Method(
            "nearest",
            (
                Numbers("left", ("n?", 7), "Joint positions of the left arm [rad]."),
                Numbers("right", ("n?", 7), "Joint positions of the right arm [rad]."),
                HEADS,
            ),
            BODY_NEAREST,
            "The nearest pair at each configuration of a batch.",
        ),
        Method(
            "edge",
            (
                Numbers("q0", (14,), "Where it begins, left arm first [rad]."),
                Numbers("q1", (14,), "Where it ends [rad]."),
                HEAD,
                MARGIN,
            ),
            Flag("clear", "Whether nothing touches in between."),
            "Whether the straight motion between two configurations is clear.",
            unchecked=True,
        ),
        Method(
            "edges",
            (
                Numbers("q0", ("n?", 14), "Where they begin, left arm first [rad]."),
                Numbers("q1", ("n?", 14), "Where they end [rad]."),
                Numbers("head", ("n?",), "Pan of the head [rad].", or_number=True),
                MARGIN,
                Flag("checked", "Whether the caller has looked at the units."),
            ),
            Numbers("clear", ("n",), "Whether nothing touches in between.", "bool"),
            "Whether each straight motion is clear.",
            unchecked=True,
        ),
        Method(
            "tubes",
            (
                Numbers("q0", BOTH, "Where lines begin [rad]."),
                Numbers("q1", BOTH, "Where they end [rad]."),
                Numbers("width", BOTH, "How far the boxes reach to either side [rad]."),
                Numbers("head", ("n",), "Pan of the head [rad]."),
                MARGIN,
                Integer("most", "Parts of one tube that are looked at, at most.", 0, 1_000_000),
            ),
            TUBES,
            "Whether boxes around straight lines are clear, of each.",
            unchecked=True,
        ),
        Method(
            "connect",
            (
                Numbers("start", (14,), "Where the path begins [rad]."),
                Numbers("goals", BOTH, "Where it may end [rad]."),
                Numbers("limits", (2, 14), "Lower and upper limits [rad].", most=FINITE),
                Integer("moves", "Arms that move: 1 left, 2 right, 3 both.", 1, 3),
                HEAD,
                MARGIN,
                Real("range", "Longest edge of a tree [rad], Euclidean."),
                Integer("samples", "Most samples that are drawn."),
                Real("seconds", "Time limit.", any_value=True),
                Integer("seed", "Random seed.", 0, 2**64 - 1),
                Real("step", "Between configurations of an edge that are checked first [rad]."),
                Real("one_arm", "Share of the samples that move one arm, where both may move."),
                Integer("patience", "Blocked steps in a row until steps are shorter; 0: never."),
                Flag("keep_trees", "Whether the edges of the trees are given too."),
            ),
            PLANNED,
            "A path that touches nothing, from one configuration to one of several.",
            by_name=True,
            least=1,
            most=2**20 - 1,
        ),
        Method(
            "smooth",
            (
                Numbers("path", BOTH, "Corners [rad]."),
                HEAD,
                MARGIN,
                Real("step", "Between configurations of a shortcut that are checked first [rad]."),
                Integer("rounds", "Attempts to cut a corner off.", 0, 2**31 - 1),
                Real("most", "Farthest from a corner that its rounding begins [rad]."),
                Integer("seed", "Random seed.", 0, 2**64 - 1),
            ),
            SMOOTHED,
            "A shorter path, and how round its corners may be.",
            by_name=True,
            least=1,
        ),
    ),
)

_KERNELS = "tuple[ArmKernels | None, ArmKernels | None]"

TWIN_LAW = Record(
    "TwinLaw",
    "A controller within the compiled step, and its motion.",
    (
        Integer("kind", "Index into `control.compiled.KINDS`."),
        Instance("arm", "The arm that it knows.", "ArmKernels", optional=True),
        Instance("effects", "The joint effects that it knows.", "ArmKernels", optional=True),
        Numbers("gains", (4, 7), "Of the law."),
        Numbers("effort", (7,), "Largest torques [N m]."),
        Numbers("integral", (7,), "The controller's, in place.", written=True),
        Flag("feedforward", "Whether the wanted velocity is added."),
        Numbers("motion", ("r", 3, 7), "Wanted positions, velocities, accelerations."),
    ),
)

TWIN_STEP = Type(
    "TwinStep",
    "The compiled step of one twin.",
    (
        Object("record", "One record of `twin_fields.RECORD`.", "NDArray[np.void]"),
        Numbers("past", (256, 2, 3, 7), "True values of the sensors.", written=True),
        Numbers("noise", ("k", 2, 3, 7), "Rows of noise.", written=True),
        Object("arms", "Left and right.", "tuple[ArmKernels, ArmKernels]"),
        Object("springs", "Joint effects of both arms.", _KERNELS),
        Object("tilts", "Arms on a base that tilts.", _KERNELS),
        Object(
            "arrays",
            "MuJoCo's qpos, qvel, qfrc_applied, dof_damping.",
            "tuple[Array, Array, Array, Array]",
        ),
        Object(
            "addresses",
            "Of mj_step, the model, its state, its flags; the bit of contacts.",
            "tuple[int, int, int, int, int]",
        ),
    ),
    (
        Method(
            "gate",
            (
                Integer("mode", "0 leaves contacts alone, 1 searches always, 2 asks the checker."),
                Object("checker", "Of the last mode.", "BodyChecker | None"),
            ),
            None,
            "How the search for contacts is switched.",
        ),
        Method(
            "run",
            (Integer("n", "How many."),),
            Integer("steps", "Fewer if noise must be drawn, or the state is not finite."),
            "Steps at most n milliseconds; returns how many.",
        ),
        Method(
            "report",
            (Numbers("out", (2, 3, 7), "The readings.", written=True),),
            None,
            "The readings of now as they are published.",
        ),
        Method(
            "steer",
            (
                Integer("every", "Steps between two commands."),
                Structure("left", "Controller of the left arm.", TWIN_LAW),
                Structure("right", "Controller of the right arm.", TWIN_LAW),
            ),
            None,
            "Controllers from now on.",
        ),
        Method("unsteer", (), None, "No controllers from now on."),
        Method(
            "control",
            (),
            Integer("refused", "Arms that were refused, as bits."),
            "Gives the commands of now; arms that were refused, bits.",
        ),
        Method(
            "refused",
            (),
            Integer("refused", "Arms, as bits."),
            "Arms whose last command was refused, bits.",
        ),
        Method(
            "command",
            (Integer("arm", "0 left, 1 right."), Numbers("tau", (7,), "Torques [N m].")),
            Flag("accepted", "Whether it was."),
            "A torque command; whether it was accepted.",
        ),
    ),
    by_hand=True,
)

SHORTAGES = Record(
    "IkShortages",
    "Searches of inverse kinematics that ran out of room or steps.",
    (
        Integer("repeated", "Those that were repeated with more."),
        Integer("cut_short", "Those by an objective that took the best solution so far."),
    ),
)

TYPES = (ARM_KERNELS, IK_SOLVER, BODY_CHECKER, TWIN_STEP)
"""The types, in the order of the module."""

FUNCTIONS = (
    Method(
        "set_threads",
        (Integer("count", "How many.", 1, 4096),),
        None,
        "Sets how many threads a batch may use.",
    ),
    Method("get_threads", (), Integer("count", "How many."), "Threads that a batch may use."),
    Method("isa", (), Object("name", "Its name.", "str"), "Name of the instruction set in use."),
    Method(
        "isas",
        (),
        Object("names", "Their names.", "list[str]"),
        "Instruction sets that this processor runs, best first.",
    ),
    Method("use_isa", (Text("name", "Its name."),), None, "Uses the instruction set of this name."),
    Method(
        "ik_shortages", (), SHORTAGES, "Searches that ran out of room or steps since the start."
    ),
    Method(
        "step_twins",
        (
            Object("twins", "Which.", "tuple[TwinStep, ...]"),
            Numbers("targets", ("n",), "Ticks until which each runs.", "int64"),
        ),
        None,
        "Steps many twins on all threads, until their ticks, no noise is left, or they diverge.",
    ),
    Method(
        "speeds",
        (
            Numbers("lengths", ("n",), "Lengths of the intervals."),
            Numbers("a", ("n", 2, "m"), "Factors of the acceleration at both ends of each."),
            Numbers("b", ("n", 2, "m"), "Factors of the squared speed, likewise."),
            Numbers("c", ("n", 2, "m"), "Values at rest, likewise."),
            Numbers("most", ("n+1",), "Greatest squared speeds at the ends of the intervals."),
        ),
        Numbers("x", ("n+1",), "Squares of the speeds there."),
        "The fastest motion along a path under limits.",
        maybe=True,
        least=1,
    ),
)
"""The functions of the module."""
