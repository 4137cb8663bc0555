"""Rethink's own meshes, where the package `example-robot-data` or a `baxter_description` has them.

They are optional (445 MB, BSD licence); without them the robot is drawn from capsules of our own.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from baxterkit import disk
from baxterkit.errors import InputError
from baxterkit.look.collada import read_collada
from baxterkit.look.colors import Color
from baxterkit.look.robot import Part
from baxterkit.look.shapes import Mesh
from baxterkit.model.head import HeadModel
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import Transform

PACKAGE = "example-robot-data"
FOLDER = "cmeel.prefix/share/example-robot-data/robots/baxter_description"
ARM_FILES = (
    "upper_shoulder/S0.DAE",
    "lower_shoulder/S1.DAE",
    "upper_elbow/E0.DAE",
    "lower_elbow/E1.DAE",
    "upper_forearm/W0.DAE",
    "lower_forearm/W1.DAE",
    "wrist/W2.DAE",
)
TORSO_FILES = ("torso/base_link.DAE", "base/PEDESTAL.DAE")
NECK_FILE, SCREEN_FILE = "head/H0.DAE", "head/H1.DAE"
# Places of the head's meshes in their links, from the published description.
NECK_XYZ = (0.0, 0.0, 0.00953)
SCREEN_XYZ, SCREEN_RPY = (0.0, -0.00953, -0.0347), (0.0, -np.pi / 2.0, 0.0)
# The glass in the screen's link: its middle, a millimetre in front of it, tilted by 15 degrees.
GLASS_XYZ, GLASS_RPY = (0.0, -0.0184, -0.0017), (np.radians(15.0), 0.0, 0.0)
GLASS_SIZE = (0.205, 0.155)
"""Width and height of the picture on it [m]."""


@dataclass(frozen=True, eq=False)
class RobotMeshes:
    """The whole robot's meshes.

    Attributes:
        arm: Of one arm; both are alike.
        torso: In the base frame: name, mesh, colour.
        head: In the head's frame: name, mesh, colour.
        T_head_glass: Middle of the glass in the head's frame: x right and y up for the viewer.
    """

    arm: tuple[Part, ...]
    torso: tuple[tuple[str, Mesh, Color], ...]
    head: tuple[tuple[str, Mesh, Color], ...]
    T_head_glass: Transform


def find_meshes() -> Path | None:
    """The folder of the installed package's Baxter; None if it is not installed."""
    try:
        installed = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None
    folder = Path(str(installed.locate_file(FOLDER)))
    return folder if (folder / "meshes").is_dir() else None


def load_meshes(folder: str | Path, head: HeadModel) -> RobotMeshes:
    """Reads the meshes of a `baxter_description`.

    Args:
        folder: The folder that holds `meshes`.
        head: The robot's head, for the pose of the screen.

    Raises:
        InputError: If a file is missing or cannot be read; names it.
    """
    base = disk.as_path(folder, "folder") / "meshes"
    arm = [
        Part(frame, f"mesh{i}", mesh, color)
        for frame, name in enumerate(ARM_FILES)
        for i, (mesh, color) in enumerate(_read(base / name))
    ]
    torso = [
        (f"{Path(name).stem}{i}", mesh, color)
        for name in TORSO_FILES
        for i, (mesh, color) in enumerate(_read(base / name))
    ]
    neck = [
        (f"neck{i}", mesh.moved(np.eye(3), NECK_XYZ), color)
        for i, (mesh, color) in enumerate(_read(base / NECK_FILE))
    ]
    R, T = rpy_to_matrix(np.array(SCREEN_RPY)), head.T_head_screen
    screen = [
        (f"screen{i}", mesh.moved(R, SCREEN_XYZ).moved(T[:3, :3], T[:3, 3]), color)
        for i, (mesh, color) in enumerate(_read(base / SCREEN_FILE))
    ]
    return RobotMeshes(tuple(arm), tuple(torso), (*neck, *screen), glass_of(head))


def glass_of(head: HeadModel) -> Transform:
    """Middle of the screen of these meshes in the head's frame: x right and y up, (4, 4)."""
    glass = transform(rpy_to_matrix(np.array(GLASS_RPY)), np.array(GLASS_XYZ))
    return head.T_head_screen @ glass


def _read(path: Path) -> list[tuple[Mesh, Color]]:
    if not path.is_file():
        raise InputError(f"no mesh {path}; a baxter_description has one")
    return read_collada(path)
