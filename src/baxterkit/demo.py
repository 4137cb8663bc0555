"""A first look at the arm: its numbers in the neutral pose, a picture, and a report of one file."""

from __future__ import annotations

import base64
import html
import io
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import baxterkit
from baxterkit import Baxter
from baxterkit.plot import skeleton_both
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
    path = Path(folder) / "report.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    template = Template(Path(__file__).with_name("demo.html").read_text(encoding="utf-8"))
    text = template.substitute(
        summary=html.escape(demo.summary),
        version=html.escape(baxterkit.__version__),
        picture=_data_url(demo.figure),
        backend="".join(_backend_item(key, value) for key, value in demo.backend.items()),
        arms="".join(_arm_section(arm) for arm in demo.arms),
    )
    path.write_text(text, encoding="utf-8")
    return path


def _data_url(figure: Figure) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=200)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _backend_item(key: str, value: object) -> str:
    return f"<div><dt>{html.escape(key)}</dt><dd>{html.escape(str(value))}</dd></div>"


def _cells(values: Array, digits: int = 4) -> str:
    # Adding zero turns a rounded -0.0 into 0.0.
    return "".join(f"<td>{round(float(x), digits) + 0.0:.{digits}f}</td>" for x in values)


def _arm_section(arm: ArmFacts) -> str:
    joints = "".join(f"<th>{name}</th>" for name in arm.joint_names)
    matrix = "".join(
        f"<tr><th>{name}</th>{_cells(row)}</tr>"
        for name, row in zip(TWIST_ROWS, arm.J, strict=True)
    )
    return f"""
<section>
  <h2>{arm.side.capitalize()} arm</h2>
  <div class="tiles">
    <div><b>{arm.manipulability:.4f}</b>manipulability</div>
    <div><b>{arm.condition_number:.2f}</b>condition number</div>
    <div><b>{arm.smallest_singular_value:.4f}</b>smallest singular value</div>
  </div>
  <div class="scroll"><table>
    <caption>Joint positions q [rad]</caption>
    <thead><tr><th></th>{joints}</tr></thead>
    <tbody><tr><th>q</th>{_cells(arm.q)}</tr></tbody>
  </table></div>
  <div class="scroll"><table>
    <caption>Tip in base: <code>arm.fk(q)</code></caption>
    <tbody>
      <tr><th>position x y z [m]</th>{_cells(arm.position)}<td></td></tr>
      <tr><th>quaternion x y z w</th>{_cells(arm.quaternion)}</tr>
      <tr><th>roll pitch yaw [rad]</th>{_cells(arm.rpy)}<td></td></tr>
    </tbody>
  </table></div>
  <div class="scroll"><table>
    <caption>Jacobian in base axes: <code>arm.jacobian(q)</code> [m/rad; 1]</caption>
    <thead><tr><th></th>{joints}</tr></thead>
    <tbody>{matrix}</tbody>
  </table></div>
</section>"""
