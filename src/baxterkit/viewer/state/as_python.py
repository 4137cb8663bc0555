"""What is on screen as a program that makes it: robot, joints, obstacles, plan."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.collision.obstacle import Obstacle
from baxterkit.types import Array
from baxterkit.viewer.state.saved import Search
from baxterkit.viewer.state.session import SIDES, Session


def as_python(session: Session, search: Search) -> str:
    """A program that makes what a session shows, and plans to its goals if there are any."""
    names = ["Arm", "Baxter", *(["collision"] if len(session.objects) else [])]
    names += ["planning"] if session.goals else []
    lines = ["import numpy as np", f"from baxterkit import {', '.join(names)}", ""]
    arms = [_arm(session.limb(side).arm) for side in SIDES]
    lines += [f"robot = Baxter({arms[0]}, {arms[1]})"]
    if any(session.limb(side).arm.effects is not None for side in SIDES):
        lines += ["# Springs and friction were identified: Baxter.from_file(...) reads them."]
    lines += [f"q_{side} = {_array(session.limb(side).q)}" for side in SIDES]
    world = ""
    if len(session.objects):
        world = "world, "
        lines += _world(session.objects.parts())
    opening = tuple(session.openings[side] for side in SIDES)
    lines += [f"scene = robot.scene({world}head={session.pan!r}, opening={opening})"]
    lines += ["near = scene.nearest(q_left, q_right)"]
    lines += ['print(near.names, f"{1e3 * float(near.clearance):.1f} mm")']
    lines += [f'print("{side} hand\\n", robot.{side}.fk(q_{side}).round(4))' for side in SIDES]
    if session.goals:
        lines += _plan(session, search)
    return "\n".join([*lines, ""])


def _world(parts: list[Obstacle]) -> list[str]:
    if any(part.data is not None for part in parts):
        return [
            "# Clouds of points and height fields are in the file that the tab File saves.",
            'world = collision.World.load("world.toml")',
        ]
    return ["world = collision.World()", *map(_obstacle, parts)]


def _obstacle(part: Obstacle) -> str:
    if part.kind == "plane":
        normal = part.T[:3, 2]
        offset = round(float(normal @ part.T[:3, 3]), 9)
        return f"world.add_plane({part.name!r}, {_array(normal)}, {offset})"
    size = tuple(round(x, 9) for x in part.size)
    given = str(size) if part.kind == "box" else ", ".join(map(str, size))
    more = f", mass={part.mass!r}" if part.mass else ""
    more += f", color={part.color!r}" if part.color is not None else ""
    return f"world.add_{part.kind}({part.name!r}, {given}, {_array(part.T)}{more})"


def _plan(session: Session, search: Search) -> list[str]:
    group = "both" if len(session.goals) == 2 else next(iter(session.goals))
    goals = {
        side: _array(goal.wanted if search.any_elbow else goal.q)
        for side, goal in session.goals.items()
    }
    given = goals[group] if group in goals else _dict(goals)
    return [
        "",
        f"goal = {given}",
        f"settings = planning.SearchSettings(seed={search.seed}, timeout={search.timeout!r})",
        "plan = planning.plan(",
        f"    scene.replace(margin={search.margin!r}), np.concatenate([q_left, q_right]), goal,",
        f"    group={group!r}, search=settings,",
        ")",
        "print(plan)",
    ]


def _arm(arm: Arm) -> str:
    plain = Arm(arm.side, arm.tool.name if arm.tool.name else "hand")
    mount = ""
    if not np.array_equal(plain.model.T_base_s0, arm.model.T_base_s0):
        mount = f", mount={_array(arm.model.T_base_s0)}"
    return f'Arm("{arm.side}", "{arm.tool.name}"{mount})'


def _dict(values: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in values.items()) + "}"


def _array(values: Array) -> str:
    return f"np.array({np.round(values, 12).tolist()})"
