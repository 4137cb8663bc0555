"""A player for motions in a report: the robot, to turn, pause and scrub, in one canvas.

It needs neither OpenGL nor a network: meshes, poses and a small script, which fills triangles
itself, are inside the page. `player(...)` returns HTML for `Page.raw`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from baxterkit.errors import InputError, ShapeError
from baxterkit.look.colors import Color
from baxterkit.look.robot import arm_parts, face_parts, head_parts, torso_parts
from baxterkit.look.shapes import Mesh, merged
from baxterkit.model.names import other_side
from baxterkit.plot.render import AMBIENT, LIGHTS
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Array, JointsLike

if TYPE_CHECKING:
    from baxterkit.arm import Arm
    from baxterkit.baxter import Baxter

UNIT = 1e-4  # m, of the lengths in the page
TURN = 32767  # of the quaternions in the page
CENTER = (0.12, 0.0, -0.05)
"""Point that the robot is turned about, in base [m]."""
AZIMUTH, ELEVATION = -0.5, 0.26
"""Where the robot is seen from at first: about z from x, and above the horizon [rad]."""
SWING, PERIOD = 0.75, 40.0
"""How far it turns to both sides [rad], and how long that takes [s]."""


def player(
    robot: Baxter,
    side: str,
    runs: Mapping[str, JointsLike],
    *,
    fps: float = 25.0,
    wanted: JointsLike | None = None,
    other: JointsLike | None = None,
    magnify: float = 10.0,
) -> str:
    """A player of one arm's motions.

    Args:
        robot: The robot.
        side: The arm that moves.
        runs: Name of a run -> joint positions, one row per picture [rad], shape (n, 7); the reader
            chooses between them.
        fps: Pictures per second.
        wanted: Reference joint positions [rad], shape (n, 7): their tip path is drawn.
        other: Joint positions of the other arm [rad], shape (7,); untucked if None.
        magnify: Largest factor by which the tip's errors can be magnified.

    Returns:
        HTML: a canvas, its controls and its script.
    """
    arm = robot.arm(side)
    resting = robot.arm(other_side(side))
    paths = {name: _rows(arm, q, name) for name, q in runs.items()}
    goal = None if wanted is None else _rows(arm, wanted, "wanted")
    count = {len(path) for path in (*paths.values(), *(() if goal is None else (goal,)))}
    if not paths or len(count) != 1:
        raise InputError("a player needs one run or more, all of them equally long")
    still = resting.configuration("untuck") if other is None else other
    q = resting.model.joint_values(still, "other")
    data: dict[str, object] = {
        "fps": fps,
        "count": count.pop(),
        "unit": UNIT,
        "center": CENTER,
        "azimuth": AZIMUTH if side == "right" else -AZIMUTH,
        "elevation": ELEVATION,
        "swing": SWING,
        "period": PERIOD,
        "lights": LIGHTS,
        "ambient": AMBIENT,
        "parts": _parts(robot, arm, resting, q),
        "magnify": magnify,
        "wanted": None if goal is None else _floats(arm.fk(goal)[:, :3, 3]),
        "runs": [
            {
                "name": name,
                "links": _poses(arm, path),
                "tip": _floats(arm.fk(path)[:, :3, 3]),
            }
            for name, path in paths.items()
        ],
    }
    template = Path(__file__).with_name("player.html").read_text(encoding="utf-8")
    return template.replace("__DATA__", json.dumps(data))


def _rows(arm: Arm, q: JointsLike, name: str) -> Array:
    array = arm.model.joint_values(q, name)
    if array.ndim != 2 or array.shape[1] != 7:
        raise ShapeError(f"{name} has shape {array.shape}, expected (n, 7), one row per picture")
    return array


def _parts(robot: Baxter, arm: Arm, resting: Arm, q: Array) -> list[dict[str, object]]:
    """Meshes for the script: of one colour and one link each; link -1 stands still in base."""
    T = robot.head.fk(0.0)
    still: list[tuple[Mesh, Color]] = [(mesh, color) for _, mesh, color in torso_parts()]
    still += [
        (mesh.moved(T[:3, :3], T[:3, 3]), color)
        for _, mesh, color in (*head_parts(), *face_parts())
    ]
    Ts = resting.link_poses(q)
    still += [(part.placed(Ts), part.color) for part in arm_parts(resting.model)]
    found = list(_by_color(-1, still))
    shells = arm_parts(arm.model)
    for frame in range(7):
        found += _by_color(frame, [(x.at(1.0), x.color) for x in shells if x.frame == frame])
    return found


def _by_color(frame: int, meshes: list[tuple[Mesh, Color]]) -> Iterable[dict[str, object]]:
    for color in dict.fromkeys(color for _, color in meshes):
        mesh = merged([mesh for mesh, own in meshes if own == color])
        assert len(mesh.vertices) <= 1 << 16
        yield {
            "frame": frame,
            "color": color,
            "v": _text(np.round(mesh.vertices / UNIT).astype("<i2")),
            "f": _text(mesh.faces.astype("<u2")),
        }


def _poses(arm: Arm, q: Array) -> str:
    """Positions and quaternions w x y z of an arm's links over time, as whole numbers."""
    Ts = arm.link_poses(q)[:, :7]
    turns = np.roll(matrix_to_quaternion(Ts[..., :3, :3]), 1, axis=-1)
    rows = np.concatenate([Ts[..., :3, 3] / UNIT, turns * TURN], axis=-1)
    return _text(np.round(rows).astype("<i2"))


def _floats(values: Array) -> str:
    return _text(values.astype("<f4"))


def _text(values: np.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
