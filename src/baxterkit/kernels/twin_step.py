"""The compiled step of the twin, declared."""

from __future__ import annotations

from baxterkit.kernels.seam import (
    Flag,
    Instance,
    Integer,
    Method,
    Numbers,
    Object,
    Record,
    Structure,
    Type,
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
