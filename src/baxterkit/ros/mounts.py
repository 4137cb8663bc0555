"""The robot's own shape: where its arms are bolted on, from its description or from /tf."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from baxterkit.arm import Arm
from baxterkit.baxter import Baxter
from baxterkit.checks.units import warn_at_caller
from baxterkit.errors import ModelError, ModelWarning, UnknownNameError
from baxterkit.messages import Message
from baxterkit.model.library import load_baxter
from baxterkit.model.model import Tool
from baxterkit.model.names import SIDES
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.recording.transforms import BASES, FixedFrames
from baxterkit.ros import topics
from baxterkit.ros.errors import NoReplyError
from baxterkit.ros.graph.wire import LOG
from baxterkit.ros.limb import LinkedLimb
from baxterkit.ros.mounted_tools import kind_of
from baxterkit.ros.node import Listener, Node
from baxterkit.ros.poses import transform_of
from baxterkit.ros.waiting import seconds
from baxterkit.types import Transform

SOURCES = ("description", "tf")
TIP = 0.01
"""Difference between the tip's pose by the robot and by a model that is told [m]."""
REST = 0.05
"""An arm whose joints are all slower than this is at rest [rad/s]."""


def described(node: Node) -> Baxter:
    """The robot of `/robot_description`; a nominal one, with a warning, if there is none."""
    text = node.parameter(topics.DESCRIPTION)
    if not text:
        LOG.warning("no %s; the mounts are nominal, and off by some mm", topics.DESCRIPTION)
        return Baxter()
    try:
        return _read(str(text)).replace()
    except ModelError as error:
        LOG.warning("%s cannot be read (%s); the mounts are nominal", topics.DESCRIPTION, error)
        return Baxter()


@lru_cache(maxsize=4)
def _read(text: str) -> Baxter:
    return _with_tips(Baxter.from_urdf(text), text)


def _with_tips(robot: Baxter, text: str) -> Baxter:
    """The robot with its grippers' tips at `<side>_gripper`, the frame of `endpoint_state`."""
    above = {joint.child: joint for joint in read_urdf(text).joints.values()}
    arms: dict[str, Arm] = {}
    for side in SIDES:
        arms[side] = arm = robot.arm(side)
        tool, T, link = arm.tool, np.eye(4), f"{side}_gripper"
        while link in above and link != f"{side}_hand":
            T, link = above[link].T_parent_joint @ T, above[link].parent
        if tool.name != "hand" and link == f"{side}_hand":
            arms[side] = arm.replace(tool=Tool(tool.name, T, tool.inertial, tool.shape))
    return robot.replace(**arms)


def warn_of_other_tips(limbs: Iterable[LinkedLimb]) -> None:
    """Warns with `ModelWarning` where a tip by the model is elsewhere than by the robot.

    Not of a tool of one's own, of which the robot knows nothing, nor of an arm that moves.
    """
    for limb in limbs:
        endpoint, tool = limb.endpoint, limb.arm.tool.name
        if endpoint is None or kind_of(tool) == "custom" or np.abs(limb.qd).max() > REST:
            continue
        apart = float(np.linalg.norm(limb.tip[:3, 3] - endpoint[:3, 3]))
        if apart > TIP:
            warn_at_caller(
                f"the {limb.side} hand's tip by the given model, with the tool {tool!r}, is "
                f"{1e3 * apart:.0f} mm from where the robot has it: give the model of this robot, "
                "with the tool that the hand wears, or leave robot= out",
                ModelWarning,
            )


def mount(node: Listener, side: str, source: str, timeout: float) -> Transform:
    """`T_base_s0` of an arm, shape (4, 4).

    Raises:
        NoReplyError: If the robot does not tell.
    """
    if source not in SOURCES:
        raise UnknownNameError("source of the mount", source, SOURCES)
    if source == "description":
        text = node.parameter(topics.DESCRIPTION)
        if not text:
            raise NoReplyError(f"the parameter {topics.DESCRIPTION} is not set")
        return Arm.from_urdf(str(text), side).model.T_base_s0
    return _from_tf(node, f"{side}_arm_mount", timeout)


def _from_tf(node: Listener, frame: str, timeout: float) -> Transform:
    seconds(timeout)
    parents: dict[str, tuple[str, Transform]] = {}
    changed = node.clock.condition()

    def note(message: Message, _who: str) -> None:
        for entry in message.transforms:
            child, parent = entry.child_frame_id.strip("/"), entry.header.frame_id.strip("/")
            parents[child] = (parent, transform_of(entry))
        changed.notify()

    def there() -> bool:
        return frame in parents and parents[frame][0] in BASES

    subscribers = [node.subscribe(*topics.of_robot(word), note) for word in ("tf", "tf_static")]
    try:
        if not changed.wait_for(there, timeout):
            raise NoReplyError(f"/tf has not told of {frame} within {timeout:g} s")
    finally:
        for subscriber in subscribers:
            subscriber.close()
    frames = FixedFrames(dict(parents), frozenset(), "/tf")
    base = next(name for name in BASES if name in {parent for parent, _ in parents.values()})
    return frames.transform(base, frame) @ load_baxter().T_mount_s0
