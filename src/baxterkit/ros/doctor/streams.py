"""Whether the robot's states come: from one node each, complete, in time, by a sound clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from baxterkit.model.names import SIDES
from baxterkit.ros import topics
from baxterkit.ros.doctor.diagnosis import Finding
from baxterkit.ros.doctor.ears import Ears
from baxterkit.ros.doctor.machine import Loop
from baxterkit.ros.rules import Rules
from baxterkit.types import Array

SLOWEST = 60.0
"""Joint states come more often than this [Hz]; the robot sends 100."""
SLOWEST_STATE = 5.0
"""The same of /robot/state [Hz]: the gate refuses to send when it is 0.5 s old."""
GAP = 0.15
"""A pause between two states that counts as a gap [s] ..."""
GAPS = 0.1
"""... and the share of the time that gaps may have."""
REPEATED = 3
"""Gaps that are a pattern."""
OFFSET = 0.5
"""Difference between the robot's clock and ours that is reported [s]."""
BACK = 0.05
"""A stamp that is older than the one before by more than this [s] is a clock that was set back."""
ENDED = 0.7
"""States that have not come for this time [s] have stopped."""
FEW = 20
"""Fewer states than this are not judged by statistics."""
LATEST = 0.75
"""Share of the states that must come in time."""
Publishers: TypeAlias = Callable[[str], tuple[str, ...] | None]


def check(
    ears: Ears,
    publishers: Publishers,
    end: float,
    loop: Loop,
    facts: dict[str, str],
) -> Iterator[Finding]:
    """Findings on the streams of states.

    Args:
        ears: What was heard.
        publishers: Gives the nodes that a topic could be heard from, by the master's list; None if
            they cannot be reached, which is a finding already.
        end: When listening ended, by the clock [s].
        loop: How late this computer itself was: so much is not the network's.
        facts: Gets what was measured.
    """
    yield from _wrong_types(ears)
    yield from _state(ears, publishers, end)
    yield from _joints(ears, publishers)
    joints = ears.joints
    if not joints.rows:
        return
    counts = {who: sum(row[0] == who for row in joints.rows) for who, *_ in joints.rows}
    if len(counts) > 1:
        yield Finding(
            "two_joint_publishers",
            f"{len(counts)} nodes publish the arms' joints: {', '.join(sorted(counts))}; one is "
            "expected",
        )
        return
    who = next(iter(counts))
    arrived, wall, stamps = (np.array(x) for x in list(zip(*joints.rows, strict=True))[1:])
    silent = end - float(arrived[-1])
    if silent > ENDED:
        yield Finding(
            "states_stopped",
            f"{who} sent joint states for {arrived[-1] - arrived[0]:.1f} s, and none in the last "
            f"{silent:.1f} s; at most {ENDED:g} s are expected",
        )
        return
    if len(arrived) >= FEW:
        yield from _timing(arrived, wall, stamps, loop, facts)
    for side in SIDES:
        name = topics.limb(side, "endpoint")
        blocked = name.name in ears.refused or publishers(name.name) is None
        if not blocked and not ears.heard(name).arrived:
            yield Finding("endpoint_silent", f"nothing came on {name.name}; the joints did")


def _wrong_types(ears: Ears) -> Iterator[Finding]:
    for topic, reason in ears.refused.items():
        yield Finding("message_type", f"{topic} cannot be read: {reason}")


def _unheard(what: str, topic: str, publishers: Publishers) -> Iterator[Finding]:
    """A topic that nothing came on: `what`_silent or `what`_missing; none where nobody can tell."""
    nodes = publishers(topic)
    if nodes:
        yield Finding(f"{what}_silent", f"{', '.join(nodes)} publishes {topic}, but nothing came")
    elif nodes is not None:
        yield Finding(f"{what}_missing", f"nobody publishes {topic}")


def _state(ears: Ears, publishers: Publishers, end: float) -> Iterator[Finding]:
    topic = topics.of_robot("state")
    heard = ears.heard(topic)
    if topic.name in ears.refused:
        return
    if not heard.arrived:
        yield from _unheard("state", topic.name, publishers)
        return
    if len(heard.sources) > 1:
        yield Finding(
            "two_robots",
            f"{len(heard.sources)} nodes publish {topic.name}: "
            f"{', '.join(sorted(heard.sources))}; one is expected",
        )
        return
    first, last = heard.arrived[0], heard.arrived[-1]
    lasted = max(end if len(heard.arrived) < FEW else last, last) - first
    rate = (len(heard.arrived) - 1) / lasted if lasted > 0.0 else 0.0
    if lasted > ENDED and rate < SLOWEST_STATE:
        yield Finding(
            "state_slow",
            f"{topic.name} came {rate:.1f} times a second; {SLOWEST_STATE:g} are needed",
        )


def _joints(ears: Ears, publishers: Publishers) -> Iterator[Finding]:
    topic, joints = topics.of_robot("joint_states"), ears.joints
    if topic.name in ears.refused:
        return
    if not joints.arrived:
        yield from _unheard("joints", topic.name, publishers)
        return
    for side in SIDES:
        if side not in joints.sides:
            yield Finding(
                "arm_missing",
                f"{len(joints.arrived)} messages on {topic.name}, and none with the {side} arm's "
                "seven joints",
            )
    if joints.without_velocity:
        yield Finding(
            "no_velocities",
            f"{joints.without_velocity} messages on {topic.name} have arm joints without "
            "velocities",
        )
    if joints.not_finite:
        yield Finding("not_finite", f"{joints.not_finite} has a value that is no finite number")
    seen = len(joints.rows)
    if seen >= FEW and joints.first is not None and not joints.changed:
        yield Finding(
            "values_frozen",
            f"positions, velocities and torques of all joints were the same in {seen} messages",
        )


def _timing(
    arrived: Array, wall: Array, stamps: Array, loop: Loop, facts: dict[str, str]
) -> Iterator[Finding]:
    """Findings on rate, gaps, delays and clock of one source.

    Args:
        arrived: Arrivals, by the clock [s], shape (n,).
        wall: Arrivals, wall time [ns].
        stamps: The robot's stamps [ns].
        loop: How late this computer was.
        facts: Gets what was measured.
    """
    steps = 1e-9 * np.diff(stamps).astype(float)
    forward = steps[steps > 0.0]
    if len(forward) < 0.5 * len(steps):
        yield Finding(
            "stamps_stuck",
            f"{len(steps) - len(forward)} of {len(steps)} joint states repeat the stamp before",
        )
        return
    ahead = 1e-9 * (stamps - wall).astype(float)
    third = max(len(ahead) // 3, 1)
    begin, end = float(ahead[:third].max()), float(ahead[-third:].max())
    if (steps < -BACK).any() or abs(end - begin) > OFFSET:
        change = float(steps[int(np.argmax(np.abs(steps)))])
        yield Finding(
            "clock_set",
            f"the robot's stamps jumped by {change:+.1f} s between two states; "
            f"{BACK:g} s are tolerated",
        )
        return
    yield from _offset(float(ahead.max()), facts)
    yield from _pace(arrived, steps, ahead, loop, facts)


def _offset(offset: float, facts: dict[str, str]) -> Iterator[Finding]:
    facts["clock"] = f"{offset:+.3f} s against this computer's"
    if abs(offset) > OFFSET:
        yield Finding(
            "clock_ahead" if offset > 0.0 else "clock_behind",
            f"the robot's clock is {abs(offset):.1f} s {'ahead of' if offset > 0 else 'behind'} "
            f"this computer's; {OFFSET:g} s are tolerated",
        )


def _pace(
    arrived: Array, steps: Array, ahead: Array, loop: Loop, facts: dict[str, str]
) -> Iterator[Finding]:
    """Findings on rate, gaps and delays."""
    forward = steps[(steps > 0.0) & (steps < 60.0)]
    period = float(np.median(forward))
    facts["joint states"] = f"{1.0 / period:.0f} Hz"
    if period > 1.0 / SLOWEST:
        yield Finding(
            "joints_slow",
            f"the robot stamps joint states at {1.0 / period:.0f} Hz; above {SLOWEST:g} Hz are "
            "needed, and 100 Hz are usual",
        )
        return
    span = float(arrived[-1] - arrived[0])
    gaps = forward[forward > GAP]
    lost = min(float(gaps.sum()), span)
    often = len(gaps) >= REPEATED or lost > 0.5 * span  # once is a hiccup of a busy computer
    if often and lost - loop.held_up > GAPS * span:
        yield Finding(
            "gaps",
            f"states are missing for {lost:.1f} of {span:.1f} s, {gaps.max():.2f} s at a time; "
            f"{100 * GAPS:g} % are tolerated",
        )
        return
    limit = Rules().stale
    delay = float(np.quantile(ahead.max() - ahead, LATEST))  # against the fastest state
    facts["delay"] = f"{1e3 * delay:.0f} ms at most, of {100 * LATEST:g} % of the states"
    if delay > limit + loop.usual:
        yield Finding(
            "late_states",
            f"a quarter of the states came more than {delay:.2f} s late; the gate takes none older "
            f"than {limit:g} s",
        )
