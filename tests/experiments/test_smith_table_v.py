"""The search for what biased the paper's RN-E, and the toolbox as its column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, experiments
from baxterkit.experiments import Settings, both_methods
from baxterkit.experiments.both_methods import toolbox_torques
from baxterkit.experiments.smith_paper import TABLE_V, TABLE_V_SUM, signed_table_v
from baxterkit.experiments.smith_table_v import Trial, misfit, trials
from baxterkit.papers import smith

SAME = 2e-13
"""Torques [N m] by other recursions, of up to 50 N m."""


def test_an_unchanged_trial_is_smiths_corrected_arm() -> None:
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (5, 7))
    assert_close(Trial().gravity(q), smith.corrected.gravity(q), 0.0)


def test_every_trial_has_a_name_of_its_own_and_changes_the_torques() -> None:
    everyone = list(trials())
    assert len({one.name for one in everyone}) == len(everyone) > 100
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 2, 7))
    true = smith.corrected.torques(q, qd, qdd)
    same = [
        one.name
        for one in everyone
        if one.scale == 1.0 and np.abs(one.torques(q, qd, qdd) - true).max() < 1e-9
    ]
    # About its own axis, a first link turns as before.
    assert all(name.startswith("link 1:") for name in same)


def test_signs_of_table_v_follow_from_its_last_row() -> None:
    for method in ("L-E", "RN-E"):
        signed = signed_table_v(method)
        printed = [TABLE_V_SUM[n][method] for n in (1, 2, 3)]
        assert_close(np.abs(signed), np.array([TABLE_V[n][method] for n in (1, 2, 3)]), 0.0)
        assert_close(np.abs(signed.sum(axis=1)), np.array(printed), 4e-4)
    assert (np.sign(signed_table_v("RN-E")) == [1, 1, 1, -1, -1, 1, -1]).all()
    apart = signed_table_v("RN-E") - signed_table_v("L-E")
    # Alike in all sets where gravity alone acts: the choice is no accident.
    assert np.abs(apart[:, 0]).max() < 4e-4
    assert np.ptp(apart[:, 2:6], axis=0).max() < 0.05


def test_the_misfit_is_zero_for_the_printed_difference_and_its_negative() -> None:
    printed = signed_table_v("RN-E") - signed_table_v("L-E")
    for change in (printed, -printed):
        assert_close(misfit(change), np.zeros((3, 7)), 1e-15)
    assert (misfit(np.zeros((3, 7))) == np.abs(printed)).all()


@pytest.mark.slow
def test_no_single_change_explains_the_table() -> None:
    result = experiments.run("smith_table_v", Settings(quick=True))
    scores = [row.ours for row in result.rows if row.section.startswith("Root mean square")]
    nothing, best = np.array(scores[0]), np.array(scores[1])
    assert best[0] < nothing[0]
    assert best[0] > 0.25 * nothing[0]
    assert "None of them explains the table" in result.notes[0]


def test_the_toolbox_is_the_column_where_it_is_installed(require: Any) -> None:
    require("rtb")
    arm = Arm("right").with_effects(bias=np.full(7, 0.3))
    q, qd, qdd = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 20, 7))
    assert_close(toolbox_torques(arm, q, qd, qdd), arm.inverse_dynamics(q, qd, qdd), SAME)
    assert "Robotics Toolbox for Python" in both_methods.newton_euler_note()


def test_without_the_toolbox_our_own_recursion_is_the_column(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(both_methods, "toolbox_version", lambda: None)
    arm = Arm("right")
    q, qd, qdd = np.random.default_rng(3).uniform(-1.0, 1.0, (3, 4, 7))
    own = both_methods.newton_euler(arm, q, qd, qdd)
    np.testing.assert_array_equal(own, arm.inverse_dynamics(q, qd, qdd))
    assert "is not installed" in both_methods.newton_euler_note()
