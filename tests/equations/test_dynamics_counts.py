from __future__ import annotations

import sys
from pathlib import Path

import components
import numpy as np
import pytest
import tolerances as tol
from test_dynamics_derivation import OPERATIONS

from baxterkit.dynamics import newton_euler as ne
from baxterkit.equations import base_parameters as bp
from baxterkit.equations.chain import Chain
from baxterkit.model.dh import dh_from_model
from baxterkit.model.library import baxter_arm

sys.path.insert(0, str(components.ROOT / "tools"))

import dynamics_counts
from dynamics_counts import textbook_newton_euler


@pytest.mark.slow
def test_every_idea_saves_operations() -> None:
    steps = dynamics_counts.steps()
    for name in ("inverse_dynamics", "terms"):
        counts = [getattr(step, name) for step in steps if getattr(step, name) is not None]
        assert counts == sorted(counts, reverse=True)
    assert steps[0].terms is not None
    assert steps[0].terms > 500_000  # the papers' "over half a million"
    assert steps[-1].inverse_dynamics == OPERATIONS["inverse_dynamics"]
    assert steps[-1].terms == OPERATIONS["inertia_coriolis_gravity"]


def test_page_states_the_measured_counts(root: Path) -> None:
    page = (root / "docs" / "dynamics.md").read_text(encoding="utf-8")
    assert dynamics_counts.table() in page, (
        "docs/dynamics.md is out of date: paste the output of `python tools/dynamics_counts.py`"
    )
    rows = {
        "inverse dynamics": ["inverse_dynamics"],
        "M": ["inertia"],
        "C (Christoffel)": ["coriolis_matrix"],
        "G": ["gravity"],
        "M, C and G together": ["inertia_coriolis_gravity"],
        "C qd + G": ["bias"],
        "forward dynamics": ["forward_dynamics"],
        "∂tau/∂q and ∂tau/∂qd": ["inverse_dynamics_derivatives"],
        "regressor Y (7 × 45)": ["base_regressor"],
        "kinetic, potential energy": ["kinetic_energy", "potential_energy"],
    }
    for name, kernels in rows.items():
        (line,) = [x for x in page.splitlines() if x.startswith(f"| {name} |")]
        stated = line.rstrip("| ").rpartition("|")[2].strip()
        assert stated == ", ".join(f"{OPERATIONS[kernel]:,}" for kernel in kernels), name


def test_textbook_recursion_that_is_counted_is_right() -> None:
    arm = baxter_arm("right")
    T_chain_link = bp.link_frames(arm, bp.chain_of(arm))
    moved = [body.at(T) for body, T in zip(arm.link_inertials(), T_chain_link, strict=True)]
    q, qd, qdd = np.random.default_rng(5).uniform(-3.0, 3.0, (3, 7))
    meters = Chain.from_dh(dh_from_model(arm).rows, length=1.0)
    tau = textbook_newton_euler(
        meters,
        meters.angles(np.sin(q), np.cos(q)),
        qd,
        qdd,
        [body.mass for body in moved],
        [list(body.com) for body in moved],
        [body.inertia.tolist() for body in moved],
        bp.chain_gravity(arm, meters),
    )
    tol.assert_close(np.array(tau), ne.inverse_dynamics(arm, q, qd, qdd), tol.TORQUE_ENGINE)
