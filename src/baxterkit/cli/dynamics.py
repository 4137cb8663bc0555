"""`baxterkit dynamics`: inertia, Coriolis and gravity terms, and the torques of a motion."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from baxterkit import Arm
from baxterkit.cli.options import (
    deg_option,
    joint_argument,
    joints_option,
    json_option,
    loaded_arm_options,
)
from baxterkit.cli.reading import read_joints, read_rows
from baxterkit.cli.show import (
    Facts,
    angle_unit,
    angles,
    matrix_table,
    number,
    show,
    show_csv,
    show_json,
    table,
)
from baxterkit.cli.verbs import verb
from baxterkit.cli.words import numbers, plain
from baxterkit.errors import InputError
from baxterkit.types import JointVector

FAST = 5.0
"""Velocities above so many times a limit are noted."""


@verb(
    "dynamics",
    "baxterkit dynamics neutral",
    "baxterkit dynamics neutral --payload 1.5,0,0,0.05",
    'baxterkit dynamics untuck --qd 0,0.5,0,-0.5,0,0,0 --qdd "0 1 0 0 0 0 0" --json',
    "baxterkit dynamics - < angles.csv > torques.csv",
)
@joint_argument
@loaded_arm_options
@joints_option("--qd", "QD...", "Velocities: 7 numbers, or a file with rows as Q.")
@joints_option("--qdd", "QDD...", "Accelerations: 7 numbers, or a file with rows as Q.")
@deg_option("Q, QD and QDD in degrees; M, C and torques stay in SI units.")
@json_option
def command(
    q: tuple[str, ...],
    arm: Arm,
    qd: str | None,
    qdd: str | None,
    deg: bool,
    as_json: bool,
) -> None:
    """M, C, G and the torques tau = M qdd + C qd + G, plus the joint effects of a --robot.

    M is the inertia matrix [kg m²], C the Coriolis matrix [kg m²/s], G the torques [N m] that hold
    the arm against gravity. Q is as in `baxterkit fk`; velocities and accelerations are those in
    columns of the same file (qd_left_s0 ..., qdd_left_s0 ...), and zero if it has none, unless they
    are given. --deg changes the unit of Q, QD and QDD only. A batch is printed as CSV, G and tau of
    each row; --json has M and C too.
    """
    options = {"qd": qd, "qdd": qdd}
    given = read_joints(arm, q, deg, rates=[name for name, text in options.items() if text is None])
    motion = {
        name: given.rates[name] if name in given.rates else _motion(arm, f"--{name}", text, deg)
        for name, text in options.items()
    }
    if "qd" in given.rates and "qdd" not in given.rates and qdd is None:
        note = "the rows hold velocities and no accelerations, which count as zero; give --qdd"
        click.echo(f"Note: {note}", err=True)
    if not given.is_batch and all(x.ndim == 1 for x in motion.values()):
        facts = _facts(arm, given.q, motion["qd"], motion["qdd"], deg=deg)
        show_json(facts) if as_json else _show(arm, facts, moving=qd is not None)
        return
    # Shapes that do not broadcast are refused here, by name.
    tau = arm.inverse_dynamics(given.q, motion["qd"], motion["qdd"])
    rows = [np.broadcast_to(x, tau.shape) for x in (given.q, motion["qd"], motion["qdd"])]
    if as_json:
        states = [_facts(arm, *row, deg=deg) for row in zip(*rows, strict=True)]
        show_json({"side": arm.side, "angle_unit": angle_unit(deg), "states": states})
    else:
        header = [f"{term}_{joint}" for term in ("G", "tau") for joint in arm.joint_names]
        show_csv(header, np.concatenate([arm.gravity(rows[0]), tau], axis=1))


def _motion(arm: Arm, option: str, text: str | None, deg: bool) -> JointVector:
    """Velocities or accelerations [rad], shape (7,), or (n, 7) from a file."""
    if text is None:
        return np.zeros(7)
    values = numbers(text)
    if values is not None and len(values) == 7:
        row: JointVector = (np.pi / 180.0 if deg else 1.0) * np.array(values)
        times = np.abs(row) / arm.limits.velocity
        if option == "--qd" and times.max() > FAST:
            text = f"{times.max():.0f} times the limit of {arm.joint_names[int(times.argmax())]}"
            click.echo(f"Note: --qd is {text}: are these degrees? give --deg", err=True)
        return row
    text = plain(text)
    if values is not None or not ("." in text or "/" in text or Path(text).exists()):
        raise InputError(f"{option} takes 7 numbers or a file, got {text!r}")
    return read_rows(text, arm.side, deg, option.lstrip("-"))


def _facts(arm: Arm, q: JointVector, qd: JointVector, qdd: JointVector, *, deg: bool) -> Facts:
    M, C, G = arm.dynamics_terms(q, qd)
    payload = arm.model.payload
    return {
        "side": arm.side,
        "angle_unit": angle_unit(deg),
        "payload": None if payload is None else {"mass": payload.mass, "com": payload.com},
        "q": angles(q, deg),
        "qd": angles(qd, deg),
        "qdd": angles(qdd, deg),
        "inertia": M,
        "coriolis": C,
        "gravity": G,
        "inertia_torque": M @ qdd,
        "coriolis_torque": C @ qd,
        **({} if arm.effects is None else {"effects_torque": arm.effects.torque(q, qd)}),
        "torque": arm.inverse_dynamics(q, qd, qdd),
    }


def _show(arm: Arm, facts: Facts, moving: bool) -> None:
    names = arm.joint_names
    parts = [matrix_table(f"{arm.side} arm: M  [kg m²]", names, names, facts["inertia"])]
    if moving:
        parts.append(matrix_table("C  [kg m²/s]", names, names, facts["coriolis"]))
    heads = {"inertia_torque": "M qdd", "coriolis_torque": "C qd", "gravity": "G"}
    heads |= {"effects_torque": "joints"} if "effects_torque" in facts else {}
    heads |= {"torque": "tau"}
    columns = [*(facts[k] for k in heads), arm.limits.effort]
    rows = [
        (name, *map(number, row)) for name, row in zip(names, np.transpose(columns), strict=True)
    ]
    show(*parts, table("torques  [N m]", ("", *heads.values(), "limit"), rows))
