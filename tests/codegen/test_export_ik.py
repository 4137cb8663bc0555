"""The exported inverse kinematics has the library's bits, and its loop runs."""

from __future__ import annotations

import ctypes
import dataclasses
import re
import subprocess
from pathlib import Path
from typing import Any

import components
import degenerate
import exported_ik
import numpy as np
import pytest
import tolerances
from exported_ik import OBJECTIVES, ArmStruct, Solver
from problems import generator

from baxterkit import Arm, native, spatial
from baxterkit.codegen import export
from baxterkit.errors import InputError
from baxterkit.ik import IkStatus

DEFAULT = Arm("left", tool="electric_standard")
"""The arm that the example exports."""


def other_arm() -> Arm:
    """Another mount, an odd tool, and limits that reach beyond a half turn or are narrow."""
    mount = spatial.transform(spatial.rpy_to_matrix([0.3, -0.4, 0.9]), [0.1, -0.2, 0.3])
    tool = spatial.transform(spatial.rpy_to_matrix([0.5, 0.2, -0.8]), [0.02, -0.05, 0.17])
    model = Arm("right", tool, mount=mount).model
    given = {"s0": (1.0, 4.5), "e0": (-np.inf, np.inf), "w1": (0.2, 1.0)}
    joints = []
    for joint in model.joints:
        lower, upper = given.get(joint.name.split("_")[1], (joint.lower, joint.upper))
        joints.append(dataclasses.replace(joint, lower=lower, upper=upper))
    return Arm.from_model(dataclasses.replace(model, joints=tuple(joints)))


@pytest.fixture(scope="module")
def built() -> Path:
    for component in ("cxx", "cmake"):
        components.require(component)
    if native.load() is None:
        pytest.skip("the extension was not built: there are no bits to compare with")
    return exported_ik.kept_loop(exported_ik.library_isa())


@pytest.fixture(scope="module")
def library(built: Path) -> ctypes.CDLL:
    return ctypes.CDLL(str(next(built.glob("libbaxter_ik.*"))))


def targets(arm: Arm, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Poses in reach, at degenerate places, beyond the limits and out of reach; and seeds."""
    rng = generator("exported ik")
    lower, upper = np.clip(arm.limits.lower, -4.0, 4.0), np.clip(arm.limits.upper, -4.0, 4.0)
    inside = rng.uniform(lower, upper, (n, 7))
    beyond = rng.uniform(-np.pi, np.pi, (n // 4, 7))
    hard = degenerate.sample(Arm("left"), "mixed", n // 4, rng)
    T = arm.fk(np.concatenate([inside, beyond, hard]))
    T[: n // 50, :3, 3] *= 2.5
    order = rng.permutation(len(T))
    return np.ascontiguousarray(T[order]), rng.uniform(-3.0, 3.0, (len(T), 7))


def assert_same_bits(got: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_array_equal(
        np.ascontiguousarray(got).view(np.uint64), np.ascontiguousarray(wanted).view(np.uint64)
    )


@pytest.mark.parametrize("arm", [DEFAULT, other_arm()], ids=["exported", "given"])
def test_batches_have_the_librarys_bits(library: ctypes.CDLL, arm: Arm) -> None:
    solver = Solver(library, None if arm is DEFAULT else arm)
    assert solver.isa == exported_ik.library_isa()
    T, seeds = targets(arm, 2000)
    end, q, status = solver.solve_many(T, seeds)
    wanted = arm.ik(T, seeds)
    assert end == 0
    assert_same_bits(q, wanted.q)
    np.testing.assert_array_equal(status, wanted.status)
    assert {IkStatus.SOLVED, IkStatus.OUT_OF_REACH, IkStatus.LIMITS} <= {*status.tolist()}
    assert_same_bits(solver.solve_many(T, None)[1], arm.ik(T).q)


@pytest.mark.acceptance
def test_a_million_targets_have_the_librarys_bits(library: ctypes.CDLL) -> None:
    solver = Solver(library)
    limits, rng = DEFAULT.limits, generator("a million exported")
    for _ in range(100):
        T = DEFAULT.fk(rng.uniform(limits.lower, limits.upper, (10_000, 7)))
        seeds = rng.uniform(limits.lower, limits.upper, (10_000, 7))
        _, q, status = solver.solve_many(T, seeds)
        wanted = DEFAULT.ik(T, seeds)
        assert_same_bits(q, wanted.q)
        np.testing.assert_array_equal(status, wanted.status)


@pytest.mark.acceptance
@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_has_its_own_bits(isa: str, tmp_path: Path, require: Any) -> None:
    require("cxx")
    require("cmake")
    extension = native.load()
    assert extension is not None
    if isa not in extension.isas():
        pytest.skip(f"no {isa} here")
    file = next(exported_ik.build_loop(tmp_path, isa).glob("libbaxter_ik.*"))
    solver, before = Solver(ctypes.CDLL(str(file))), exported_ik.library_isa()
    T, seeds = targets(DEFAULT, 20_000)
    extension.use_isa(isa)
    try:
        wanted = DEFAULT.ik(T, seeds)
    finally:
        extension.use_isa(before)
    assert solver.isa == isa
    assert_same_bits(solver.solve_many(T, seeds)[1], wanted.q)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("arm", [DEFAULT, other_arm()], ids=["exported", "given"])
def test_single_targets_have_the_librarys_bits(
    library: ctypes.CDLL, arm: Arm, objective: str
) -> None:
    solver = Solver(library, None if arm is DEFAULT else arm)
    T, seeds = targets(arm, 60)
    for i in range(len(T)):
        seed = None if i % 5 == 0 else seeds[i]
        code, q, details = solver.solve(T[i], seed, objective)
        wanted = arm.ik(T[i], seed, objective)
        assert code == wanted.status
        assert_same_bits(q, wanted.q)
        errors = np.array([details.position_error, details.orientation_error])
        assert_same_bits(errors, np.array([wanted.position_error, wanted.orientation_error]))
        if wanted.status == IkStatus.LIMITS:
            assert_same_bits(np.array(details.nearest), wanted.nearest)
            assert_same_bits(np.array(details.violation), wanted.violation)


@pytest.mark.parametrize("limited", [True, False])
def test_all_solutions_have_the_librarys_bits(library: ctypes.CDLL, limited: bool) -> None:
    solver = Solver(library)
    T, seeds = targets(DEFAULT, 200)
    for pose, e0 in zip(T, seeds[:, 2].tolist(), strict=True):
        count, q = solver.all(pose, e0, limited)
        wanted = DEFAULT.ik_all(pose, e0, limited)
        assert count == len(wanted)
        assert_same_bits(q, wanted)


def test_steps_and_paths_have_the_librarys_bits(library: ctypes.CDLL) -> None:
    solver = Solver(library)
    q = np.array([0.4, -0.9, 0.5, 1.6, -0.4, 0.9, 0.3])
    Ts = np.repeat(DEFAULT.fk(q)[None], 60, axis=0)
    Ts[:, 0, 3] += np.linspace(0.0, 0.2, 60)
    for hold in (False, True):
        at = q
        for T in Ts:
            code, found = solver.track(T, at, None, hold)
            assert code == IkStatus.SOLVED
            assert_same_bits(found, DEFAULT.ik_track(T, at, hold_elbow=hold).q)
            at = found
    steps = np.full((59, 7), 0.2)
    for seed, starts in ((None, False), (q, True), (at, False)):
        reached, way = solver.path(Ts, seed, starts, steps)
        assert reached == 60
        assert_same_bits(way, DEFAULT.ik_path(Ts, seed, max_step=0.2).q)
    Ts[30:, 0, 3] += 2.0
    reached, way = solver.path(Ts, None, False, None)
    assert reached == 30
    assert_same_bits(way, DEFAULT.ik_path(Ts).q)


def test_forward_kinematics_has_the_librarys_bits(library: ctypes.CDLL) -> None:
    q = generator("exported fk").uniform(-3.0, 3.0, (50, 7))
    solver = Solver(library)
    assert_same_bits(np.array([solver.fk(row) for row in q]), DEFAULT.fk(q))


def test_bad_arguments_are_refused(library: ctypes.CDLL) -> None:
    solver = Solver(library)
    T, q = DEFAULT.fk(np.zeros(7)), np.zeros(7)
    bent, nowhere = T.copy(), T.copy()
    bent[0, 0] += 0.01
    nowhere[0, 3] = np.nan
    far = np.full(7, 1e7)
    for bad in (bent, nowhere):
        assert solver.solve(bad, None, "quick")[0] == -1
        assert solver.solve_many(np.stack([T, bad]), None)[0] == -1
        assert solver.all(bad, 0.0, True)[0] == -1
        assert solver.track(bad, q, None, False)[0] == -1
        assert solver.path(np.stack([T, bad]), None, False, None)[0] == -1
    code, found, _ = solver.solve(T, far, "nearest")
    assert code == -2
    assert np.isnan(found).all()
    assert solver.solve_many(T[None], far[None])[0] == -2
    assert solver.all(T, np.nan, True)[0] == -2
    assert solver.track(T, q, np.zeros(7), False)[0] == -2
    assert solver.path(T[None], None, True, None)[0] == -2
    assert solver.path(np.stack([T, T]), None, False, np.zeros((1, 7)))[0] == -2


def test_an_arm_that_is_none_makes_no_solver(library: ctypes.CDLL) -> None:
    default = ArmStruct()
    library.baxter_ik_default_arm(ctypes.byref(default))
    assert bytes(default) == bytes(exported_ik.struct_of(DEFAULT))
    assert Solver(library, default).handle
    for field, value in (("T_base_s0", 3.0), ("T_hand_tip", np.nan), ("lower", 9.0)):
        struct = ArmStruct.from_buffer_copy(default)
        getattr(struct, field)[0] = value
        assert Solver(library, struct).handle is None


def test_loop_follows_its_circle_with_the_librarys_values(built: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(built / "loop"), "1500", "loop.txt"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    rows = np.loadtxt(tmp_path / "loop.txt")
    t, q, tau = rows[:, 0], rows[:, 1:8], rows[:, 8:]
    at = np.array([0.0, -0.55, 0.0, 0.75, 0.0, 1.26, 0.0])
    start, radius = DEFAULT.fk(at), 0.08
    angle = 2.0 * np.pi / 4.0 * np.where(t < 1.0, 0.5 * t * t, t - 0.5)
    centre = start[:3, 3] - [radius, 0.0, 0.0]
    circle = centre + radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * t], axis=-1)
    poses = DEFAULT.fk(q)
    np.testing.assert_allclose(poses[:, :3, 3], circle, rtol=0, atol=tolerances.IK_POSE)
    np.testing.assert_allclose(
        poses[:, :3, :3], np.broadcast_to(start[:3, :3], (1500, 3, 3)), atol=tolerances.IK_POSE
    )
    steps = np.vstack([at, q])
    qd = np.diff(steps, axis=0) / 1e-3
    qdd = np.diff(np.vstack([np.zeros(7), qd]), axis=0) / 1e-3
    wanted = DEFAULT.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=1e-11)


def test_header_serves_c_and_two_arms_in_one_program(tmp_path: Path, require: Any) -> None:
    require("cc")
    for side in ("left", "right"):
        text = export("ik", "cpp", Arm(side), name=f"{side}_ik")
        (tmp_path / f"{side}_ik.hpp").write_text(text, encoding="utf-8")
        assert "baxterkit" not in re.sub("//.*", "", text)
        names = {word for word in text.split() if word.startswith("LEFT_IK_")}
        assert bool(names) == (side == "left")
    program = '#include "left_ik.hpp"\n#include "right_ik.hpp"\nleft_ik_arm a; right_ik_arm b;\n'
    (tmp_path / "both.c").write_text(program, encoding="utf-8")
    flags = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only")
    exported_ik.cases.run("gcc", *flags, "both.c", folder=tmp_path)


def test_other_geometry_and_parameters_are_refused() -> None:
    bent = exported_ik.cases.arm("bent")
    with pytest.raises(InputError, match="of Baxter's geometry, and this arm has another one"):
        export("ik", "cpp", bent)
    with pytest.raises(InputError, match="mount, tool and limits at run time"):
        export("ik", "cpp", Arm("left"), parameters=True)
    with pytest.raises(InputError, match="ik has no c form; available: cpp"):
        export("ik", "c", Arm("left"))
