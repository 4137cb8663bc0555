"""Many twins at once: each is the single twin with its parameters, to the bit."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm, Baxter, set_threads
from baxterkit.errors import InputError
from baxterkit.native import load
from baxterkit.robot.errors import RefusedError
from baxterkit.sim import Twin, TwinBatch, Variation
from baxterkit.sim.variation import vary

MIXED = Variation(payload=(0.0, 1.5), friction=(0.5, 2.0), lag=(0.02, 0.05), noise=(0.5, 1.5))


def commands(n: int, seed: int) -> list[tuple[str, np.ndarray]]:
    """Commands of all kinds for n twins, one after another."""
    rng = np.random.default_rng(seed)
    arms = Arm("left").limits
    speed, effort = np.tile(arms.velocity, 2), np.tile(arms.effort, 2)
    middle = np.tile(Arm("left").configuration("untuck"), 2)
    middle[7:] = Arm("right").configuration("untuck")
    return [
        ("velocity", rng.uniform(-0.2, 0.2, (n, 14)) * speed),
        ("position", middle + rng.uniform(-0.1, 0.1, (n, 14))),
        ("torque", rng.uniform(-0.05, 0.05, (n, 14)) * effort),
        ("raw", middle + rng.uniform(-0.05, 0.05, (n, 14))),
        ("velocity", rng.uniform(-0.5, 0.5, (n, 14)) * speed),
    ]


def send(robot: TwinBatch | Twin, kind: str, values: np.ndarray) -> None:
    """The same to a batch or to one twin."""
    if isinstance(robot, TwinBatch):
        act = {
            "velocity": robot.command_velocity,
            "position": robot.command_position,
            "torque": robot.command_torque,
            "raw": lambda q: robot.command_position(q, raw=True),
        }[kind]
        act(values)
        return
    for limb, row in zip(robot.limbs, values.reshape(2, 7), strict=True):
        if kind == "velocity":
            limb.command_velocity(row)
        elif kind == "torque":
            limb.command_torque(row)
        else:
            limb.command_position(row, raw=kind == "raw")


def compare(
    n: int, milliseconds: int, twin: Twin, make: type[Twin] = Twin, **options: object
) -> None:
    """A batch against single twins, bit by bit."""
    batch = TwinBatch(n, twin, variation=MIXED, seed=11).enable()
    for kind, values in commands(n, 1):
        send(batch, kind, values)
        batch.step(milliseconds)
    q, qd, tau = batch.truth
    published = np.stack(batch.published, axis=1)
    for i in range(n):
        single = make(seed=11 + i, **options).enable()  # type: ignore[arg-type]
        vary(single, **{name: float(values[i]) for name, values in batch.parameters.items()})
        for kind, values in commands(n, 1):
            send(single, kind, values[i])
            single.step(milliseconds)
        for rows, field in ((q, "q"), (qd, "qd"), (tau, "tau")):
            both = np.concatenate([getattr(limb.truth, field) for limb in single.limbs])
            assert (rows[i] == both).all(), (i, field)
        assert (batch[i]._record.reading == single._record.reading).all()
        assert (published[i].reshape(3, 2, 7) == np.swapaxes(single._record.published, 0, 1)).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_is_its_single_twins_to_the_bit(threads: int) -> None:
    extension = load()
    before = 1 if extension is None else extension.get_threads()
    set_threads(threads)
    try:
        compare(4, 137, Twin())
    finally:
        set_threads(before)


def test_other_robots_too() -> None:
    compare(2, 60, Twin(tool="electric_standard", rigid=True), tool="electric_standard", rigid=True)


def test_numpy_serves_too() -> None:
    robot = Baxter(Arm("left", backend="numpy"), Arm("right"))
    compare(2, 7, Twin(robot), robot=robot)


@pytest.mark.acceptance
def test_1000_twins_for_10_s() -> None:
    compare(1000, 2000, Twin())


def test_some_are_reset() -> None:
    batch = TwinBatch(3, variation=Variation(payload=[0.0, 1.0, 2.0])).enable()
    start = batch.q.copy()
    batch.command_velocity(np.full(14, 0.1))
    batch.step(150)
    moved = batch.q.copy()
    batch.reset([False, True, False])
    assert (batch.q[1] == start[1]).all()
    assert (batch.q[[0, 2]] == moved[[0, 2]]).all()
    assert batch.t.tolist() == [0.15, 0.0, 0.15]
    assert [None if twin.left.payload is None else twin.left.payload.mass for twin in batch] == [
        None, 1.0, 2.0,
    ]  # fmt: skip
    batch.reset(2, seed=40)
    assert batch[2].seed == 40
    batch.step(3)
    assert batch.t.tolist() == [0.153, 0.003, 0.003]


def test_runs_are_arrays() -> None:
    batch = TwinBatch(2, variation=Variation(payload=(0.5, 1.0)), seed=3).enable()
    run = batch.run(105, every=10)
    assert run.q.shape == run.qd.shape == run.tau.shape == (11, 2, 14)
    assert run.t[-1] == pytest.approx(0.1)
    assert batch.t.tolist() == [0.105, 0.105]
    assert (run.q[0] != run.q[-1]).any()
    assert len(set(batch.parameters["payload"])) == 2
    assert batch.run(0).q.shape == (1, 2, 14)


def test_hands_move_in_a_batch() -> None:
    batch = TwinBatch(2, Twin(tool="electric_standard")).enable()
    batch[1].left.move_gripper(0.0, timeout=0.0)
    batch.step(500)
    assert [twin.left.opening for twin in batch] == [1.0, 0.0]
    assert batch.t.tolist() == [0.5, 0.5]


def test_wrong_commands_reach_no_twin() -> None:
    batch = TwinBatch(2)
    with pytest.raises(RefusedError):
        batch.command_velocity(np.zeros(14))
    batch.enable()
    too_fast = np.zeros((2, 14))
    too_fast[1, 3] = 9.0
    with pytest.raises(InputError, match=r"left_e1 of twin 1 = 9\.000 is outside"):
        batch.command_velocity(too_fast)
    too_fast[1, 3] = np.nan
    with pytest.raises(InputError, match="finite"):
        batch.command_velocity(too_fast)
    with pytest.raises(InputError, match=r"must be \(14,\) or \(2, 14\)"):
        batch.command_torque(np.zeros((3, 14)))
    assert [twin.left.mode for twin in batch] == ["hold", "hold"]
    with pytest.raises(InputError, match="mask"):
        batch.reset([True])
    for which in (2, -3, [0, 5], [0.5], ["0"]):
        with pytest.raises(InputError, match="twins have whole numbers from 0 to 1"):
            batch.reset(which)
    with pytest.raises(InputError, match="dtype int64; it must be a mask of True and False"):
        batch.command_velocity(np.zeros(14), arms=[[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"payload": -1.0}, "payload = -1; it must be at least 0"),
        ({"lag": 0.0}, "lag = 0; it must be at least 0.001"),
        ({"friction": [1.0, 2.0, 3.0]}, r"shape \(3,\)"),
        ({"noise": (2.0, 1.0)}, "range"),
        ({"noise": float("nan")}, "finite"),
    ],
)
def test_wrong_variations_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        TwinBatch(2, variation=Variation(**wrong))  # type: ignore[arg-type]


def test_a_batch_is_made_of_a_twin_at_its_start() -> None:
    twin = Twin().enable()
    twin.step(5)
    with pytest.raises(InputError, match=r"t = 0\.005 s"):
        TwinBatch(2, twin)
    with pytest.raises(InputError, match="n must be"):
        TwinBatch(0)
