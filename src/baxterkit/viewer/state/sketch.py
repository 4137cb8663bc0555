"""A path drawn by hand on a plane, and the motion of an arm along it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import vector_array
from baxterkit.errors import BaxterkitError, InputError, UnknownNameError
from baxterkit.trajectory import Trajectory, TrajectoryError, drawn, tool_down
from baxterkit.types import Array, Rotation, Transform, Vector3

PLANES = ("table", "wall")
SIZE = (0.5, 0.5)
"""Width and height of the plane [m]."""
SMOOTHING = 0.03
"""Length over which a drawing is averaged [m], against a shaky hand."""
NEAR = 2e-3
"""Points nearer than this to the one before are left out [m]."""
SLOW = 0.1
"""Speed at which feasibility is tested [m/s]."""
MOST_POINTS = 2000
_TURNS = np.pi * np.array([-0.5, 0.5, 0.0, 1.0])  # of the tool about its axis


@dataclass
class Sketch:
    """A drawing on a plane.

    Attributes:
        plane: "table" (horizontal, the tool points down) or "wall" (upright in front of the robot,
            the tool points forward).
        center: The plane's middle in base [m], shape (3,).
        points: Points of the drawing, in base [m].
    """

    plane: str = "table"
    center: Vector3 = field(default_factory=lambda: np.array([0.65, 0.25, 0.0]))
    points: list[Vector3] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.plane not in PLANES:
            raise UnknownNameError("plane", self.plane, PLANES)

    @property
    def T_base_plane(self) -> Transform:
        """The plane: x and y in it, z towards the viewer; shape (4, 4)."""
        T = np.eye(4)
        if self.plane == "wall":
            T[:3, :3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        T[:3, 3] = self.center
        return T

    def ruled(self, square: float) -> list[Vector3]:
        """The plane's edge, then lines `square` [m] apart across it, in base, shape (k, 3) each."""
        x, y = (np.arange(0.0, side + square / 2.0, square) - side / 2.0 for side in SIZE)
        lines = [[(x[0], y[0]), (x[-1], y[0]), (x[-1], y[-1]), (x[0], y[-1]), (x[0], y[0])]]
        lines += [[(value, y[0]), (value, y[-1])] for value in x[1:-1]]
        lines += [[(x[0], value), (x[-1], value)] for value in y[1:-1]]
        T = self.T_base_plane
        return [np.array(line) @ T[:3, :2].T + T[:3, 3] for line in lines]

    @property
    def path(self) -> Vector3:
        """The points, shape (n, 3)."""
        return np.array(self.points).reshape(-1, 3)

    @property
    def length(self) -> float:
        """Length of the drawing [m]."""
        return float(np.linalg.norm(np.diff(self.path, axis=0), axis=-1).sum())

    def hit(self, origin: ArrayLike, direction: ArrayLike) -> Vector3 | None:
        """The point where a ray meets the plane, clipped to its edges.

        Args:
            origin: Start of the ray in base, as the camera [m].
            direction: Its direction.

        Returns:
            The point in base [m], shape (3,); None if the ray runs along the plane or away from it.
        """
        start, ray = vector_array(origin, "origin"), vector_array(direction, "direction")
        T = self.T_base_plane
        normal = T[:3, 2]
        slope = float(normal @ ray)
        if abs(slope) < 1e-6 * float(np.linalg.norm(ray)):
            return None
        distance = float(normal @ (T[:3, 3] - start)) / slope
        if not distance > 0.0:
            return None
        local = T[:3, :3].T @ (start + distance * ray - T[:3, 3])
        half = np.array([SIZE[0], SIZE[1], 0.0]) / 2.0
        return T[:3, 3] + T[:3, :3] @ np.clip(local, -half, half)

    def add(self, point: Vector3) -> bool:
        """Extends the drawing to a point in base [m]; returns whether it was added."""
        if self.points and float(np.linalg.norm(point - self.points[-1])) < NEAR:
            return False
        if len(self.points) >= MOST_POINTS:
            return False
        self.points.append(point)
        return True

    def clear(self) -> None:
        """Clears the drawing."""
        self.points.clear()

    def trajectory(self, arm: Arm, speed: float, start: ArrayLike | None = None) -> Trajectory:
        """The motion of an arm whose tip follows the drawing.

        The tool stands upright on the plane, turned about its axis such that the arm can follow; if
        the joints are too slow, the whole motion takes longer.

        Args:
            arm: The arm.
            speed: Speed of the tip [m/s].
            start: Joint positions to start near [rad], shape (7,).

        Raises:
            InputError: If too little has been drawn.
            BaxterkitError: If the arm cannot follow it, however the tool is turned.
        """
        if len(self.points) < 3:
            raise InputError("draw a line on the plane first: at least 3 points are needed")
        slow = min(speed, SLOW)
        first: BaxterkitError | None = None
        for turn in _TURNS:
            path = drawn(self.path, slow, smoothing=SMOOTHING, rotation=self._rotation(turn))
            try:
                return _hurried(path.to_joints(arm, start), arm, slow / speed)
            except BaxterkitError as error:
                first = first or error
        assert first is not None
        raise first

    def _rotation(self, turn: float) -> Rotation:
        R = tool_down(turn)
        if self.plane == "wall":
            down_to_forward: Array = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
            R = down_to_forward @ R
        return R


def _hurried(trajectory: Trajectory, arm: Arm, factor: float) -> Trajectory:
    """The motion in `factor` times its time, or in the least time that the joints allow."""
    while factor < 1.0:
        faster = trajectory.stretched(factor)
        try:
            return faster.check(arm=arm)
        except TrajectoryError as error:
            factor *= max(1.02 * error.factor, 1.2)
    return trajectory
