"""Other programs that command the same arm: the robot obeys whoever spoke last.

Two programs that command one arm shake it, and each believes that it moves the arm. What the gate
promises holds only for an arm that obeys us alone. So the gate listens to the command topics
itself; a node that has merely registered there, as every program on Rethink's interface has, is no
rival until it sends.
"""

from __future__ import annotations

from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.errors import RefusedError
from baxterkit.ros.node import Node

__all__ = ["Rivals"]


class Rivals:
    """Notices joint commands of other nodes.

    Args:
        node: Our node; what it sends itself does not count.
    """

    def __init__(self, node: Node) -> None:
        self._node, self._clock = node, node.clock
        self._last: dict[str, tuple[float, str]] = {}
        self._watching = False

    def watch(self) -> None:
        """Listens from now on; may be called twice."""
        if not self._watching:
            self._watching = True
            for side in SIDES:
                name, kind = topics.limb(side, "command")
                self._node.watch(name, kind, lambda who, side=side: self._note(side, who))  # type: ignore[misc]

    def check(self, side: str, within: float) -> None:
        """Refuses if another node has commanded the arm within that time [s].

        Raises:
            RefusedError: If one has; names it.
        """
        t, who = self._last.get(side, (-1e9, ""))
        age = self._clock.now() - t
        if age <= within:
            raise RefusedError(
                "rival",
                f"not sent: {who} has commanded the {side} arm too, {age:.2f} s ago, and the robot "
                f"obeys whoever spoke last; end that program, or wait {within:g} s after it",
            )

    def _note(self, side: str, who: str) -> None:
        self._last[side] = (self._clock.now(), who[:200])
