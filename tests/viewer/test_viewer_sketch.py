from __future__ import annotations

import numpy as np
import pytest
import tolerances

from baxterkit import Baxter
from baxterkit.control.by_name import CONTROLLERS
from baxterkit.errors import BaxterkitError, InputError, UnknownNameError
from baxterkit.viewer.state.sketch import SIZE, Sketch
from baxterkit.viewer.state.twin_run import Cancelled, run_in_twin

ROBOT = Baxter()


def eight(plane: str, center: tuple[float, float, float]) -> Sketch:
    sketch = Sketch(plane, np.array(center))
    T = sketch.T_base_plane
    for angle in np.linspace(0.0, 2.0 * np.pi, 60):
        local = [0.1 * np.sin(angle), 0.1 * np.sin(2.0 * angle), 0.0]
        sketch.add(T[:3, 3] + T[:3, :3] @ local)
    return sketch


@pytest.mark.parametrize("plane", ["table", "wall"])
def test_a_ray_meets_the_plane_where_it_points(plane: str) -> None:
    sketch = Sketch(plane, np.array([0.7, 0.1, 0.2]))
    T = sketch.T_base_plane
    tolerances.assert_close(np.linalg.det(T[:3, :3]), 1.0, tolerances.ROUNDING)
    wanted = T[:3, 3] + T[:3, :3] @ [0.1, -0.05, 0.0]
    camera = np.array([2.5, 0.5, 1.0])
    point = sketch.hit(camera, wanted - camera)
    assert point is not None
    tolerances.assert_close(point, wanted, tolerances.SPATIAL_NEAR_PI)


def test_a_ray_beside_the_plane_stays_on_its_edge_and_one_away_from_it_misses() -> None:
    sketch = Sketch()
    above = np.add(sketch.center, [3.0, 0.0, 1.0])
    edge = sketch.hit(above, np.array([0.0, 0.0, -1.0]))
    assert edge is not None
    assert edge[0] == pytest.approx(sketch.center[0] + SIZE[0] / 2)
    assert sketch.hit(above, np.array([0.0, 0.0, 1.0])) is None
    assert sketch.hit(above, np.array([1.0, 0.0, 0.0])) is None


def test_a_pen_that_rests_draws_nothing() -> None:
    sketch = Sketch()
    assert sketch.add(sketch.center)
    assert not sketch.add(sketch.center + 1e-4)
    assert len(sketch.path) == 1
    sketch.clear()
    assert sketch.length == 0.0


@pytest.mark.parametrize(
    ("side", "plane", "center"),
    [
        ("left", "table", (0.65, 0.25, 0.0)),
        ("right", "table", (0.65, -0.25, 0.0)),
        ("left", "wall", (0.75, 0.25, 0.2)),
        ("right", "wall", (0.75, -0.25, 0.2)),
    ],
)
def test_the_tip_follows_the_drawing(
    side: str, plane: str, center: tuple[float, float, float]
) -> None:
    sketch = eight(plane, center)
    arm = getattr(ROBOT, side)
    trajectory = sketch.trajectory(arm, 0.15, arm.configuration("untuck"))
    T = arm.fk(trajectory.sample(np.linspace(0.0, trajectory.duration, 200)).q)
    gaps = np.linalg.norm(T[:, None, :3, 3] - sketch.path, axis=-1).min(axis=-1)
    assert gaps.max() < 0.012  # the points are 9 mm apart, and the hand's shaking is taken out
    tool_axis = {"table": [0.0, 0.0, -1.0], "wall": [1.0, 0.0, 0.0]}[plane]
    np.testing.assert_allclose(T[:, :3, 2], np.tile(tool_axis, (200, 1)), rtol=0.0, atol=1e-5)


def test_too_little_and_too_far_are_said() -> None:
    with pytest.raises(InputError) as caught:
        Sketch().trajectory(ROBOT.left, 0.1)
    assert str(caught.value) == "draw a line on the plane first: at least 3 points are needed"
    with pytest.raises(BaxterkitError, match="No joint angles reach the target"):
        eight("table", (2.0, 0.0, 0.0)).trajectory(ROBOT.left, 0.1)
    with pytest.raises(UnknownNameError, match="unknown plane 'ceiling'; available: table, wall"):
        Sketch("ceiling")


def test_a_drawing_too_fast_for_the_joints_takes_longer() -> None:
    arm = ROBOT.left
    sketch = eight("table", (0.65, 0.25, 0.0))
    slow, fast = (
        sketch.trajectory(arm, speed, arm.configuration("untuck")) for speed in (0.1, 5.0)
    )
    assert fast.duration < slow.duration
    fast.check(arm=arm)


@pytest.mark.sim
def test_a_drawing_runs_in_the_twin(require) -> None:  # type: ignore[no-untyped-def]
    require("mujoco")
    arm = ROBOT.left
    trajectory = eight("table", (0.65, 0.25, 0.0)).trajectory(arm, 0.3, arm.configuration("untuck"))
    parts: list[float] = []
    run = run_in_twin(ROBOT, {"left": trajectory}, progress=lambda part: parts.append(part) or True)
    assert parts == sorted(parts)
    assert parts[-1] > 0.9
    assert run.tip_errors["left"].max() < 2e-3
    record = run.records["left"]
    assert record.tau is not None
    assert record.error.shape == record.tau.shape == (len(record.t), 7)
    assert np.abs(record.tau).max() < arm.limits.effort.max()
    assert run.clearance == pytest.approx(
        ROBOT.clearance(record.truth.q, ROBOT.right.configuration("untuck")).min(), abs=1e-3
    )
    assert run.motion.duration == pytest.approx(trajectory.duration, abs=0.02)
    assert "mm off" in run.summary


@pytest.mark.sim
def test_a_run_can_be_given_up_and_a_wrong_controller_is_said(require) -> None:  # type: ignore[no-untyped-def]
    require("mujoco")
    arm = ROBOT.left
    trajectory = eight("table", (0.65, 0.25, 0.0)).trajectory(arm, 0.3, arm.configuration("untuck"))
    with pytest.raises(Cancelled):
        run_in_twin(ROBOT, {"left": trajectory}, progress=lambda part: False)
    with pytest.raises(UnknownNameError) as caught:
        run_in_twin(ROBOT, {"left": trajectory}, "magic")
    assert str(caught.value) == (f"unknown controller 'magic'; available: {', '.join(CONTROLLERS)}")
