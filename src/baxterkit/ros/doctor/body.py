"""What the robot reports of itself: software, stops and errors, calibration, its own shape."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from baxterkit.baxter import Baxter
from baxterkit.errors import BaxterkitError
from baxterkit.model.names import SIDES, joint_names
from baxterkit.ros import topics
from baxterkit.ros.doctor.diagnosis import Finding
from baxterkit.ros.doctor.ears import CHECKUPS, DIAGNOSTICS, DIGITAL, Ears, checkup, plugins
from baxterkit.ros.mounted_tools import kind_of
from baxterkit.ros.mounts import REST, TIP, described
from baxterkit.ros.node import Node
from baxterkit.ros.poses import pose_of

SOFTWARE = "1.2"
"""Version of the robot's software whose messages are ours."""
SOURCES = {1: "a person", 2: "an unknown cause", 3: "a fault of the robot", 4: "the robot's brain"}
"""`estop_source` -> who has stopped the robot."""
TORQUE = np.array([8.0, 8.0, 8.0, 8.0, 3.0, 3.0, 3.0])
"""Difference between a sensed torque and the robot's own gravity model that is reported [N m]."""
BEYOND = 0.02
"""A position beyond its limit by more than this [rad] is no sensor noise."""
MOSTLY = 0.5
"""Share of the messages that must tell of a contact."""
DESCRIPTION = "its description"
ERROR = 2
"""Level of diagnostics from which on a part has failed."""


def check(node: Node, ears: Ears, facts: dict[str, str], model: Baxter | None) -> Iterator[Finding]:
    """Findings on the robot itself.

    Args:
        node: Reads the parameters.
        ears: What was heard.
        facts: Gets what the robot reports.
        model: The model of the link that is examined; None without one.

    Raises:
        MasterError: If the master does not answer.
    """
    yield from _software(node, facts)
    yield from _state(ears, facts)
    yield from _parts(ears)
    text = node.parameter(topics.DESCRIPTION)
    robot = Baxter()
    if not text:
        yield Finding("no_description", f"the parameter {topics.DESCRIPTION} is not set")
    else:
        try:
            Baxter.from_urdf(str(text))
            robot = described(node)
        except BaxterkitError as error:
            yield Finding("description_unreadable", f"{topics.DESCRIPTION} cannot be read: {error}")
            text = ""
    yield from _arms(ears, robot)
    if text:
        yield from _tips(ears, robot, DESCRIPTION)
    if model is not None:
        yield from _tips(ears, model, "the link's model")


def _software(node: Node, facts: dict[str, str]) -> Iterator[Finding]:
    serial, version = (node.parameter(name) for name in (topics.SERIAL, topics.VERSION))
    facts["robot"] = f"{serial or 'no serial number'}, software {version or 'unknown'}"
    if not version:
        yield Finding("software_unknown", f"the parameter {topics.VERSION} is not set")
    elif not f"{version}.".startswith(f"{SOFTWARE}."):
        yield Finding(
            "software_version", f"the robot has software {version!s:.40}; {SOFTWARE} is expected"
        )
    kind = node.parameter(topics.CLASS)
    if kind and str(kind).lower() != "baxter":
        yield Finding(
            "robot_class", f"this robot is a {kind!s:.40} by its parameter {topics.CLASS}"
        )
    if node.parameter(topics.SIMULATED_TIME):
        yield Finding("simulated_time", f"the parameter {topics.SIMULATED_TIME} is true")


def _state(ears: Ears, facts: dict[str, str]) -> Iterator[Finding]:
    """At most one finding: the first that keeps the robot from being enabled."""
    heard = ears.heard(topics.of_robot("state"))
    state = heard.last
    if state is None or len(heard.sources) > 1:
        return
    facts["state"] = "stopped" if state.stopped else "enabled" if state.enabled else "disabled"
    by = SOURCES.get(state.estop_source, "nobody that it knows of")
    if state.estop_button == 1:
        yield Finding("estop_pressed", "the emergency stop is pressed")
    elif state.estop_button == 2:
        yield Finding("estop_unknown", "the robot cannot read its emergency stop")
    elif state.error:
        yield Finding("error_state", f"the robot reports an error, stopped by {by}")
    elif state.stopped:
        yield Finding("stopped", f"the robot was stopped by {by}; its button is released")


def _parts(ears: Ears) -> Iterator[Finding]:
    overall = ears.heard(DIAGNOSTICS).last
    if overall is not None and overall.level >= ERROR:
        yield Finding(
            "diagnostics_error",
            f"diagnostics report {overall.name!s:.60}: {overall.message!s:.100}, level "
            f"{overall.level}; below {ERROR} is expected",
        )
    digital = ears.heard(DIGITAL).last
    on = {} if digital is None else dict(zip(digital.names, digital.states, strict=False))
    for side in SIDES:
        cuff = on.get(f"{side}_lower_cuff")
        if cuff is not None and cuff.state == 1:
            yield Finding(
                "cuff_squeezed",
                f"the {side} cuff is squeezed: the arm floats and obeys no command",
            )
        touched = ears.heard(topics.limb(side, "detection"))
        if touched.share > MOSTLY:
            yield Finding("contact", f"the robot reports that its {side} arm touches something")
        loaded = ears.heard(plugins(side)).last
        if loaded is not None and not loaded.data:
            yield Finding("controllers_not_loaded", f"controllers of the {side} arm are not loaded")
        gripper = ears.heard(topics.limb(side, "gripper_state")).last
        if gripper is not None and gripper.error == 1:
            yield Finding("gripper_error", f"the {side} gripper reports an error")
        yield from _checkups(ears, side)


def _checkups(ears: Ears, side: str) -> Iterator[Finding]:
    findings = zip(CHECKUPS, ("calibration_failed", "tare_failed"), strict=True)
    for name, finding in findings:
        status = ears.heard(checkup(side, name)).last
        if status is not None and (status.complete == 1 or status.timedOut):
            codes = ", ".join(str(code) for code in status.errorCodes)[:200] or "no code"
            word = "calibration" if name == CHECKUPS[0] else "tare"
            yield Finding(finding, f"the last {word} of the {side} arm failed: {codes}")


def _arms(ears: Ears, robot: Baxter) -> Iterator[Finding]:
    """Findings on where the arms are and what their sensors read."""
    for side in SIDES:
        q = ears.joints.q.get(side)
        if q is None:
            continue
        arm = robot.arm(side)
        below, above = arm.limits.lower - q, q - arm.limits.upper
        beyond = np.maximum(below, above)
        j = int(np.argmax(beyond))
        if beyond[j] > BEYOND:
            yield Finding(
                "beyond_limits",
                f"{joint_names(side)[j]} reads {q[j]:.3f} rad; its limits are "
                f"{arm.limits.lower[j]:.3f} and {arm.limits.upper[j]:.3f} rad",
            )
            continue
        if ears.joints.fastest.get(side, 0.0) <= REST:
            yield from _torques(ears, side)


def _tips(ears: Ears, robot: Baxter, whose: str) -> Iterator[Finding]:
    """Findings on arms at rest whose tips a model has elsewhere than the robot."""
    for side in SIDES:
        q, endpoint = ears.joints.q.get(side), ears.heard(topics.limb(side, "endpoint")).last
        if q is None or endpoint is None or ears.joints.fastest.get(side, 0.0) > REST:
            continue
        arm = robot.arm(side)
        unknowable = whose != DESCRIPTION and kind_of(arm.tool.name) == "custom"
        if unknowable or (np.maximum(arm.limits.lower - q, q - arm.limits.upper) > BEYOND).any():
            continue
        apart = float(np.linalg.norm(pose_of(endpoint.pose)[:3, 3] - arm.fk(q)[:3, 3]))
        if not apart <= TIP:
            yield Finding(
                "tip_differs",
                f"the {side} tip by the robot and by {whose} are {1e3 * apart:.0f} mm apart; "
                f"{1e3 * TIP:g} mm are tolerated",
            )


def _torques(ears: Ears, side: str) -> Iterator[Finding]:
    sensed, gravity = ears.joints.tau.get(side), ears.torques[side]
    if not sensed or not gravity or "gravity" in ears.rivals:
        return
    off = np.median(sensed, axis=0) - np.median(gravity, axis=0)
    j = int(np.argmax(np.abs(off) / TORQUE))
    if not abs(off[j]) <= TORQUE[j]:
        yield Finding(
            "torque_offset",
            f"{joint_names(side)[j]} senses {off[j]:+.1f} N m more than gravity explains; "
            f"{TORQUE[j]:g} N m are tolerated",
        )
