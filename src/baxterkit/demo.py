"""A first look at the arm: its numbers in the neutral pose, a picture, and a report of one file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import baxterkit
from baxterkit import Baxter
from baxterkit.plot import skeleton_both
from baxterkit.plot.page import Page
from baxterkit.spatial import matrix_to_quaternion, matrix_to_rpy
from baxterkit.types import Array, Jacobian, JointVector, Transform

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POSE = "neutral"
TWIST_ROWS = ("vx", "vy", "vz", "ωx", "ωy", "ωz")


@dataclass(frozen=True)
class ArmFacts:
    """What the demo shows of one arm.

    Attributes:
        side: "left" or "right".
        joint_names: Names in the order of q.
        q: Joint positions [rad], shape (7,).
        T_base_tip: Pose of the tip, shape (4, 4).
        J: Jacobian of the tip in base axes, shape (6, 7).
        manipulability: Yoshikawa's index.
        condition_number: Largest over smallest singular value of J.
        smallest_singular_value: Of J.
    """

    side: str
    joint_names: tuple[str, ...]
    q: JointVector
    T_base_tip: Transform
    J: Jacobian
    manipulability: float
    condition_number: float
    smallest_singular_value: float

    @property
    def position(self) -> Array:
        """Tip position in base [m], shape (3,)."""
        return self.T_base_tip[:3, 3]

    @property
    def quaternion(self) -> Array:
        """Tip orientation in base, x y z w, shape (4,)."""
        return matrix_to_quaternion(self.T_base_tip[:3, :3])

    @property
    def rpy(self) -> Array:
        """Tip orientation in base, roll pitch yaw [rad], shape (3,)."""
        return matrix_to_rpy(self.T_base_tip[:3, :3])


@dataclass(frozen=True)
class Demo:
    """The demo's results: `arms` are left and right, `backend` says what computed."""

    arms: tuple[ArmFacts, ArmFacts]
    figure: Figure
    backend: dict[str, object]

    @property
    def summary(self) -> str:
        """The results in one line."""
        left = self.arms[0]
        x, y, z = left.position
        return (
            f"baxterkit {baxterkit.__version__} ({self.backend['backend']}): {POSE} pose, "
            f"left tip at ({x:.4f}, {y:.4f}, {z:.4f}) m, manipulability {left.manipulability:.4f}"
        )


def run() -> Demo:
    """Computes everything and draws the picture."""
    robot = Baxter()
    arms = []
    for arm in (robot.left, robot.right):
        q = arm.pose(POSE)
        facts = ArmFacts(
            side=arm.side,
            joint_names=tuple(name.split("_")[-1] for name in arm.joint_names),
            q=q,
            T_base_tip=arm.fk(q),
            J=arm.jacobian(q),
            manipulability=float(arm.manipulability(q)),
            condition_number=float(arm.condition_number(q)),
            smallest_singular_value=float(arm.smallest_singular_value(q)),
        )
        arms.append(facts)
    left, right = arms
    figure = skeleton_both(robot, left.q, right.q, title=f"Baxter, {POSE} pose")
    info = baxterkit.backend_info()
    backend = {
        "backend": info["backend"],
        "instruction set": info["isa"],
        "threads": info["threads"],
    }
    return Demo((left, right), figure, backend)


def write_report(demo: Demo, folder: str | Path) -> Path:
    """Writes `report.html`, which holds its picture and needs no other file.

    Args:
        demo: The results.
        folder: Where to; made if need be.

    Returns:
        The path of the report.
    """
    page = Page(
        "baxterkit demo",
        lead=demo.summary,
        footer=f"Made by `baxterkit demo`, version {baxterkit.__version__}. Lengths in metres, "
        "angles in radians; joints in the order s0 s1 e0 e1 w0 w1 w2.",
    )
    page.figure(demo.figure, alt="Stick figure of both arms with their joint frames", width=900)
    with page.columns():
        for arm in demo.arms:
            _add_arm(page, arm)
    page.facts(demo.backend)
    return page.save(Path(folder) / "report.html")


def _add_arm(page: Page, arm: ArmFacts) -> None:
    with page.section(f"{arm.side.capitalize()} arm"):
        page.tiles(
            {
                "manipulability": arm.manipulability,
                "condition number": f"{arm.condition_number:.2f}",
                "smallest singular value": arm.smallest_singular_value,
            }
        )
        page.table(("", *arm.joint_names), [("q", *arm.q)], caption="Joint positions q [rad]")
        pose = [
            ("position x y z [m]", *arm.position),
            ("quaternion x y z w", *arm.quaternion),
            ("roll pitch yaw [rad]", *arm.rpy),
        ]
        page.table((), pose, caption="Tip in base: `arm.fk(q)`")
        page.table(
            ("", *arm.joint_names),
            [(name, *row) for name, row in zip(TWIST_ROWS, arm.J, strict=True)],
            caption="Jacobian in base axes: `arm.jacobian(q)` [m/rad; 1]",
        )
