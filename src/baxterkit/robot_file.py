"""robot.toml: the model of one real robot, written and read without loss.

A file holds one arm or both: mount, gravity, tool, payload, link inertias, frames that are not
nominal, joint effects, the zero of the torque sensors on one day (`Tare`), and their provenance.
Joints are Baxter's. Numbers are written with up to 17 digits, so a model that is read equals the
one that was written.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from baxterkit import disk
from baxterkit.checks.units import warn_at_caller, warn_if_odd_gravity
from baxterkit.disk.tables import Table, read_toml, toml_text
from baxterkit.dynamics.joint_effects import Hysteresis, JointEffects, Sensing
from baxterkit.dynamics.tare import Tare
from baxterkit.errors import ModelError, TareWarning, UnknownNameError
from baxterkit.model.frames import robot_frames
from baxterkit.model.inertial import Inertial
from baxterkit.model.library import baxter_arm, warn_if_other_mount
from baxterkit.model.model import ArmModel, Payload, Tool, rigid
from baxterkit.model.names import JOINTS, SIDES, check_side
from baxterkit.model.parts import Frame
from baxterkit.model.shape import SOLIDS, Solid

FORMAT = 1
"""Version of the layout; a reader refuses files of a later one."""

FARTHEST, HEAVIEST, STRONGEST, LARGEST = 10.0, 100.0, 100.0, 1e4
"""Sizes [m, kg, m/s², kg m²] beyond which numbers are taken to be in other units."""

_LIMITS = ("lower", "upper", "velocity", "effort")
_EFFECTS = ("bias", "coulomb", "viscous", "speed", "spring_sin", "spring_cos", "stiffness")
_TARE = {"tau": 7, "standard_error": 7, "friction": 7, "moment": 3}
_TARE_TEXTS = ("date", "source")
_HYSTERESIS = ("torque", "distance", "coulomb", "viscous", "slope")
_SENSING = {"crosstalk": (7, 7), "level": (7,), "lag": (7,), "shaking": (7, 7), "drag": (7, 7)}


@dataclass(frozen=True, eq=False)
class StoredArm:
    """One arm of a robot file.

    Attributes:
        model: Geometry, mount, tool, payload, gravity and inertias.
        effects: The joint effects of the model, or None; `today` has both with the tare.
        provenance: Origin of the numbers: texts, numbers, flags, and lists and tables of them, such
            as `sources`, `date`, `scores`.
        tare: The zero of the torque sensors on one day; None if it was not measured.
    """

    model: ArmModel
    effects: JointEffects | None = None
    provenance: Mapping[str, object] = field(default_factory=dict)
    tare: Tare | None = None

    @property
    def today(self) -> tuple[ArmModel, JointEffects | None]:
        """Model and effects with the tare."""
        if self.tare is None:
            return self.model, self.effects
        return self.tare.carried(self.model), self.tare.applied(self.effects)

    def warn_if_stale(self, today: datetime.date | None = None) -> None:
        """Warns with `TareWarning` if the tare is older than a day; `today` is now if None."""
        if self.tare is None:
            return
        stale = self.tare.stale(datetime.date.today() if today is None else today)
        if stale is not None:
            warn_at_caller(
                f"{self.model.side} arm: {stale}; measure it with baxterkit identify --tare",
                TareWarning,
            )


def named(path: str | Path) -> Path:
    """The path of a robot file to write.

    Raises:
        ModelError: If it is not called .toml.
    """
    place = disk.as_path(path)
    if place.suffix != ".toml":
        raise ModelError(f"{place}: a robot is a .toml file; call it {place.stem or 'robot'}.toml")
    return place


def write(path: str | Path, *given: StoredArm) -> Path:
    """Writes one arm or both to a file; if it exists and holds the other arm, that one stays.

    The provenance of the mount is kept as long as the mount is the same.

    Returns:
        The path.

    Raises:
        ModelError: If the file is not called .toml, the joints are not Baxter's, numbers are in
            other units than metres and kilograms, or the file exists and is not a robot file.
    """
    path = named(path)
    arms = read_arms(path) if path.exists() else {}
    for arm in given:
        before, provenance = arms.get(arm.model.side), arm.provenance
        if before is not None and (before.model.T_base_s0 == arm.model.T_base_s0).all():
            known = {key: text for key, text in before.provenance.items() if key == "mount"}
            provenance = {**known, **provenance}
        arms[arm.model.side] = dataclasses.replace(arm, provenance=provenance)
    return write_arms(path, arms)


def write_tare(path: str | Path, side: str, tare: Tare) -> Path:
    """Keeps a tare in a file beside the model of an arm; one that is there is replaced.

    Returns:
        The path.

    Raises:
        ModelError: If the file cannot be read, or does not hold that arm.
    """
    tared = dataclasses.replace(read(path, side), tare=tare)
    return write_arms(path, {**read_arms(path), side: tared})


def write_arms(path: str | Path, arms: Mapping[str, StoredArm]) -> Path:
    """Writes a file with these arms, by side ("left", "right"), and nothing else; the path."""
    tables: dict[str, object] = {"format": FORMAT}
    for side in SIDES:
        if side in arms:
            tables[side] = _arm_table(arms[side])
    text = "# A robot of baxterkit: Arm.from_file reads it. SI units, radians.\n" + toml_text(
        tables
    )
    disk.write_text(path, text)
    return Path(path)


def read(path: str | Path, side: str | None = None) -> StoredArm:
    """One arm of a file.

    Args:
        path: The file.
        side: "left" or "right"; may be None if the file holds one arm.

    Raises:
        ModelError: If the file cannot be read, or does not hold that arm; the message names the
            file and the entry.
    """
    arms = read_arms(path)
    if side is None:
        if len(arms) != 1:
            raise ModelError(f"{path} holds both arms; say which with side='left' or 'right'")
        return next(iter(arms.values()))
    if check_side(side) not in arms:
        raise ModelError(f"{path} does not hold the {side} arm, only the {next(iter(arms))} one")
    return arms[side]


def read_arms(path: str | Path) -> dict[str, StoredArm]:
    """All arms of a file, by side."""
    table = read_toml(path)
    version = table.number("format")
    if version != FORMAT:
        raise ModelError(
            f"{path}: format = {version:g} is not known here; this version reads format = {FORMAT}"
        )
    table.only("format", *SIDES)
    arms = {side: _read_arm(side, table.table(side)) for side in SIDES if table.has(side)}
    if not arms:
        raise ModelError(f"{path} holds no arm; it needs a table [left] or [right]")
    return arms


def _arm_table(arm: StoredArm) -> dict[str, object]:
    model = arm.model
    if not model.is_baxter_geometry:
        raise ModelError("a robot file holds arms with Baxter's joints; this one has others")
    _check_units(model)
    nominal = baxter_arm(model.side)
    tool: dict[str, object] = {"name": model.tool.name, "T_hand_tip": model.T_hand_tip}
    if model.tool.inertial is not None:
        tool |= _body_table(model.tool.inertial)
    if model.tool.shape:
        tool["shape"] = _shape_table(model.tool.shape)
    table: dict[str, object] = {"mount": model.T_base_s0, "gravity": model.gravity, "tool": tool}
    if model.payload is not None:
        payload = _body_table(model.payload.inertial)
        if model.payload.shape:
            payload["shape"] = _shape_table(model.payload.shape)
        table["payload"] = payload
    table["link"] = {
        name: _body_table(body) for name, body in zip(JOINTS, model.inertials, strict=True)
    }
    if model.frames:
        table["frames"] = {
            frame.name: {"joint": JOINTS[frame.link], "T": frame.T_link_frame}
            for frame in model.frames
        }
    limits = {name: getattr(model.limits, name) for name in _LIMITS}
    if any((limits[name] != getattr(nominal.limits, name)).any() for name in _LIMITS):
        table["limits"] = limits
    if arm.effects is not None:
        table["effects"] = _effects_table(arm.effects)
    if arm.tare is not None:
        table["tare"] = {name: getattr(arm.tare, name) for name in (*_TARE, *_TARE_TEXTS)}
    if arm.provenance:
        table["provenance"] = dict(arm.provenance)
    return table


def _body_table(body: Inertial) -> dict[str, object]:
    return {"mass": body.mass, "com": body.com, "inertia": body.inertia}


def _shape_table(solids: tuple[Solid, ...]) -> dict[str, object]:
    return {
        f"solid_{n}": {"kind": solid.kind, "size": np.array(solid.size), "T": solid.T}
        for n, solid in enumerate(solids, 1)
    }


def _effects_table(effects: JointEffects) -> dict[str, object]:
    table: dict[str, object] = {name: getattr(effects, name) for name in _EFFECTS}
    if effects.hysteresis is not None:
        table["hysteresis"] = {name: getattr(effects.hysteresis, name) for name in _HYSTERESIS}
    if effects.sensing is not None:
        table["sensing"] = {name: getattr(effects.sensing, name) for name in _SENSING}
    return table


def _read_arm(side: str, table: Table) -> StoredArm:
    known = ("mount", "gravity", "tool", "payload", "link", "limits", "effects", "tare")
    table.only(*known, "frames", "provenance")
    with table.naming():
        model = baxter_arm(side)
        changes: dict[str, Any] = {}
        if table.has("mount"):
            changes["T_base_s0"] = table.array("mount", (4, 4))
            warn_if_other_mount(changes["T_base_s0"], side)
        if table.has("gravity"):
            changes["gravity"] = table.array("gravity", (3,))
        if table.has("tool"):
            changes["tool"] = _read_tool(table.table("tool"))
        if table.has("payload"):
            changes["payload"] = _read_payload(table.table("payload"))
        if table.has("link"):
            changes["inertials"] = _read_links(table.table("link"))
        if table.has("limits"):
            changes["joints"] = _read_limits(table.table("limits"), model)
        if table.has("frames"):
            changes["frames"] = _read_frames(table.table("frames"), side)
        model = dataclasses.replace(model, **changes)
        _check_units(model)
        if table.has("gravity"):
            warn_if_odd_gravity(model.gravity, model.T_base_s0)
    effects = _read_effects(table.table("effects")) if table.has("effects") else None
    provenance = table.table("provenance").entries if table.has("provenance") else {}
    tare = _read_tare(table.table("tare")) if table.has("tare") else None
    return StoredArm(model, effects, provenance, tare)


def _read_frames(table: Table, side: str) -> tuple[Frame, ...]:
    """The frames on the arm that are elsewhere than nominally."""
    nominal = robot_frames({side: baxter_arm(side)})
    table.only(*(name for name, frame in nominal.items() if frame.body == side))
    frames = []
    for name in table.entries:
        one = table.table(name)
        one.only("joint", "T")
        with one.naming():
            joint = one.text("joint")
            if joint not in JOINTS:
                raise UnknownNameError("joint", joint, JOINTS)
            T = rigid(one.array("T", (4, 4)), "T")
            frames.append(Frame(name, side, JOINTS.index(joint), T))
    return tuple(frames)


def _read_tare(table: Table) -> Tare:
    table.only(*_TARE, *_TARE_TEXTS)
    with table.naming():
        arrays = {name: table.array(name, (n,)) for name, n in _TARE.items() if table.has(name)}
        return Tare(
            arrays.get("tau", np.zeros(7)),
            *(arrays.get(name) for name in ("standard_error", "friction", "moment")),  # type: ignore[arg-type]
            *(table.text(name) if table.has(name) else "" for name in _TARE_TEXTS),
        )


def _check_units(model: ArmModel) -> None:
    """Raises for sizes that no Baxter has in metres and kilograms."""
    distances = {"mount": model.T_base_s0, "tool": model.T_hand_tip}
    sizes = [
        (f"{name} is {{:g}} m away", float(np.linalg.norm(T[:3, 3])), FARTHEST)
        for name, T in distances.items()
    ]
    sizes.append(("gravity is {:g} m/s²", float(np.linalg.norm(model.gravity)), STRONGEST))
    for name, body in zip(JOINTS, model.link_inertials(), strict=True):
        sizes.append((f"link {name} is of {{:g}} kg", body.mass, HEAVIEST))
    for text, size, most in sizes:
        if size > most:
            raise ModelError(
                f"{text.format(size)}, beyond {most:g}; lengths are in m, masses in kg"
            )


def _read_tool(table: Table) -> Tool:
    table.only("name", "T_hand_tip", "mass", "com", "inertia", "shape")
    with table.naming():
        body = _read_body(table) if table.has("mass") else None
        name, T = table.text("name"), table.array("T_hand_tip", (4, 4))
        return Tool(name, T, body, _read_shape(table))


def _read_payload(table: Table) -> Payload:
    table.only("mass", "com", "inertia", "shape")
    with table.naming():
        body = _read_body(table)
        return Payload(body.mass, body.com, body.inertia, _read_shape(table))


def _read_shape(table: Table) -> tuple[Solid, ...]:
    """The solids of a tool or a payload, in the order of the file; none if it has none."""
    if not table.has("shape"):
        return ()
    solids = []
    shape = table.table("shape")
    for name in shape.entries:
        solid = shape.table(name)
        solid.only("kind", "size", "T")
        with solid.naming():
            kind = solid.text("kind")
            if kind not in SOLIDS:
                raise UnknownNameError("solid", kind, SOLIDS)
            size = tuple(solid.array("size", (SOLIDS[kind],)).tolist())
            solids.append(Solid(kind, size, rigid(solid.array("T", (4, 4)), "T")))
    return tuple(solids)


def _read_links(table: Table) -> tuple[Inertial, ...]:
    table.only(*JOINTS)
    bodies = []
    for name in JOINTS:
        link = table.table(name)
        link.only("mass", "com", "inertia")
        with link.naming():
            bodies.append(_read_body(link))
    return tuple(bodies)


def _read_body(table: Table) -> Inertial:
    com, inertia = table.array("com", (3,)), table.array("inertia", (3, 3))
    for key, values, most in (("com", com, FARTHEST), ("inertia", inertia, LARGEST)):
        if np.abs(values).max() > most:
            raise ModelError(
                f"{table.where}.{key} holds {np.abs(values).max():g}, beyond {most:g}; lengths are "
                "in m, inertias in kg m²"
            )
    return Inertial(table.number("mass"), com, inertia).check(table.where)


def _read_limits(table: Table, model: ArmModel) -> tuple[Any, ...]:
    table.only(*_LIMITS)
    rows = np.stack([table.array(name, (7,), infinite=True) for name in _LIMITS], 1).tolist()
    with table.naming():
        return tuple(
            dataclasses.replace(joint, lower=low, upper=high, velocity=velocity, effort=effort)
            for joint, (low, high, velocity, effort) in zip(model.joints, rows, strict=True)
        )


def _read_effects(table: Table) -> JointEffects:
    table.only(*_EFFECTS, "hysteresis", "sensing")
    fields: dict[str, Any] = {}
    for name in _EFFECTS:
        if table.has(name):
            series = name.startswith("spring")
            shape = (7, None) if series else (7,)
            fields[name] = table.array(name, shape, infinite=name == "stiffness")
    with table.naming():
        if table.has("hysteresis"):
            inner = table.table("hysteresis")
            inner.only(*_HYSTERESIS)
            with inner.naming():
                parts = {
                    name: inner.array(name, (7,))
                    for name in _HYSTERESIS
                    if name != "slope" or inner.has(name)
                }
                fields["hysteresis"] = Hysteresis(**parts)
        if table.has("sensing"):
            inner = table.table("sensing")
            inner.only(*_SENSING)
            with inner.naming():
                fields["sensing"] = Sensing(**{n: inner.array(n, s) for n, s in _SENSING.items()})
        return JointEffects(**fields)
