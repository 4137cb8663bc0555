"""The kinematics of a real arm from measured positions or poses: tracker, camera, touched points.

Mount, tool, joint offsets and link errors in one robust least squares fit, regularised towards the
nominal arm: what the poses do not tell stays nominal, and the report states it. A camera in the
hand that sees a board, and one outside that sees a board in the hand, are the same fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import finite_array, joint_array
from baxterkit.errors import InputError, ShapeError, UnknownNameError
from baxterkit.identify.chain_errors import COUNT, Chain
from baxterkit.identify.kinematics_fit import KinematicsFit
from baxterkit.identify.threads import on_one_thread
from baxterkit.spatial.formulas import inverse, nearest_rotation, skew, so3_log, transform
from baxterkit.types import Array, JointVector, Transform

STEPS = 50
"""Largest number of steps of the fit."""
FEWEST = 4
"""Fewest poses; positions of fewer do not determine the world's frame."""
SETUPS = ("outside", "hand")
UNFIT = 0.02
"""Position errors of the calibrated arm [m] above which, at half of the poses, nothing fits ..."""
NOISES = 20.0
"""... or this many standard deviations of the measurements, if that is more."""


@dataclass(frozen=True)
class KinematicPrior:
    """Standard deviations of the arm around the nominal one.

    Attributes:
        offset: Of joint offsets [rad].
        length: Of the joint frames' positions [m].
        angle: Of their orientations [rad].
        tool: Of the marker in the hand [m]; orientations ten times that, in rad.
    """

    offset: float = 0.02
    length: float = 1e-3
    angle: float = 1e-3
    tool: float = 0.1

    def deviations(self) -> Array:
        """Of all parameters, in the order of `NAMES`; the mount is free."""
        link = [self.length] * 3 + [self.angle] * 3
        tool = [self.tool] * 3 + [10.0 * self.tool] * 3
        return np.array([10.0] * 6 + [self.offset] * 7 + link * 7 + tool)


@on_one_thread
def kinematics(
    q: ArrayLike,
    measured: ArrayLike,
    arm: Arm | None = None,
    *,
    side: str = "left",
    setup: str = "outside",
    noise: float = 2e-4,
    angle_noise: float = 2e-3,
    prior: KinematicPrior | None = None,
) -> KinematicsFit:
    """Calibrates an arm: mount, tool, joint offsets and link errors.

    Args:
        q: Joint positions as the robot reports them [rad], shape (n, 7).
        measured: Positions of a marker, or of touched points, in the frame of what measures them
            [m], shape (n, 3); or its poses, shape (n, 4, 4). A camera's are those of the board as
            it sees it.
        arm: The model to start from, whose tip is near the marker; the nominal arm if None.
        side: The arm if `arm` is None.
        setup: "outside": the tracker or camera stands outside and sees the hand, or the hand
            touches points. "hand": the camera is in the hand, and sees a board outside (poses).
        noise: Standard deviation of measured positions [m].
        angle_noise: Of measured orientations [rad].
        prior: Uncertainty of the nominal arm; the default suits a Baxter.

    Returns:
        The fit: `.arm`, `.offsets`, `.predict(q)`, errors before and after, observability.

    Raises:
        InputError: If there are too few poses, they do not determine the world's frame, or no arm
            near the nominal one fits them (other units, another order of rows, another setup).
    """
    start = Arm(side) if arm is None else arm
    angles = joint_array(q, "q", names=start.joint_names)
    values = finite_array(measured, "measured")
    if setup not in SETUPS:
        raise UnknownNameError("setup", setup, SETUPS)
    with_poses = values.ndim == 3
    if angles.ndim != 2 or values.shape not in ((len(angles), 3), (len(angles), 4, 4)):
        raise ShapeError(
            "q must have shape (n, 7) and measured (n, 3) or (n, 4, 4), got "
            f"{angles.shape} and {values.shape}"
        )
    if len(angles) < FEWEST:
        raise InputError(f"{len(angles)} poses are too few; measure {FEWEST} or more, better 60")
    if setup == "hand":
        if not with_poses:
            raise InputError("a camera in the hand needs poses of the board, shape (n, 4, 4)")
        values = inverse(values)
    wanted = prior or KinematicPrior()
    problem = _Problem(angles, values, noise, angle_noise, wanted, setup == "hand")
    guess = Chain.nominal(start.model, start.model.T_base_s0, start.model.T_hand_tip)
    before = problem.framed(guess)
    chain, weights, information = problem.solve(before)
    after = np.linalg.norm(problem.misses(chain)[0], axis=1)
    if not np.median(after) <= max(UNFIT, NOISES * noise):
        raise InputError(_unfit(start, angles, values, float(np.median(after))))
    covariance = np.linalg.inv(information + problem.prior)
    return KinematicsFit(
        start=start,
        chain=chain,
        setup=setup,
        std=np.sqrt(np.diag(covariance)),
        learnt=1.0 - np.clip(np.diag(covariance) * np.diag(problem.prior), 0.0, 1.0),
        weights=weights,
        before=np.linalg.norm(problem.misses(before)[0], axis=1),
        after=after,
    )


def _unfit(arm: Arm, q: JointVector, measured: Array, left: float) -> str:
    """What may be wrong with measurements that no arm fits."""
    position = measured[:, :3, 3] if measured.ndim == 3 else measured
    if np.abs(q - arm.limits.clip(q)).max() > 1.0:
        guess = "the joint positions are far beyond their limits: give radians"
    elif np.ptp(position, axis=0).max() > 10.0:
        guess = "they are farther apart than the arm reaches: give metres"
    else:
        guess = "are rows of both in the same order, of the same arm, and is the setup right?"
    return (
        f"the measurements do not fit the arm: half of them are {1e3 * left:.0f} mm off or more "
        f"after the fit; {guess}"
    )


class _Problem:
    """Measured positions or poses, their noise and the prior.

    Poses are those of the marker in the world. If a camera in the hand saw them, noise is that of
    the world in its frame: an error of its orientation moves the camera in the world by more.
    """

    def __init__(
        self,
        q: JointVector,
        seen: Array,
        noise: float,
        angle_noise: float,
        prior: KinematicPrior,
        from_hand: bool = False,
    ) -> None:
        self.q, self.noise, self.angle_noise = q, noise, angle_noise
        self.from_hand = from_hand
        poses = seen.ndim == 3
        self.position = seen[:, :3, 3] if poses else seen
        self.rotation = seen[:, :3, :3] if poses else None
        self.prior = np.diag(prior.deviations() ** -2.0)

    def framed(self, chain: Chain) -> Chain:
        """The nominal chain in the frame of the measurements, found in closed form."""
        poses = chain.poses(self.q)
        if self.rotation is not None:
            return self._with_tool(chain, poses)
        T = _aligned(poses[:, :3, 3], self.position)
        framed = Chain.nominal(chain.model, T @ chain.T_world_s0, chain.T_hand_marker)
        return self._polished(framed)

    def _with_tool(self, chain: Chain, poses: Transform) -> Chain:
        """Mount and tool for poses: the robot-world, hand-eye equations, linearly."""
        assert self.rotation is not None
        hand = poses @ inverse(chain.T_hand_marker)
        rows = []
        for A, B in zip(hand[:, :3, :3], self.rotation, strict=True):
            # B = R_world A R_tool, so R_world' B = A R_tool
            rows.append(np.hstack([np.kron(B.T, np.eye(3)), -np.kron(np.eye(3), A)]))
        null = np.linalg.svd(np.vstack(rows))[2][-1]
        turned, tool = null[:9].reshape(3, 3).T, null[9:].reshape(3, 3).T
        sign = np.sign(np.linalg.det(tool)) or 1.0
        R_world, R_tool = nearest_rotation(sign * turned.T), nearest_rotation(sign * tool)
        # position = R_world (A_p + A_R tool) + world
        A_p, A_R = hand[:, :3, 3], hand[:, :3, :3]
        matrix = np.concatenate([R_world @ A_R, np.tile(np.eye(3), (len(hand), 1, 1))], axis=-1)
        right = self.position - A_p @ R_world.T
        shift = np.linalg.lstsq(matrix.reshape(-1, 6), right.ravel(), rcond=None)[0]
        T_world = transform(R_world, shift[3:])
        marker = transform(R_tool, shift[:3])
        return self._polished(Chain.nominal(chain.model, T_world @ chain.T_world_s0, marker))

    def _polished(self, chain: Chain) -> Chain:
        """Mount and tool alone, by the same least squares."""
        free = np.zeros(COUNT, dtype=bool)
        free[:6] = free[-6:] = True
        return self.solve(chain, free)[0]

    def misses(self, chain: Chain) -> tuple[Array, Array | None]:
        """Measured less predicted: positions [m] and rotation vectors [rad], shape (n, 3)."""
        poses = chain.poses(self.q)
        position = self.position - poses[:, :3, 3]
        if self.rotation is None:
            return position, None
        back = np.swapaxes(poses[:, :3, :3], 1, 2)
        turned = so3_log(self.rotation @ back)
        if self.from_hand:  # where the camera sees the board
            seen = -np.einsum("nji,nj->ni", self.rotation, self.position)
            position = seen + np.einsum("nij,nj->ni", back, poses[:, :3, 3])
        return position, turned

    def slopes(self, chain: Chain) -> tuple[Array, Array]:
        """Derivatives of what is predicted, as `Chain.derivatives`."""
        J, W = chain.derivatives(self.q)
        if not self.from_hand:
            return J, W
        poses = chain.poses(self.q)
        back = np.swapaxes(poses[:, :3, :3], 1, 2)
        return -back @ (J + skew(poses[:, :3, 3]) @ W), W

    def solve(self, chain: Chain, free: Array | None = None) -> tuple[Chain, Array, Array]:
        """Gauss-Newton with robust weights; the chain, weights and the data's information."""
        places = np.arange(COUNT) if free is None else np.flatnonzero(free)
        total = np.zeros(COUNT)
        weights = np.ones(len(self.q))
        for step_number in range(STEPS):
            miss, turned = self.misses(chain)
            J, W = self.slopes(chain)
            rows, right = J / self.noise, miss / self.noise
            if turned is not None:
                rows = np.concatenate([rows, W / self.angle_noise], axis=1)
                right = np.concatenate([right, turned / self.angle_noise], axis=1)
            size = np.linalg.norm(right, axis=1) / np.sqrt(right.shape[1])
            if step_number:
                weights = np.minimum(1.0, 4.0 * max(float(np.median(size)), 1.0) / size.clip(1e-9))
            weighted = rows * weights[:, None, None]
            information = np.tensordot(weighted, rows, ((0, 1), (0, 1)))
            gradient = np.tensordot(weighted, right, ((0, 1), (0, 1))) - self.prior @ total
            matrix = (information + self.prior)[np.ix_(places, places)]
            step = np.zeros(COUNT)
            step[places] = np.linalg.solve(matrix, gradient[places])
            chain, total = chain.moved(step), total + step
            if np.abs(step).max() < 1e-10:
                break
        return chain, weights, information


def _aligned(points: Array, seen: Array) -> Transform:
    """The rigid motion that takes points to where they were seen, shape (4, 4).

    Raises:
        InputError: If the points lie on a line.
    """
    a, b = points - points.mean(axis=0), seen - seen.mean(axis=0)
    U, S, Vt = np.linalg.svd(b.T @ a)
    if S[1] <= 1e-6 * S[0]:
        raise InputError("the positions lie on a line; spread the poses over the workspace")
    R = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ Vt))]) @ Vt
    return transform(R, seen.mean(axis=0) - R @ points.mean(axis=0))
