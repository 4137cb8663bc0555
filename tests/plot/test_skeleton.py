from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter, plot
from baxterkit.errors import InputError
from baxterkit.look.colors import AXIS_COLORS
from baxterkit.plot.skeletons import AxesCamera, bones
from baxterkit.plot.style import drawn_box

CONFIGURATIONS = ("neutral", "tuck", "untuck")


def line(axes: object, label: str) -> np.ndarray:
    """The drawn 3D line of a label, shape (n, 3)."""
    lines = [x for x in axes.get_lines() if x.get_label() == label]  # type: ignore[attr-defined]
    assert len(lines) == 1
    return np.array(lines[0].get_data_3d()).T


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_line_runs_through_every_joint_to_the_tip(side: str, name: str) -> None:
    arm = Arm(side)
    q = arm.configuration(name)
    (axes,) = plot.skeleton(arm, q).axes
    drawn = line(axes, f"{side} arm")
    np.testing.assert_allclose(drawn[::2], arm.link_poses(q)[:, :3, 3], rtol=0, atol=1e-12)


def test_bones_keep_baxters_lengths() -> None:
    # Along the line from s0 to the tip: every d and a of the DH table, whatever the angles.
    q = np.array([0.3, -0.5, 0.7, 1.1, -0.4, 0.9, 0.2])
    steps = np.linalg.norm(np.diff(bones(Arm("left").link_poses(q)), axis=0), axis=1)
    lengths = [x for x in steps if x > 1e-9]
    expected = [0.27035, 0.069, 0.102, 0.26242, 0.069, 0.10359, 0.2707, 0.010, 0.115975, 0.11355]
    np.testing.assert_allclose(lengths, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_axes_have_one_scale_and_units(name: str) -> None:
    robot = Baxter()
    figure = plot.skeleton_both(
        robot, robot.left.configuration(name), robot.right.configuration(name)
    )
    (axes,) = figure.axes
    extent = np.diff([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()], axis=1)[:, 0]
    shape = np.array(axes._box_aspect)
    np.testing.assert_allclose(shape / extent, (shape / extent)[0], rtol=1e-9, atol=0)
    labels = (axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel())
    assert labels == ("x [m]", "y [m]", "z [m]")


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_everything_drawn_lies_inside_the_figure(name: str) -> None:
    robot = Baxter()
    figures = [
        plot.skeleton(robot.left, robot.left.configuration(name)),
        plot.skeleton(robot.right, robot.right.configuration(name)),
        plot.skeleton_both(robot, robot.left.configuration(name), robot.right.configuration(name)),
    ]
    for figure in figures:
        low, high = drawn_box(figure.axes[0]) / (figure.get_size_inches() * figure.dpi)
        assert low.min() >= 0
        assert high[0] <= 1
        assert high[1] <= 0.95  # the title stands above
        assert max(high - low) > 0.8


def test_the_robot_lies_under_its_skeleton() -> None:
    arm = Arm("left")
    q = arm.configuration("untuck")
    figure = plot.skeleton(arm, q)
    figure.canvas.draw()
    (axes,) = figure.axes
    (picture,) = (x for x in axes.artists if hasattr(x, "get_array"))
    pixels = np.asarray(picture.get_array())
    height, width = pixels.shape[:2]
    points = bones(arm.link_poses(q))
    seen = AxesCamera(axes, width, height).project(points)[:, :2].round().astype(int)
    assert (pixels[seen[:, 1], seen[:, 0], 3] > 0.0).all()  # every joint is inside the arm
    assert 0.02 < (pixels[..., 3] > 0.0).mean() < 0.5
    blue = pixels[..., 2] > pixels[..., 0] + 0.2
    assert blue.sum() > 5000


def test_frames_and_names_can_be_left_out() -> None:
    arm = Arm("left")
    full = plot.skeleton(arm, arm.configuration("neutral")).axes[0]
    bare = plot.skeleton(arm, arm.configuration("neutral"), frames=False, labels=False).axes[0]
    assert len(full.get_lines()) - len(bare.get_lines()) == 7 * len(AXIS_COLORS)
    assert (len(full.texts), len(bare.texts)) == (8, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_equal_figures_are_equal_files(tmp_path: Path, suffix: str, magic: bytes) -> None:
    arm = Arm("left")
    files = []
    for name in ("one", "two"):
        figure = plot.skeleton(arm, arm.configuration("untuck"))
        files.append(plot.save(figure, tmp_path / f"{name}.{suffix}").read_bytes())
    assert files[0].startswith(magic)
    assert files[0] == files[1]


def test_other_endings_are_refused_with_those_there_are(tmp_path: Path) -> None:
    arm = Arm("left")
    figure = plot.skeleton(arm, arm.configuration("neutral"))
    with pytest.raises(
        InputError, match=r"^arm\.txt: a figure is written as one of \.png \.svg \.pdf$"
    ):
        plot.save(figure, tmp_path / "arm.txt")


def test_drawing_leaves_no_trace_in_matplotlib() -> None:
    code = (
        "import sys\nfrom baxterkit import Arm, plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "a = Arm('left')\nplot.skeleton(a, a.configuration('neutral'))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_both_arms_take_joints_by_name() -> None:
    robot = Baxter()
    left, right = robot.left.configuration("tuck"), robot.right.configuration("untuck")
    state = robot.left.named(left) | robot.right.named(right)
    alphabetical = dict(sorted(state.items()))
    (axes,) = plot.skeleton_both(robot, alphabetical, alphabetical).axes
    for arm, q in ((robot.left, left), (robot.right, right)):
        drawn = line(axes, f"{arm.side} arm")
        np.testing.assert_allclose(drawn[::2], arm.link_poses(q)[:, :3, 3], rtol=0, atol=1e-12)
    with pytest.raises(InputError, match="q_right holds joints of the left arm"):
        plot.skeleton_both(robot, left, robot.left.named(left))
