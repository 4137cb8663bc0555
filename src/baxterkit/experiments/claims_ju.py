"""The claims of Ju et al. 2014, each judged."""

from __future__ import annotations

import numpy as np

from baxterkit.arm import Arm
from baxterkit.experiments.bounds import bound
from baxterkit.experiments.claims_evidence import UNSHOWN, Evidence, judged
from baxterkit.experiments.ju_paper import PAPER_MAX
from baxterkit.experiments.result import Row, Verdict
from baxterkit.experiments.settings import Settings
from baxterkit.model.dh import dh_from_model
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.papers import ju
from baxterkit.spatial.formulas import rpy_to_matrix, so3_exp

PAPER = "Ju et al. 2014"
ENCODER = 2.0 * np.pi / 16384
"""A step of the robot's joint sensors [rad]."""
POSE = "baxterkit reproduce ju_pose"


def rows(evidence: Evidence) -> list[Row]:
    """All claims of Ju et al."""
    arm = Arm("left")
    q = np.random.default_rng(0).uniform(arm.limits.lower, arm.limits.upper, (200, 7))
    step = 1e3 * ENCODER * bound(
        lambda x: np.linalg.norm(arm.jacobian(x)[:, :3], axis=1), arm.limits.lower,
        arm.limits.upper, samples=2000, starts=6,
    ).largest  # fmt: skip
    fitted = evidence.numbers("ju_pose", "right arm, largest, fitted mount", "Another robot")
    mounts = [
        evidence.numbers("ju_pose", "right arm, mean", f"Another {x}") for x in ("motion", "robot")
    ]
    agree = "the recordings are missing" if fitted is None else (
        f"on a robot that stores all digits the model agrees to {max(fitted):.0e} mm, where one "
        f"step of an encoder moves the tip by up to {step:.2f} mm: the recorded tip is the robot's "
        "own forward kinematics of the same angles"
    )  # fmt: skip
    differ = None if None in mounts else np.abs(np.subtract(mounts[0][:3], mounts[1][:3])).max()  # type: ignore[index]
    left, right = (dh_from_model(Arm(side).model) for side in ("left", "right"))
    apart = max(
        abs(x - y)
        for a, b in zip(left.rows, right.rows, strict=True)
        for x, y in ((a.d, b.d), (a.a, b.a), (a.alpha, b.alpha), (a.theta_offset, b.theta_offset))
    )
    frames = ju.corrected.frames(np.zeros(7))
    shared = 1e3 * np.linalg.norm(frames[2, :3, 3] - frames[1, :3, 3])
    away = 1e3 * arm.model.joints[2].T_parent_joint[0, 3]
    r, p, y = 0.3, -0.4, 0.5
    z, Y, X = so3_exp([0, 0, y]), so3_exp([0, p, 0]), so3_exp([r, 0, 0])
    turn = np.abs(rpy_to_matrix([r, p, y]) - z @ Y @ X).max()
    M = ju.corrected.fk(q)
    largest = max(PAPER_MAX["right"][:3] + PAPER_MAX["left"][:3])

    def row(where: str, claim: str, number: str, verdict: bool | Verdict, command: str) -> Row:
        return judged(f"Ju {where}", claim, number, verdict, command, PAPER)

    return [
        row("abstract, 4", "The experiments verified the kinematic model.", agree, UNSHOWN, POSE),
        row("3.1", "With the same joint angles the model has the same posture as the robot.",
            "circular in the same sense: two programs compute one formula from one set of angles",
            UNSHOWN, POSE),
        row("3.2 (1)", "The model follows the trajectory of the robot very closely.",
            f"errors of up to {largest:.1f} mm are printed; the mount of the robot's own "
            "description, which Table 1 and eq. 4 lack, makes ours about 11 mm, and none once "
            "fitted", UNSHOWN, POSE),
        row("3.2 (2)", "The accuracy is satisfactory for simulation.",
            "no threshold; rounding costs up to 1.444 mm, eq. 4 as printed 250.6 mm",
            "not tested", "baxterkit reproduce errata"),
        row("2.4 (1)", "The right arm's DH table is the left one's, except d₇.",
            f"the two tables differ by {apart:.0e}", apart < 1e-12, "baxterkit dh --side right"),
        row("2.4 (2)", "Each Baxter has a unique URDF configuration.",
            "the recordings are missing" if differ is None else
            f"the nominal tip is off by {differ:.1f} mm more on one robot than on another",
            "not tested" if differ is None else bool(differ > 1.0), POSE),
        row("2.2", "rpy: first roll about x, then pitch about y, then yaw about z of the parent.",
            f"Rz(y) Ry(p) Rx(r) to {turn:.0e}", bool(turn < 1e-12), "spatial.rpy_to_matrix(rpy)"),
        row("2.2 (2)", "Most joints of the URDF are fixed.", *_fixed(evidence.settings),
            "baxterkit reproduce claims"),
        row("1", "If the DH description is known, kinematics can be computed from it.",
            f"the corrected table gives the arm's poses to {np.abs(M - arm.fk(q)).max():.0e} m",
            bool(np.abs(M - arm.fk(q)).max() < 1e-9), "papers.ju.corrected.fk(q)"),
        row("4, step 1", "The first rotational joint is the first with rpy ≠ 0.",
            "left_s0 has rpy 0: the recipe starts at left_s1", False, "baxterkit tree"),
        row("4, step 2", "Where a frame turns about x and z, ±π/2 is added to θ.",
            "left_e0, left_w0 and left_w2 turn alike; Table 1 has π/2 for left_e0 alone", False,
            "baxterkit tree"),
        row("4, step 3", "In the DH model e0 shares its origin with s1.",
            f"frames 1 and 2 are {shared:.0f} mm apart; on the robot e0 is {away:.0f} mm further",
            bool(shared < 1e-9), "papers.ju.corrected.frames(q)"),
        row("4, end", "With these parameters the dynamics can be built as well.",
            "M, C, G and torques from the same URDF, equal to Pinocchio's to 1e-13", True,
            "arm.inverse_dynamics(q, qd, qdd)"),
        row("1 (2)", "The elastic actuators improve shock tolerance and reduce danger; the robot "
            "senses a collision very early.", "no recording of an impact", "not tested",
            "baxterkit reproduce claims"),
    ]  # fmt: skip


def _fixed(settings: Settings) -> tuple[str, bool | Verdict]:
    """How many joints of Rethink's URDF are fixed, and the verdict."""
    if settings.urdf is None:
        return "Rethink's URDF is not here (BAXTERKIT_URDF)", "not tested"
    kinds = [joint.kind for joint in read_urdf(settings.urdf).joints.values()]
    fixed = kinds.count("fixed")
    return f"{fixed} of the {len(kinds)} in {settings.urdf.name}", 2 * fixed > len(kinds)
