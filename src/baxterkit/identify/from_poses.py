"""The mount of a robot's arm from recorded tip poses.

Only the mount differs from one Baxter to the next. It is a rigid transform before the first joint,
so tip positions in base are one rotation and translation away from those in the s0 frame: a closed
form gives the start, and Gauss-Newton steps with robust weights the rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError
from baxterkit.identify.faults import noted
from baxterkit.identify.mount_fit import MountFit, mount_offset
from baxterkit.identify.mount_model import MountModel, Observations, observe
from baxterkit.identify.mount_solver import MountSolution, covariance, solve
from baxterkit.identify.preparation import UNKNOWN_SIDE, as_list, side_of
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.library import load_baxter
from baxterkit.model.model import Tool
from baxterkit.model.names import SIDES
from baxterkit.model.tool import ANY_ELECTRIC, resolve_tool
from baxterkit.recording import Recording
from baxterkit.spatial.formulas import quaternion_to_matrix, rotation_angle
from baxterkit.types import Array, JointVector, Vector3

FITTED = "fitted"
CLEARLY = 1.5
"""A fitted tool is used if its error is smaller by this factor than that of every named one."""
ROUNDING = 1e-9
"""Errors below this [m] are rounding, and do not distinguish tools."""
APART = 0.1
"""Rows count as one configuration unless some joint differs by this much [rad]."""
MOST_ROWS = 5000
"""Largest number of rows among which configurations are counted."""
FEW = 10
"""Fewer configurations than this give advice to record more."""
LIMIT_CONDITION = 1e6
"""Condition number beyond which some direction of the mount is poorly determined."""
OPEN_CONDITION = 1e8
"""Condition number beyond which some direction is not determined at all."""
LITTLE_ROTATION = 0.35
"""The hand must turn by more than this [rad] to separate the tool from the mount."""
REMEDY = "record 10 or more configurations that put the tip at different places and turn the hand"
FAR_MOUNT = (0.1, 0.15)
"""No robot's mount is this far from the nominal one: distance [m], angle [rad]."""
MISFIT = (0.005, 0.05)
"""Typical errors beyond these [m, rad] are not noise: the recording is wrong. Real recordings have
0.06 mm and 0.1 mrad, a motion capture 1 mm; poses that are one row late in slow motion 4 mm."""
LARGE = 0.003
"""Typical errors beyond this [m] are worth a word."""


@unwarned()  # the fit's advice covers units that look wrong
@on_one_thread
def mount(
    recording: Recording | Sequence[Recording],
    tool: str | ArrayLike | Tool = "auto",
    side: str | None = None,
) -> MountFit:
    """Fits the mount `T_base_s0` of an arm to recorded tip poses.

    Positions are enough; orientations and Jacobians are used where they were recorded. Outliers,
    such as poses that were stored late, get little weight.

    Args:
        recording: One recording or several of the same arm, with `position` and, if possible,
            `quaternion`.
        tool: "auto" tries the tip of every named tool, and fits one if none is right; where
            several tools have that tip, as narrow and wide fingers, the tool is
            "electric_gripper", whose body contains them all. "fitted" also fits the pose of the
            tip in the hand; or a name, a 4x4 `T_hand_tip` or a `Tool`, as in `Arm`.
        side: The arm, if the recording does not name it.

    Returns:
        The fit: `.arm`, its errors, standard errors, and advice where the data is poor.

    Raises:
        InputError: If no position was recorded, the sides differ, or the configurations do not
            determine the mount, as when all of them put the tip on one line.
    """
    recordings = as_list(recording)
    if not recordings:
        raise InputError("no recording was given")
    side = side_of(recordings, side)
    if side is None:
        raise InputError(f"{UNKNOWN_SIDE}, or give side=")
    q, seen = _observations(recordings, Arm(side))
    _check_enough(q)
    found, solution, tried = _choose_tool(seen, tool)
    is_fitted = found is None
    configurations = count_configurations(q)
    spread, condition = covariance(solution, len(q) / configurations)
    _check_open(solution.normal, seen, condition)
    final = found or Tool("fitted", solution.model.T_hand_tip)
    arm = Arm(side, tool=final, mount=solution.model.T_base_s0)
    errors = solution.model.errors(seen)
    sizes = np.linalg.norm(errors["position"], axis=1)
    nominal = MountModel(Arm(side).model.T_base_s0, final.T_hand_tip).errors(seen)
    std = np.sqrt(np.diag(spread))
    elsewhere = _elsewhere(arm, solution.model, spread, is_fitted)
    doubts = tuple(_misfits(arm, errors))
    return MountFit(
        arm=arm,
        tool_is_fitted=is_fitted,
        position_error=sizes,
        orientation_error=_sizes(errors.get("rotation")),
        nominal_position_error=np.linalg.norm(nominal["position"], axis=1),
        nominal_orientation_error=_sizes(nominal.get("rotation")),
        position_std=std[3:6],
        rotation_std=std[:3],
        tool_std=std[6:9] if is_fitted else None,
        elsewhere=elsewhere,
        condition=condition,
        configurations=configurations,
        outliers=solution.weights < 0.3,
        tools=tried,
        sources=tuple(one.source for one in recordings),
        advice=(
            *doubts,
            *_advice(sizes, seen, configurations, condition, elsewhere, solution, tried, found),
            *noted(recordings, velocities=False),
        ),
        doubts=doubts,
    )


def _sizes(errors: Vector3 | None) -> Array | None:
    return None if errors is None else np.linalg.norm(errors, axis=1)


def count_configurations(q: JointVector) -> int:
    """Number of rows of q, shape (n, 7), that all differ in some joint by 0.1 rad or more.

    A return to a configuration does not count again. Of long recordings, 5,000 rows are used.
    """
    rest = q[:: len(q) // MOST_ROWS + 1]
    count = 0
    while len(rest):
        count += 1
        rest = rest[np.abs(rest - rest[0]).max(axis=1) >= APART]
    return count


def _observations(recordings: Sequence[Recording], arm: Arm) -> tuple[JointVector, Observations]:
    for one in recordings:
        if one.position is None:
            raise InputError(
                f"{one.source or 'the recording'} holds no tip position; record endpoint_state "
                "beside the joints, or name the columns position_x ... position_z, and "
                f"quaternion_x ... quaternion_w (it has {', '.join(one.fields)})"
            )
    q = np.concatenate([one.q for one in recordings])
    position = np.concatenate([one.position for one in recordings])
    rotation = jacobian = None
    if all(one.quaternion is not None for one in recordings):
        rotation = quaternion_to_matrix(np.concatenate([one.quaternion for one in recordings]))
    if all(one.jacobian is not None for one in recordings):
        jacobian = np.concatenate([one.jacobian for one in recordings])
    return q, observe(arm, q, position, rotation, jacobian)


def _choose_tool(
    seen: Observations, tool: str | ArrayLike | Tool
) -> tuple[Tool | None, MountSolution, dict[str, float]]:
    """The tool (None if fitted), its fit, and the error of every tool that was tried [m]."""
    known = load_baxter().tools
    if not (isinstance(tool, str) and tool in ("auto", FITTED)):
        given = resolve_tool(tool, known)
        solution = solve(MountModel.aligned(seen, given.T_hand_tip), seen, free_tool=False)
        return given, solution, {given.name: solution.rms}
    # Of tools with the same tip, as narrow and wide fingers, one is tried.
    tips = {one.T_hand_tip.tobytes(): name for name, one in reversed(list(known.items()))}
    named = {
        name: solve(MountModel.aligned(seen, one.T_hand_tip), seen, free_tool=False)
        for name, one in known.items()
        if name in tips.values()
    }
    tried = {name: solution.rms for name, solution in named.items()}
    best = min(tried, key=tried.__getitem__)
    # Two configurations more than unknowns, or a free tool would fit any data.
    if tool == "auto" and len(seen) < 6:
        return _worn(best), named[best], tried
    free = solve(named[best].model, seen, free_tool=True)
    tried[FITTED] = free.rms
    if tool == FITTED or free.rms * CLEARLY + ROUNDING < tried[best]:
        return None, free, tried
    return _worn(best), named[best], tried


def _worn(name: str) -> Tool:
    """The tool of a tip; fingers that have the same tip are not told apart, and each may be it."""
    known = load_baxter().tools
    tool = known[name]
    alike = [one for one in known.values() if np.array_equal(one.T_hand_tip, tool.T_hand_tip)]
    return tool if len(alike) == 1 else Tool(ANY_ELECTRIC, tool.T_hand_tip, tool.inertial)


def _check_enough(q: JointVector) -> None:
    """Raises if there are fewer than three different rows, which leave no residual."""
    count = len(np.unique(q, axis=0))
    if count < 3:
        rows = "1 row is" if len(q) == 1 else f"{len(q)} rows are"
        alike = "" if count == len(q) else f" ({count} different)"
        raise InputError(f"{rows} too few to fit a mount{alike}; {REMEDY}")


def _check_open(normal: Array, seen: Observations, condition: float) -> None:
    """Raises if the configurations do not determine some direction of the mount."""
    if condition <= OPEN_CONDITION and seen.equations > len(normal):
        return
    direction = np.linalg.eigh(normal)[1][:, 0]
    names = ["rotation about x", "rotation about y", "rotation about z", "x", "y", "z"]
    names += [f"tool's {part}" for part in ("x", "y", "z", "roll", "pitch", "yaw")]
    worst = names[int(np.argmax(np.abs(direction)))]
    raise InputError(f"these {len(seen)} rows leave the mount open, mostly its {worst}: {REMEDY}")


def _elsewhere(arm: Arm, model: MountModel, spread: Array, free_tool: bool) -> float:
    """Standard error of the tip's position over the whole range of the joints [m]."""
    rng = np.random.default_rng(0)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (200, 7))
    T = arm.fk(q)
    rotation = T[:, :3, :3] if len(spread) == 12 else None
    somewhere = observe(arm, q, T[:, :3, 3], rotation)
    matrix = model.sensitivity(somewhere, free_tool)["position"]
    square = np.einsum("nij,jk,nik->n", matrix, spread, matrix)
    return float(np.sqrt(max(float(square.mean()), 0.0)))


def _misfits(arm: Arm, errors: dict[str, Vector3]) -> list[str]:
    """Faults of the recording that the fit shows, as messages."""
    advice = []
    distance = float(np.median(np.linalg.norm(errors["position"], axis=1)))
    if distance > MISFIT[0]:
        advice.append(
            f"positions miss the fit by {1e3 * distance:.0f} mm (a robot's own poses by 0.1 mm): "
            "are axes exchanged or reversed, metres another unit, poses later than the joints or "
            "in another order of rows, is it another frame or tip, or are joints in another order?"
        )
    if "rotation" in errors:
        angle = float(np.median(np.linalg.norm(errors["rotation"], axis=1)))
        if angle > MISFIT[1]:
            advice.append(
                f"orientations miss the fit by {np.degrees(angle):.0f}°: quaternions must be "
                "x y z w, of the tip, and of the same rows as the joints"
            )
    moved, turned = mount_offset(arm, arm.side)
    if not advice and (moved > FAR_MOUNT[0] or turned > FAR_MOUNT[1]):
        other = next(side for side in SIDES if side != arm.side)
        moved_other, turned_other = mount_offset(arm, other)
        is_other = moved_other < FAR_MOUNT[0] and turned_other < FAR_MOUNT[1]
        guess = f"it is that of the {other} arm" if is_other else "is `base` the robot's own?"
        advice.append(
            f"the mount is {1e3 * moved:.0f} mm and {np.degrees(turned):.0f}° from the "
            f"{arm.side} arm's nominal one: {guess}"
        )
    return advice


def _advice(
    sizes: Array,
    seen: Observations,
    configurations: int,
    condition: float,
    elsewhere: float,
    solution: MountSolution,
    tried: dict[str, float],
    tool: Tool | None,
) -> list[str]:
    """Weaknesses of the data, as messages."""
    advice = []
    if LARGE < (typical := float(np.median(sizes))) <= MISFIT[0]:
        advice.append(
            f"positions miss the fit by {1e3 * typical:.1f} mm, a robot's own poses by 0.1 mm: are "
            "they later than the joints, or measured from outside (identify.kinematics)?"
        )
    if configurations < FEW:
        advice.append(
            f"only {configurations} configuration{'' if configurations == 1 else 's'} further than "
            f"{APART:g} rad from each other; record 10 or more, all over the workspace"
        )
    turns = rotation_angle(
        np.swapaxes(seen.T_s0_hand[:1, :3, :3], 1, 2) @ seen.T_s0_hand[:, :3, :3]
    )
    if float(turns.max()) < LITTLE_ROTATION:
        advice.append(
            f"the hand turns by {np.degrees(turns.max()):.1f}° at most, so tool and mount can "
            "hardly be told apart; turn the wrist while recording"
        )
    if condition > LIMIT_CONDITION:
        advice.append(f"the configurations are too much alike (condition number {condition:.1e})")
    if tool is not None and len(tried) > 1:
        tips = {name: one.T_hand_tip for name, one in load_baxter().tools.items() if name in tried}
        others = [name for name, T in tips.items() if not np.array_equal(T, tool.T_hand_tip)]
        second = min(others, key=tried.__getitem__)
        if tried[second] <= 2.0 * solution.rms + ROUNDING:
            advice.append(
                f"tool {second} fits nearly as well as {tool.name} "
                f"({1e3 * tried[second]:.3g} and {1e3 * solution.rms:.3g} mm); name the tool"
            )
    if elsewhere > 1e-3:
        advice.append(
            f"at other configurations, errors of {1e3 * elsewhere:.2g} mm are to be expected"
        )
    return advice
