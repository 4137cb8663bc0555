"""A session in a TOML file: both arms, the head, the objects around, the goals and the search."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from baxterkit.checks.arrays import finite_array, transform_array
from baxterkit.collision.obstacle import Obstacle
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.model.library import load_baxter
from baxterkit.types import Array, JointVector, Transform, frozen
from baxterkit.viewer.state.dragged_arm import DraggedArm
from baxterkit.viewer.state.forms import FORMS
from baxterkit.viewer.state.objects import (
    KINDS,
    LENGTHS,
    MOST,
    PlacedObject,
    PlacedObjects,
    placed_object,
)
from baxterkit.viewer.state.packed import packed, unpacked
from baxterkit.viewer.state.session import SIDES, Session

FORMAT = 1
HEADER = "# Made by the viewer of baxterkit. Angles in rad, lengths in m, poses 4 x 4 in base.\n"
LARGEST = 40_000_000
"""Longest text that is read [characters]."""


@dataclass(frozen=True)
class Search:
    """Settings of the planner.

    Attributes:
        any_elbow: Whether the hand's pose is the goal; else the ghost's joint positions.
        timeout: Time limit [s].
        margin: Safety margin [m].
        seed: Random seed.
    """

    any_elbow: bool = True
    timeout: float = 2.0
    margin: float = 0.005
    seed: int = 0


def to_toml(session: Session, search: Search) -> str:
    """The session as text."""
    lines = [HEADER, f"format = {FORMAT}", f"head = {session.pan!r}"]
    for side, limb in session.limbs.items():
        lines += ["", f"[{side}]", f"q = {limb.q.tolist()}"]
        lines += [f'tool = "{limb.arm.tool.name}"', f"opening = {session.openings[side]!r}"]
        if side in session.goals:
            goal = session.goals[side]
            lines += [f"goal_q = {goal.q.tolist()}", f"goal = {_rows(goal.wanted)}"]
    for name in session.objects.names:
        placed = session.objects[name]
        lines += ["", "[[objects]]", f'name = "{name}"', f'kind = "{placed.form}"']
        lines += [f"size = {list(placed.size)}", f"pose = {_rows(placed.T)}"]
        lines += [f"mass = {placed.mass!r}"] if placed.mass else []
        lines += [f"color = {list(placed.color)}"] if placed.color is not None else []
        lines += [f'data = "{packed(placed.data)}"'] if placed.data is not None else []
    lines += ["", "[plan]", f"any_elbow = {str(search.any_elbow).lower()}"]
    lines += [f"timeout = {search.timeout!r}", f"margin = {search.margin!r}"]
    return "\n".join([*lines, f"seed = {search.seed}", ""])


def open_toml(text: str, session: Session) -> Search:
    """Makes a session what a text says; nothing is changed if something in it is wrong.

    Arms, tools and head of a robot that is watched stay its own.

    Returns:
        The settings of the planner.

    Raises:
        InputError: If the text is not a session's; says which entry is wrong.
    """
    if len(text) > LARGEST:
        raise InputError(f"the file has {len(text):,} characters; at most {LARGEST:,} are read")
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"the file is not TOML: {error}") from None
    if table.get("format") != FORMAT:
        raise InputError(f"format = {table.get('format')!r}; a session of the viewer has {FORMAT}")
    head = float(_numbers(table, "head", ()))
    arms = {side: _arm(_table(table, side), side, session) for side in SIDES}
    objects = _objects(table.get("objects", []))
    search = _search(_table(table, "plan"))
    session.stop_playing()
    session.goals.clear()
    for side, (arm, q, opening, goal) in arms.items():
        if not session.watched:
            session.put_arm(side, arm)
            session.limb(side).set_joints(q)
            session.open_gripper(side, opening)
        if goal is not None:
            session.goals[side] = DraggedArm(session.limb(side).arm, goal[0])
            session.goals[side].drag(goal[1])
    if not session.watched:
        session.turn_head(head)
    session.objects.replace(objects)
    return search


def _arm(table: Mapping[str, Any], side: str, session: Session) -> tuple[Any, ...]:
    """The arm with its tool, q, the opening, and q and pose of the goal if there is one."""
    tools, name = load_baxter().tools, table.get("tool")
    arm = session.limb(side).arm
    if name != arm.tool.name:
        if name not in tools:
            raise InputError(f"{side}.tool = {name!r}; known are {', '.join(tools)}")
        arm = arm.replace(tool=name)
    q: JointVector = _numbers(table, "q", (7,), side)
    goal = None
    if "goal" in table:
        wanted = _pose(table, "goal", side)
        goal = (_numbers(table, "goal_q", (7,), side) if "goal_q" in table else q, wanted)
    return arm, q, float(_numbers(table, "opening", (), side)), goal


def _objects(rows: object) -> list[PlacedObject]:
    if not isinstance(rows, list) or len(rows) > MOST:
        raise InputError(f"objects must be a list of at most {MOST} tables")
    made = PlacedObjects()
    for number, row in enumerate(rows, start=1):
        where = f"objects, number {number}"
        if not isinstance(row, dict) or row.get("kind") not in KINDS:
            raise InputError(f"{where}: kind must be one of {', '.join(KINDS)}")
        name = row.get("name")
        if not isinstance(name, str) or not name.strip() or name in made.names or len(name) > 80:
            raise InputError(f"{where}: name = {name!r}; each has a name of its own")
        try:
            made.put([_object(row, name, where)])
        except InputError as error:
            raise InputError(str(error) if where in str(error) else f"{where}: {error}") from None
    return [made[name] for name in made.names]


def _object(row: Mapping[str, Any], name: str, where: str) -> PlacedObject:
    form = row["kind"]
    kind = "box" if form in FORMS else form
    count = 2 if kind == "height field" else len(LENGTHS[kind])
    size = tuple(_numbers(row, "size", (count,), where).tolist()) if count else ()
    data = unpacked(row.get("data"), where) if kind not in LENGTHS or kind == "points" else None
    mass = float(_numbers(row, "mass", (), where)) if "mass" in row else 0.0
    rgb = _numbers(row, "color", (3,), where).tolist() if "color" in row else None
    color = None if rgb is None else (rgb[0], rgb[1], rgb[2])
    pose = _pose(row, "pose", where)
    return placed_object(Obstacle(kind, size, pose, name, data, None, mass, color), form)


def _search(table: Mapping[str, Any]) -> Search:
    seed, any_elbow = table.get("seed", 0), table.get("any_elbow", True)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"plan.seed = {seed!r}; it is a non-negative integer")
    if not isinstance(any_elbow, bool):
        raise InputError(f"plan.any_elbow = {any_elbow!r}; it is true or false")
    timeout, margin = (float(_numbers(table, name, (), "plan")) for name in ("timeout", "margin"))
    return Search(any_elbow, timeout, margin, seed)


def _table(table: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = table.get(name)
    if not isinstance(found, dict):
        raise InputError(f"the table [{name}] is missing; a session has [left], [right], [plan]")
    return found


def _numbers(table: Mapping[str, Any], name: str, shape: tuple[int, ...], where: str = "") -> Array:
    label = f"{where}.{name}" if where else name
    try:
        values = finite_array(table[name], label)
    except KeyError:
        raise InputError(f"{label} is missing") from None
    except (BaxterkitError, TypeError, ValueError) as error:
        raise InputError(f"{label} = {table[name]!r}: {error}") from None
    if values.shape != shape:
        raise InputError(f"{label} must have shape {shape}, got {values.shape}")
    return values


def _pose(table: Mapping[str, Any], name: str, where: str) -> Transform:
    T = _numbers(table, name, (4, 4), where)
    try:
        return frozen(transform_array(T))
    except BaxterkitError as error:
        raise InputError(f"{where}.{name}: {error}") from None


def _rows(T: Array) -> str:
    return str(T.tolist())
