"""What a simulated robot consists of, field by field: declared once, for NumPy and for C++.

`RECORD` is the dtype of one twin: its constants, then its state. `sim` reads and writes its fields
as arrays; the compiled step reads and writes the same memory through the struct that
`baxterkit.codegen` makes of this table (`native/generated/twin_fields.hpp`). Arms are left, right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MODES = ("hold", "position", "raw position", "velocity", "torque")
"""Command modes, in the order of their numbers."""
WINDOW = 128
"""Readings that the low-pass filters of the published states remember."""


@dataclass(frozen=True)
class Field:
    """One field of the record.

    Attributes:
        name: In Python and C++.
        shape: Of the array; () for a number.
        doc: What it is.
        whole: Whether its values are integers (64 bits); floats otherwise.
    """

    name: str
    shape: tuple[int, ...]
    doc: str
    whole: bool = False


def _flag(name: str, shape: tuple[int, ...], doc: str) -> Field:
    return Field(name, shape, doc, whole=True)


_ARM, _BOTH, _JOINTS = (7,), (2, 7), (14,)

CONSTANTS = (
    Field("dt", (), "Time step [s]."),
    Field("lower", _BOTH, "Position limits of the inner reference [rad]."),
    Field("upper", _BOTH, "The same, upper ones."),
    Field("velocity_limit", _BOTH, "[rad/s]"),
    Field("effort", _BOTH, "Effort limits [N m]."),
    Field("acceleration_limit", _ARM, "Of the inner reference [rad/s²]."),
    Field("catch_up", (), "Rate at which it approaches a position command [1/s]."),
    Field("at_the_end", (), "Velocity per radian that is left of a joint's range [1/s]."),
    Field("at_rest", (), "Below this it is at rest [rad/s, rad/s²]."),
    Field("kp", (), "Gain of the position loop [1/s²]."),
    Field("kd", (), "[1/s]"),
    Field("ki", (), "[1/s³]"),
    Field("integral_limit", _ARM, "Greatest integral of the error [rad s]."),
    Field("most_error", _ARM, "Largest error that the loop acts on [rad]."),
    Field("extra_inertia", _ARM, "Added to the links' inertia [kg m²]."),
    _flag("compensates", (), "Whether the loops compensate springs and friction."),
    Field("known_coulomb", _BOTH, "Dry friction that the loops compensate [N m]."),
    Field("known_viscous", _BOTH, "Viscous friction that they compensate [N m s/rad]."),
    Field("known_speed", _BOTH, "Speed of that dry friction [rad/s]."),
    _flag("elastic", (), "Whether motors are behind flexures."),
    Field("stiffness", _JOINTS, "Of the flexures [N m/rad]."),
    Field("inertia", _JOINTS, "Apparent inertia of the motors [kg m²]."),
    Field("share", _JOINTS, "Of a motor's momentum that goes into the push in a step [1/s]."),
    Field("pull", _JOINTS, "Of a link's speed in its motor's new speed [1]."),
    Field("inverse", _JOINTS, "Of the rotor's implicit inertia [1/(kg m²)]."),
    Field("at_link", _JOINTS, "Damping that the motor gives the link [N m s/rad]."),
    Field("no_load", _JOINTS, "Greatest speed of the motors [rad/s]."),
    Field("coulomb", _JOINTS, "Dry friction of the joints [N m]."),
    Field("viscous", _JOINTS, "Viscous friction, with `at_link` [N m s/rad]."),
    Field("slow", _JOINTS, "Speed at which dry friction has 71 % of its value [rad/s]."),
    _flag("remembers", (), "Whether friction has a memory."),
    Field("memory_torque", _JOINTS, "Friction with memory at q = 0 [N m]."),
    Field("memory_slope", _JOINTS, "Its change with position [N m/rad]."),
    Field("per_distance", _JOINTS, "1 over the distance of the memory [1/rad]."),
    _flag("quantised", (), "Whether readings come in steps."),
    Field("sensor_step", (3, 7), "Steps of positions, velocities, efforts [rad, rad/s, N m]."),
    Field("per_step", (3, 7), "1 over these."),
    _flag("noisy", (), "Whether readings have noise."),
    _flag("filtered", (), "Whether published velocities and efforts have passed filters."),
    Field("weights", (2, WINDOW), "Of the last readings in these filters, oldest first."),
    _flag("publish_every", (), "Steps between two published states."),
    Field("near", (), "What is nearer than this may touch within a step [m]."),
)

STATE = (
    _flag("enabled", (), "Whether commands are taken."),
    _flag("mode", (2,), "Command mode: index into MODES."),
    _flag("age", (2,), "Steps since the last command."),
    _flag("free", (2,), "Age at which a velocity command may come near the end of a range."),
    _flag("fresh", (2,), "Whether the inner reference must be taken from the arm."),
    _flag("still", (2,), "Whether the inner reference is at rest."),
    _flag("gravity_compensation", (2,), "Whether gravity is compensated under torque commands."),
    Field("timeout", (2,), "Time for which a command is valid [s]."),
    Field("speed_ratio", (2,), "Share of the velocity limits that position commands use."),
    Field("lag", _BOTH, "Lag of the commands' low-pass [s]."),
    Field("kept", _BOTH, "What it keeps in a step."),
    Field("taken", _BOTH, "What it takes of a change in a step [1/s]."),
    Field("command", _BOTH, "The last command [rad, rad/s or N m]."),
    Field("reference", _BOTH, "Inner reference [rad]."),
    Field("reference_velocity", _BOTH, "Its velocity [rad/s]."),
    Field("reference_acceleration", _BOTH, "Its acceleration [rad/s²]."),
    Field("feed_forward", _BOTH, "Acceleration that raw positions are said to have [rad/s²]."),
    Field("integral", _BOTH, "Integral of the position error [rad s]."),
    Field("angle", _JOINTS, "Of the motors [rad]."),
    Field("speed", _JOINTS, "Of the motors [rad/s]."),
    Field("memory", _JOINTS, "State of friction with memory, -1 to 1."),
    Field("q", _JOINTS, "True positions of the links at the last reading [rad]."),
    Field("qd", _JOINTS, "True velocities of the links then [rad/s]."),
    Field("tau", _JOINTS, "True torques of the joints [N m]."),
    Field("reading", (2, 3, 7), "Positions, velocities, efforts as sensed in this millisecond."),
    Field("published", (2, 3, 7), "The same as last published."),
    _flag("ticks", (), "Steps since the start."),
    _flag("published_at", (), "Ticks at the last publishing."),
    _flag("row", (), "Of the present values in the window of past ones."),
    _flag("noise_left", (), "Rows of noise that are left."),
    _flag("searches", (), "Whether the last step searched for contacts."),
)


def _dtype(fields: tuple[Field, ...]) -> np.dtype[np.void]:
    return np.dtype([(f.name, "i8" if f.whole else "f8", f.shape) for f in fields])


RECORD: np.dtype[np.void] = _dtype(CONSTANTS + STATE)
"""One twin."""
