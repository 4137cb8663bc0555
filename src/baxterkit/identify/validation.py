"""Cross-validation: recordings are left out in turn, and predicted by fits to the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.arm import Arm
from baxterkit.errors import InputError
from baxterkit.identify.columns import Prior
from baxterkit.identify.copies import grouped
from baxterkit.identify.from_torques import dynamics
from baxterkit.identify.preparation import as_list, check_arm, inside, side_of, smooth_motion
from baxterkit.identify.scores import Scores, predict
from baxterkit.identify.stages import Progress
from baxterkit.identify.threads import on_one_thread
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.recording import Recording


@on_one_thread
def cross_validate(
    recordings: Sequence[Recording],
    arm: Arm | None = None,
    *,
    folds: Sequence[Sequence[int]] | None = None,
    hz: float = 5.0,
    prior: Prior | None = None,
    with_memory: bool = True,
    robust: bool = True,
    progress: Progress | None = None,
) -> dict[str, Scores]:
    """Leaves recordings out in turn, fits the others, and predicts those left out.

    Args:
        recordings: Two or more recordings of one arm with torques.
        arm: The model to start from, as in `identify.dynamics`.
        folds: Numbers of the recordings that are left out together; each alone if None.
        hz: Cut-off of the filter [Hz].
        prior: Uncertainty of the start, as in `identify.dynamics`.
        with_memory: Whether friction may have a memory.
        robust: Whether rows that do not fit are given little weight.
        progress: Called with a description of the current step, and the share done, 0 to 1.

    Returns:
        Scores over all rows that were left out: "memory" with friction's memory, "memoryless" of
        `arm.inverse_dynamics` row by row, and "before" of the model that was given.

    Raises:
        InputError: If a fold has no recording to fit, or a recording that is left out holds the
            rows of one that is fitted.
    """
    recordings = as_list(recordings)
    chosen = [[k] for k in range(len(recordings))] if folds is None else [list(f) for f in folds]
    side_of(recordings)  # of one arm, also those that are only predicted
    if arm is not None:
        check_arm(arm, recordings)
    if len(recordings) < 2 or any(len(fold) >= len(recordings) for fold in chosen):
        raise InputError("cross-validation needs a recording to fit and one to predict")
    unknown = {i for fold in chosen for i in fold} - set(range(len(recordings)))
    if unknown:
        raise InputError(
            f"folds name recording {min(unknown)}; there are {len(recordings)}, counted from 0"
        )
    alike = grouped(recordings)
    for fold in chosen:
        _refuse_copies(alike, fold)
    rows: dict[str, list[tuple[Array, Array]]] = {"memory": [], "memoryless": [], "before": []}
    for k, fold in enumerate(chosen):
        if progress is not None:
            progress(f"leaving out {k + 1} of {len(chosen)}", k / len(chosen))
        kept = [recording for i, recording in enumerate(recordings) if i not in fold]
        fit = dynamics(kept, arm, hz=hz, prior=prior, with_memory=with_memory, robust=robust)
        models = {
            "memory": (fit.arm, True),
            "memoryless": (fit.arm, False),
            "before": (Arm(fit.arm.side) if arm is None else arm, False),
        }
        for i in fold:
            smooth = smooth_motion(recordings[i], hz)
            assert smooth.tau is not None
            kept_rows = inside(smooth)
            for name, (model, memory) in models.items():
                tau = predict(model, smooth, memory)
                rows[name].append((smooth.tau[kept_rows], tau[kept_rows]))
    return {
        name: Scores.of(*(np.concatenate(part) for part in zip(*pairs, strict=True)))
        for name, pairs in rows.items()
    }


def _refuse_copies(alike: Sequence[Sequence[int]], fold: Sequence[int]) -> None:
    """Refuses a fold of which a copy stays in the fit.

    Raises:
        InputError: If there is one; names it.
    """
    for group in alike:
        fitted = [i for i in group if i not in fold]
        left_out = [i for i in group if i in fold]
        if fitted and left_out:
            raise InputError(
                f"recordings {fitted[0]} and {left_out[0]}, counted from 0, hold the same rows: "
                "left out alone, one would be predicted by a fit to itself; give every recording "
                "once, or leave both out together (folds)"
            )
