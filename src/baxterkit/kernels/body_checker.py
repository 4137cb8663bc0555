"""The collision checks of the extension and its planner, declared."""

from __future__ import annotations

from baxterkit.kernels.seam import (
    FINITE,
    Flag,
    Instance,
    Integer,
    Method,
    Numbers,
    Real,
    Record,
    Records,
    Type,
)

HEAD = Real("head", "Pan of the head [rad].")
HEADS = Numbers("head", ("n?",), "Pan of the head [rad].", most=FINITE)
MARGIN = Real("margin", "Safety margin [m]: anything closer counts as a collision.")
BOTH = ("n", 14)

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
PACKED = Record(
    "PackedBody",
    "The body as the kernels of a GPU take it.",
    (
        Numbers("header", ("h",), "`PackedBody` of native/collision_pack.hpp.", "uint8"),
        Numbers("numbers", ("k",), "What is to be at the address.", "uint8"),
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
            as_given=True,
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
            as_given=True,
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
            as_given=True,
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
            as_given=True,
        ),
        Method(
            "packed",
            (
                Integer("address", "Of the numbers in the memory of a GPU.", 0, 2**62),
                Integer("cell", "Of the grids of distances from the body [mm].", 10, 100),
            ),
            PACKED,
            "The body as the kernels of a GPU take it.",
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
