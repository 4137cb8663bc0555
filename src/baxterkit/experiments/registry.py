"""The experiments by name.

To add one: a module `baxterkit/experiments/<name>.py` with `run(settings: Settings) -> Result`, and
its line here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from baxterkit.errors import MissingExtraError, UnknownNameError
from baxterkit.experiments.result import Result, Row
from baxterkit.experiments.settings import Settings

# Name -> description in one line.
EXPERIMENTS = {
    "errata": "The papers' errata: every printed form beside the corrected one, its largest effect",
    "ju_pose": "Ju et al. 2014: tip poses of real robots in other motions; Figs. 7, 8",
    "ju_tuck": "Ju et al. 2014, experiment 2 in the twin: untucking and tucking the arms; Fig. 8",
    "kumar_fk": "Kumar et al., III.B: forward kinematics against PyKDL and a golden set",
    "kumar_ik": "Kumar et al., III.H: solve rates of inverse kinematics, as printed and corrected",
    "kumar_pictures": "Kumar et al., Figs. 3-6: stick figure, workspace, two solvers in action",
    "kumar_circle": "Kumar et al., IV.E in the twin: a circle through the position interface",
    "smith_torque": "Smith et al. 2016: torques of a real robot in other motions, as Figs. 5-7",
    "smith_twin": "Smith et al. 2016 in the twin: Table V, Figs. 3, 5, 6, 7, and claims in words",
    "smith_table_v": "Smith et al. 2016, Table V: what could have biased RN-E at joints 3 and 4",
    "smith_predictive": "Smith et al. 2016: predictive control at torque limits, in the twin",
    "twin_truth": "The twin against recordings: open loop with recorded torques, and by commands",
    "claims": "Every claim of the papers, sentence by sentence, with a verdict by one rule",
}


_Key = tuple[str, Path | None, bool, int, str | None]
_FINISHED: dict[_Key, tuple[Row, ...]] = {}
"""Rows of the experiments that ran in this process: `claims` rests on those of others."""


def _key(name: str, settings: Settings) -> _Key:
    return name, settings.folder, settings.quick, settings.seed, settings.ros


def run(name: str, settings: Settings | None = None) -> Result:
    """Runs one experiment.

    Args:
        name: A name of `EXPERIMENTS`.
        settings: Data folder and thoroughness; the defaults if None.

    Raises:
        UnknownNameError: If there is no such experiment, or none that moves a robot over ROS.
    """
    if name not in EXPERIMENTS:
        raise UnknownNameError("experiment", name, EXPERIMENTS)
    start = time.perf_counter()
    chosen = settings or Settings()
    experiment: Callable[[Settings], Result] = import_module(f"baxterkit.experiments.{name}").run
    if chosen.ros is not None:
        from baxterkit.experiments import over_ros

        result = over_ros.run(name, chosen)
    else:
        result = experiment(chosen)
    result = replace(result, seconds=time.perf_counter() - start)
    _FINISHED[_key(name, chosen)] = tuple(result.rows)
    return result


def rows_of(name: str, settings: Settings) -> tuple[Row, ...]:
    """Rows of an experiment; it runs unless it did before in this process, with these settings."""
    if _key(name, settings) not in _FINISHED:
        _FINISHED[_key(name, settings)] = tuple(attempt(name, settings).rows)
    return _FINISHED[_key(name, settings)]


def attempt(name: str, settings: Settings | None = None) -> Result:
    """Runs one experiment; a missing extra is reported in its notes."""
    try:
        return run(name, settings)
    except MissingExtraError as error:
        return Result(name, EXPERIMENTS[name], (), notes=(f"Left out: {error}",))


def run_all(settings: Settings | None = None) -> Iterator[tuple[str, Result]]:
    """Runs all experiments, one after the other; see `attempt`.

    Yields:
        Name and result of each.
    """
    for name in EXPERIMENTS:
        yield name, attempt(name, settings)
