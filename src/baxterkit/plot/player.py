"""A player for motions in a report: the robot as capsules, to turn, pause and scrub, in one canvas.

It needs neither OpenGL nor a network: a few hundred lines of numbers and a small script inside the
page. `player(...)` returns HTML for `Page.raw`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.collision.body import load_body
from baxterkit.collision.drawing import DrawnCapsule, arm_capsules
from baxterkit.errors import InputError, ShapeError
from baxterkit.plot.style import ARM_COLORS
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from baxterkit.arm import Arm
    from baxterkit.baxter import Baxter

BODY_COLOR = "#5d6776"
UNIT = 1e-4  # m, of the numbers in the page


def player(
    robot: Baxter,
    side: str,
    runs: Mapping[str, ArrayLike],
    *,
    fps: float = 25.0,
    wanted: ArrayLike | None = None,
    other: ArrayLike | None = None,
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
    arm: Arm = getattr(robot, side)
    resting: Arm = robot.right if side == "left" else robot.left
    paths = {name: _rows(q, name) for name, q in runs.items()}
    goal = None if wanted is None else _rows(wanted, "wanted")
    count = {len(path) for path in (*paths.values(), *(() if goal is None else (goal,)))}
    if not paths or len(count) != 1:
        raise InputError("a player needs one run or more, all of them equally long")
    capsules = arm_capsules(arm.model)
    q = resting.pose("untuck") if other is None else np.asarray(other, dtype=np.float64)
    still = _standing(robot.head.fk(0.0))
    parts = arm_capsules(resting.model)
    ends = _arm_at(resting, parts, q[None])[0]
    radii = [c.radius for c in parts]
    still += _still(ends, radii, ARM_COLORS[resting.side])
    data: dict[str, object] = {
        "fps": fps,
        "count": count.pop(),
        "unit": UNIT,
        "still": still,
        "radii": [c.radius for c in capsules],
        "color": ARM_COLORS[side],
        "magnify": magnify,
        "wanted": None if goal is None else _packed(arm.fk(goal)[:, :3, 3], np.float32),
        "runs": [
            {
                "name": name,
                "links": _packed(_arm_at(arm, capsules, path)),
                "tip": _packed(arm.fk(path)[:, :3, 3], np.float32),
            }
            for name, path in paths.items()
        ],
    }
    template = Path(__file__).with_name("player.html").read_text(encoding="utf-8")
    return template.replace("__DATA__", json.dumps(data))


def _rows(q: ArrayLike, name: str) -> Array:
    array = np.asarray(q, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 7:
        raise ShapeError(f"{name} has shape {array.shape}, expected (n, 7), one row per picture")
    return array


def _still(ends: Array, radii: Sequence[float], color: str) -> list[dict[str, object]]:
    """Capsules that do not move, for the script."""
    pairs = zip(ends, radii, strict=True)
    return [{"p": np.round(p, 4).tolist(), "r": round(r, 4), "c": color} for p, r in pairs]


def _standing(T_base_head: Transform) -> list[dict[str, object]]:
    """Torso, pedestal and head: of each rounded box the capsules along its four longest edges."""
    ends, radii = [], []
    for box in load_body().boxes:
        T = T_base_head if box.part == "head" else np.eye(4)
        long = int(np.argmax(box.half))
        corners = {tuple(np.sign(box.half) * s) for s in np.ndindex(2, 2, 2)}
        for signs in sorted(corners):
            corner = box.half * (2.0 * np.array(signs) - 1.0)
            if corner[long] > 0.0:
                continue
            other = corner.copy()
            other[long] *= -1.0
            pair = [T[:3, :3] @ (box.center + box.R @ x) + T[:3, 3] for x in (corner, other)]
            ends.append(np.concatenate(pair))
            radii.append(box.radius)
    return _still(np.array(ends), radii, BODY_COLOR)


def _arm_at(arm: Arm, capsules: tuple[DrawnCapsule, ...], q: Array) -> Array:
    """Ends of an arm's capsules in base [m], shape (n, capsules, 6)."""
    Ts = arm.link_poses(q)[:, [c.frame for c in capsules]]
    ends = [
        np.einsum("nkij,kj->nki", Ts[..., :3, :3], np.array([getattr(c, end) for c in capsules]))
        + Ts[..., :3, 3]
        for end in ("start", "end")
    ]
    return np.concatenate(ends, axis=-1)


def _packed(values: Array, kind: Any = np.int16) -> str:
    """Numbers as base64: whole multiples of `UNIT`, or single precision."""
    array = np.round(values / UNIT) if kind is np.int16 else values
    return base64.b64encode(array.astype(f"<{np.dtype(kind).str[1:]}").tobytes()).decode("ascii")
