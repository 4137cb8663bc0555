"""Hands that follow a target, on any body: the loop from a source of poses to velocity commands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np

from baxterkit.errors import BaxterkitError
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.limb import Limb
from baxterkit.robot.streaming import GAIN
from baxterkit.scene import Scene
from baxterkit.servo.guide import Guide
from baxterkit.servo.hand import HandServo
from baxterkit.servo.result import Log, ServoResult
from baxterkit.servo.targets import Targets
from baxterkit.types import JointVector

PERIOD = 0.01
"""Time between two commands [s]."""
SLOWED = ("collision", "position", "velocity", "jump")
"""Reasons of a refusal after which a slower command is tried."""
WAITS = ("stale", "not at rest")
"""Reasons of a refusal for which the hand holds, and goes on later."""
SHARES = (1.0, 0.5, 0.2, 0.0)
"""Shares of a refused velocity that are tried; to stop is always allowed."""
OFF = 0.15
"""An arm this far from its reference [rad] is held or pushed: the reference goes where it is."""
LATE = 0.05
"""After a gap between two ticks that is longer [s], the reference begins anew where the arm is."""
RESTED = 1e-3
"""A reference is at rest below this velocity [rad/s]."""


class ServoBody(Protocol):
    """The body that moves: its time, its surroundings, and how old its states are."""

    def ticks(self) -> Iterator[float]:
        """Times since the start [s], one every `PERIOD`; raises RefusedError where it must end."""

    def scene(self) -> Scene:
        """The robot among its obstacles now."""

    def age(self, side: str) -> float:
        """Age of an arm's state [s]."""


def servo(
    body: ServoBody,
    limbs: Mapping[str, Limb],
    guide: Guide,
    targets: Targets,
    log: Log,
    end: tuple[float, float],
) -> ServoResult:
    """Follows the targets to their end, and comes to rest.

    Args:
        body: The body.
        limbs: Both arms, by side.
        guide: The references of the hands that follow.
        targets: Where they should be.
        log: Notes.
        end: When it ends [s], and how long nothing may be sent before that is an error [s].

    Raises:
        RefusedError: If the robot is stopped or disabled, another program commands the arm, or
            nothing can be sent for too long.
    """
    duration, stall = end
    steps, before, t = 0, 0.0, 0.0
    sent = dict.fromkeys(guide.hands, 0.0)
    ending = False
    for t in body.ticks():
        dt = min(max(t - before, PERIOD), 2.0 * PERIOD)
        if t - before > LATE:
            for side, hand in guide.hands.items():
                hand.put(limbs[side].q, np.zeros(7))
        before = t
        read = None if ending or t >= duration else targets.read(t)
        ending = read is None
        poses, openings = ({}, {}) if read is None else read
        if ending and all(_rests(hand) for hand in guide.hands.values()):
            break
        behind = {side: hand.q - body.age(side) * hand.qd for side, hand in guide.hands.items()}
        guide.step(t, poses, {side: limb.q for side, limb in limbs.items()}, body.scene(), dt)
        for side, hand in guide.hands.items():
            if _command(t, side, limbs[side], hand, behind[side], log):
                sent[side] = t
            elif t - sent[side] > stall:
                raise RefusedError(
                    "stale",
                    f"nothing could be sent to the {side} arm for {t - sent[side]:.2f} s: the "
                    "machine or the network is busy; the hand has stopped",
                )
        for side, opening in openings.items():
            _grip(t, side, limbs[side], opening, log)
        steps += 1
    away = {
        side: float(np.linalg.norm(limbs[side].tip[:3, 3] - targets.last[side][:3, 3]))
        if side in targets.last
        else float("nan")
        for side in guide.hands
    }
    return ServoResult(t, steps, tuple(log.notes), away)


def _rests(hand: HandServo) -> bool:
    return bool(np.abs(hand.qd).max() < RESTED)


def _command(
    t: float, side: str, limb: Limb, hand: HandServo, behind: JointVector, log: Log
) -> bool:
    """Sends a reference's velocity, or as much of it as is allowed; False if nothing was sent."""
    limits, q = hand.arm.limits, limb.q
    off = behind - q
    if float(np.abs(off).max()) > OFF:
        hand.put(q, np.zeros(7))
        j = int(np.argmax(np.abs(off)))
        log.note(
            t, side, "off",
            f"{hand.arm.joint_names[j]} is {abs(off[j]):.2f} rad off: something holds or pushes "
            "the arm; the hand goes on from where it is",
        )  # fmt: skip
        off = np.zeros(7)
    else:
        log.over(side, "off")
    wanted = np.clip(hand.qd + GAIN * off, -limits.velocity, limits.velocity)
    for share in SHARES:
        try:
            limb.command_velocity(share * wanted)
        except RefusedError as refusal:
            if refusal.reason in WAITS:
                hand.put(q, np.zeros(7))
                return False
            if refusal.reason not in SLOWED or share == 0.0:
                raise
            log.note(t, side, "refused", f"the hand slows down: {refusal}")
            continue
        if share == 1.0:
            log.calmed(t, side, "refused")
        else:
            hand.put(q, share * wanted)
        return True
    return False


def _grip(t: float, side: str, limb: Limb, opening: float, log: Log) -> None:
    try:
        limb.move_gripper(opening, timeout=0.0)
    except BaxterkitError as error:
        log.note(t, side, "gripper", f"the gripper stays: {error}")
    else:
        log.over(side, "gripper")
