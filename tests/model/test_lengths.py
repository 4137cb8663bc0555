"""Baxter's lengths stand in the model's file, printed ones in `papers`, and nowhere else."""

from __future__ import annotations

import re

import components
import numpy as np

from baxterkit import Arm
from baxterkit.ik import exact
from baxterkit.model.lengths import arm_lengths
from baxterkit.spatial import inverse

SOURCES = components.ROOT / "src" / "baxterkit"
SUFFIXES = {".py", ".hpp", ".cpp", ".toml"}


def test_lengths_are_those_of_the_chain() -> None:
    # With all joints at zero the arm lies stretched in a plane: the hand is where the sum puts it.
    d1, a1, d3, a3, d5, a5, d7 = arm_lengths()
    arm = Arm("left", mount=np.eye(4))
    np.testing.assert_allclose(
        arm.fk(np.zeros(7))[:3, 3], [a1 + d3 + d5 + d7, 0.0, d1 - a3 - a5], atol=1e-15
    )
    elbow = (inverse(arm.link_poses(np.zeros(7))[1]) @ arm.link_poses(np.zeros(7))[3])[:3, 3]
    assert abs(np.linalg.norm(elbow) - np.hypot(d3, a3)) < 1e-15


def test_the_exact_solver_reads_the_model() -> None:
    constants = (exact.D1, exact.A1, exact.D3, exact.A3, exact.D5, exact.A5, exact.D7)
    assert constants == arm_lengths()


def test_no_source_types_a_length() -> None:
    typed = re.compile(r"0\.(27035|36442|37429|229525|37089|37442)\d*")
    found = [
        f"{path.relative_to(SOURCES)}: {match[0]}"
        for path in sorted(SOURCES.rglob("*"))
        if path.suffix in SUFFIXES and "generated" not in path.parts
        for match in typed.finditer(path.read_text(encoding="utf-8"))
    ]
    assert [line for line in found if not line.startswith(("model/baxter.toml", "papers/"))] == []
