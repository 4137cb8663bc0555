"""Other programs that command the robot's arms: the robot obeys whoever spoke last.

Two programs that command one arm shake it, and each believes that it moves the arm. What the gate
promises holds only for an arm that obeys us alone, and for as long as we told it to obey: another
timeout of the commands makes every prediction wrong. A program that moves the other arm may move it
into ours: how long the robot obeys that program, how fast, and what it does next is not known here.
So the gate listens to the topics of commands and timeouts itself; a node that has merely registered
there, as every program on Rethink's interface has, is no rival until it sends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baxterkit.messages import Message
from baxterkit.model.names import SIDES, joint_names, other_side
from baxterkit.robot.errors import RefusedError
from baxterkit.ros import topics
from baxterkit.ros.node import Node
from baxterkit.ros.states import States
from baxterkit.ros.staying import Staying

LEAST, MOST = 0.2, 1.0
"""Time for which a robot obeys that was told no timeout, and for which it obeys at most [s]."""


class Rivals:
    """Notices joint commands and command timeouts of other nodes.

    Args:
        node: Our node; what it sends itself does not count.
        states: What the robot says.
        mend: Called with the side when another node has set an arm's command timeout.
        meet: Called with the side when another node moves that arm.
    """

    def __init__(
        self,
        node: Node,
        states: States,
        mend: Callable[[str], None],
        meet: Callable[[str], None],
    ) -> None:
        self._node, self._states, self._mend, self._meet = node, states, mend, meet
        self._clock = node.clock
        self._last: dict[str, tuple[float, str, str]] = {}
        self._moved: dict[str, tuple[float, str]] = {}
        self._staying = {side: Staying() for side in SIDES}
        self._timeouts: dict[str, float] = {}
        self._ours: dict[str, float] = {}
        self._watching = False

    def watch(self) -> None:
        """Listens from now on; may be called twice."""
        if not self._watching:
            self._watching = True
            for side in SIDES:
                name, kind = topics.limb(side, "command")
                self._node.overhear(name, kind, lambda m, who, x=side: self._commanded(x, m, who))  # type: ignore[misc]
                name, kind = topics.limb(side, "timeout")
                self._node.overhear(name, kind, lambda m, who, x=side: self._timed(x, m, who))  # type: ignore[misc]

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

    def told(self, side: str, timeout: float) -> None:
        """Notes the timeout that we have told the robot last [s]: it stays when our motion ends."""
        self._ours[side] = min(timeout, MOST)

    def check_other(self, side: str, within: float) -> None:
        """Refuses to move an arm while another node moves the other one.

        Raises:
            RefusedError: If one has told it to move within that time [s], 0.2 s, or the timeout
                that another node or we have set; names it.
        """
        other = other_side(side)
        within = max(within, LEAST, self._timeouts.get(other, 0.0), self._ours.get(other, 0.0))
        t, who = self._moved.get(other, (-1e9, ""))
        age = self._clock.now() - t
        if age <= within:
            raise RefusedError(
                "rival",
                f"not sent: {who} has moved the {other} arm, {age:.2f} s ago, and where that goes "
                "is not known here: the arms could meet; move both arms by one program, or wait "
                f"{within:g} s after it",
            )

    def _commanded(self, side: str, message: Message, who: str) -> None:
        self._note(side, who, f"commanded the {side} arm too")
        if self._moves(side, message):
            self._moved[side] = (self._clock.now(), who[:200])
            self._meet(side)

    def _moves(self, side: str, message: Message) -> bool:
        """Whether a command may move an arm; only rest that is plain to see does not."""
        values = np.asarray(message.command, dtype=float)
        if message.mode == topics.MODES["velocity"]:
            return bool((values != 0.0).any())
        state = self._states.arm(side)
        if message.mode == topics.MODES["torque"] or state is None:
            return True
        places = dict(zip(joint_names(side), state.q.tolist(), strict=True))
        wanted = zip(message.names, values.tolist(), strict=False)
        return self._staying[side].moves(self._clock.now(), wanted, places)

    def _timed(self, side: str, message: Message, who: str) -> None:
        if 0.0 < message.data < np.inf:
            self._timeouts[side] = min(float(message.data), MOST)
        self._note(side, who, f"set the command timeout of the {side} arm")
        self._mend(side)

    def _note(self, side: str, who: str, what: str) -> None:
        self._last[side] = (self._clock.now(), who[:200], what)
