"""Figures of motions and of external torques show what they are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerances import assert_close

from baxterkit import Arm, Baxter, estimate_external_torque, plot
from baxterkit.errors import InputError
from baxterkit.trajectory import Trajectory, circle, min_jerk

ARM = Arm("right")


@pytest.fixture(autouse=True)
def matplotlib(require: Any) -> None:
    require("matplotlib")


def panels(figure: Any) -> dict[str, Any]:
    return {axes.get_title(loc="left") or axes.get_title(): axes for axes in figure.axes}


def test_a_motion_with_an_arm_shows_torques_and_the_path() -> None:
    motion = circle([0.6, -0.2, 0.1]).to_joints(ARM)
    found = panels(motion.plot(ARM))
    names = ("position [rad]", "velocity [% of limit]", "acceleration [rad/s²]")
    assert set(found) >= {*names, "torque [% of limit]"}
    q, qd, qdd = motion.sample(found["position [rad]"].lines[0].get_xdata())
    drawn = {
        name: np.array([line.get_ydata() for line in axes.lines[:7]]).T
        for name, axes in found.items()
        if name
    }
    assert_close(drawn["position [rad]"], q, 1e-12)
    assert_close(drawn["velocity [% of limit]"], 100.0 * qd / ARM.limits.velocity, 1e-9)
    tau = 100.0 * ARM.inverse_dynamics(q, qd, qdd) / ARM.limits.effort
    assert_close(drawn["torque [% of limit]"], tau, 1e-9)
    (space,) = (axes for axes in found.values() if hasattr(axes, "get_zlim"))
    tips = [np.array(line.get_data_3d()).T for line in space.lines if len(line.get_xdata()) == 1500]
    assert_close(tips[0], ARM.fk(q)[:, :3, 3], 1e-12)


def test_a_motion_alone(tmp_path: Path) -> None:
    motion = min_jerk(ARM, ARM.configuration("neutral"), ARM.configuration("untuck"))
    figure = plot.trajectory(motion, title="over there")
    assert figure.texts[0].get_text() == "over there"
    assert len(figure.axes) == 3
    assert plot.save(figure, tmp_path / "motion.svg").stat().st_size > 10_000
    free = Trajectory.from_points([0.0, 1.0], np.zeros((2, 7)))
    assert "velocity [rad/s]" in panels(free.plot())


def test_external_torques_and_contacts() -> None:
    t, q, qd, qdd = circle([0.6, -0.2, 0.1]).to_joints(ARM).at_rate(100.0)
    push = np.zeros((len(t), 6))
    push[(t > 3.0) & (t < 4.0), 2] = -12.0
    tau = ARM.inverse_dynamics(q, qd, qdd, wrench=push)
    estimate = estimate_external_torque(ARM, (t, q, qd, tau))
    figure = plot.external_torque(estimate)
    found = panels(figure)
    assert set(found) == {"shoulder and elbow [N m]", "wrist [N m]", "force on the tip [N]"}
    assert [text.get_text() for text in figure.texts] == ["External torques", "one contact, shaded"]
    force = np.array([line.get_ydata() for line in found["force on the tip [N]"].lines[:3]]).T
    assert_close(force, estimate.tip_wrench().wrench[:, :3], 1e-12)
    quiet = plot.external_torque(estimate, [])
    assert quiet.texts[1].get_text() == "no contact"


def test_a_whole_robot_in_an_arms_place_is_refused_with_what_to_give() -> None:
    robot = Baxter()
    path = min_jerk(ARM, ARM.configuration("tuck"), ARM.configuration("untuck"))
    with pytest.raises(InputError, match=r"got Baxter; give one of its arms, as robot\.left"):
        plot.trajectory(path, robot)  # type: ignore[arg-type]


def test_an_array_is_no_motion() -> None:
    with pytest.raises(InputError, match=r"Trajectory, got ndarray; Trajectory.from_points"):
        plot.trajectory(np.zeros((9, 7)))  # type: ignore[arg-type]
