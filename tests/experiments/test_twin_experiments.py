"""The experiments that run in the twin."""

from __future__ import annotations

import components
import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, experiments, identify
from baxterkit.experiments import Settings, ju_tuck
from baxterkit.experiments.ju_tuck import tuck
from baxterkit.experiments.kumar_circle import CENTER, RADIUS, shape_error, way_points
from baxterkit.model.library import load_baxter
from baxterkit.recording import Recording
from baxterkit.sim import Twin


@pytest.fixture(autouse=True)
def _needs_mujoco() -> None:
    components.require("mujoco")


def test_way_points_lie_on_the_circle_and_close_it() -> None:
    poses, t = way_points(turns=2)
    assert_close(shape_error(poses[:, :3, 3]), np.zeros(len(t)), 1e-12)
    assert_close(poses[0], poses[-1], 1e-12)
    assert np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1).max() < 0.005


def test_distance_from_the_circle_is_that_to_its_nearest_point() -> None:
    angle = np.linspace(0.0, 2.0 * np.pi, 100_001)
    ring = np.array(CENTER) + RADIUS * np.stack([0 * angle, np.cos(angle), np.sin(angle)], axis=1)
    points = np.array(CENTER) + np.random.default_rng(0).normal(scale=0.1, size=(5, 3))
    nearest = np.linalg.norm(points[:, None] - ring, axis=2).min(axis=1)
    assert_close(shape_error(points), nearest, 1e-8)


@pytest.mark.slow
def test_the_circle_is_followed_through_every_interface() -> None:
    result = experiments.run("kumar_circle", Settings(quick=True))
    rows = {(row.section, row.quantity): row.ours for row in result.rows}
    solved = [value for (_, name), value in rows.items() if name == "solved [%]"]
    assert solved == [100.0] * 3  # Algorithm 1 as printed and corrected, and the exact solver
    rms = [value for (_, name), value in rows.items() if name == "tip error, RMS [mm]"]
    shape = [value for (_, name), value in rows.items() if "off the circle" in name]
    assert rms == sorted(rms, reverse=True)  # the filter lags most, velocities least
    assert 15.0 < rms[0] < 30.0  # 0.4 s behind at 63 mm/s
    assert shape[0] < 4.0
    assert max(shape[1:]) < 1.0
    assert {row.verdict for row in result.rows} == {"no number"}
    assert result.is_synthetic


Tucked = tuple[dict[str, Recording], dict[str, tuple[bool, float, str]]]


@pytest.fixture(scope="module")
def tucked() -> Tucked:
    robot = Baxter(*(Arm(side, mount="pykdl_robot") for side in ("left", "right")))
    return tuck(Twin(robot, start="tuck").enable())


@pytest.mark.slow
def test_tucking_gives_the_mount_of_the_robot(tucked: Tucked) -> None:
    recordings, moves = tucked
    for arrived, seconds, contacts in moves.values():
        assert arrived
        assert contacts == ""
        assert 5.0 < seconds < 12.0
    for side, recording in recordings.items():
        assert recording.rate == pytest.approx(100.0)
        fit = identify.mount(recording, "hand")
        # Angles are sensed in steps of 0.4 mrad, with noise: over 1800 rows that averages out.
        true = load_baxter().mounts["pykdl_robot"][side]
        assert_close(fit.arm.model.T_base_s0, true, 1e-4)


def test_tucking_shows_the_mount_as_on_a_real_robot(
    tucked: Tucked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def done_before(twin: Twin) -> Tucked:
        for limb in twin.limbs:  # the same robot, in the same pose
            mount = load_baxter().mounts["pykdl_robot"][limb.side]
            np.testing.assert_array_equal(limb.arm.model.T_base_s0, mount)
            np.testing.assert_array_equal(limb.truth.q, limb.arm.configuration("tuck"))
        return tucked

    monkeypatch.setattr(ju_tuck, "tuck", done_before)
    result = experiments.run("ju_tuck", Settings(quick=True))
    assert result.is_synthetic
    nominal, fitted = (
        np.array([r.ours for r in result.rows if mount in r.section and "largest" in r.quantity])
        for mount in ("nominal", "fitted")
    )
    assert (nominal[:, 2] > 5.0).all()  # z is off by a centimetre
    assert (fitted[:, :3] < 1.0).all()
    assert (fitted[:, 3:] < 4.0).all()


@pytest.mark.slow
def test_predictive_control_stays_within_limits_and_errs_less_than_clipping() -> None:
    result = experiments.run("smith_predictive", Settings(quick=True))
    rows = [row for row in result.rows if row.verdict == "no number" and row.section[:3] == "Set"]
    for row in rows:
        values = np.asarray(row.ours, dtype=float)
        if row.quantity.startswith("largest command"):
            assert (values <= 1.0).all()
            assert (values[1:] > 0.999).all()  # the limits were reached
        elif row.quantity.startswith("RMS"):
            assert values[2] < values[1]
    assert result.rows[-1].verdict == "holds"
    assert sorted(result.figures) == ["set1", "set2", "set3"]
