"""The arm of a robot from all its recordings: first the mount, then the dynamics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError
from baxterkit.identify.copies import grouped
from baxterkit.identify.from_poses import mount
from baxterkit.identify.from_torques import dynamics
from baxterkit.identify.preparation import UNKNOWN_SIDE, as_list, check_arm, side_of
from baxterkit.identify.robot_fit import RobotFit
from baxterkit.identify.scores import Scores
from baxterkit.identify.stages import Progress
from baxterkit.identify.validation import cross_validate
from baxterkit.model.model import Tool
from baxterkit.recording import Recording

FOLDS = 3
"""Recordings are left out a third at a time."""


@unwarned()  # the fits' advice covers mounts that look wrong
def robot(
    recordings: Recording | Iterable[Recording],
    arm: Arm | str | Path | None = None,
    *,
    tool: str | ArrayLike | Tool = "auto",
    hz: float = 5.0,
    check: bool = True,
    progress: Progress | None = None,
) -> RobotFit:
    """Identifies an arm from its recordings: the mount from tip poses, the rest from torques.

    `baxterkit identify` does the same from a shell.

    Args:
        recordings: Recordings of one arm. Those with `position` give the mount (`identify.mount`),
            those with `tau` the dynamics (`identify.dynamics`); one recording may have both.
        arm: The model to start from, or a robot file that holds it; the nominal arm of the
            recordings' side if None.
        tool: The tool on the hand, as in `identify.mount`: "auto" identifies it from poses if there
            are any, else the arm's own stays.
        hz: Cut-off of the zero-phase low-pass on motions and torques [Hz].
        check: Whether to leave a third of the recordings out in turn, and predict them by fits to
            the others; done if three or more have torques. Those that hold the same rows count as
            one, are left out together, and are named in the fit's advice.
        progress: Called with a description of the current step, and the share done, 0 to 1.

    Returns:
        The fit: `.arm`, `.mount`, `.dynamics`, `.held_out`; `.save(path)`, `.report(path)`.

    Raises:
        InputError: If no recording has poses or torques, or they are not of one known arm.
    """
    tell = progress or (lambda _text, _part: None)
    chosen = as_list(recordings)
    if not chosen:
        raise InputError("no recording was given")
    with_poses = [rec for rec in chosen if rec.position is not None]
    with_torques = [rec for rec in chosen if rec.tau is not None]
    if not with_poses and not with_torques:
        raise InputError("none of the recordings holds tip poses or torques")
    if not isinstance(arm, Arm):
        told = (*with_poses, *with_torques)
        side = side_of(told)
        if side is None or any(one.side is None for one in told):
            raise InputError(UNKNOWN_SIDE)
        arm = Arm(side) if arm is None else Arm.from_file(arm, side)
    check_arm(arm, (*with_poses, *with_torques))
    known = not (isinstance(tool, str) and tool == "auto")
    if known and not with_poses:
        arm = arm.replace(tool=tool)
    mount_fit = dynamics_fit = None
    held_out: dict[str, Scores] = {}
    if with_poses:
        tell("mount", 0.0)
        mount_fit = mount(with_poses, tool=tool, side=arm.side)
        arm = arm.replace(mount=mount_fit.T_base_s0, tool=mount_fit.tool)
    if with_torques:
        alike = grouped(with_torques)
        checked = check and len(alike) >= FOLDS
        end = 0.3 if checked else 1.0
        dynamics_fit = dynamics(with_torques, arm, hz=hz, progress=_part(tell, 0.05, end))
        if checked:
            thirds = [[i for group in alike[k::FOLDS] for i in group] for k in range(FOLDS)]
            held_out = cross_validate(
                with_torques, arm, folds=thirds, hz=hz, progress=_part(tell, end, 1.0)
            )
        arm = dynamics_fit.arm
    tell("done", 1.0)
    return RobotFit(arm, mount_fit, dynamics_fit, held_out, tuple(chosen))


def _part(tell: Progress, start: float, end: float) -> Callable[[str, float], None]:
    """Progress of a part that goes from `start` to `end` of the whole."""
    return lambda text, part: tell(text, start + (end - start) * part)
