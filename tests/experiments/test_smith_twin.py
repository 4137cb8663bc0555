"""Smith's experiment in the twin: torques of recorded motions, and what must come out."""

from __future__ import annotations

import components
import numpy as np
import pytest
import tolerances as tol

from baxterkit import Arm, experiments
from baxterkit.experiments import Result, Settings, smith_twin
from baxterkit.experiments.both_methods import Torques, torques_of
from baxterkit.experiments.smith_claims import ranges
from baxterkit.experiments.smith_paper import TABLE_V, TABLE_V_SUM
from baxterkit.experiments.smith_twin import cut, runs_of, trajectories
from baxterkit.recording import Recording
from baxterkit.sim import Twin
from baxterkit.sim.nominal import effects_of
from baxterkit.trajectory import Trajectory

ARM = Arm("right")


@pytest.fixture(autouse=True)
def _needs() -> None:
    for component in ("mujoco", "matplotlib", "scipy"):
        components.require(component)


@pytest.fixture(scope="module")
def sets() -> dict[int, Trajectory]:
    return trajectories(ARM)


def swing(rate: float = 50.0) -> Recording:
    """A motion with the torques that belong to it, exactly."""
    t = np.arange(0.0, 4.0, 1.0 / rate)
    phase = np.sin(1.5 * t)[:, None], np.cos(1.5 * t)[:, None]
    size = np.linspace(0.1, 0.4, 7)
    q = ARM.configuration("neutral") + phase[0] * size
    qd, qdd = 1.5 * phase[1] * size, -2.25 * phase[0] * size
    return Recording(t=t, q=q, qd=qd, tau=ARM.inverse_dynamics(q, qd, qdd), side="right")


def test_torques_of_an_exact_motion_differ_by_the_square_of_the_period() -> None:
    slow, fast = (torques_of(swing(rate), ARM) for rate in (50.0, 100.0))
    errors = [np.abs(x.sensed - x.newton_euler).max() for x in (slow, fast)]
    assert errors[0] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_both_methods_agree_to_rounding() -> None:
    values = torques_of(swing(), ARM)
    tol.assert_close(values.lagrange, values.newton_euler, tol.TORQUE_ENGINE)


def test_scores_are_those_of_table_v() -> None:
    t = np.arange(4.0)
    sensed = np.zeros((4, 7))
    model = np.tile([[0.1], [-0.1], [0.3], [-0.1]], 7)
    lagrange, newton = Torques(t, sensed, model, 2.0 * model).scores
    np.testing.assert_allclose(lagrange.mean, -0.05, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(lagrange.mae, 0.15, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(newton.mae, 0.3, rtol=0.0, atol=1e-15)


def test_the_low_pass_takes_noise_and_leaves_the_motion() -> None:
    clean = torques_of(swing(), ARM)
    noise = np.random.default_rng(0).normal(0.0, 0.5, clean.sensed.shape)
    noisy = Torques(clean.t, clean.sensed + noise, clean.lagrange, clean.newton_euler)
    smooth = noisy.filtered(2.0)
    assert smooth.t[0] >= clean.t[0] + 1.0
    assert smooth.t[-1] <= clean.t[-1] - 1.0
    assert smooth.scores[0].mae.mean() < 0.4 * noisy.scores[0].mae.mean()
    inside = np.isin(clean.t, smooth.t)
    assert np.abs(smooth.lagrange - clean.lagrange[inside]).max() < 0.05


def test_cut_motions_are_the_start_of_the_whole(sets: dict[int, Trajectory]) -> None:
    t = np.linspace(0.0, 3.0, 50)
    for motion in sets.values():
        start = cut(motion, 3.0)
        assert start.duration == pytest.approx(3.0, abs=0.011)
        np.testing.assert_array_equal(motion.sample(t).q, start.sample(t).q)
        assert cut(motion, 100.0) is motion


def test_the_tool_points_down_and_the_paths_are_those_of_the_paper(
    sets: dict[int, Trajectory],
) -> None:
    for number, motion in sets.items():
        T = ARM.fk(motion.at_rate(10.0)[1])
        assert np.abs(T[:, :3, 2] - (0.0, 0.0, -1.0)).max() < 1e-4
        middle = (0.6, -0.2, 0.1)
        extent = np.abs(T[:, :3, 3] - middle).max(axis=0)
        moving = {1: (True, True, True), 2: (False, True, False), 3: (False, False, True)}[number]
        np.testing.assert_allclose(extent, 0.1 * np.array(moving), rtol=0.0, atol=1e-3)


def test_one_tuning_of_the_pid_and_computed_torque_follow_the_quick_switch(
    sets: dict[int, Trajectory],
) -> None:
    twin, rigid = Twin().enable(), Twin(rigid=True).enable()
    model = ARM.with_effects(effects_of(ARM))
    runs = runs_of(cut(sets[2], 2.5), twin, rigid, model)
    assert runs.rigid.rms() < 1e-4
    assert runs.computed.rms() < 5e-3
    assert runs.pid.rms() < 0.03
    assert not runs.pid.held.any()


@pytest.fixture(scope="module")
def quick() -> Result:
    return smith_twin.run(Settings(quick=True))


@pytest.mark.slow
def test_a_quick_look_has_every_table_and_figure(quick: Result) -> None:
    assert set(quick.figures) == {"fig3_paths", "fig5_set1", "fig6_set2", "fig7_set3", "tracking"}
    assert quick.is_synthetic
    compared = [row for row in quick.rows if row.paper is not None]
    claims = [row for row in compared if row.section.startswith("What the paper says")]
    assert [row.verdict for row in claims] == ["holds", "does not hold", "holds"]
    assert len(compared) == 3 * 2 * 2 + 1 + len(claims)
    assert {row.verdict for row in compared if row not in claims} == {"synthetic"}
    assert any("cut to 4 s" in note for note in quick.notes)


@pytest.mark.slow
def test_the_papers_sums_are_those_of_the_signed_means(quick: Result) -> None:
    """Table V's last row is smaller than the sum of its rows: errors of both signs cancel."""
    for number, columns in TABLE_V.items():
        for name, means in columns.items():
            assert sum(means) > TABLE_V_SUM[number][name]


@pytest.mark.slow
def test_no_mean_is_larger_than_the_mean_of_sizes(quick: Result) -> None:
    tables: dict[str, dict[str, np.ndarray]] = {}
    for row in quick.rows:
        tables.setdefault(row.section, {})[row.quantity] = np.asarray(row.ours)
    checked = 0
    for table in tables.values():
        for name in ("", "L-E ", "RN-E "):
            if f"{name}|mean error|" in table:
                assert (table[f"{name}|mean error|"] <= table[f"{name}mean |error|"] + 1e-12).all()
                checked += 1
    assert checked == 9


def test_a_switch_in_y_is_the_work_of_s0(sets: dict[int, Trajectory]) -> None:
    """The paper says joint 2; see docs/errata.md."""
    angle, torque = ranges(sets[2], ARM)
    assert angle[0] > 10.0 * angle[1]
    assert torque[0] > 5.0 * torque[1]


@pytest.mark.acceptance
@pytest.mark.parametrize("seed", [0, 1])
def test_smiths_experiment_end_to_end(seed: int) -> None:
    result = experiments.run("smith_twin", Settings(seed=seed))
    found: dict[str, dict[str, object]] = {}
    for row in result.rows:
        found.setdefault(row.section, {})[row.quantity] = row.ours
    tracking = next(value for section, value in found.items() if section.startswith("Tracking"))
    most = {name: max(values) for name, values in tracking.items()}  # type: ignore[call-overload]
    assert most["computed torque, rigid twin"] <= 1e-4
    assert most["computed torque, full twin, identified model"] <= 5e-3
    assert most["double-loop PID, full twin"] <= 0.03
    filtered = [value for section, value in found.items() if "low-pass" in section]
    assert len(filtered) == 3
    for table in filtered:
        assert table["least R² where it moves > 1 N m"] >= 0.99  # type: ignore[operator]
        assert max(table["mean |error|"]) < 0.1  # type: ignore[call-overload]
