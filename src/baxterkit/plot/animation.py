"""The arm in motion: along a joint path, or through the iterations of a solver."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from baxterkit import disk
from baxterkit.baxter import Baxter
from baxterkit.checks.arms import need_arm
from baxterkit.checks.instances import need
from baxterkit.errors import InputError, ShapeError
from baxterkit.ik import IkResult
from baxterkit.look.colors import GREEN, INK, VERMILION
from baxterkit.plot.ik import trace_of
from baxterkit.plot.page import Page
from baxterkit.plot.render import Camera, Canvas
from baxterkit.plot.robot_pictures import Picture, arm_solids, robot_solids
from baxterkit.plot.skeletons import TIP_LENGTH
from baxterkit.plot.style import RC, Mpl, headline, matplotlib, new_figure, styled
from baxterkit.types import JointsLike, JointVector, Vector3

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PIL.Image import Image

    from baxterkit.arm import Arm

FPS = 20
DPI = 100
VIEW, ELEVATION = {"left": 38.0, "right": -38.0}, 16.0
"""Where the robot is seen from: about z from x, and above the horizon [deg]."""
BODY = np.array([[-0.2, -0.2, -0.1], [-0.2, 0.2, -0.1], [0.15, 0.0, 0.85]])
"""Points of torso and head that must be in the picture [m]."""
HOLD = 1500  # ms that the last picture of a GIF stays
COLORS = 128  # of a picture: enough for lines, and a quarter of the bytes
MOST = 120  # pictures of a search; a longer one is shown in part
LARGEST_STEP = 0.15  # rad, the most that a joint moves between two pictures of an iteration
SUFFIXES = (".gif", ".html")


PLAYER = """<div class="player"><img alt="animation" style="max-width: 100%">
<div style="display: flex; gap: .6rem; align-items: center">
<button type="button" style="min-width: 4.5rem">Pause</button>
<input type="range" min="0" max="$last" value="0" aria-label="picture" style="flex: 1">
</div>
<script>
(() => {
  const box = document.currentScript.parentElement, pictures = $pictures;
  const [image, button, slider] = ["img", "button", "input"].map((tag) => box.querySelector(tag));
  let at = 0, rest = 0, playing = true;
  const show = () => { image.src = "data:image/png;base64," + pictures[at]; slider.value = at; };
  const play = (on) => { playing = on; button.textContent = on ? "Pause" : "Play"; };
  button.onclick = () => play(!playing);
  slider.oninput = () => { at = Number(slider.value); play(false); show(); };
  setInterval(() => {
    if (!playing || rest-- > 0) return;
    at = (at + 1) % pictures.length;
    rest = at === pictures.length - 1 ? $hold : 0;
    show();
  }, $interval);
  show();
})();
</script></div>"""


@dataclass(frozen=True, eq=False)
class Animation:
    """A sequence of pictures.

    Attributes:
        figure: The figure that they are drawn in.
        update: Moves the figure to picture i.
        count: Number of pictures.
        fps: Pictures per second.
        title: Their title.
    """

    figure: Figure
    update: Callable[[int], object]
    count: int
    fps: float
    title: str

    def pictures(self, progress: Callable[[int], object] | None = None) -> Iterator[Image]:
        """The pictures, one after the other, with few colours; `progress` is told each."""
        from PIL import Image

        for i in range(self.count):
            with matplotlib().rc_context(RC):
                self.update(i)
                self.figure.canvas.draw()
            pixels = np.asarray(self.figure.canvas.buffer_rgba())  # type: ignore[attr-defined]
            picture = Image.fromarray(pixels).convert("RGB")
            yield picture.quantize(COLORS, Image.Quantize.MAXCOVERAGE, kmeans=1)
            if progress is not None:
                progress(1)

    def html(self, progress: Callable[[int], object] | None = None) -> str:
        """A player: the pictures, a button and a slider, without external resources."""
        encoded = []
        for picture in self.pictures(progress):
            buffer = io.BytesIO()
            picture.save(buffer, format="png", optimize=True)
            encoded.append(base64.b64encode(buffer.getvalue()).decode("ascii"))
        interval = round(1000.0 / self.fps)
        return Template(PLAYER).substitute(
            last=self.count - 1,
            pictures=json.dumps(encoded),
            interval=interval,
            hold=round(HOLD / interval),
        )

    def _repr_html_(self) -> str:
        return self.html()


@styled
def animate(
    arm: Arm,
    q: JointsLike,
    *,
    fps: float = FPS,
    target: ArrayLike | None = None,
    captions: Sequence[str] | None = None,
    title: str | None = None,
    breaks: Sequence[int] = (),
) -> Animation:
    """The arm moving along a joint path, its tip leaving a trail.

    Args:
        arm: The arm.
        q: Joint positions, one row per picture [rad], shape (n, 7). A `Trajectory` gives them:
            `trajectory.at_rate(20)[1]`.
        fps: Pictures per second.
        target: A pose in base to draw as a frame, shape (4, 4).
        captions: A line of text for each picture.
        title: The figure's title; the side if None.
        breaks: Rows where the path starts afresh: the trail has a gap there.

    Returns:
        The animation; `save_animation(animation, path)` writes it, `animation.html()` is a player
        for `Page.raw`, and notebooks show that player.
    """
    need_arm(arm)
    path = _path(arm, q)
    if captions is not None and len(captions) != len(path):
        raise ShapeError(f"{len(captions)} captions for {len(path)} pictures")
    if not fps > 0.0:
        raise InputError(f"fps must be positive, got {fps}")
    name = title or f"Baxter, {arm.side} arm"
    figure = new_figure(6.4, 5.2)
    figure.set_dpi(DPI)
    update = _scene(figure, arm, path, target, captions, breaks, name)
    return Animation(figure, update, len(path), fps, name)


def ik_animation(
    arm: Arm,
    result: IkResult,
    target: ArrayLike | None = None,
    *,
    fps: float = FPS,
    title: str | None = None,
) -> Animation:
    """The arm going through the iterations of a solver, large steps in several pictures.

    A long search is shown in 120 pictures, evenly chosen.

    Args:
        arm: The arm.
        result: Result of `arm.ik(..., trace=True)` for one target.
        target: The target's pose in base, shape (4, 4).
        fps: Pictures per second.
        title: The figure's title; the method if None.

    Returns:
        The animation; `save_animation(animation, path)` writes it.
    """
    need_arm(arm)
    trace = trace_of(result)
    rows, captions, breaks = [trace.q[0]], [_caption(trace, 0)], []
    for i in range(1, len(trace)):
        start, end = trace.q[i - 1], trace.q[i]
        count = 1
        if trace.restart[i]:
            breaks.append(len(rows))
        else:
            count = max(1, int(np.ceil(np.abs(end - start).max() / LARGEST_STEP)))
        for step in range(1, count + 1):
            rows.append(start + (step / count) * (end - start))
            captions.append(_caption(trace, i))
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST)).round().astype(int))
    return animate(
        arm,
        np.array(rows)[kept],
        fps=fps,
        target=target,
        captions=[captions[i] for i in kept],
        title=title or f"{result.method}: {result.status.name}",
        breaks=np.unique(np.searchsorted(kept, breaks)).tolist(),
    )


def save_animation(
    animation: Animation, path: str | Path, *, progress: Callable[[int], object] | None = None
) -> Path:
    """Writes an animation in the format of the file's extension: .gif, or .html with a player.

    Args:
        animation: The animation.
        path: The file, in a folder that exists.
        progress: Called with the number of pictures that were just drawn.

    Returns:
        The path.

    Raises:
        InputError: If the name ends in neither.
    """
    need(animation, Animation, "animation", "plot.animate makes one")
    path = disk.as_path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"{path.name}: an animation is written as one of {' '.join(SUFFIXES)}")
    disk.check_target(path)  # before the work, not after it
    if suffix == ".gif":
        first, *others = animation.pictures(progress)
        times = [round(1000.0 / animation.fps)] * len(others) + [HOLD]
        with disk.replacing(path) as file:
            first.save(file, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    else:
        page = Page(animation.title)
        page.raw(animation.html(progress))
        page.save(path)
    return path


def _path(arm: Arm, q: JointsLike) -> JointVector:
    path = arm.model.joint_values(q)
    if path.ndim != 2 or path.shape[1] != 7 or not len(path):
        raise ShapeError(f"q has shape {path.shape}, expected (n, 7), one row per picture")
    return path


def _caption(trace: Mpl, i: int) -> str:
    distance, angle = 1e3 * trace.position_error[i], np.degrees(trace.orientation_error[i])
    return f"iteration {i}: {_short(distance)} mm, {_short(angle)}° to go"


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100.0 else f"{value:.3g}"


def _scene(
    figure: Figure,
    arm: Arm,
    path: JointVector,
    target: ArrayLike | None,
    captions: Sequence[str] | None,
    breaks: Sequence[int],
    title: str,
) -> Callable[[int], list[Mpl]]:
    """Draws the torso once; returns the function that moves the arm to a picture."""
    Ts_base_link = arm.link_poses(path)
    tips = Ts_base_link[:, -1, :3, 3]
    goal = None if target is None else np.asarray(target, dtype=np.float64)
    width, height = (round(float(x)) for x in figure.get_size_inches() * figure.dpi)
    points = [Ts_base_link[..., :3, 3].reshape(-1, 3), BODY]
    points += [] if goal is None else [goal[None, :3, 3]]
    camera = _camera(arm.side, np.concatenate(points), width, round(0.88 * height))
    robot = Baxter(arm) if arm.side == "left" else Baxter(right=arm)
    behind = Canvas(camera).drawn(robot_solids(robot, {}, pedestal=False))
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.88))
    axes.set_axis_off()
    image = axes.imshow(behind.picture(), extent=(0, camera.width, camera.height, 0))
    axes.set(xlim=(0, camera.width), ylim=(camera.height, 0), aspect="auto")
    picture = Picture(axes, camera)
    if goal is not None:
        picture.frame(goal, TIP_LENGTH, letters=False, width=2.0)
        axes.plot(*picture.pixels(goal[:3, 3]), "o", ms=9, mfc="none", mec=GREEN, mew=2, zorder=8)
    trail = axes.plot(*picture.pixels(tips[:1]).T, color=VERMILION, lw=1.5, zorder=7)[0]
    headline(figure, 0.03, 0.945, title)
    text = figure.text(0.03, 0.905, "", fontsize=9, color=INK)
    cuts = np.array(breaks, dtype=np.int64)
    passed = picture.pixels(tips)

    def update(i: int) -> list[Mpl]:
        image.set_data(behind.drawn(arm_solids(arm, path[i])).picture())
        trail.set_data(*np.insert(passed[: i + 1], cuts[cuts <= i], np.nan, axis=0).T)
        text.set_text(captions[i] if captions is not None else "")
        return [image, trail, text]

    return update


def _camera(side: str, points: Vector3, width: int, height: int) -> Camera:
    """A camera in front of the robot that has all points in its picture."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    x, y, z = middle.tolist()
    camera = Camera((x, y, z), VIEW[side], ELEVATION, 1.0, width=width, height=height)
    seen = camera.project(points)[:, :2] - [0.5 * width, 0.5 * height]
    needed = np.abs(seen) / [0.5 * width, 0.5 * height]
    return replace(camera, extent=1.12 * float(needed.max()))
