"""Pictures of the twin, drawn off-screen by MuJoCo where EGL or OSMesa is there.

    camera = Camera(twin)
    save_png(camera.picture(), "twin.png")
    save_video(camera.frames(record), "run.gif")

Nothing else of the twin needs OpenGL.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit import disk
from baxterkit.checks.arrays import vector_array
from baxterkit.errors import InputError, ShapeError
from baxterkit.extras import load_extra
from baxterkit.model.names import ARM_COLUMNS
from baxterkit.sim.build import Mujoco
from baxterkit.sim.drawn import Drawn
from baxterkit.sim.opengl import load_mujoco, new_context

if TYPE_CHECKING:
    from baxterkit.robot.followed import Followed
    from baxterkit.sim.twin import Twin

FPS = 25.0


class Camera:
    """Draws a twin from one place.

    Args:
        twin: The robot.
        width: Width of the pictures [pixel].
        height: Height of the pictures [pixel].
        look_at: Point in the middle of the picture, in base [m], shape (3,).
        distance: Distance from that point [m].
        azimuth: Viewing direction about z [deg]; 180 faces the robot.
        elevation: Elevation of that direction [deg]; negative looks down.
        look: "auto" for Rethink's meshes if the package `example-robot-data` is installed, and our
            own look if not; "own" for that; "contacts" for the shapes that touch; or the folder of
            a `baxter_description`.

    Raises:
        MissingExtraError: If PyOpenGL is not installed.
        RenderError: If neither EGL nor OSMesa works.
    """

    def __init__(
        self,
        twin: Twin,
        width: int = 960,
        height: int = 720,
        *,
        look_at: ArrayLike = (0.3, 0.0, 0.15),
        distance: float = 2.5,
        azimuth: float = 140.0,
        elevation: float = -20.0,
        look: str | Path = "auto",
    ) -> None:
        for value, name in ((width, "width"), (height, "height")):
            if not 16 <= value <= 4096:
                raise InputError(f"{name} = {value}; pictures have 16 to 4096 pixels each way")
        mujoco = load_mujoco()
        self._mujoco, self._twin = mujoco, twin
        self._size = (int(width), int(height))
        drawn = None if look == "contacts" else Drawn(twin, None if look == "own" else look)
        self._drawn = drawn
        self._screen: NDArray[np.uint8] | None = None
        model = twin.model if drawn is None else drawn.model
        model.vis.global_.offwidth = max(width, model.vis.global_.offwidth)
        model.vis.global_.offheight = max(height, model.vis.global_.offheight)
        self.platform, self._gl = new_context(*self._size)
        self._gl.make_current()
        self._scene = mujoco.MjvScene(model, maxgeom=500)
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._context)
        self._camera = mujoco.MjvCamera()
        self._camera.lookat[:] = vector_array(look_at, "look_at")
        self._camera.distance, self._camera.azimuth = distance, azimuth
        self._camera.elevation = elevation

    def picture(self) -> NDArray[np.uint8]:
        """The twin as it is now: shape (height, width, 3)."""
        self._mujoco.mj_kinematics(self._twin.model, self._twin.data)
        return self._draw(self._twin.data)

    def frames(self, record: Followed, fps: float = FPS) -> Iterator[NDArray[np.uint8]]:
        """Pictures of a recording of the twin; the rest of the scene stays as it is now.

        Args:
            record: One arm of a result of `twin.follow`: `result["left"]`.
            fps: Pictures a second.
        """
        data = self._mujoco.MjData(self._twin.model)
        data.qpos[:] = self._twin.data.qpos
        assert record.side is not None  # of a recording of the twin
        joints = ARM_COLUMNS[record.side]
        count = int(record.duration * fps) + 1
        rows = np.searchsorted(record.t, record.t[0] + np.arange(count) / fps - 1e-9)
        for q in record.truth.q[np.minimum(rows, len(record) - 1)]:
            data.qpos[joints] = q
            self._mujoco.mj_kinematics(self._twin.model, data)
            yield self._draw(data)

    def _aim(self, scene: Mujoco) -> None:
        """Lets another kind of camera look from elsewhere; the scene has been made."""

    def _draw(self, data: Mujoco) -> NDArray[np.uint8]:
        mujoco = self._mujoco
        width, height = self._size
        self._gl.make_current()
        options, perturb = mujoco.MjvOption(), mujoco.MjvPerturb()
        every = mujoco.mjtCatBit.mjCAT_ALL
        model, shown = self._twin.model, data
        if self._drawn is not None:
            if self._screen is not self._twin.screen:
                self._screen = self._twin.screen
                self._drawn.show(self._screen)
                mujoco.mjr_uploadTexture(self._drawn.model, self._context, self._drawn.texture)
            self._drawn.place(data)
            model, shown = self._drawn.model, self._drawn.data
        mujoco.mj_camlight(model, shown)
        mujoco.mjv_updateScene(model, shown, options, perturb, self._camera, every, self._scene)
        self._aim(self._scene)
        place = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(place, self._scene, self._context)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        mujoco.mjr_readPixels(pixels, None, place, self._context)
        return np.ascontiguousarray(pixels[::-1])


def save_png(pixels: NDArray[np.uint8], path: str | Path) -> Path:
    """Writes a picture, shape (height, width, 3), as PNG."""
    path = disk.as_path(path)
    if path.suffix.lower() != ".png":
        raise InputError(f"{path.name}: a picture of the twin is written as .png")
    if np.ndim(pixels) != 3:
        shape = np.shape(pixels)
        raise ShapeError(f"pixels must have shape (height, width, 3), got {shape}")
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    disk.write_bytes(
        path,
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b""),
    )
    return path


def save_video(frames: Iterable[NDArray[np.uint8]], path: str | Path, fps: float = FPS) -> Path:
    """Writes pictures as a video: .gif (with Pillow), or .mp4 (with the program ffmpeg).

    Args:
        frames: Pictures of one size, shape (height, width, 3).
        path: The file, in a folder that exists.
        fps: Pictures a second.

    Raises:
        InputError: If the name ends in neither, there is no picture, or there is no ffmpeg.
        MissingExtraError: If Pillow is not installed.
    """
    path = disk.as_path(path)
    suffix = path.suffix.lower()
    if suffix not in (".gif", ".mp4"):
        raise InputError(f"{path.name}: a video of the twin is written as .gif or .mp4")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise InputError(f"{path.name}: .mp4 needs the program ffmpeg; write a .gif instead")
    disk.check_target(path)  # before the work, not after it
    if suffix == ".gif":
        Image = load_extra("PIL.Image", feature="A video", package="Pillow", extra="plot")
        pictures = [Image.fromarray(frame).quantize(64) for frame in frames]
        if not pictures:
            raise InputError("a video needs at least one picture")
        first, *others = pictures
        duration = round(1000 / fps)
        with disk.replacing(path) as file:
            first.save(file, "GIF", save_all=True, append_images=others, duration=duration, loop=0)
        return path
    with disk.replacing_path(path) as beside:
        _ffmpeg(iter(frames), beside, fps)
    return path


def _ffmpeg(frames: Iterator[NDArray[np.uint8]], path: Path, fps: float) -> None:
    first = next(frames, None)
    if first is None:
        raise InputError("a video needs at least one picture")
    height, width, _ = first.shape
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
               "-s", f"{width}x{height}", "-r", str(fps), "-i", "-", "-pix_fmt", "yuv420p",
               str(path)]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(first.tobytes())
        for frame in frames:
            process.stdin.write(frame.tobytes())
        _, errors = process.communicate()
    if process.returncode:
        raise InputError(f"ffmpeg failed: {errors.decode(errors='replace').strip()[-200:]}")
