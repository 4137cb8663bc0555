from __future__ import annotations

import re
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from matplotlib.image import BboxImage

from baxterkit import Arm, plot
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import exact
from baxterkit.plot import ik as plot_ik
from baxterkit.plot.ik import spread

CONFIGURATION = np.array([0.4, -0.9, 0.5, 1.6, -0.4, 0.9, 0.3])
OTHERS = ("s0", "s1", "e1", "w0", "w1", "w2")


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm("left", tool="electric_standard")


def titles(figure: object) -> dict[str, object]:
    return {ax.get_title(loc="left"): ax for ax in figure.axes}  # type: ignore[attr-defined]


def test_every_drawn_point_of_the_self_motion_reaches_the_pose(arm: Arm) -> None:
    T = arm.fk(CONFIGURATION)
    figure = plot.self_motion(arm, T)
    lines = {name: titles(figure)[name].get_lines() for name in OTHERS}  # type: ignore[attr-defined]
    curves = len(arm.self_motion(T).curves)
    for i in range(curves):
        parts = []
        for name in OTHERS:
            x, y = lines[name][i].get_data()
            kept = ~np.isnan(x)
            parts.append((x[kept], y[kept]))
        e0 = parts[0][0]
        assert len(e0) > 100
        q = np.stack([parts[0][1], parts[1][1], e0, *(part[1] for part in parts[2:])], axis=-1)
        np.testing.assert_allclose(arm.fk(q), np.broadcast_to(T, (len(q), 4, 4)), rtol=0, atol=1e-9)


def test_thick_lines_of_the_self_motion_stay_within_the_limits(arm: Arm) -> None:
    figure = plot.self_motion(arm, arm.fk(CONFIGURATION), q=CONFIGURATION)
    thick = 0
    for joint, name in zip((0, 1, 3, 4, 5, 6), OTHERS, strict=True):
        for line in titles(figure)[name].get_lines():  # type: ignore[attr-defined]
            if line.get_linewidth() > 3:
                y = line.get_ydata()
                assert np.nanmin(y) >= arm.limits.lower[joint] - 1e-6
                assert np.nanmax(y) <= arm.limits.upper[joint] + 1e-6
                thick += 1
        star = [x for x in titles(figure)[name].get_lines() if x.get_marker() == "*"]  # type: ignore[attr-defined]
        assert star[0].get_data() == (CONFIGURATION[2], CONFIGURATION[joint])
    assert thick == 6 * len(arm.self_motion(arm.fk(CONFIGURATION)).feasible) > 0


def test_self_motion_takes_what_arm_self_motion_returns(arm: Arm) -> None:
    T = arm.fk(CONFIGURATION)
    first, second = plot.self_motion(arm, T), plot.self_motion(arm, arm.self_motion(T))
    assert first._suptitle.get_text() == second._suptitle.get_text()  # type: ignore[attr-defined]


def test_convergence_shows_the_errors_of_the_trace(arm: Arm) -> None:
    result = arm.ik(arm.fk(CONFIGURATION), arm.configuration("neutral"), method="lm", trace=True)
    position, orientation = plot.ik_convergence({"LM": result}).axes
    assert (position.get_ylabel(), orientation.get_ylabel()) == (
        "position error [m]",
        "orientation error [rad]",
    )
    drawn = position.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(drawn, np.maximum(result.trace.position_error, 1e-16))  # type: ignore[union-attr]
    drawn = orientation.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(drawn, np.maximum(result.trace.orientation_error, 1e-16))  # type: ignore[union-attr]


def test_steps_begin_at_the_seed_and_end_at_the_answer(arm: Arm) -> None:
    seed = arm.configuration("neutral")
    T = arm.fk(CONFIGURATION)
    result = arm.ik(T, seed, method="pseudoinverse", trace=True)
    with patch.object(plot_ik, "arm_solids", wraps=plot_ik.arm_solids) as solids:
        (axes,) = plot.ik_steps(arm, result, T, poses=5).axes
    shown = [call.args[1] for call in solids.call_args_list]
    np.testing.assert_array_equal(shown[0], seed)
    np.testing.assert_array_equal(shown[-1], result.trace.q[-1])  # type: ignore[union-attr]
    images = [artist for artist in axes.artists + axes.images if isinstance(artist, BboxImage)]
    assert len(images) == len(shown) == 5
    drawn = [np.array(line.get_data_3d()).T for line in axes.get_lines()]  # type: ignore[attr-defined]
    tip = arm.fk(result.q)[:3, 3]
    assert any(np.allclose(line[-1], tip, rtol=0, atol=1e-6) for line in drawn)  # the tip's path


def test_poses_are_spread_evenly_along_the_way() -> None:
    path = np.array([[0.0, 0, 0], [0.1, 0, 0], [5.0, 0, 0], [9.9, 0, 0], [10.0, 0, 0]])
    assert spread(path, 3).tolist() == [0, 2, 4]
    assert spread(path[:1], 4).tolist() == [0]  # solved before the first step
    with pytest.raises(InputError, match=r"^poses must be at least 2, got 1$"):
        spread(path, 1)


def test_results_without_iterations_say_how_to_get_them(arm: Arm) -> None:
    result = arm.ik(arm.fk(CONFIGURATION))
    with pytest.raises(InputError, match=r"holds no iterations; ask an iterative method"):
        plot.ik_steps(arm, result)
    batch = arm.ik(arm.fk(np.stack([CONFIGURATION, CONFIGURATION])), method="lm", trace=True)
    with pytest.raises(InputError, match=r"^this is a batch of 2 targets; draw one: result\[0\]$"):
        plot.ik_convergence(batch)


def test_animation_of_a_search_makes_no_large_steps_and_breaks_at_restarts(arm: Arm) -> None:
    T = arm.fk(np.array([-1.1, -1.5, -0.4, 1.5, 2.4, 0.7, -2.4]))
    result = arm.ik(T, arm.configuration("neutral"), method="pseudoinverse_restarts", trace=True)
    animation = plot.ik_animation(arm, result, T)
    trace = result.trace
    assert animation.count >= len(trace)  # type: ignore[arg-type]
    animation.update(animation.count - 1)
    axes = animation.figure.axes[0]
    trail = next(
        np.array(line.get_data()).T for line in axes.get_lines() if len(line.get_xdata()) > 40
    )
    assert np.isnan(trail[:, 0]).sum() == trace.restart[1:].sum() > 0  # type: ignore[union-attr]
    last = np.asarray(axes.images[0].get_array()).copy()
    animation.update(0)
    first = np.asarray(axes.images[0].get_array())
    assert np.abs(first - last).max() > 0.3  # the arm has moved
    white = (last[..., :3] > 0.8).all(axis=-1) & (last[..., 3] > 0.0)
    assert white.sum() > 2000  # in front of the torso


@pytest.mark.slow
def test_animations_are_written_as_gif_and_as_a_page_that_needs_nothing(
    arm: Arm, tmp_path: Path
) -> None:
    from PIL import Image

    path = np.linspace(arm.configuration("neutral"), arm.configuration("untuck"), 3)
    animation = plot.animate(arm, path, captions=["a", "b", "c"], fps=10)
    with Image.open(plot.save_animation(animation, tmp_path / "arm.gif")) as picture:
        assert (picture.n_frames, picture.size) == (3, (640, 520))  # type: ignore[attr-defined]
    text = plot.save_animation(animation, tmp_path / "arm.html").read_text(encoding="utf-8")
    assert "http" not in text.replace("http-equiv", "")
    assert len(re.findall(r'"iVBOR[^"]*"', text)) == 3
    assert animation._repr_html_() in text
    with pytest.raises(
        InputError, match=r"^arm\.mp4: an animation is written as one of \.gif \.html$"
    ):
        plot.save_animation(animation, tmp_path / "arm.mp4")


def test_animation_checks_its_input(arm: Arm) -> None:
    with pytest.raises(ShapeError, match=r"^q has shape \(7,\), expected \(n, 7\), one row"):
        plot.animate(arm, CONFIGURATION)
    with pytest.raises(ShapeError, match=r"^1 captions for 2 pictures$"):
        plot.animate(arm, np.stack([CONFIGURATION, CONFIGURATION]), captions=["a"])
    with pytest.raises(InputError, match=r"^fps must be positive, got 0$"):
        plot.animate(arm, CONFIGURATION[None], fps=0)


def test_curves_are_broken_where_a_joint_goes_round() -> None:
    from baxterkit.plot.self_motions import _line

    q = np.zeros((4, 7))
    q[:, 2] = exact.wrap(np.array([3.0, 3.1, 3.2, 3.3]))
    x, _ = _line(q, 0)
    assert np.isnan(x).sum() == 1
