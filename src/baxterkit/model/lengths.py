"""The link lengths of Baxter's arm, from the s0 frame to the hand."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from baxterkit.model.dh import dh_from_model
from baxterkit.model.library import baxter_arm


class ArmLengths(NamedTuple):
    """The standard DH lengths that are not zero [m]; the number is the joint's, s0 being 1."""

    d1: float
    a1: float
    d3: float
    a3: float
    d5: float
    a5: float
    d7: float


@cache
def arm_lengths() -> ArmLengths:
    """The lengths of either Baxter arm [m], from the model's DH table."""
    s0, _, e0, _, w0, _, w2 = dh_from_model(baxter_arm("left")).rows
    return ArmLengths(s0.d, s0.a, e0.d, e0.a, w0.d, w0.a, w2.d)
