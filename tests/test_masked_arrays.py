"""Masked arrays: one that hides values is refused, one that hides none passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from baxterkit import Arm, Payload
from baxterkit.errors import InputError
from baxterkit.model.names import from_message, joint_names
from baxterkit.recording import Recording

Q = np.array([0.1, -0.5, 0.2, 0.9, 0.1, 0.8, -0.3])
HIDDEN = np.ma.masked_array(Q, mask=[0, 0, 1, 0, 0, 0, 0])
PLAIN = np.ma.masked_array(Q)


def hidden(values: Any) -> np.ma.MaskedArray:
    array = np.ma.masked_array(np.array(values, dtype=float))
    array[(0,) * array.ndim] = np.ma.masked
    return array


CALLS: dict[str, Callable[[Arm], object]] = {
    "fk": lambda arm: arm.fk(HIDDEN),
    "fk of a batch": lambda arm: arm.fk(hidden(np.tile(Q, (3, 1)))),
    "fk of a list": lambda arm: arm.fk([Q, HIDDEN]),
    "fk of integers": lambda arm: arm.fk(np.ma.masked_array(np.zeros(7, int), mask=[1] + 6 * [0])),
    "jacobian": lambda arm: arm.jacobian(HIDDEN),
    "inverse dynamics, second argument": lambda arm: arm.inverse_dynamics(Q, HIDDEN, Q),
    "inverse dynamics, wrench": lambda arm: arm.inverse_dynamics(Q, Q, Q, wrench=hidden([0.0] * 6)),
    "ik": lambda arm: arm.ik(hidden(arm.fk(Q))),
    "ik, seed": lambda arm: arm.ik(arm.fk(Q), seed=HIDDEN),
    "ik of a batch": lambda arm: arm.ik(hidden(arm.fk(np.tile(Q, (3, 1))))),
    "ik_all": lambda arm: arm.ik_all(hidden(arm.fk(Q))),
    "tool": lambda arm: Arm("left", tool=hidden(np.eye(4))),
    "mount": lambda arm: Arm("left", mount=hidden(np.eye(4))),
    "gravity": lambda arm: Arm("left", gravity_vector=hidden([0.0, 0.0, -9.81])),
    "payload": lambda arm: Payload(1.0, hidden([0.0, 0.0, 0.1])),
    "message": lambda arm: from_message("left", joint_names("left"), HIDDEN),
    "recording": lambda arm: Recording(t=np.arange(2.0), q=hidden(np.tile(Q, (2, 1)))),
}


@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_hidden_values_are_refused(call: Callable[[Arm], object], backend: str) -> None:
    with pytest.raises(InputError, match="is a masked array with values masked out"):
        call(Arm("left", backend=backend))


@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_a_mask_that_hides_nothing_passes(backend: str) -> None:
    arm = Arm("left", backend=backend)
    assert (arm.fk(PLAIN) == arm.fk(Q)).all()
    assert (arm.fk([PLAIN, Q]) == arm.fk(np.stack([Q, Q]))).all()


def test_the_message_names_the_argument_and_the_way_out() -> None:
    with pytest.raises(InputError) as caught:
        Arm("left").fk(HIDDEN)
    assert str(caught.value) == (
        "q is a masked array with values masked out; leave those rows out or fill them, "
        "as in q.filled(0.0)"
    )
