"""Garbage in any argument ends in an error of ours, or in an answer: no warning, no raw error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plan_problems import plan_with

from baxterkit import Arm, Baxter, Payload, control, poses, trajectory, workspace
from baxterkit.collision import World
from baxterkit.errors import BaxterkitError
from baxterkit.trajectory import Trajectory

ROBOT = Baxter()
ARM, Q = ROBOT.left, np.array(ROBOT.left.configuration("neutral"))
T, BOTH = ARM.fk(Q), np.concatenate([Q, ROBOT.right.configuration("neutral")])
MOTION = trajectory.min_jerk(ARM, Q, Q + 0.1)
GARBAGE: list[Any] = [
    1e308, -1e200, 10**400, -(2**70), True, "abc", "1.0", None, [], {}, 1j, b"x", object(),
    float("nan"), float("inf"), np.float32(3e38), [1e308] * 7, [10**400] * 7, [True] * 7, ["a"] * 7,
    np.full(7, 1e160), np.full((4, 4), 1e308), np.full((2, 7), 1e200), np.full(3, 1e308),
    np.full(14, 1e308), np.zeros(0), np.array("x"), np.zeros((7, 0)),
]  # fmt: skip


def plan(**given: Any) -> Any:
    return plan_with(ROBOT, **{"start": Q, "goal": Q + 0.05, "group": "left"} | given)


def circle(name: str) -> Callable[[Any], object]:
    return lambda x: trajectory.circle(**({"center": (0.6, 0.2, 0.1)} | {name: x}))


def planned(name: str) -> Callable[[Any], object]:
    return lambda x: plan(**{name: x})


def timed(name: str) -> Callable[[Any], object]:
    return lambda x: plan().trajectory(**{name: x})


CALLS: dict[str, Callable[[Any], object]] = {
    "fk": ARM.fk,
    "gravity": ARM.gravity,
    "accelerations": lambda x: ARM.inverse_dynamics(Q, Q, x),
    "torques": lambda x: ARM.forward_dynamics(Q, Q, x),
    "twist": lambda x: ARM.joint_velocity(Q, x),
    "ik": ARM.ik,
    "ik seed": lambda x: ARM.ik(T, seed=x),
    "ik method": lambda x: ARM.ik(T, method=x),
    "ik posture": lambda x: ARM.ik(T, posture=x),
    "ik_all": lambda x: ARM.ik_all(T, e0=x),
    "ik_path step": lambda x: ARM.ik_path(T[None], max_step=x),
    "Arm gravity": lambda x: Arm("left", gravity_vector=x),
    "Arm backend": lambda x: Arm("left", backend=x),
    "Arm payload": lambda x: Arm("left", payload=Payload(1.0, x)).gravity(Q),
    "named configuration": ARM.configuration,
    "frames": lambda x: ROBOT.transform(x, "base"),
    "head": lambda x: ROBOT.clearance(Q, Q, x),
    "margin": lambda x: ROBOT.scene(margin=x).in_collision(Q, Q),
    "edge": lambda x: ROBOT.edge_free(x, BOTH),
    "retreat side": lambda x: ROBOT.retreat(BOTH, side=x),
    "robot.ik side": lambda x: ROBOT.ik(x, T, other=Q),
    "box": lambda x: World().add_box("box", x, (1.0, 0.0, 0.0)),
    "plane": lambda x: World().add_plane("plane", x),
    "points": lambda x: World().add_points("cloud", x, 0.1),
    "ground": lambda x: World().add_height_field("ground", x, 0.1, (1.0, 0.0, 0.0)),
    **{f"plan {name}": planned(name) for name in ("start", "goal", "method", "timeout", "head")},
    **{f"timing {name}": timed(name) for name in ("velocity", "acceleration", "torque", "margin")},
    **{f"circle {name}": circle(name) for name in ("center", "radius", "period", "turns", "ramp")},
    "quaternion": lambda x: poses.from_quaternion((0.0, 0.0, 0.0), x, order="xyzw"),
    "points of a motion": lambda x: Trajectory.from_points([0.0, 1.0], x),
    "rate": MOTION.at_rate,
    "stretched": MOTION.stretched,
    "then": MOTION.then,
    "check": MOTION.check,
    "check acceleration": lambda x: MOTION.check(acceleration=x),
    "check arm": lambda x: MOTION.check(arm=x),
    "check robot": lambda x: MOTION.check(scene=x),
    "load": Trajectory.load,
    "duration": lambda x: trajectory.min_jerk(ARM, Q, Q + 0.1, x),
    "simulate from": lambda x: control.simulate(ARM, control.PdGravity(ARM), MOTION, 0.01, q=x),
    "simulate for": lambda x: control.simulate(
        ARM, control.PdGravity(ARM), MOTION, x if x is not True else 0.01
    ),
    "simulate what": lambda x: control.simulate(ARM, control.PdGravity(ARM), x, 0.01),
}


@pytest.mark.parametrize("name", CALLS)
def test_garbage_ends_in_an_error_of_ours(name: str) -> None:
    raw = list[str]()
    for value in GARBAGE:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)  # units, singularities
            try:
                CALLS[name](value)
            except BaxterkitError:
                pass
            except Exception as error:
                raw.append(f"{value!r:.40}: {type(error).__name__}: {error}")
    assert raw == []


def test_a_map_of_no_side_is_refused(tmp_path: Path) -> None:
    for value in GARBAGE:
        with pytest.raises(BaxterkitError):
            workspace.make_map(tmp_path / "map.zarr", workspace.Question(value, 0.9, 2))
