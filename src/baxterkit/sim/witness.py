"""The twin while it is taught: where its arms are, and what its grippers are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from baxterkit.robot.teaching import Witness

if TYPE_CHECKING:
    from baxterkit.sim.twin import Twin


@contextmanager
def witnessed(twin: Twin, witness: Witness) -> Iterator[None]:
    """Tells a witness what happens within a `with`. The twin alone has no buttons."""

    def look() -> None:
        witness.state(twin.t, {limb.side: limb.published.q for limb in twin.limbs})

    def grips(side: str) -> Callable[[float], None]:
        return lambda opening: witness.grip(twin.t, side, opening)

    heard = {limb: grips(limb.side) for limb in twin.limbs}
    twin._taps.append(look)
    for limb, hear in heard.items():
        limb._told.append(hear)
    try:
        yield
    finally:
        twin._taps.remove(look)
        for limb, hear in heard.items():
            limb._told.remove(hear)
