"""Poses that are no 4x4 arrays go into inverse kinematics as they are, or are refused in words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tolerances

from baxterkit import Arm, poses, spatial, trajectory
from baxterkit.errors import InputError, ShapeError, UnknownNameError

ARM = Arm("left")
T = ARM.fk(ARM.configuration("neutral"))
P = T[:3, 3]
XYZW = spatial.matrix_to_quaternion(T[:3, :3])
WXYZ = np.roll(XYZW, 1)


def xyz(v: Any) -> SimpleNamespace:
    return SimpleNamespace(x=v[0], y=v[1], z=v[2])


def message(frame: str | None = None) -> SimpleNamespace:
    q = SimpleNamespace(**dict(zip("xyzw", XYZW, strict=True)))
    bare = SimpleNamespace(position=xyz(P), orientation=q)
    if frame is None:
        return bare
    return SimpleNamespace(header=SimpleNamespace(frame_id=frame), pose=bare)


FORMS = {
    "list": T.tolist(),
    "xyzw": {"position": P, "xyzw": XYZW},
    "wxyz": {"position": P, "wxyz": 0.99 * WXYZ},
    "Pose": message(),
    "PoseStamped": message("base"),
    "with a slash": message("/torso"),
    "with covariance": SimpleNamespace(header=SimpleNamespace(frame_id="base"), pose=message("")),
    "Transform": SimpleNamespace(translation=message().position, rotation=message().orientation),
    "TransformStamped": SimpleNamespace(
        transform=SimpleNamespace(translation=xyz(P), rotation=message().orientation)
    ),
    "function": poses.from_quaternion(P, XYZW, order="xyzw"),
    "seven numbers": poses.from_quaternion([*P, *WXYZ], order="wxyz"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_target(form: str) -> None:
    got = poses.pose_array(FORMS[form])
    np.testing.assert_allclose(got, T, atol=tolerances.SPATIAL)
    assert ARM.ik(FORMS[form]).solved


def test_sequences_are_batches() -> None:
    assert poses.pose_array([message(), FORMS["xyzw"]]).shape == (2, 4, 4)
    assert ARM.ik([message(), message("base")]).q.shape == (2, 7)
    assert ARM.ik_path([message()] * 3).solved
    assert len(ARM.ik_all(message())) == len(ARM.ik_all(T))
    header = SimpleNamespace(frame_id="base")
    array = SimpleNamespace(header=header, poses=[message(), message()])  # PoseArray
    assert ARM.ik_path(array).solved
    assert ARM.ik(SimpleNamespace(header=header, poses=[])).q.shape == (0, 7)
    camera = SimpleNamespace(header=SimpleNamespace(frame_id="head_camera"), poses=[message()])
    with pytest.raises(InputError, match="a pose in the frame 'head_camera'"):
        ARM.ik(camera)
    rows = np.tile([*P, *XYZW], (2, 3, 1))
    assert poses.from_quaternion(rows, order="xyzw").shape == (2, 3, 4, 4)


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            (P, XYZW),
            InputError,
            r'whose order is not known; give baxterkit.poses.from_quat.*"xyzw"',
        ),
        ([*P, *XYZW], ShapeError, "the order must be said: baxterkit.poses.from_quaternion"),
        ({"position": P, "quaternion": XYZW}, InputError, "got position, quaternion"),
        (
            {"header": {"frame_id": "left_hand"}, "position": P, "xyzw": XYZW},
            InputError,
            "in base, and nothing else, got header too",
        ),
        ({"position": P, "xyzw": np.zeros(4)}, InputError, "0 0 0 0 is not an orientation"),
        (message("left_hand_camera"), InputError, "a pose in the frame 'left_hand_camera'"),
        ({"position": P, "xyzw": 2.0 * XYZW}, InputError, "has length 2; that of a rotation is 1"),
        ({"position": P, "xyzw": [0, 0, np.nan, 1]}, InputError, r"quaternion\[2\] = nan"),
    ],
)
def test_what_is_unclear_is_refused(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        ARM.ik(given)


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="xyzw"):
        poses.from_quaternion(P, XYZW, order="zyxw")


def test_a_swapped_transform_is_refused() -> None:
    with pytest.raises(
        ShapeError, match=r"a rotation, .* then a position, .* got \(3,\) and \(3, 3\)"
    ):
        spatial.transform(P, T[:3, :3])


def test_waypoints_take_every_form() -> None:
    higher = {"position": np.add(P, [0.0, 0.0, 0.1]), "xyzw": XYZW}
    path = trajectory.lines([message("base"), higher])
    np.testing.assert_allclose(path.sample(0.0).T, T, atol=tolerances.SPATIAL)
    assert path.sample(path.duration).T[2, 3] == pytest.approx(P[2] + 0.1, abs=1e-12)
