"""Other programs that command the same arm: the robot obeys whoever spoke last.

Two programs that command one arm shake it, and each believes that it moves the arm. What the gate
promises holds only for an arm that obeys us alone, and for as long as we told it to obey: another
timeout of the commands makes every prediction wrong. So the gate listens to the topics of commands
and timeouts itself; a node that has merely registered there, as every program on Rethink's
interface has, is no rival until it sends.
"""

from __future__ import annotations

from collections.abc import Callable

from baxterkit.model.names import SIDES
from baxterkit.robot.errors import RefusedError
from baxterkit.ros import topics
from baxterkit.ros.node import Node


class Rivals:
    """Notices joint commands and command timeouts of other nodes.

    Args:
        node: Our node; what it sends itself does not count.
        mend: Called with the side when another node has set an arm's command timeout.
    """

    def __init__(self, node: Node, mend: Callable[[str], None]) -> None:
        self._node, self._clock, self._mend = node, node.clock, mend
        self._last: dict[str, tuple[float, str, str]] = {}
        self._watching = False

    def watch(self) -> None:
        """Listens from now on; may be called twice."""
        if not self._watching:
            self._watching = True
            for side in SIDES:
                for word, note in (("command", self._commanded), ("timeout", self._timed)):
                    name, kind = topics.limb(side, word)
                    self._node.watch(name, kind, lambda who, x=side, note=note: note(x, who))  # type: ignore[misc]

    def check(self, side: str, within: float) -> None:
        """Refuses if another node has commanded the arm, or set its timeout, within that time [s].

        Raises:
            RefusedError: If one has; names it.
        """
        t, who, what = self._last.get(side, (-1e9, "", ""))
        age = self._clock.now() - t
        if age <= within:
            raise RefusedError(
                "rival",
                f"not sent: {who} has {what}, {age:.2f} s ago, and the robot "
                f"obeys whoever spoke last; end that program, or wait {within:g} s after it",
            )

    def _commanded(self, side: str, who: str) -> None:
        self._note(side, who, f"commanded the {side} arm too")

    def _timed(self, side: str, who: str) -> None:
        self._note(side, who, f"set the command timeout of the {side} arm")
        self._mend(side)

    def _note(self, side: str, who: str, what: str) -> None:
        self._last[side] = (self._clock.now(), who[:200], what)
