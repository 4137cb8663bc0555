"""What can be known of motions before anything moves: limits, and whether their path is clear.

The gate checks every command anyway; but a motion that cannot be followed to its end should not
begin. An arm that has no motion counts as standing where it is. Pairs that touch at the start are
left to the gate, which lets them open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.collision.world import World
from baxterkit.control.signals import Course, CourseSample
from baxterkit.errors import InputError
from baxterkit.model.limits import LIMIT_TOLERANCE
from baxterkit.model.names import SIDES
from baxterkit.robot.errors import RefusedError
from baxterkit.robot.gripping import openings_of
from baxterkit.robot.motions import Along
from baxterkit.robot.streaming import LAG
from baxterkit.ros.waiting import LONGEST
from baxterkit.trajectory.grippers import GripperMotion
from baxterkit.trajectory.swept import WIDTH, first_contact_of_motion
from baxterkit.types import Array

if TYPE_CHECKING:
    from baxterkit.ros.limb import LinkedLimb
    from baxterkit.ros.link import RobotLink

STEP = 0.01
"""Time between two points at which limits are checked [s]."""
MOST = 200_000
"""Points of a motion that are checked at most."""
OVER = 1.02
"""Share of the velocity limits that a motion may reach: rounding of what is timed to the limits."""
OFF = 0.03
"""Distance from its motion that an arm may have when a command leads it [rad]."""

ANOTHER_PATH = (
    "plan another path (in a scene with a margin), or set a smaller one: "
    "link.scene = link.scene.replace(margin=...)"
)
LEFT_OUT = (
    "leave that object out of link.scene meanwhile: world.remove(name), then "
    "link.scene = link.scene.replace(world=world)"
)
GRIP = (
    "what a motion grips must not be in link.scene: leave it out there, or grip it "
    "between two motions, by move_gripper"
)


def check_motions(
    link: RobotLink, motions: Mapping[str, Course], along: Along | None
) -> dict[str, CourseSample]:
    """Refuses motions that cannot be followed.

    Args:
        link: The link.
        motions: The motion of each arm.
        along: What changes the world meanwhile: their path is checked until then.

    Returns:
        The samples of each motion, for further checks.

    Raises:
        InputError: If one has no end, or a value that is not finite.
        RefusedError: If one leaves a limit, or something is in its path.
    """
    for side, motion in motions.items():
        duration = float(motion.duration)
        if not 0.0 <= duration <= LONGEST:
            raise InputError(
                f"the motion of the {side} arm takes {duration:g} s; 0 to {LONGEST:g} s are allowed"
            )
    longest = max(float(motion.duration) for motion in motions.values())
    t = np.linspace(0.0, longest, min(int(longest / STEP) + 2, MOST))
    samples: dict[str, CourseSample] = {
        side: motion.sample(np.minimum(t, motion.duration)) for side, motion in motions.items()
    }
    rows = {
        side: _within_limits(link.limb(side), sample, np.minimum(t, motions[side].duration))
        for side, sample in samples.items()
    }
    grippers = {
        side: x for side, run in motions.items() if (x := openings_of(run, link.limb(side)))
    }
    if link.rules.collisions:
        early = t <= (math.inf if along is None else along.first)
        _check_path(link, t[early], {side: q[early] for side, q in rows.items()}, grippers)
    return samples


def check_lead(link: RobotLink, samples: Mapping[str, CourseSample]) -> None:
    """Refuses motions whose position commands would be farther ahead than the gate allows.

    Raises:
        RefusedError: Names the joint, and what to do.
    """
    for side, sample in samples.items():
        fastest = np.abs(sample.qd).max(axis=0)
        j, jump = int(np.argmax(fastest)), link.rules.jump
        lead = LAG * float(fastest[j])
        if lead > jump - OFF:
            raise RefusedError(
                "jump",
                f"nothing was sent: in mode 'position' commands lead by {LAG:g} s times the speed: "
                f"{lead:.2f} rad of {link.limb(side).arm.joint_names[j]} at {fastest[j]:.2f} "
                f"rad/s, and at most {jump:g} are allowed; go at {_share(jump - OFF, lead):g} of "
                "this speed, in mode 'velocity', or set Rules(jump=...)",
            )


def _share(most: float, lead: float) -> float:
    """The share of a speed at which a lead [rad] is `most`, rounded down."""
    return math.floor(100.0 * max(most, 0.0) / lead) / 100.0


def _within_limits(limb: LinkedLimb, sample: CourseSample, t: Array) -> Array:
    """Positions at the times, shape (n, 7).

    An arm that was measured beyond a limit may begin there.
    """
    arm = limb.arm
    q, qd = np.asarray(sample.q, dtype=float), np.asarray(sample.qd, dtype=float)
    if q.shape != (len(t), 7) or qd.shape != q.shape:
        raise InputError(f"a motion of the {arm.side} arm has 7 joints, got shape {q.shape[1:]}")
    limits = arm.limits
    low = np.minimum(limits.lower, limb.q) - LIMIT_TOLERANCE
    high = np.maximum(limits.upper, limb.q) + LIMIT_TOLERANCE
    for values, least, most, reason, unit in (
        (q, low, high, "position", "rad"),
        (qd, -OVER * limits.velocity, OVER * limits.velocity, "velocity", "rad/s"),
    ):
        bad = ~((values >= least) & (values <= most))
        if not bad.any():
            continue
        i, j = np.unravel_index(int(np.argmax(bad)), bad.shape)
        value, name = float(values[i, j]), arm.joint_names[j]
        if not np.isfinite(value):
            raise InputError(f"the motion has {name} = {value} {unit} at {t[i]:.2f} s")
        share = float(np.nanmax(np.abs(qd) / limits.velocity))
        advice = f"; follow motion.stretched({share:.2f})" if reason == "velocity" else ""
        raise RefusedError(
            reason,
            f"nothing was sent: the motion has {name} = {value:.3f} {unit} at {t[i]:.2f} s, "
            f"outside {least[j]:.3f} to {most[j]:.3f}{advice}",
        )
    return q


def _check_path(
    link: RobotLink, t: Array, rows: Mapping[str, Array], grippers: Mapping[str, GripperMotion]
) -> None:
    here = {side: link.limb(side).q for side in SIDES}
    both = np.concatenate([rows.get(s, np.tile(here[s], (len(t), 1))) for s in SIDES], axis=-1)
    # From where the arms are to where the motion starts, too.
    t = np.concatenate([t[:1], t])
    both = np.concatenate([np.concatenate([here[s] for s in SIDES])[None], both])
    moment = link._gate.measured()
    found = first_contact_of_motion(moment, t, both, grippers, WIDTH)
    if found is not None:
        when, pair = found
        a, b = pair.names
        raise RefusedError(
            "collision",
            f"nothing was sent: {a} and {b} would come within {1e3 * moment.margin:g} mm at "
            f"{when:.2f} s of the motion; {_advice(moment.scene.world, pair.names, grippers)}",
        )


def _advice(world: World, names: tuple[str, str], grippers: Mapping[str, GripperMotion]) -> str:
    """What to do where a path is blocked: around it, unless it is there to be gripped or put."""
    fingers = [f"{side}_fingers" for side in SIDES]
    if any(f"{side}_fingers" in names for side in grippers):
        return GRIP
    obstacles = [name for name in names if name in world]
    free = [name for name in obstacles if world[name].held is None]
    if free and world[free[0]].mass and any(name in fingers for name in names):
        return f"{ANOTHER_PATH}; where it is to grip {free[0]!r}, {LEFT_OUT}"
    if len(obstacles) == 2 and len(free) == 1:
        held = next(name for name in obstacles if name not in free)
        return f"{ANOTHER_PATH}; where it is to put {held!r} there, {LEFT_OUT}"
    return ANOTHER_PATH
