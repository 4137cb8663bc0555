"""What can go wrong with the twin's messages: functions that make the alterations of a fault."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from baxterkit.clock import NANO, Clock
from baxterkit.messages import Message, message_class
from baxterkit.ros import topics
from baxterkit.ros.robot.tampering import Alter, Tampering

Header = message_class("std_msgs/Header")
JOINTS = topics.of_robot("joint_states").name
STATE = topics.of_robot("state").name


def lost(topic: str) -> Tampering:
    """No message comes out."""
    return Tampering(topic, lambda _: lambda message: ())


def changed(topic: str, **fields: object) -> Tampering:
    """Every message has these values."""

    def alter(message: Message) -> Iterable[Message]:
        for name, value in fields.items():
            setattr(message, name, value)
        return (message,)

    return Tampering(topic, lambda _: alter)


def altered(topic: str, change: Callable[[Message], None]) -> Tampering:
    """Every message is changed in its place."""

    def alter(message: Message) -> Iterable[Message]:
        change(message)
        return (message,)

    return Tampering(topic, lambda _: alter)


def shifted(topic: str, shift: Callable[[float], float]) -> Tampering:
    """Stamps are off by `shift(t)` at the time `t` [s]."""

    def make(clock: Clock) -> Alter:
        def alter(message: Message) -> Iterable[Message]:
            if hasattr(message, "header"):
                _restamp(message, message.header.stamp + round(shift(clock.now()) * NANO))
            return (message,)

        return alter

    return Tampering(topic, make)


def at_times(topic: str, passes: Callable[[float], bool]) -> Tampering:
    """Messages come out at times `t` with `passes(t)` only [s]."""

    def make(clock: Clock) -> Alter:
        return lambda message: (message,) if passes(clock.now()) else ()

    return Tampering(topic, make)


def thinned(topic: str, period: float) -> Tampering:
    """A message comes out once in a period [s]."""

    def make(clock: Clock) -> Alter:
        due = clock.now()

        def alter(message: Message) -> Iterable[Message]:
            nonlocal due
            if clock.now() < due - 1e-6:
                return ()
            due = max(due + period, clock.now())
            return (message,)

        return alter

    return Tampering(topic, make)


def in_bursts(topic: str, period: float) -> Tampering:
    """Messages wait, and come out all at once at the end of each period [s]."""

    def make(clock: Clock) -> Alter:
        waiting: list[Message] = []
        due = clock.now() + period

        def alter(message: Message) -> Iterable[Message]:
            nonlocal due
            waiting.append(message)
            if clock.now() < due:
                return ()
            due = clock.now() + period
            burst = list(waiting)
            waiting.clear()
            return burst

        return alter

    return Tampering(topic, make)


def stopping(topic: str, after: float) -> Tampering:
    """Messages end some time [s] after somebody has begun to listen."""

    def make(clock: Clock) -> Alter:
        first, last = clock.now(), -1.0e9

        def alter(message: Message) -> Iterable[Message]:
            nonlocal first, last
            now = clock.now()
            if now - last > 0.5:  # nobody listened meanwhile
                first = now
            last = now
            return (message,) if now - first < after else ()

        return alter

    return Tampering(topic, make)


def frozen(topic: str, *, values: bool) -> Tampering:
    """The first values are repeated with new stamps, or the first stamp with new values."""

    def make(_: Clock) -> Alter:
        first: Message | None = None

        def alter(message: Message) -> Iterable[Message]:
            nonlocal first
            first = message if first is None else first
            if not values:
                _restamp(message, first.header.stamp)
                return (message,)
            for name in ("position", "velocity", "effort"):
                setattr(message, name, getattr(first, name))
            return (message,)

        return alter

    return Tampering(topic, make)


def joint(name: str, column: str, change: Callable[[float], float]) -> Tampering:
    """One value of one joint is changed in the joint states."""

    def alter(message: Message) -> Iterable[Message]:
        if name in message.name:
            row = list(getattr(message, column))
            at = list(message.name).index(name)
            row[at] = change(row[at])
            setattr(message, column, row)
        return (message,)

    return Tampering(JOINTS, lambda _: alter)


def without(prefix: str) -> Tampering:
    """Joints whose names begin so are left out of the joint states."""

    def alter(message: Message) -> Iterable[Message]:
        kept = [i for i, name in enumerate(message.name) if not name.startswith(prefix)]
        for column in ("name", "position", "velocity", "effort"):
            row = list(getattr(message, column))
            setattr(message, column, [row[i] for i in kept])
        return (message,)

    return Tampering(JOINTS, lambda _: alter)


def _restamp(message: Message, stamp: int) -> None:
    """Another stamp; the header may be that of other messages too."""
    old = message.header
    message.header = Header(seq=old.seq, stamp=stamp, frame_id=old.frame_id)  # type: ignore[attr-defined]
