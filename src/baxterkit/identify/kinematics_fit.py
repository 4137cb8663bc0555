"""`KinematicsFit`: a calibrated arm, its errors and its observability."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.arm import Arm
from baxterkit.checks.arrays import joint_array
from baxterkit.identify.chain_errors import NAMES, Chain
from baxterkit.model.model import Tool
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, JointVector, Transform

WEAK = 0.5
"""A parameter of which the poses tell less than this share is called weak."""


@dataclass(frozen=True, eq=False)
class KinematicsFit:
    """Result of `identify.kinematics`. World is the frame of what measured.

    Attributes:
        start: The arm that was given.
        chain: The arm with its errors: mount, offsets, link errors and marker.
        setup: As in `identify.kinematics`.
        std: Standard errors of the parameters, in the order of `names`, shape (61,).
        learnt: Share of each parameter that comes from the poses, the rest from the nominal arm.
        weights: Weight of each pose, 0 to 1, shape (n,); low where it does not fit.
        before: Position errors of the nominal chain, with mount and tool fitted [m], shape (n,).
        after: Those of the calibrated one [m], shape (n,).
    """

    start: Arm
    chain: Chain
    setup: str
    std: Array
    learnt: Array
    weights: Array
    before: Array
    after: Array

    names = NAMES

    @property
    def offsets(self) -> JointVector:
        """Joint offsets: true positions less the encoders' [rad], shape (7,).

        That of s0 cannot be told from the mount, nor that of w2 from the tool: both are zero.
        """
        return self.chain.offsets

    @property
    def T_world_s0(self) -> Transform:
        """The mount in the frame of the measurements, shape (4, 4)."""
        return self.chain.T_world_s0

    @property
    def T_hand_marker(self) -> Transform:
        """The marker (or the camera) in the hand, shape (4, 4)."""
        return self.chain.T_hand_marker

    @property
    def arm(self) -> Arm:
        """The given arm with the fitted mount and tip; give it `corrected(q)`.

        Its links are the nominal ones, so that all solvers apply; `predict` has their errors too.
        """
        tool = self.start.model.tool
        marked = Tool(tool.name, self.T_hand_marker, tool.inertial, tool.shape)
        model = dataclasses.replace(self.start.model, T_base_s0=self.T_world_s0, tool=marked)
        return Arm.from_model(model, effects=self.start.effects)

    def corrected(self, q: ArrayLike) -> JointVector:
        """True joint positions [rad] of those that the robot reports, shape (*batch, 7)."""
        true: JointVector = joint_array(q, "q", names=self.start.joint_names) + self.offsets
        return true

    def predict(self, q: ArrayLike) -> Transform:
        """What would be measured at reported joint positions, shape (n, 4, 4).

        Poses of the marker in the world; for a camera in the hand, of the board in the camera.
        """
        angles = np.atleast_2d(joint_array(q, "q", names=self.start.joint_names))
        poses = self.chain.poses(angles)
        return inverse(poses) if self.setup == "hand" else poses

    def observability(self) -> dict[str, float]:
        """Share of each parameter that the poses tell, 0 to 1, by name."""
        return dict(zip(self.names, self.learnt.tolist(), strict=True))

    @property
    def advice(self) -> tuple[str, ...]:
        """What the poses do not tell, and remedies; empty if they tell all that matters."""
        advice = []
        weak = [
            name
            for name, share in self.observability().items()
            if share < WEAK and name.endswith("offset") and name[:2] not in ("s0", "w2")
        ]
        if weak:
            advice.append(
                f"the poses do not tell {', '.join(weak)}: these stay nominal; move the joints "
                "farther, in all combinations"
            )
        wrong = int((self.weights < 0.5).sum())
        if wrong:
            advice.append(f"{wrong} poses do not fit the others: was the marker seen and still?")
        return tuple(advice)

    def __str__(self) -> str:
        mm = 1e3
        lines = [
            f"{self.start.side} arm: {len(self.after)} poses, error "
            f"{mm * np.sqrt(np.mean(self.before**2)):.2f} mm before, "
            f"{mm * np.sqrt(np.mean(self.after**2)):.2f} mm after (RMS)",
            "  joint offsets [mrad]: "
            + " ".join(f"{round(mm * x, 2) + 0.0:+.2f}" for x in self.offsets),
            "  ±                     " + " ".join(f"{1.96 * mm * x:.2f}" for x in self.std[6:13]),
        ]
        return "\n".join([*lines, *(f"  note: {text}" for text in self.advice)])
