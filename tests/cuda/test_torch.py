"""`baxterkit.torch`: gradients by our own kernels, on the processor and on a GPU."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

import baxterkit.torch as operators  # noqa: E402
from baxterkit import Arm, Baxter  # noqa: E402
from baxterkit.collision import World  # noqa: E402

# PyTorch's own compiler warns of a part of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
ON = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


def arm_on(where: str) -> Arm:
    if where == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU here")
    effects = {"viscous": np.full(7, 0.4), "coulomb": np.full(7, 0.3), "speed": np.full(7, 0.5)}
    return Arm("left", backend="native" if where == "cpu" else "cuda").with_effects(**effects)


def states(where: str, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    rng = np.random.default_rng(1)
    return [
        torch.tensor(rng.normal(size=(*shape, 7)), device=where, requires_grad=True)
        for shape in shapes
    ]


@pytest.mark.parametrize("where", ON)
@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2)])
def test_gradients_are_those_of_finite_differences(where: str, batch: tuple[int, ...]) -> None:
    arm = arm_on(where)
    (q,) = states(where, batch)
    assert torch.autograd.gradcheck(lambda x: operators.fk(arm, x)[..., :3, :], (q,))
    for function in (operators.inverse_dynamics, operators.forward_dynamics):
        given = tuple(states(where, batch, batch, batch))
        assert torch.autograd.gradcheck(lambda *x, f=function: f(arm, *x), given, atol=1e-4)


@pytest.mark.parametrize("where", ON)
def test_broadcast_arguments_get_the_sum(where: str) -> None:
    arm = arm_on(where)
    given = tuple(states(where, (4,), (), (4,)))
    assert torch.autograd.gradcheck(
        lambda *x: operators.inverse_dynamics(arm, *x), given, atol=1e-4
    )


@pytest.mark.parametrize("where", ON)
def test_values_are_those_of_the_arm(where: str) -> None:
    arm = arm_on(where)
    given = states(where, (5,), (5,), (5,))
    plain = [x.detach().cpu().numpy() for x in given]
    here = arm_on("cpu")
    for name, inputs in (("fk", 1), ("inverse_dynamics", 3), ("forward_dynamics", 3)):
        result = getattr(operators, name)(arm, *given[:inputs])
        np.testing.assert_array_equal(
            result.detach().cpu().numpy(), getattr(here, name)(*plain[:inputs])
        )


@pytest.mark.parametrize("where", ON)
def test_torch_compile_takes_the_operators_whole(where: str) -> None:
    arm = arm_on(where)
    given = states(where, (6,), (6,), (6,))

    def cost(q: torch.Tensor, qd: torch.Tensor, qdd: torch.Tensor) -> torch.Tensor:
        T, tau = operators.fk(arm, q), operators.inverse_dynamics(arm, q, qd, qdd)
        return T[..., :3, 3].square().sum() + tau.square().sum()

    eager = torch.autograd.grad(cost(*given), given)
    compiled = torch.autograd.grad(torch.compile(cost, fullgraph=True)(*given), given)
    for a, b in zip(eager, compiled, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("where", ON)
def test_clearance_has_its_gradient(where: str) -> None:
    arm_on(where)  # skips without a GPU
    backend = "native" if where == "cpu" else "cuda"
    robot = Baxter(*(Arm(side, backend=backend) for side in ("left", "right")))
    world = World()
    world.add_box("table", (0.4, 0.8, 0.1), (0.8, 0.0, 0.0))
    scene = robot.scene(world)
    left, right = (0.3 * x for x in states(where, (5,), ()))
    left, right = (x.detach().requires_grad_() for x in (left, right))
    assert torch.autograd.gradcheck(
        lambda a, b: operators.clearance(scene, a, b), (left, right), atol=1e-5
    )
    plain = [x.detach().cpu().numpy() for x in (left, right)]
    expected = Baxter().scene(world).clearance(*plain)
    found = torch.compile(lambda a, b: operators.clearance(scene, a, b), fullgraph=True)(
        left, right
    )
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected, rtol=0, atol=1e-12)
