"""The compiled step against the readable one in NumPy, from the same states on the same memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tolerances import TWIN_RUN, TWIN_STEP, assert_close

from baxterkit import Arm, Baxter, Payload
from baxterkit.dynamics.joint_effects import Hysteresis
from baxterkit.errors import InputError, ModelError
from baxterkit.kernels.twin_fields import RECORD, STATE
from baxterkit.sim import Physics, Twin, TwinBatch, TwinLimb, nominal_effects
from baxterkit.sim.native_step import NativeStep, flags_address
from baxterkit.sim.numpy_step import NumpyStep
from baxterkit.sim.simulation import END_STOP

MEMORY = nominal_effects().replace(
    hysteresis=Hysteresis(
        torque=np.linspace(0.1, 0.7, 7),
        slope=np.linspace(-0.1, 0.1, 7),
        distance=np.full(7, 0.02),
        coulomb=np.full(7, 0.05),
        viscous=np.full(7, 0.1),
    )
)
ROBOTS = {
    "nominal": lambda: {},
    "rigid": lambda: {"rigid": True},
    "rigid, noise": lambda: {"rigid": True, "noise": 1.0},
    "gripper": lambda: {"tool": "electric_standard", "seed": 4},
    "no contacts": lambda: {"physics": Physics(contacts=False), "noise": 0.0},
    "memory": lambda: {"robot": Baxter(Arm("left").with_effects(MEMORY), Arm("right"))},
    "tilted": lambda: {
        "robot": Baxter(
            Arm("left", "vacuum", gravity_vector=(0.3, 0.0, -9.8), payload=Payload(0.5)),
            Arm("right", gravity_vector=(0.0, -0.2, -9.8)),
        )
    },
}


def compiled(**options: object) -> Twin:
    """A twin with the compiled step."""
    twin = Twin(**options).enable()  # type: ignore[arg-type]
    if not isinstance(twin._step, NativeStep):
        pytest.skip("the extension was not built")
    return twin


def readable(**options: object) -> Twin:
    """The same with the step in NumPy."""
    twin = Twin(**options).enable()  # type: ignore[arg-type]
    twin._step = NumpyStep(twin._parts)
    return twin


def command(limb: TwinLimb, rng: np.random.Generator) -> None:
    """A random command, or none."""
    limits = limb.arm.limits
    choice = rng.integers(8)
    if choice == 0:
        limb.command_velocity(rng.uniform(-0.5, 0.5, 7) * limits.velocity)
    elif choice == 1:
        limb.command_position(rng.uniform(limits.lower, limits.upper))
    elif choice == 2:
        near = limb.q + rng.uniform(-0.05, 0.05, 7)
        limb.command_position(np.clip(near, limits.lower, limits.upper), raw=True)
        limb._loops.feed_forward[:] = rng.uniform(-2.0, 2.0, 7)
    elif choice == 3:
        limb.command_torque(rng.uniform(-0.1, 0.1, 7) * limits.effort)
    elif choice == 4:
        limb.hold()
    elif choice == 5:
        limb.gravity_compensation = bool(rng.integers(2))
    elif choice == 6 and limb.opening is not None:
        limb.move_gripper(rng.uniform(), timeout=0.0)


def same_state(one: Twin, other: Twin, tolerance: float) -> None:
    """Every field of the record, and the links."""
    for field in STATE:
        a, b = one._record.rows[field.name], other._record.rows[field.name]
        if field.whole:
            assert (a == b).all(), field.name
        else:
            assert_close(a, b, tolerance)
    assert_close(one.data.qpos, other.data.qpos, tolerance)
    assert_close(one.data.qvel, other.data.qvel, tolerance)


def copy_state(source: Twin, target: Twin) -> None:
    """Lets a twin continue from another one's state."""
    target._record.rows[:] = source._record.rows
    target._sensors.past[:], target._sensors.noise[:] = source._sensors.past, source._sensors.noise
    target.data.qpos[:], target.data.qvel[:] = source.data.qpos, source.data.qvel
    target.data.qacc_warmstart[:] = source.data.qacc_warmstart
    target.model.opt.disableflags = source.model.opt.disableflags


@pytest.mark.parametrize("name", ROBOTS)
def test_one_step_from_equal_states_is_the_same(name: str) -> None:
    one, other = compiled(**ROBOTS[name]()), readable(**ROBOTS[name]())
    rng = np.random.default_rng(2)
    for _ in range(150):
        for limb in one.limbs:
            command(limb, rng)
        if one._fingers:  # the fingers' places are in the model
            assert all(fingers is not None for fingers in one._fingers)
            for mine, theirs in zip(one._fingers, other._fingers, strict=True):
                theirs._place(mine.opening)
                theirs.goal = mine.goal
        copy_state(one, other)
        if one._record.noisy[0] and not one._record.noise_left[0]:
            one._sensors.draw()
            copy_state(one, other)
        one.step()
        other.step()
        same_state(one, other, TWIN_STEP)
        one.step(int(rng.integers(1, 30)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nominal", "memory"])
def test_ten_seconds_without_noise_and_steps_are_the_same(name: str) -> None:
    twins = [make(noise=0.0, **ROBOTS[name]()) for make in (compiled, readable)]
    for twin in twins:
        twin._record.quantised[0] = False
        rng = np.random.default_rng(1)
        for _ in range(100):
            for limb in twin.limbs:
                limb.command_velocity(rng.uniform(-0.2, 0.2, 7) * limb.arm.limits.velocity)
            twin.step(100)
    assert twins[0].t == twins[1].t == 10.0
    same_state(*twins, TWIN_RUN)


def test_the_same_seed_gives_the_same_bits_whichever_step() -> None:
    runs = []
    for make in (compiled, readable):
        twin, rng = make(seed=7), np.random.default_rng(3)
        for _ in range(20):
            for limb in twin.limbs:
                command(limb, rng)
            twin.step(60)
        runs.append(twin._record.reading.copy())
    assert (runs[0] == runs[1]).all()


def test_steps_one_by_one_and_at_once_are_the_same() -> None:
    one, other = compiled(), compiled()
    one.left.command_velocity(np.full(7, 0.1))
    other.left.command_velocity(np.full(7, 0.1))
    one.step(1234)
    for _ in range(1234):
        other.step()
    same_state(one, other, 0.0)


def test_a_diverged_state_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log there
    twin = compiled()
    twin.data.qvel[3] = np.nan
    with pytest.raises(InputError, match=r"diverged at t = 0\.010 s"):
        twin.step(500)
    twin.reset()
    twin.step(20)


@pytest.mark.parametrize("name", ["integrator", "solver"])
@pytest.mark.parametrize("make", [compiled, lambda: TwinBatch(2)])
def test_options_that_would_end_the_process_are_refused(
    name: str, make: Callable[[], Twin | TwinBatch]
) -> None:
    """MuJoCo's step leaves by exit() where its bindings would raise."""
    made = make()
    option = (made[1] if isinstance(made, TwinBatch) else made).model.opt
    before = getattr(option, name)
    for wrong in (99, -1):
        setattr(option, name, wrong)
        with pytest.raises(ModelError, match=rf"twin.model.opt.{name} = {wrong}; MuJoCo knows 0 "):
            made.step(3)
    setattr(option, name, before)
    made.step(3)


def test_an_arm_of_numpy_is_stepped_in_numpy() -> None:
    twin = Twin(Baxter(Arm("left", backend="numpy"), Arm("right"))).enable()
    assert isinstance(twin._step, NumpyStep)
    twin.step(3)


def test_the_flags_of_the_model_are_found() -> None:
    import ctypes

    twin = compiled()
    address = flags_address(twin.model)
    for flags in (5, twin.model.opt.disableflags):
        ctypes.c_int32.from_address(address).value = flags
        assert twin.model.opt.disableflags == flags


def test_a_step_set_up_wrongly_is_refused() -> None:
    from baxterkit import _native

    twin = compiled()
    rows = np.zeros(RECORD.itemsize - 8, dtype=np.uint8)
    arrays = (twin.data.qpos, twin.data.qvel, twin.data.qfrc_applied, twin.model.dof_damping)
    past, noise = twin._sensors.past, twin._sensors.noise
    arms = (twin.left.arm._kernels, twin.right.arm._kernels)
    none = (None, None)
    with pytest.raises(ValueError, match="record has"):
        _native.TwinStep(rows, past, noise, arms, none, none, arrays, (1, 1, 1, 1, 1))  # type: ignore[arg-type]
    record = np.zeros(1, dtype=RECORD)
    with pytest.raises(ValueError, match="address"):
        _native.TwinStep(record, past, noise, arms, none, none, arrays, (0, 1, 1, 1, 1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="arms"):
        _native.TwinStep(record, past, noise, none, none, none, arrays, (1, 1, 1, 1, 1))  # type: ignore[arg-type]
    unmade = _native.TwinStep.__new__(_native.TwinStep)
    with pytest.raises(ValueError, match="not set up"):
        unmade.run(1)
    with pytest.raises(ValueError, match="gate takes"):
        twin._step.core.gate(2, None)  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="tuple of TwinStep"):
        _native.step_twins((unmade,), np.zeros(1, dtype=np.int64))


def clear_start(twin: Twin, seed: int) -> np.ndarray:
    """Random positions of both arms that touch nothing, (2, 7)."""
    rng, limits = np.random.default_rng(seed), twin.left.arm.limits
    while True:
        q = rng.uniform(limits.lower, limits.upper, (2, 7))
        if not twin.robot.in_collision(*q):
            return q


@pytest.mark.acceptance
def test_10_000_random_command_sequences() -> None:
    one, other = compiled(noise=0.0), readable(noise=0.0)
    limits = one.left.arm.limits
    for seed in range(10_000):
        start = clear_start(one, seed)
        for twin in (one, other):
            rng = np.random.default_rng(seed)
            twin.reset(seed)
            twin.place(*start)
            for _ in range(3):
                for limb in twin.limbs:
                    command(limb, rng)
                twin.step(int(rng.integers(1, 60)))
            for limb in twin.limbs:
                limb.gravity_compensation = True
        same_state(one, other, TWIN_RUN)
        q, tau = one.data.qpos[:14].reshape(2, 7), one._record.tau.reshape(2, 7)
        assert np.isfinite(tau).all()
        assert (q > limits.lower - END_STOP).all()
        assert (q < limits.upper + END_STOP).all()
        reference = one._record.reference  # begins where the arm is: at an end stop, beyond it
        assert (reference > limits.lower - END_STOP).all()
        assert (reference < limits.upper + END_STOP).all()
