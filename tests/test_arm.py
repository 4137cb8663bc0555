"""The facade `Arm`: construction, backends, copies, and the round trip through URDF."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import problems
import pytest
from tolerances import FK_ENGINE, PSEUDOINVERSE, assert_close

from baxterkit import Arm, ArmModel, BaxterkitError, Payload, SingularityWarning, kinematics
from baxterkit.errors import InputError, ModelWarning, ShapeError, UnknownNameError

Q = np.array([0.1, -0.5, 0.3, 1.2, -0.4, 0.9, 0.2])


def test_tools_move_the_tip_along_the_hands_z() -> None:
    T = Arm("left").fk(Q)
    for tool, length in {"electric_standard": 0.120, "electric_extended": 0.1577, "vacuum": 0.080,
                         "hand": 0.0}.items():  # fmt: skip
        tip = Arm("left", tool=tool).fk(Q)
        assert_close(tip[:3, 3], T[:3, 3] + length * T[:3, 2], FK_ENGINE)
        assert_close(tip[:3, :3], T[:3, :3], FK_ENGINE)


def test_nominal_mounts_are_rethinks() -> None:
    # The URDF's numbers: torso -> arm_mount -> s0, with its 0.7854 as published.
    for side, sign in (("left", 1.0), ("right", -1.0)):
        mount = Arm(side).model.T_base_s0
        c, s = np.cos(0.7854), np.sin(sign * 0.7854)
        p = np.array([0.024645 + c * 0.055695, sign * 0.219645 + s * 0.055695, 0.118588 + 0.011038])
        assert_close(mount[:3, 3], p, FK_ENGINE)
        assert_close(mount[:3, :3], [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]], FK_ENGINE)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"side": "top"}, UnknownNameError, "unknown side 'top'; available: left, right"),
        (
            {"tool": "hammer"},
            UnknownNameError,
            "unknown tool 'hammer'; available: hand, electric_standard_narrow, "
            "electric_standard_wide, electric_extended_narrow, electric_extended_wide, vacuum, "
            "electric_standard, electric_extended",
        ),
        (
            {"backend": "opencl"},
            UnknownNameError,
            "unknown backend 'opencl'; available: native, numpy, cuda",
        ),
        (
            {"mount": np.eye(3)},
            ShapeError,
            "mount must have shape (..., 4, 4), got (3, 3)",
        ),
        (
            {"tool": 2.0 * np.eye(4)},
            InputError,
            "T_hand_tip must end in the row 0 0 0 1, got 0 0 0 2",
        ),
        (
            {"mount": np.diag([1.0, 1.0, -1.0, 1.0])},
            InputError,
            "mount does not hold a rotation: it mirrors (determinant not positive); "
            "project it with baxterkit.spatial.nearest_rotation(R)",
        ),
        (
            {"gravity_vector": (0.0, 9.81)},
            ShapeError,
            "gravity must have 3 values on its last axis, got shape (2,)",
        ),
    ],
    ids=lambda value: "" if isinstance(value, type | str) else str(next(iter(value))),
)
def test_wrong_construction_is_refused_in_plain_words(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        Arm(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message
    assert isinstance(caught.value, BaxterkitError)


def test_unknown_pose_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError) as caught:
        Arm("left").configuration("sleep")
    assert str(caught.value) == "unknown configuration 'sleep'; available: neutral, tuck, untuck"


def test_the_name_of_a_pose_in_place_of_joint_positions_says_how() -> None:
    with pytest.raises(
        InputError, match=r"q is the text 'untuck'; .* arm\.configuration\('untuck'\)"
    ):
        Arm("left").fk("untuck")


def test_named_configurations_lie_inside_the_limits() -> None:
    for side in problems.SIDES:
        arm = Arm(side)
        for name in ("neutral", "tuck", "untuck"):
            arm.limits.check(arm.configuration(name))


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize(
    "copier",
    [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_copies_answer_the_same(copier: object, backend: str) -> None:
    nominal = problems.random_arms(1)[0]
    arm = Arm.from_model(nominal.model, backend)
    other = copier(arm)  # type: ignore[operator]
    assert other is not arm
    assert other.backend == arm.backend == backend
    assert other.fk(Q).tobytes() == arm.fk(Q).tobytes()
    assert other.jacobian(Q, "tip").tobytes() == arm.jacobian(Q, "tip").tobytes()
    assert other.tool.name == arm.tool.name
    with pytest.raises(ValueError, match="read-only"):
        other.limits.lower[0] = 0.0


def test_pickles_cross_a_process_boundary(tmp_path: Path) -> None:
    arm = Arm("right", "vacuum", payload=Payload(1.0))
    path = tmp_path / "arm.pickle"
    path.write_bytes(pickle.dumps(arm))
    code = (
        "import pickle, sys, numpy as np; arm = pickle.load(open(sys.argv[1], 'rb')); "
        "print(repr(arm), arm.fk(np.zeros(7)).tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{arm!r} {arm.fk(np.zeros(7)).tobytes().hex()}\n"


def test_repr_says_what_it_is() -> None:
    assert repr(Arm("left")) == "Arm('left', tool='hand', backend='native')"
    loaded = Arm("right", "vacuum", payload=Payload(1.5), backend="numpy")
    assert repr(loaded) == "Arm('right', tool='vacuum', payload=1.5 kg, backend='numpy')"


def test_replace_changes_a_copy() -> None:
    arm = Arm("left")
    loaded = arm.replace(payload=Payload(2.0))
    assert loaded.model.payload is not None
    assert arm.model.payload is None
    assert loaded.fk(Q).tobytes() == arm.fk(Q).tobytes()


def test_limits_and_names_are_in_joint_order() -> None:
    for side in problems.SIDES:
        arm = Arm(side)
        expected = tuple(f"{side}_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2"))
        assert arm.joint_names == expected
        assert arm.side == side
        assert arm.limits.lower.shape == arm.limits.upper.shape == (7,)


def test_model_arrays_cannot_be_changed_behind_the_kernels() -> None:
    arm = Arm("left")
    assert isinstance(arm.model, ArmModel)
    with pytest.raises(ValueError, match="read-only"):
        arm.model.T_base_s0[0, 3] = 1.0


@pytest.mark.parametrize("side", ["left", "right"])
def test_the_mount_of_the_other_arm_is_warned_of(side: str) -> None:
    other = "right" if side == "left" else "left"
    mount = Arm(other, mount="pykdl_robot").model.T_base_s0
    wanted = (
        rf"mount of the {side} arm is 0\.0\d+ m from .* {other} arm, and 0\.5\d+ m from its own"
    )
    for make in (lambda: Arm(side, mount=mount), lambda: Arm(side).replace(mount=mount)):
        with pytest.warns(ModelWarning, match=wanted) as caught:
            arm = make()
        assert caught[0].filename == __file__
        np.testing.assert_array_equal(arm.model.T_base_s0, mount)
    swapped = Arm(other).to_urdf().replace(other, side)
    with pytest.warns(ModelWarning, match="are the arms swapped"):
        Arm.from_urdf(swapped, side)


def test_short_names_of_tools_are_among_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'electric_standard'\\?"):
        Arm("left", tool="Electric_Standard")
    with pytest.raises(InputError, match='tool is None; give tool="hand"'):
        Arm("left", tool=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("y", [-1.0, -0.03, 0.0, 0.5, 3.0])
def test_mounts_of_other_robots_are_not_warned_of(y: float) -> None:
    mount = Arm("left").model.T_base_s0.copy()
    mount[1, 3] = y
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Arm("left", mount=mount).model.T_base_s0[1, 3] == y


def test_a_mount_array_may_be_reused_by_its_owner() -> None:
    mount = problems.random_transform(problems.generator("mount"))
    for backend in ("native", "numpy"):
        arm = Arm("left", mount=mount, backend=backend)
        before = arm.fk(Q)
        mount[:3, 3] += 1.0
        assert arm.fk(Q).tobytes() == before.tobytes()


def test_urdf_round_trip_keeps_the_kinematics() -> None:
    for arm in (Arm("left"), Arm("right", "electric_extended"), *problems.random_arms(4)):
        back = Arm.from_urdf(arm.to_urdf(), arm.side)
        q = problems.uniform(arm, 100)
        assert back.backend == "native"
        assert_close(back.fk(q), arm.fk(q), FK_ENGINE)
        assert_close(back.jacobian(q), arm.jacobian(q), FK_ENGINE)


def test_subclasses_may_override_a_method() -> None:
    class Shifted(Arm):
        def fk(self, q: object, *, out: object = None) -> object:
            return super().fk(q, out=out) + 1.0  # type: ignore[arg-type]

    assert_close(Shifted("left").fk(Q), Arm("left").fk(Q) + 1.0, FK_ENGINE)
    assert type(pickle.loads(pickle.dumps(Arm("left")))) is Arm


def test_methods_of_the_class_work_on_an_instance() -> None:
    arm = Arm("left")
    assert Arm.fk(arm, Q).tobytes() == arm.fk(Q).tobytes()
    assert Arm.jacobian(arm, Q, "tip").tobytes() == arm.jacobian(Q, "tip").tobytes()
    assert Arm.manipulability(arm, Q) == arm.manipulability(Q)
    assert Arm.null_vector(arm, Q).tobytes() == arm.null_vector(Q).tobytes()
    assert Arm.link_poses(arm, Q).tobytes() == arm.link_poses(Q).tobytes()
    assert Arm.twist(arm, Q, Q).tobytes() == arm.twist(Q, Q).tobytes()
    assert Arm.bias_acceleration(arm, Q, Q).tobytes() == arm.bias_acceleration(Q, Q).tobytes()


def test_replace_takes_the_arguments_of_arm() -> None:
    T = np.array(Arm("left").model.T_base_s0)
    T[2, 3] += 0.01
    changed = Arm("left").replace(
        tool="vacuum", mount=T, payload=Payload(1.0), gravity_vector=(0, 0, -1.6), backend="numpy"
    )
    same = Arm("left", "vacuum", T, Payload(1.0), (0, 0, -1.6), "numpy")
    q = np.linspace(-0.5, 0.5, 7)
    assert changed.backend == "numpy"
    assert (changed.fk(q) == same.fk(q)).all()
    assert (changed.gravity(q) == same.gravity(q)).all()
    assert changed.replace(payload=None).model.payload is None


def test_a_subclass_keeps_its_fields_when_copied() -> None:
    class Named(Arm):
        label = ""

    arm = Named("right")
    arm.label = "mine"
    assert copy.deepcopy(arm).label == "mine"
    assert copy.copy(arm).side == "right"


def test_singular_values_come_in_blocks() -> None:
    arm = Arm("left")
    rng = np.random.default_rng(3)
    q = rng.uniform(arm.limits.lower, arm.limits.upper, (65_600, 7))
    values = arm.smallest_singular_value(q.reshape(2, -1, 7))
    assert values.shape == (2, 32_800)
    assert (values.ravel()[-70:] == arm.smallest_singular_value(q[-70:])).all()


def test_one_singular_row_of_a_batch_warns_and_is_handled() -> None:
    arm = Arm("left")
    q = np.array([arm.configuration("untuck"), problems.singular(arm, 1)[0]])
    with pytest.warns(SingularityWarning, match="near a singularity"):
        qd = arm.joint_velocity(q, np.ones(6))
    expected = kinematics.joint_velocity(arm.model, q, np.ones(6))
    assert_close(qd, expected, PSEUDOINVERSE)
    N = arm.nullspace(q)
    assert_close(N @ N, N, PSEUDOINVERSE)
    assert [round(float(np.trace(x))) for x in N] == [1, 2]


def test_mounts_have_names() -> None:
    assert (Arm("left", mount="nominal").fk(Q) == Arm("left").fk(Q)).all()
    moved = np.linalg.norm((Arm("right", mount="pykdl_robot").fk(Q) - Arm("right").fk(Q))[:3, 3])
    assert 0.005 < moved < 0.02
    assert (Arm("left").replace(mount="pykdl_robot").fk(Q) != Arm("left").fk(Q)).any()
    with pytest.raises(UnknownNameError) as caught:
        Arm("left", mount="mine")
    assert str(caught.value) == "unknown mount 'mine'; available: nominal, pykdl_robot"


def test_named_mount_is_that_of_the_dump(urdf_dir: Path) -> None:
    for side in ("left", "right"):
        dumped = Arm.from_urdf(urdf_dir / "baxter_calibrated_robot_a.urdf", side)
        assert_close(dumped.model.T_base_s0, Arm(side, mount="pykdl_robot").model.T_base_s0, 1e-15)
