"""The robot as a MuJoCo model, made from our own model of it: frames, inertias, limits, body.

World and base frame coincide. The joints come in the order left s0 ... w2, right s0 ... w2, head
pan, then the free joints of objects that move. Friction and torques are not in here: `joints.py`
sets them step by step. Inertias are diagonalised here in double precision, so that the
equations of motion are ours to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from baxterkit.collision.body import FINGERS, BodyBox, load_body
from baxterkit.collision.hand import DrawnCapsule, arm_capsules
from baxterkit.collision.obstacle import FLOOR, Obstacle
from baxterkit.collision.pairs import HOLDS
from baxterkit.collision.tool_bodies import tool_body
from baxterkit.collision.world import World
from baxterkit.errors import InputError, ModelError
from baxterkit.look.colors import ARM_COLORS, rgb
from baxterkit.model.inertial import Inertial
from baxterkit.model.names import SIDES, other_side
from baxterkit.model.tool import CUP, CUP_YIELDS, full_name
from baxterkit.sim.obstacles import color_of, geoms
from baxterkit.sim.opengl import load_mujoco
from baxterkit.sim.physics import Physics
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Array, Rotation, Transform, Vector3

if TYPE_CHECKING:
    from baxterkit.arm import Arm
    from baxterkit.baxter import Baxter
    from baxterkit.model.model import ArmModel

COLORS = {
    part: (*np.array(rgb(color)) / 255.0, 1.0)
    for part, color in {**ARM_COLORS, "body": "#4D525C"}.items()
}
TOUCHES = {"left": 1, "right": 2, "body": 4, "object": 8}
"""One bit of contact type for each group."""
HANDS = {"left": 16, "right": 32}
"""The bits of hands: w1, w2 and the tool, which do not touch what they hold."""
FREE_OF = {"left": 64, "right": 128}
"""Bits of an object that this hand does not hold, in place of "object" for that hand."""
OBJECT = TOUCHES["object"] | FREE_OF["left"] | FREE_OF["right"]
ALL = 255
LIMIT_TIME = 0.004
"""Time constant of the joints' end stops [s]: four steps of 1 ms, stiff and still stable."""
CONTACT_TIME = 0.004
"""Time constant of contacts between parts of the robot [s]: the same."""
CUP_TIME, CUP_IMPEDANCE = 0.06, (0.1, 0.95, CUP_YIELDS + 0.01, 0.5, 2.0)
"""How a suction cup gives way: it presses with some newtons on a light object; chosen here."""
NEIGHBOURS = 2
"""Links this many joints apart share a bearing or always overlap: they do not collide."""
HEAD_STIFFNESS, HEAD_DAMPING = 8.0, 0.6
"""Gains of the head's own position loop [N m/rad, N m s/rad]; chosen here."""
HIDDEN = 3
"""Group of what is touched but not drawn."""
THINNEST = 1e-4
"""Least half side of a box [m]."""
SEEN = 0.8
"""Share of a box's rounding by which it is drawn larger."""


Mujoco: TypeAlias = Any
"""The module `mujoco`, which is loaded when it is needed, or an object of it: no types."""

SpecPart: TypeAlias = Any
"""An `mujoco.MjSpec`, or a body of one."""


def build_spec(
    robot: Baxter,
    world: World,
    start: str,
    dt: float,
    physics: Physics,
) -> SpecPart:
    """The model as an `mujoco.MjSpec`, not yet compiled.

    Args:
        robot: Both arms and the head.
        world: Its surroundings.
        start: Name of the pose in which the arms start; held objects are at the tips then.
        dt: Time step [s].
        physics: Contacts, end stops and integrator.

    Raises:
        ModelError: If an arm is not a chain of seven turning joints.
        InputError: If an object of the world has the name of a part of the robot.
    """
    mujoco = load_mujoco()
    spec = mujoco.MjSpec()
    spec.modelname = "baxter"
    spec.compiler.degree = False
    spec.option.timestep = dt
    spec.option.gravity = world_gravity(robot)
    spec.option.integrator = {
        "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
        "rk4": mujoco.mjtIntegrator.mjINT_RK4,
        "euler": mujoco.mjtIntegrator.mjINT_EULER,
    }[physics.integrator]
    off = mujoco.mjtDisableBit.mjDSBL_AUTORESET  # divergence must be reported, not reset
    if not physics.contacts:
        off |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    if not physics.limits:
        off |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    spec.option.disableflags = int(off)
    add_surroundings(mujoco, spec, "floor of the room" if "floor" in world else "floor")
    for n, box in enumerate(load_body().boxes):
        if box.part != "head":
            _add_box(mujoco, spec.worldbody, box, f"{box.part}/{n}")
    last = {side: _add_arm(mujoco, spec, robot.arm(side)) for side in SIDES}
    _add_head(mujoco, spec, robot)
    for obstacle in world.state:
        T = obstacle.T
        if obstacle.held is not None:
            arm = robot.arm(obstacle.held)
            T = arm.fk(arm.configuration(start)) @ T
        _add_object(mujoco, spec, obstacle, T, last)
    return spec


def finger_names(side: str) -> tuple[str, str]:
    """Names of the bodies of a hand's fingers: the one opening along +y of w2, then the other."""
    return f"{side}_finger_1", f"{side}_finger_2"


def world_gravity(robot: Baxter) -> Vector3:
    """Gravity of the scene in base axes [m/s²]: that of the arms, or the mean if theirs differ."""
    return 0.5 * (robot.left.model.gravity + robot.right.model.gravity)


def _add_arm(mujoco: Mujoco, spec: SpecPart, arm: Arm) -> str:
    """Adds one arm; returns the name of its last body."""
    model = arm.model
    if model.dof != 7 or any(joint.kind != "revolute" for joint in model.joints):
        raise ModelError("the twin needs arms of seven revolute joints")
    capsules = arm_capsules(model)
    body, T = spec.worldbody, model.T_base_s0
    names = ["world"]
    for j, (joint, inertial) in enumerate(zip(model.joints, model.link_inertials(), strict=True)):
        if j:
            T = joint.T_parent_joint
        name = f"{model.side}_{joint.name.split('_')[-1]}_link"
        body = body.add_body(name=name, pos=T[:3, 3], quat=_wxyz(T[:3, :3]))
        _set_inertial(body, inertial)
        hinge = body.add_joint(name=joint.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=joint.axis)
        if np.isfinite(joint.lower) and np.isfinite(joint.upper):
            hinge.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            hinge.range = [joint.lower, joint.upper]
            hinge.solref_limit = [LIMIT_TIME, 1.0]
        for n, capsule in enumerate(capsules):
            if capsule.frame == j and not capsule.is_finger:
                geom = _add_capsule(mujoco, body, capsule, model.side, f"{capsule.link}/{n}")
                if _is_cup(model, capsule):
                    geom.solref, geom.solimp, geom.priority = (CUP_TIME, 1.0), CUP_IMPEDANCE, 1
        for other in names[-NEIGHBOURS:]:
            spec.add_exclude(bodyname1=other, bodyname2=name)
        names.append(name)
    _add_fingers(mujoco, spec, body, model, names[-NEIGHBOURS - 1 : -1])
    tip = model.T_last_tip
    body.add_site(
        name=f"{model.side}_tip", pos=tip[:3, 3], quat=_wxyz(tip[:3, :3]), size=[0.006] * 3
    )
    return names[-1]


def _is_cup(model: ArmModel, capsule: DrawnCapsule) -> bool:
    """Whether that is the suction cup itself: of its tool's body, what reaches farthest."""
    if full_name(model.tool.name) != CUP or not capsule.link.endswith(FINGERS):
        return False
    cup = max(tool_body(CUP) or (), key=lambda part: max(part.start[2], part.end[2]) + part.radius)
    return np.array_equal(capsule.start, cup.start) and np.array_equal(capsule.end, cup.end)


def _add_fingers(
    mujoco: Mujoco, spec: SpecPart, hand: SpecPart, model: ArmModel, neighbours: list[str]
) -> None:
    """Adds the fingers of a hand, open: bodies that `fingers.py` moves, if its tool has any."""
    pieces = zip(arm_capsules(model, opening=0.0), arm_capsules(model), strict=True)
    bodies: dict[bool, SpecPart] = {}
    for n, (closed, opened) in enumerate(pieces):
        if not closed.is_finger:
            continue
        slide = opened.start - closed.start
        first = bool(slide[1] > 0.0)
        if first not in bodies:
            name = finger_names(model.side)[0 if first else 1]
            bodies[first] = hand.add_body(name=name, pos=slide)
            for other in neighbours:
                spec.add_exclude(bodyname1=other, bodyname2=name)
        _add_capsule(mujoco, bodies[first], closed, model.side, f"{closed.link}/{n}")


def _add_head(mujoco: Mujoco, spec: SpecPart, robot: Baxter) -> None:
    head = robot.head
    T = head.T_base_pan
    body = spec.worldbody.add_body(name="head", pos=T[:3, 3], quat=_wxyz(T[:3, :3]))
    _set_inertial(body, head.head.combine(head.screen.at(head.T_head_screen)))
    hinge = body.add_joint(name="head_pan", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    hinge.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    hinge.range = [head.lower, head.upper]
    hinge.damping = np.array([head.damping, 0.0, 0.0])
    for n, box in enumerate(load_body().boxes):
        if box.part == "head":
            _add_box(mujoco, body, box, f"head/{n}")
    motor = spec.add_actuator(name="head_pan", target="head_pan", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_position(kp=HEAD_STIFFNESS, kv=HEAD_DAMPING)


def _add_object(
    mujoco: Mujoco, spec: SpecPart, obstacle: Obstacle, T: Transform, hands: dict[str, str]
) -> None:
    """Adds an obstacle at a pose in base; one with a mass moves, and hands can hold it."""
    name = obstacle.name
    if spec.body(name) is not None or spec.geom(name) is not None:
        raise InputError(f"a part of the robot or of the room is called {name!r} already")
    body = spec.worldbody.add_body(name=name, pos=T[:3, 3], quat=_wxyz(T[:3, :3]))
    kinds = {
        "box": mujoco.mjtGeom.mjGEOM_BOX,
        "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
        "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
        "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
        "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    }
    for n, geom in enumerate(geoms(obstacle)):
        body.add_geom(
            name=f"{name}/{n}" if n else name,
            type=kinds[geom.kind],
            size=geom.size,
            pos=geom.position,
            mass=obstacle.mass,
            contype=OBJECT,
            conaffinity=ALL,
            condim=4,
            friction=[0.8, 0.005, 0.0001],
            rgba=[*color_of(obstacle), 1.0],
        )
    if not obstacle.mass:
        return
    body.add_freejoint()
    for side, hand in hands.items():
        weld = spec.add_equality(
            name=f"{side} holds {name}",
            type=mujoco.mjtEq.mjEQ_WELD,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=hand,
            name2=name,
            active=False,
        )
        weld.solref = [LIMIT_TIME, 1.0]


def _add_capsule(
    mujoco: Mujoco, body: SpecPart, capsule: DrawnCapsule, side: str, name: str
) -> SpecPart:
    # Links of one arm collide with each other as well, so a group's own bit is part of ALL.
    is_hand = capsule.link.removeprefix(f"{side}_") in HOLDS
    others = ALL & ~TOUCHES["object"] & ~FREE_OF[other_side(side)]
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[*capsule.start, *capsule.end],
        size=[capsule.radius, 0, 0],
        contype=HANDS[side] if is_hand else TOUCHES[side],
        conaffinity=others if is_hand else ALL,
        solref=[CONTACT_TIME, 1.0],
        rgba=COLORS[side],
        mass=0.0,
    )


def _add_box(mujoco: Mujoco, body: SpecPart, box: BodyBox, name: str) -> None:
    """A rounded box: a box that is touched at the distance of its rounding, and one that is seen.

    The fixed body does not collide with itself.
    """
    shape = {"type": mujoco.mjtGeom.mjGEOM_BOX, "pos": box.center, "quat": _wxyz(box.R)}
    body.add_geom(
        name=name,
        size=np.maximum(box.half, THINNEST),
        margin=box.radius,
        contype=TOUCHES["body"],
        conaffinity=ALL - TOUCHES["body"],
        solref=[CONTACT_TIME, 1.0],
        group=HIDDEN,
        mass=0.0,
        **shape,
    )
    body.add_geom(
        name=f"{name} seen",
        size=box.half + SEEN * box.radius,
        contype=0,
        conaffinity=0,
        rgba=COLORS["body"],
        mass=0.0,
        **shape,
    )


def add_surroundings(mujoco: Mujoco, spec: SpecPart, floor: str = "floor") -> None:
    """Light, floor and camera: visual only, without contacts."""
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.35, 0.35, 0.35]
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.86, 0.90, 0.95],
        rgb2=[0.98, 0.98, 0.99],
        width=64,
        height=384,
    )
    light = spec.worldbody.add_light(pos=[1.5, -1.0, 2.5], dir=[-0.5, 0.35, -0.8])
    light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    light.castshadow = False
    light.diffuse = [0.5, 0.5, 0.5]
    spec.worldbody.add_geom(
        name=floor,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        pos=[0, 0, FLOOR],
        size=[0, 0, 0.1],
        rgba=[0.97, 0.98, 1.0, 1],
        contype=OBJECT,
        conaffinity=TOUCHES["object"],
    )


def _set_inertial(body: SpecPart, inertial: Inertial) -> None:
    moments, R = principal(inertial)
    body.explicitinertial = True
    body.mass = inertial.mass
    body.ipos = inertial.com
    body.iquat = _wxyz(R)
    body.inertia = moments


def principal(inertial: Inertial) -> tuple[Array, Rotation]:
    """Principal moments [kg m²], (3,), and the rotation whose columns are their axes, (3, 3)."""
    moments, axes = np.linalg.eigh(inertial.inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return moments, axes


def _wxyz(R: Rotation) -> Array:
    return np.roll(matrix_to_quaternion(R), 1)
