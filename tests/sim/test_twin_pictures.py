"""Pictures and videos, where off-screen OpenGL is there."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from placed import placed

from baxterkit.errors import InputError
from baxterkit.sim import Camera, RenderError, Twin, opengl, save_png, save_video
from baxterkit.trajectory import min_jerk


@pytest.fixture(scope="module")
def twin() -> Twin:
    return Twin(rigid=True).enable()


@pytest.fixture(scope="module")
def camera(twin: Twin) -> Camera:
    try:
        return Camera(twin, 160, 120)
    except RenderError as error:
        pytest.skip(str(error))


def test_a_picture_shows_both_arms(twin: Twin, camera: Camera) -> None:
    twin.reset()
    pixels = camera.picture().astype(int)
    assert pixels.shape == (120, 160, 3)
    red, _, blue = np.moveaxis(pixels, 2, 0)
    assert ((blue - red) > 80).sum() > 30  # the left arm is blue
    assert ((red - blue) > 80).sum() > 30  # the right one orange


def test_a_picture_changes_with_the_pose(twin: Twin, camera: Camera) -> None:
    twin.reset()
    before = camera.picture()
    twin.place(left=twin.left.arm.configuration("neutral"))
    assert (camera.picture() != before).any()


def test_a_picture_on_the_screen_is_seen_as_it_was_sent(twin: Twin, camera: Camera) -> None:
    twin.reset()
    before = Camera(twin, 160, 120, look_at=(0.1, 0.0, 0.65), distance=1.2, azimuth=180.0)
    face = before.picture()
    quarters = np.zeros((600, 1024, 3), np.uint8)
    quarters[:300, :512, 0] = quarters[:300, 512:, 1] = quarters[300:, :512, 2] = 255
    twin.screen = quarters
    red, green, blue = np.moveaxis(before.picture().astype(int), 2, 0)
    middles = [
        np.argwhere(one - np.maximum(two, three) > 150).mean(axis=0)
        for one, two, three in ((red, green, blue), (green, red, blue), (blue, red, green))
    ]
    (red_row, red_column), (green_row, green_column), (blue_row, blue_column) = middles
    assert green_row == pytest.approx(red_row, abs=1.0)
    assert blue_column == pytest.approx(red_column, abs=1.0)
    assert green_column > red_column + 5.0
    assert blue_row > red_row + 3.0
    twin.screen = None
    assert (before.picture() == face).all()


def test_frames_replay_a_recording(twin: Twin, camera: Camera) -> None:
    arm = twin.left.arm
    motion = min_jerk(arm, arm.configuration("untuck"), arm.configuration("neutral"), 2.0)
    record = placed(twin, motion, mode="position")["left"]
    frames = list(camera.frames(record, fps=5.0))
    assert len(frames) == 11
    assert (frames[0] != frames[-1]).any()
    assert (frames[-1] == camera.picture()).all()


def test_png_holds_the_pixels(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    data = save_png(pixels, tmp_path / "x.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (width, height, depth, kind) == (7, 5, 8, 2)
    start = data.index(b"IDAT")
    length = struct.unpack(">I", data[start - 4 : start])[0]
    rows = np.frombuffer(zlib.decompress(data[start + 4 : start + 4 + length]), np.uint8)
    assert (rows.reshape(5, 22)[:, 1:].reshape(5, 7, 3) == pixels).all()


def test_gif_holds_every_frame(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    frames = [np.full((8, 8, 3), value, np.uint8) for value in (0, 80, 160, 240)]
    path = save_video(frames, tmp_path / "x.gif", fps=10.0)
    with image.open(path) as picture:
        assert picture.n_frames == 4
        assert picture.info["duration"] == 100


def test_wrong_names_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pixels = np.zeros((8, 8, 3), np.uint8)
    with pytest.raises(InputError, match=r"x.jpg: a picture of the twin is written as .png"):
        save_png(pixels, tmp_path / "x.jpg")
    with pytest.raises(InputError, match=r"x.avi: a video of the twin is written as .gif or .mp4"):
        save_video([pixels], tmp_path / "x.avi")
    with pytest.raises(InputError, match=r"a video needs at least one picture"):
        save_video([], tmp_path / "x.gif")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(InputError, match=r"x.mp4: .mp4 needs the program ffmpeg"):
        save_video([pixels], tmp_path / "x.mp4")


def test_an_opengl_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo fails to be imported then; the twin runs, and pictures tell the remedy."""
    script = """
from baxterkit.sim import Camera, RenderError, Twin
twin = Twin(rigid=True).enable()
try:
    print("drawn with", Camera(twin, 64, 64).platform)
except RenderError as error:
    print(error)
"""
    for chosen, told in (
        ("osmesa", r"drawn with osmesa|.*MUJOCO_GL=osmesa does not work here.*unset MUJOCO_GL"),
        ("foo", r"MUJOCO_GL=foo is not known; set it to egl or osmesa, or unset it"),
    ):
        environment = {**os.environ, "MUJOCO_GL": chosen}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        assert re.fullmatch(told, done.stdout.strip()), done.stdout


def test_a_machine_without_opengl_says_so(twin: Twin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(opengl, "INSTALL", {"nowhere": "", "egl": "apt install libegl1"})
    monkeypatch.setattr(opengl, "import_module", lambda name: 1 / 0)
    with pytest.raises(RenderError, match=r"need off-screen OpenGL, and none works here \(nowhere"):
        Camera(twin)
    with pytest.raises(InputError, match=r"width = 5; pictures have 16 to 4096 pixels"):
        Camera(twin, 5, 100)
