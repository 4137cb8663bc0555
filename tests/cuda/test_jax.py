"""`baxterkit.jax`: custom calls of XLA with gradients by our own kernels, here and on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install jax")

from jax.test_util import check_grads  # noqa: E402

import baxterkit.jax as operators  # noqa: E402
from baxterkit import Arm, Baxter  # noqa: E402
from baxterkit.collision import World  # noqa: E402
from baxterkit.scene import Scene  # noqa: E402

jax.config.update("jax_enable_x64", True)
ON = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.fixture(params=ON)
def backend(request: pytest.FixtureRequest) -> str:
    """Of arms, with JAX's arrays where these compute."""
    where = "cpu" if request.param == "cpu" else "gpu"
    try:
        place = jax.devices(where)[0]
    except RuntimeError:
        pytest.skip("JAX has no GPU here")
    with jax.default_device(place):
        yield "native" if where == "cpu" else "cuda"


def states(*shapes: tuple[int, ...]) -> list[jax.Array]:
    rng = np.random.default_rng(1)
    return [jax.numpy.asarray(rng.normal(size=(*shape, 7))) for shape in shapes]


def arm_of(backend: str) -> Arm:
    return Arm("left", backend=backend).with_effects(viscous=np.full(7, 0.4))


def scene_of(backend: str) -> Scene:
    world = World()
    world.add_box("table", (0.4, 0.8, 0.1), (0.8, 0.0, 0.0))
    return Baxter(Arm("left", backend=backend), Arm("right", backend=backend)).scene(world)


def test_values_are_those_of_the_arm_inside_of_jit_and_vmap(backend: str) -> None:
    arm, here = arm_of(backend), arm_of("native")
    given = states((5, 3), (3,), (5, 3))
    plain = [np.asarray(x) for x in given]
    for name, inputs in (("fk", 1), ("inverse_dynamics", 3), ("forward_dynamics", 3)):
        call = getattr(operators, name)
        expected = getattr(here, name)(*plain[:inputs])
        for run in (call, jax.jit(call, static_argnums=0)):
            np.testing.assert_array_equal(np.asarray(run(arm, *given[:inputs])), expected)
    many = jax.jit(jax.vmap(lambda q: operators.fk(arm, 2.0 * q)))(given[0])
    np.testing.assert_array_equal(np.asarray(many), here.fk(2.0 * plain[0]))


def test_gradients_are_those_of_finite_differences(backend: str) -> None:
    arm = arm_of(backend)
    (q,) = states((4,))
    check_grads(lambda x: operators.fk(arm, x), (q,), 1, atol=1e-5, rtol=1e-5)
    for function in (operators.inverse_dynamics, operators.forward_dynamics):
        given = tuple(states((4,), (), (4,)))
        check_grads(lambda *x, f=function: f(arm, *x), given, 1, atol=1e-3, rtol=1e-4)
    scene = scene_of(backend)
    left, right = (0.3 * x for x in states((5,), ()))
    check_grads(lambda *x: operators.clearance(scene, *x), (left, right), 1, atol=1e-4, rtol=1e-4)
    found = jax.jit(lambda *x: operators.clearance(scene, *x))(left, right)
    expected = scene_of("native").clearance(np.asarray(left), np.asarray(right))
    np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=1e-12)


def test_float32_stays_float32(backend: str) -> None:
    (q,) = states((6,))
    T = operators.fk(arm_of(backend), q.astype("float32"))
    assert T.dtype == "float32"
    assert np.abs(np.asarray(T) - arm_of("native").fk(np.asarray(q))).max() < 1e-5


def test_mistakes_are_the_arms_own_sentence() -> None:
    with jax.default_device(jax.devices("cpu")[0]):
        with pytest.raises(Exception, match=r"q must have 7 values .* got shape \(2, 6\)"):
            operators.fk(Arm("left"), jax.numpy.zeros((2, 6))).block_until_ready()
        with pytest.raises(Exception, match=r"q\[0, 0\] = nan; every value of q must be finite"):
            operators.fk(Arm("left"), jax.numpy.full((2, 7), np.nan)).block_until_ready()


@pytest.mark.gpu
def test_an_arm_of_the_processor_says_so_on_a_gpu() -> None:
    try:
        place = jax.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("JAX has no GPU here")
    with jax.default_device(place), pytest.raises(Exception, match="this arm is not: Arm"):
        operators.fk(Arm("left"), jax.numpy.zeros((2, 7))).block_until_ready()
