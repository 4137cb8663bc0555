"""Pose and Jacobian of any frame of an arm, from the poses of its links."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from baxterkit.checks.results import deliver
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.kernels.choices import chosen
from baxterkit.kernels.protocol import Kernels
from baxterkit.model.frames import find_frame, robot_frames
from baxterkit.model.model import ArmModel
from baxterkit.model.names import other_side
from baxterkit.model.parts import Frame
from baxterkit.spatial.formulas import inverse
from baxterkit.types import Array, Jacobian, JointsLike, Transform, frozen


@lru_cache(maxsize=16)
def arm_frames(model: ArmModel) -> dict[str, Frame]:
    """The frames that move with an arm, by name."""
    frames = robot_frames({model.side: model})
    return {name: frame for name, frame in frames.items() if frame.body == model.side}


def _frame_of(model: ArmModel, of: str) -> Frame:
    frames = arm_frames(model)
    try:
        return find_frame(of, frames)
    except UnknownNameError:
        own, other = model.side, other_side(model.side)
        swapped = f"{own}_{str(of).removeprefix(f'{other}_')}"
        if str(of).startswith(f"{other}_") and swapped in frames:
            raise InputError(f"{of} is on the {other} arm, and this is the {own} arm") from None
        if of in robot_frames({own: model}):
            raise InputError(
                f"{of} does not move with the {own} arm; robot.transform gives its pose"
            ) from None
        raise


def fk_of(
    kernels: Kernels, model: ArmModel, q: JointsLike, of: str, out: Array | None = None
) -> Transform:
    """Pose of a frame of the arm in base.

    Args:
        kernels: The arm's kernels.
        model: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        of: The frame's name, for example "left_hand_camera".
        out: Array for the result, shape (*batch, 4, 4).

    Returns:
        T_base_frame, shape (*batch, 4, 4).

    Raises:
        UnknownNameError: If the arm has no such frame; lists its frames.
    """
    place = _frame_of(model, of)
    return deliver(kernels.link_poses(q)[..., place.link, :, :] @ place.T_link_frame, out)


def jacobian_of(
    kernels: Kernels,
    model: ArmModel,
    q: JointsLike,
    of: str,
    frame: str = "base",
    out: Array | None = None,
) -> Jacobian:
    """Geometric Jacobian of a frame of the arm: V = J(q) qd, V = [v; w] at the frame's origin.

    Args:
        kernels: The arm's kernels.
        model: The arm.
        q: Joint positions [rad], shape (*batch, 7).
        of: The frame's name, for example "left_hand_camera".
        frame: "base" for V in base axes, "tip" for the axes of that frame.
        out: Array for the result, shape (*batch, 6, 7).

    Returns:
        J, shape (*batch, 6, 7), linear rows [m/rad], angular rows [1]; joints beyond the frame's
        link have zero columns.

    Raises:
        UnknownNameError: If the arm has no such frame, or axes are neither "base" nor "tip".
    """
    in_base = chosen("jacobian", frame) == "jacobian"
    place = _frame_of(model, of)
    Ts = kernels.link_poses(q)
    T = Ts[..., place.link, :, :] @ place.T_link_frame
    J = np.zeros((*T.shape[:-2], 6, model.dof))
    for i, joint in enumerate(model.joints[: place.link + 1]):
        axis = Ts[..., i, :3, :3] @ joint.axis
        if joint.kind == "prismatic":
            J[..., :3, i] = axis
            continue
        J[..., :3, i] = np.cross(axis, T[..., :3, 3] - Ts[..., i, :3, 3])
        J[..., 3:, i] = axis
    if not in_base:
        R = np.swapaxes(T[..., :3, :3], -1, -2)
        J = np.concatenate([R @ J[..., :3, :], R @ J[..., 3:, :]], axis=-2)
    return deliver(J, out)


def tip_in_frame(model: ArmModel, of: str) -> Transform:
    """Pose of the tip in a frame that is fixed to the last link, T_frame_tip, shape (4, 4).

    Raises:
        UnknownNameError: If the arm has no such frame.
        InputError: If the frame is fixed to another link, so that its pose does not determine the
            tip's.
    """
    place = _frame_of(model, of)
    if place.link != model.dof - 1:
        last = sorted(n for n, f in arm_frames(model).items() if f.link == model.dof - 1)
        raise InputError(
            f"{place.name} is not rigid to the hand, so its pose does not fix that of the arm; "
            f"inverse kinematics is of {', '.join(last)}"
        )
    return frozen(inverse(place.T_link_frame) @ model.T_last_tip)
