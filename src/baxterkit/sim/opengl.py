"""MuJoCo with an off-screen OpenGL, with another one than the user chose, or with none.

MuJoCo loads the OpenGL that the environment variable MUJOCO_GL names while it is imported, and
fails where that is not installed. A simulation needs none, so it is imported again without; only
pictures fail then, with the remedy.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Protocol, cast

from baxterkit.errors import BaxterkitError
from baxterkit.extras import load_extra

CHOICE, LOADED = "MUJOCO_GL", "PYOPENGL_PLATFORM"
INSTALL = {
    "egl": "apt install libegl1 libgl1-mesa-dri",
    "osmesa": "apt install libosmesa6",
}
"""Off-screen platforms, and how they are installed on Debian."""
ELSEWHERE = ("", "glfw", "glx", "wgl", "cgl", "on", "1", "true", "off", "0", "false", "disable")
"""Other values that MuJoCo knows; pictures of the twin try every platform then."""


class RenderError(BaxterkitError, RuntimeError):
    """Pictures cannot be drawn on this machine."""


class Context(Protocol):
    """An OpenGL context of MuJoCo."""

    def make_current(self) -> None:
        """What is drawn next is drawn here."""

    def free(self) -> None:
        """Gives its memory back."""


def load_mujoco() -> ModuleType:
    """The mujoco module, without OpenGL where the chosen one cannot be loaded.

    Raises:
        MissingExtraError: If it is not installed.
    """
    names = {"feature": "Simulation", "package": "MuJoCo", "extra": "sim"}
    if "mujoco" in sys.modules or CHOICE not in os.environ:
        return load_extra("mujoco", **names)
    platform = os.environ.get(LOADED)
    with suppress(AttributeError, ImportError, OSError, RuntimeError, TypeError):  # OpenGL's own
        return import_module("mujoco")
    for name in [name for name in sys.modules if name.split(".")[0] in ("mujoco", "OpenGL")]:
        del sys.modules[name]
    if platform is None:
        os.environ.pop(LOADED, None)
    chosen = os.environ[CHOICE]
    os.environ[CHOICE] = "disable"
    try:
        return load_extra("mujoco", **names)
    finally:
        os.environ[CHOICE] = chosen


def new_context(width: int, height: int) -> tuple[str, Context]:
    """An off-screen OpenGL context: of the platform in MUJOCO_GL, else of the first that works.

    Raises:
        RenderError: If there is none.
        MissingExtraError: If PyOpenGL is not installed.
    """
    chosen = os.environ.get(CHOICE, "").strip().lower()
    if chosen not in INSTALL and chosen not in ELSEWHERE:
        raise RenderError(
            f"{CHOICE}={os.environ[CHOICE]} is not known; set it to egl or osmesa, or unset it"
        )
    load_extra("OpenGL", feature="A picture of the twin", package="PyOpenGL", extra="camera")
    platforms = (chosen,) if chosen in INSTALL else tuple(INSTALL)
    reasons = []
    for platform in platforms:
        try:
            context = import_module(f"mujoco.{platform}").GLContext(width, height)
            return platform, cast("Context", context)
        except Exception as error:  # each platform has its own kinds
            reasons.append(f"{platform}: {' '.join(str(error).split()) or type(error).__name__}")
    if chosen in INSTALL:
        raise RenderError(
            f"pictures of the twin need off-screen OpenGL, and {CHOICE}={chosen} does not work "
            f"here ({reasons[0]}); on Debian: {INSTALL[chosen]}; or unset {CHOICE}"
        )
    raise RenderError(
        "pictures of the twin need off-screen OpenGL, and none works here "
        f"({'; '.join(reasons)}); on Debian: {INSTALL['egl']}"
    )
