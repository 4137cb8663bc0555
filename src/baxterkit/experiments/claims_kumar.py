"""The claims of Kumar et al., each judged."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.experiments import claims_evidence as judge
from baxterkit.experiments.bounds import bound
from baxterkit.experiments.claims_evidence import Evidence, judged
from baxterkit.experiments.pykdl import kdl_ik, load_pykdl
from baxterkit.experiments.result import Row, Verdict
from baxterkit.ik import Position
from baxterkit.papers import kumar
from baxterkit.spatial.formulas import pose_error
from baxterkit.types import Array

PAPER = "Kumar et al."
SINGULAR = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, 0.0, 0.0])
POINTS = 500
SEEDS = 20
"""Solutions tried for a point that must be reached without touching the body."""


def rows(evidence: Evidence) -> list[Row]:
    """All claims of Kumar et al."""
    arm = Arm("left")
    q = np.random.default_rng(evidence.settings.seed).uniform(
        arm.limits.lower, arm.limits.upper, (1000, 7)
    )
    return [
        *_introduction(evidence, arm, q),
        *_kinematics(evidence, arm, q),
        *_inverse_kinematics(evidence, arm, q),
        *_dynamics_and_end(evidence, arm),
    ]


def _row(where: str, claim: str, number: str, verdict: bool | Verdict, command: str) -> Row:
    return judged(f"Kumar {where}", claim, number, verdict, command, PAPER)


def _introduction(evidence: Evidence, arm: Arm, q: Array) -> list[Row]:
    a = kumar.corrected.dh()[:, 2]
    least = 1e3 * min(max(a[i], a[i + 1]) for i in range(5))
    found = arm.ik_all(arm.fk(q), e0=q[:, 2])
    off = np.nanmin(np.abs(found - q[:, None]).max(axis=-1), axis=1)
    answers = evidence.numbers("kumar_ik", "answers, of")
    inside = evidence.numbers("kumar_ik", "answers within the limits")
    kdl = "PyKDL is not installed" if answers is None or inside is None else (
        f"baxter_pykdl, another program: {answers[0]:.0f} answers to 1,000 reachable poses, "
        f"{inside[0]:.0f} of them within the limits"
    )  # fmt: skip
    return [
        _row("abstract", "The native IK service has a low success rate and is often inconsistent.",
             f"the service runs on the robot alone and could not be run here; {kdl}", "not tested",
             "baxterkit reproduce kumar_ik"),
        _row("abstract (2)", "The official software support is sub-standard.",
             "no threshold: an opinion", "not tested", "baxterkit reproduce claims"),
        _row("I.A", "Due to the offsets, no three consecutive frames meet at a common origin.",
             f"the axes of any three consecutive joints miss each other by {least:.0f} mm or more",
             least > 0.0, "papers.kumar.corrected.dh()"),
        _row("I.A, II, III.H", "There is no analytical solution of the 7-DoF inverse kinematics; "
             "closed forms do not even exist for redundant manipulators.",
             f"with the free angle e0 given, all solutions come out: {(off < 1e-6).sum():,} of "
             f"{len(q):,} random configurations are among them, to {off.max():.0e} rad",
             bool((off > 1e-6).any()), "arm.ik_all(T, e0=0.0)"),
    ]  # fmt: skip


def _kinematics(evidence: Evidence, arm: Arm, q: Array) -> list[Row]:
    table = evidence.numbers("kumar_fk", "average position", "The paper's Table I as printed")
    turned = evidence.numbers("kumar_fk", "average orientation", "Table I on a mount")
    printed = kumar.printed.frames(q) - kumar.corrected.frames(q)
    skeleton = 1e3 * np.linalg.norm(printed[..., :3, 3], axis=-1).max()
    index = float(arm.manipulability(SINGULAR))
    geometry, body = _points_in_the_canopy(arm, evidence.settings.seed)
    robot = Baxter()
    touching = robot.in_collision(q, np.broadcast_to(robot.right.configuration("neutral"), q.shape))
    J = arm.jacobian(q)
    u, v = q[::-1], np.roll(q, 1, axis=0)
    linear = np.abs(_times(J, 2.0 * u - 3.0 * v) - 2.0 * _times(J, u) + 3.0 * _times(J, v)).max()
    still = np.abs(J @ arm.nullspace(q)).max()
    position = "-" if table is None else f"{1e3 * table[0]:.3f} mm"
    angle = "-" if turned is None else f"{turned[0]:.2e} degrees"
    return [
        _row("III.B (1)", "Forward kinematics has comparable results with PyKDL.",
             f"Table I as printed is {position} from PyKDL on Rethink's URDF on average, less than "
             "the 0.08 mm that the paper prints" if table else "PyKDL or Rethink's URDF is missing",
             "not tested" if table is None else table[0] <= 8e-5, "baxterkit reproduce kumar_fk"),
        _row("III.B (2)", "Average position error 0.00008 m, orientation error 0.00017 degrees.",
             f"the five poses are not printed; Table I on a mount turned by π/4 gives {position} "
             f"and {angle}", "not tested", "baxterkit reproduce kumar_fk"),
        _row("III.B (3)", "d₄ is zero for Baxter.",
             f"the last a of Table I, which is d₄ in X, Y, Z, is {kumar.corrected.dh()[6, 2]:.0f}",
             bool(kumar.corrected.dh()[6, 2] == 0.0), "papers.kumar.corrected.dh()"),
        _row("III.C", "The skeleton shows the arm's configuration; credible beside the simulator.",
             f"its joints are at most {skeleton:.2f} mm from the robot's", bool(skeleton < 1.0),
             "papers.kumar.printed.frames(q)"),
        _row("III.D (1)", "Redundancy and structure enable the arm to get rid of singularities.",
             f"manipulability {index:.0e} at s1 = −π/2, all other joints 0, within the limits",
             index > 1e-6, "arm.manipulability([0, -1.5707963, 0, 0, 0, 0, 0])"),
        _row("III.D (2)", "The robot eventually gets to any point within the bounding canopy.",
             f"of {POINTS} points between the shoulder and a reachable point, {geometry} are "
             f"reached if the body is ignored; {body} without touching it ({SEEDS} solutions each)",
             body == POINTS, "baxterkit reproduce claims"),
        _row("III.D (3)", "Without self-collisions the workspace has regions that are not "
             "reachable.", f"{100.0 * np.mean(touching):.1f} % of {len(q):,} random configurations "
             "touch the body (right arm at neutral)", bool(np.any(touching)),
             "baxterkit collide neutral"),
        _row("III.E", "Velocity kinematics is always linear.",
             f"J(2u − 3v) − 2Ju + 3Jv is {linear:.0e} at most", bool(linear < 1e-12),
             "arm.jacobian(q)"),
        _row("III.F (1)", "The index goes to zero at singularities, which enables warnings.",
             f"index {index:.0e} at the singularity above: a SingularityWarning is given",
             index < 1e-3, "papers.kumar.corrected.jacobian(q)"),
        _row("III.F (2)", "The null projector moves joints without affecting the tip's velocity.",
             f"J N is {still:.0e} at most over {len(q):,} configurations", bool(still < 1e-9),
             "arm.nullspace(q)"),
    ]  # fmt: skip


def _inverse_kinematics(evidence: Evidence, arm: Arm, q: Array) -> list[Row]:
    locked = q[:200].copy()
    locked[:, 2] = 0.0
    T = arm.fk(locked)
    count = np.isfinite(arm.ik_all(T, e0=0.0, limits=False)).all(axis=-1).sum(axis=-1)
    fine = _rate(evidence, "Algorithm 1, step 0.1, to 1e-9")
    coarse = [_rate(evidence, f"Algorithm 1, step {x}, to 0.01") for x in ("0.1", "0.05")]
    restarts = _rate(evidence, "with random restarts")
    fewer = (100.0 - restarts) <= judge.HALF * (100.0 - coarse[1])
    targets = Position(arm.fk(q[:200])[:, :3, 3])
    rates = [
        100.0 * float(np.mean(arm.ik(targets, method="ccd", seed=seed).solved))
        for seed in (SINGULAR, arm.limits.middle)
    ]
    failed = [
        100.0 * float(np.mean(~np.asarray(one.ik(arm.fk(q), seed=arm.limits.middle,
                                                 method="pseudoinverse").solved)))
        for one in (arm, _without_limits(arm))
    ]  # fmt: skip
    median = evidence.numbers("kumar_ik", "its answers' orientation") or [np.nan]
    command = "baxterkit reproduce kumar_ik"
    return [
        _row("III.G (1)", "L₅ = 0 is a reasonable approximation.",
             "no threshold; it costs 10.0 mm at every pose", "not tested",
             "baxterkit reproduce errata"),
        _row("III.G (2)", "There are two possible solutions.",
             f"{count.mean():.1f} on average, {count.max()} at most, of {len(T)} poses with "
             "e0 = 0 and the joint limits ignored", bool(count.max() <= 2),
             "arm.ik_all(T, e0=0.0, limits=False)"),
        _row("III.H.1", "Algorithm 1 gradually converges to the target.",
             f"with its fixed step {fine:.1f} % of 300 poses meet 1e-9, {coarse[1]:.1f} % 0.01: it "
             "ends within a step of the target and oscillates", fine > 50.0, command),
        _row("III.H.2 (1)", "A very low solve rate without restarts, to a tolerance of 1e-9.",
             f"{fine:.1f} %", fine <= judge.VERY_LOW, command),
        _row("III.H.2 (2)", "The same to a tolerance of 0.01; the paper prints none.",
             f"{coarse[0]:.1f} and {coarse[1]:.1f} % with steps of 0.1 and 0.05",
             max(coarse) <= judge.VERY_LOW, command),
        _row("III.H.2 (3)", "Random restarts are a drastic improvement.",
             f"failures fall from {100.0 - coarse[1]:.1f} to {100.0 - restarts:.1f} %", fewer,
             command),
        _row("III.H.2 (4)", "The pseudo-inverse does not work well with joint limits.",
             f"Algorithm 1, corrected, fails at {failed[0]:.1f} % of {len(q):,} poses, and at "
             f"{failed[1]:.1f} % where limits are ignored", failed[1] <= judge.HALF * failed[0],
             "arm.ik(T, method='pseudoinverse')"),
        _row("III.H.3 (1)", "CCD is free from issues of matrix inversion and from singularities.",
             f"from a singular start it solves {rates[0]:.0f} % of 200 positions, from mid-range "
             f"{rates[1]:.0f} %", rates[0] >= rates[1] / judge.FACTOR,
             "arm.ik(Position(p), method='ccd')"),
        _row("III.H.3 (2)", "CCD is unable to converge to a defined orientation.",
             f"for positions alone, {median[0]:.0f} degrees off in the median; with the "
             f"orientation added, {_rate(evidence, 'CCD with orientation'):.0f} % are solved",
             bool(median[0] > 5.0), command),
    ]  # fmt: skip


def _dynamics_and_end(evidence: Evidence, arm: Arm) -> list[Row]:
    limits = arm.limits
    most = bound(
        lambda x: _times(arm.coriolis(x[:, :7], x[:, 7:]), x[:, 7:]) / limits.effort,
        np.concatenate([limits.lower, -limits.velocity]),
        np.concatenate([limits.upper, limits.velocity]),
        samples=2000,
        starts=6,
    )
    section = "Way-points: Algorithm 1 as printed"
    solved = evidence.numbers("kumar_circle", "solved", section)
    micro = evidence.numbers("kumar_circle", "time a way-point", section)
    kdl = _kdl_time(arm)
    times = "the twin's extra is missing" if micro is None else f"{micro[0]:.0f} µs a way-point"
    poses = arm.fk(np.random.default_rng(1).uniform(limits.lower, limits.upper, (500, 7)) *
                   [1, 1, 0, 1, 1, 1, 1])  # fmt: skip
    T = np.linalg.inv(arm.model.T_base_s0) @ poses
    found = kumar.printed.locked_ik(T)
    there = np.asarray(np.isfinite(found).all(axis=-1))
    back = kumar.corrected.fk(np.where(there[..., None], found, 0.0))
    off, _ = pose_error(back, np.broadcast_to(T[:, None], back.shape))
    command = "baxterkit reproduce kumar_circle"
    beside = "" if kdl is None else f", KDL's solver, that of baxter_pykdl, {1e6 * kdl:.0f} µs"
    alike = micro is not None and kdl is not None and micro[0] <= judge.FACTOR * 1e6 * kdl
    return [
        _row("IV.C", "For Baxter the Coriolis effect cannot be neglected.",
             f"up to {100.0 * most.largest:.0f} % of a joint's greatest torque, at speeds within "
             "the limits (optimised)", most.largest > judge.TENTH, "arm.coriolis(q, qd)"),
        _row("IV.E (1)", "The IK service runs in real time.", f"{times}, 50 ms apart",
             "not tested" if micro is None else micro[0] < 1e6 * judge.WAY_POINT_PERIOD, command),
        _row("IV.E (2)", "Its performance is comparable to the existing one.",
             f"with which one is not said: Algorithm 1 as printed {times}{beside}",
             "not tested" if micro is None or kdl is None else alike, command),
        _row("IV.E (3)", "Given nearby start and end poses the library performs well.",
             "the twin's extra is missing" if solved is None else
             f"{solved[0]:.0f} % of the circle's way-points are solved",
             "not tested" if solved is None else solved[0] > 99.0, command),
        _row("V (1)", "The library has more functions than the SDK and PyKDL.",
             "the library is not part of the paper", "not tested", "baxterkit --help"),
        _row("V (2)", "The 6-DoF solution is a backup if the 7-DoF one fails.",
             f"as printed it reaches no pose: {100.0 * (~there.any(axis=-1)).mean():.0f} % of 500 "
             f"without a solution, the others {1e3 * off[there].min():.0f} mm off at least",
             bool(off[there].min() < 0.011), "papers.kumar.printed.locked_ik(T)"),
    ]  # fmt: skip


def _without_limits(arm: Arm) -> Arm:
    joints = tuple(replace(joint, lower=-100.0, upper=100.0) for joint in arm.model.joints)
    return Arm.from_model(replace(arm.model, joints=joints))


def _times(M: Array, v: Array) -> Array:
    return np.asarray(np.einsum("...ik,...k->...i", M, v))


def _rate(evidence: Evidence, label: str) -> float:
    """The solve rate of a method of `kumar_ik` [%]."""
    text = evidence.text("kumar_ik", label)
    return np.nan if text is None else float(text.split(" %")[0])


def _points_in_the_canopy(arm: Arm, seed: int) -> tuple[int, int]:
    """Points between the shoulder and reachable points: reached, and reached clear of the body."""
    rng = np.random.default_rng(seed)
    tips = arm.fk(rng.uniform(arm.limits.lower, arm.limits.upper, (POINTS, 7)))[:, :3, 3]
    shoulder = kumar.corrected.frames(np.zeros(7), "left")[1, :3, 3]
    points = shoulder + rng.uniform(0.0, 1.0, (POINTS, 1)) * (tips - shoulder)
    geometry = np.zeros(POINTS, dtype=bool)
    clear = np.zeros(POINTS, dtype=bool)
    robot = Baxter()
    for _ in range(SEEDS):
        start = rng.uniform(arm.limits.lower, arm.limits.upper, (POINTS, 7))
        answer = arm.ik(Position(points), seed=start)
        solved = np.asarray(answer.solved)
        geometry |= solved
        found = np.where(solved[:, None], np.asarray(answer.q), 0.0)
        beside = np.broadcast_to(robot.right.configuration("neutral"), found.shape)
        clear |= solved & ~np.asarray(robot.in_collision(found, beside))
    return int(geometry.sum()), int(clear.sum())


def _kdl_time(arm: Arm) -> float | None:
    """Processor time of KDL's solver for a near pose, the least of five [s]; None without PyKDL."""
    kdl = load_pykdl()
    if kdl is None:
        return None
    seed = arm.configuration("neutral")
    T = arm.fk(seed + np.linspace(0.0, 0.03, 200)[:, None])
    times = []
    for _ in range(5):
        start = time.process_time()
        kdl_ik(kdl, arm, T, seed)
        times.append(time.process_time() - start)
    return min(times) / len(T)
