"""Videos of lessons: pictures of a camera, encoded as LeRobot's own are (AV1, yuv420p)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.extras import load_extra
from baxterkit.lesson.lesson import Lesson
from baxterkit.types import Array

Camera: TypeAlias = Callable[[Lesson, float], NDArray[np.uint8]]
"""Of a lesson and a time in it [s]: the picture then, shape (height, width, 3)."""
CODEC, FORMAT = "libsvtav1", "yuv420p"
OPTIONS = {"g": "2", "crf": "30", "preset": "12"}
"""A key frame every second frame: a learner looks at frames at random."""
LOOKS = 20
"""Frames of an episode whose pixels count in the statistics."""
PIXELS = 5000
"""... and about as many pixels of each."""
SMALLEST = 64
"""Smallest picture that can be encoded [pixel]."""


class Film:
    """A camera whose pictures become videos, one for each lesson.

    Args:
        name: The camera's name.
        camera: Its pictures.
        rate: Pictures per second [Hz].

    Attributes:
        size: Height and width of the pictures [pixel]; (0, 0) before the first one.
    """

    def __init__(self, name: str, camera: Camera, rate: int) -> None:
        self._av = load_extra("av", feature="Videos", package="PyAV", extra="lerobot")
        if not name.isidentifier():
            raise InputError(f"camera {name!r}: a camera's name has letters, digits and _ only")
        self._name, self._camera, self._rate = name, camera, rate
        self.size = (0, 0)

    def shoot(self, path: Path, lesson: Lesson, times: Iterable[float]) -> Array:
        """Writes the pictures of a lesson at times [s] as a video.

        Returns:
            Some of their pixels, from 0 to 1, shape (n, 3).

        Raises:
            InputError: If a picture is none, or of another size than the first one.
        """
        seen, moments = [], list(times)
        every = max(len(moments) // LOOKS, 1)
        with disk.replacing_path(path) as made, self._av.open(str(made), "w") as container:
            stream = container.add_stream(CODEC, rate=self._rate, options=OPTIONS)
            for i, t in enumerate(moments):
                picture = self._checked(self._camera(lesson, t), t)
                if i == 0:
                    stream.height, stream.width = self.size
                    stream.pix_fmt = FORMAT
                if i % every == 0:
                    pixels = picture.reshape(-1, 3)
                    seen.append(pixels[:: max(len(pixels) // PIXELS, 1)] / 255.0)
                container.mux(stream.encode(self._av.VideoFrame.from_ndarray(picture, "rgb24")))
            container.mux(stream.encode(None))
        return np.concatenate(seen)

    def feature(self) -> dict[str, object]:
        """The entry of the dataset's table of columns."""
        height, width = self.size
        info = {
            "video.height": height, "video.width": width, "video.codec": "av1",
            "video.pix_fmt": FORMAT, "video.is_depth_map": False, "video.fps": self._rate,
            "video.channels": 3, "has_audio": False,
        }  # fmt: skip
        names = ["height", "width", "channels"]
        return {"dtype": "video", "shape": [height, width, 3], "names": names, "info": info}

    def _checked(self, picture: NDArray[np.uint8], t: float) -> NDArray[np.uint8]:
        shape, kind = np.shape(picture), getattr(picture, "dtype", type(picture).__name__)
        if len(shape) != 3 or shape[2] != 3 or kind != np.uint8:
            raise InputError(
                f"camera {self._name!r} at {t:.2f} s: a picture is uint8 of shape (height, width, "
                f"3), got {kind} of shape {shape}"
            )
        if min(shape[:2]) < SMALLEST or shape[0] % 2 or shape[1] % 2:
            raise InputError(
                f"camera {self._name!r}: pictures have an even height and width of {SMALLEST} "
                f"pixels or more, got {shape[0]} x {shape[1]}"
            )
        if self.size not in ((0, 0), shape[:2]):
            raise InputError(
                f"camera {self._name!r} at {t:.2f} s: the picture has {shape[0]} x {shape[1]} "
                f"pixels, the first one {self.size[0]} x {self.size[1]}"
            )
        self.size = (shape[0], shape[1])
        return np.ascontiguousarray(picture)
