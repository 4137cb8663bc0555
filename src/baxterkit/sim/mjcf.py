"""The robot as a folder of MuJoCo XML files that need nothing of baxterkit.

`baxter.xml` is the robot, `baxter_grippers.xml` the same with electric grippers whose fingers move,
`scene.xml` and `scene_grippers.xml` have a floor and a light, `assets` is what is seen. Numbers
have all their digits, so the equations of motion are ours to rounding. Bodies that are proven never
to touch, and neighbours, are excluded from contact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from baxterkit import disk
from baxterkit.baxter import Baxter
from baxterkit.collision.body import BodyBox, load_body
from baxterkit.collision.hand import DrawnCapsule, arm_capsules
from baxterkit.collision.pairs import link_pairs
from baxterkit.errors import InputError
from baxterkit.look.meshes import find_meshes
from baxterkit.model.inertial import Inertial
from baxterkit.model.names import SIDES
from baxterkit.sim.build import (
    COLORS,
    CONTACT_TIME,
    HEAD_DAMPING,
    HEAD_STIFFNESS,
    LIMIT_TIME,
    THINNEST,
    finger_names,
    principal,
    world_gravity,
)
from baxterkit.sim.mjcf_assets import FOLDER, AssetList, Assets
from baxterkit.sim.parts import body_parts
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import Array, Rotation, Transform

CONFIGURATIONS = ("neutral", "untuck", "tuck")
"""Named configurations that become keyframes."""
FINGER_MASS = 0.02
"""Mass of a finger that moves [kg], taken off the hand; an assumption."""
FINGER_INERTIA = 1e-5
"""Its moments of inertia [kg m²]; an assumption."""
FINGER_FORCE = 20.0
"""Greatest force of a finger [N]; an assumption."""
FINGER_STIFFNESS = 500.0
"""Gain of the fingers' position actuators [N/m]."""
_NONE: Mapping[str, str] = {}
SAME_GRAVITY = 1e-9
"""Difference of the gravity of both arms that is rounding [m/s²]."""
_TYPES = {"left": 1, "right": 2, "body": 4}


@dataclass(frozen=True)
class MjcfFolder:
    """What was written.

    Attributes:
        folder: The folder.
        files: Its files, without the meshes.
        meshes: The files of meshes.
    """

    folder: Path
    files: tuple[Path, ...]
    meshes: tuple[Path, ...]


def export_mjcf(
    folder: str | Path, robot: Baxter | None = None, *, meshes: str | Path | None = "auto"
) -> MjcfFolder:
    """Writes the robot as MuJoCo XML, in the manner of the Menagerie.

    Args:
        folder: Folder to write to; made if it does not exist.
        robot: The robot; a nominal one with bare hands if None. `baxter.xml` has its tools.
        meshes: What is seen: a folder `baxter_description` with Rethink's meshes; "auto" takes them
            from the package `example-robot-data` if it is installed, None our own look.

    Raises:
        InputError: If `folder` is a file, a mesh is missing, or the gravity of the arms differs.
        FileError: If a file cannot be written.
    """
    target = disk.as_path(folder, "folder")
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give a folder")
    both = Baxter() if robot is None else robot
    _check_one_gravity(both)
    electric = [arm.replace(tool="electric_standard") for arm in (both.left, both.right)]
    with_grippers = both.replace(left=electric[0], right=electric[1])
    found = find_meshes() if meshes == "auto" else meshes
    assets, scene = Assets(), _beside("mjcf_scene.xml")
    texts = {
        "baxter.xml": _Writer(both, False).text(found, assets),
        "baxter_grippers.xml": _Writer(with_grippers, True).text(found, assets),
        "scene.xml": scene,
        "scene_grippers.xml": scene.replace("baxter.xml", "baxter_grippers.xml"),
        "README.md": _beside("mjcf_readme.md"),
    }
    licence = None if found is None else Path(found) / "LICENSE"
    if licence is not None and licence.is_file():  # of the meshes
        texts["LICENSE"] = disk.read_text(licence)
    disk.make_folder(target)
    disk.make_folder(target / FOLDER)
    for name, content in assets.files.items():
        disk.write_bytes(target / FOLDER / name, content)
    for name, text in texts.items():
        disk.write_text(target / name, text)
    return MjcfFolder(
        target,
        tuple(target / name for name in texts),
        tuple(target / FOLDER / name for name in assets.files),
    )


def _check_one_gravity(robot: Baxter) -> None:
    """Raises `InputError` if the arms have two: a MuJoCo model has one."""
    left, right = robot.left.model.gravity, robot.right.model.gravity
    if np.abs(left - right).max() > SAME_GRAVITY:
        raise InputError(
            f"gravity of the left arm is {left.tolist()} m/s², of the right one {right.tolist()}, "
            "and a MuJoCo model has one; choose it: robot.replace(left=robot.left.replace("
            "gravity_vector=robot.right.model.gravity))"
        )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


class _Writer:
    """Collects the parts of one file.

    Args:
        robot: Both arms with their tools, and the head.
        fingers: Whether fingers are bodies that slide; otherwise they are fixed, open.
    """

    def __init__(self, robot: Baxter, fingers: bool) -> None:
        self._robot, self._fingers = robot, fingers
        self._root = ElementTree.Element("mujoco", model="baxter")
        gravity = _numbers(world_gravity(robot))
        _add(self._root, "compiler", angle="radian", autolimits="true", meshdir=FOLDER)
        _add(self._root, "option", timestep="0.001", integrator="implicitfast", gravity=gravity)
        self._defaults()
        self._world = _add(self._root, "worldbody")
        self._contact = _add(self._root, "contact")
        self._equality = ElementTree.Element("equality")
        self._actuator = ElementTree.Element("actuator")
        self._sensor = ElementTree.Element("sensor")
        self._joints: list[str] = []
        self._open: dict[str, float] = {}

    def text(self, meshes: str | Path | None, assets: Assets) -> str:
        """The file; its look is added to the assets."""
        base = _add(self._world, "body", name="base", childclass="baxter")
        for n, box in enumerate(load_body().boxes):
            if box.part != "head":
                _box(base, box, f"{box.part}_{n}")
        for side in SIDES:
            self._arm(base, side)
        self._head(base)
        self._look(meshes, assets)
        self._excludes()
        if len(self._equality):
            self._root.append(self._equality)
        self._root.extend((self._actuator, self._sensor))
        self._keyframes()
        ElementTree.indent(self._root)
        return ElementTree.tostring(self._root, encoding="unicode") + "\n"

    def _defaults(self) -> None:
        top = _add(_add(self._root, "default"), "default", {"class": "baxter"})
        _add(top, "joint", solreflimit=f"{LIMIT_TIME} 1", damping="0", armature="0")
        _add(top, "geom", solref=f"{CONTACT_TIME} 1", mass="0")
        _add(top, "motor", ctrllimited="true")
        _add(top, "site", size="0.006", rgba="0.8 0.2 0.2 1", group="4")
        for side in SIDES:
            part = _add(top, "default", {"class": f"{side}_collision"})
            _add(part, "geom", type="capsule", group="3", contype=str(_TYPES[side]),
                 conaffinity="7", rgba=_numbers(COLORS[side]))  # fmt: skip
        body = _add(top, "default", {"class": "body_collision"})
        _add(body, "geom", type="box", group="3", contype=str(_TYPES["body"]), conaffinity="3")
        visual = _add(top, "default", {"class": "visual"})
        _add(visual, "geom", type="mesh", group="2", contype="0", conaffinity="0")

    def _arm(self, base: ElementTree.Element, side: str) -> None:
        model = self._robot.arm(side).model
        capsules = arm_capsules(model)
        body, T = base, model.T_base_s0
        for j, (joint, inertial) in enumerate(
            zip(model.joints, model.link_inertials(), strict=True)
        ):
            if j:
                T = joint.T_parent_joint
            last = j == len(model.joints) - 1
            moved = last and self._fingers
            closed = _finger_inertials(arm_capsules(model, opening=0.0)) if moved else {}
            body = _body(body, _link(joint.name), T)
            _inertial(body, _lighter(inertial, list(closed.values())) if moved else inertial)
            _add(body, "joint", name=joint.name, axis=_numbers(joint.axis),
                 range=_numbers((joint.lower, joint.upper)))  # fmt: skip
            for n, capsule in enumerate(capsules):
                if capsule.frame == j and not (moved and capsule.is_finger):
                    _capsule(body, capsule, side, f"{capsule.link}_{n}")
            effort = float(joint.effort)
            _add(self._actuator, "motor", name=joint.name, joint=joint.name,
                 ctrlrange=_numbers((-effort, effort)))  # fmt: skip
            self._joints.append(joint.name)
            for kind, word in (("jointpos", "position"), ("jointvel", "velocity"),
                               ("jointactuatorfrc", "effort")):  # fmt: skip
                _add(self._sensor, kind, name=f"{joint.name}_{word}", joint=joint.name)
        if self._fingers:
            self._slides(body, side)
        _add(body, "site", name=f"{side}_tip", **_pose(model.T_last_tip))
        for kind in ("framepos", "framequat"):
            _add(
                self._sensor,
                kind,
                name=f"{side}_tip_{kind[5:]}",
                objtype="site",
                objname=f"{side}_tip",
            )

    def _slides(self, hand: ElementTree.Element, side: str) -> None:
        """The fingers as bodies that slide; one actuator opens both."""
        model = self._robot.arm(side).model
        pieces = zip(arm_capsules(model, opening=0.0), arm_capsules(model), strict=True)
        bodies: dict[bool, ElementTree.Element] = {}
        names = finger_names(side)
        inertials = _finger_inertials(arm_capsules(model, opening=0.0))
        for n, (closed, opened) in enumerate(pieces):
            if not closed.is_finger:
                continue
            slide = opened.start - closed.start
            first = _is_first(closed)
            if first not in bodies:
                name, travel = names[0 if first else 1], float(np.linalg.norm(slide))
                bodies[first] = _add(hand, "body", name=name)
                _inertial(bodies[first], inertials[first])
                _add(bodies[first], "joint", name=name, type="slide",
                     axis=_numbers(slide / travel), range=_numbers((0.0, travel)))  # fmt: skip
                self._joints.append(name)
                self._open[name] = travel
            _capsule(bodies[first], closed, side, f"{closed.link}_{n}")
        _add(self._contact, "exclude", body1=names[0], body2=names[1])
        _add(self._equality, "joint", joint1=names[1], joint2=names[0], polycoef="0 1 0 0 0")
        _add(self._actuator, "position", name=f"{side}_gripper", joint=names[0],
             kp=repr(FINGER_STIFFNESS), kv="20", ctrlrange=_numbers((0.0, self._open[names[0]])),
             forcerange=_numbers((-FINGER_FORCE, FINGER_FORCE)))  # fmt: skip

    def _head(self, base: ElementTree.Element) -> None:
        head = self._robot.head
        body = _body(base, "head", head.T_base_pan)
        _inertial(body, head.head.combine(head.screen.at(head.T_head_screen)))
        _add(body, "joint", name="head_pan", axis="0 0 1", damping=repr(float(head.damping)),
             range=_numbers((head.lower, head.upper)))  # fmt: skip
        for n, box in enumerate(load_body().boxes):
            if box.part == "head":
                _box(body, box, f"head_{n}")
        _add(self._actuator, "position", name="head_pan", joint="head_pan",
             kp=repr(HEAD_STIFFNESS), kv=repr(HEAD_DAMPING),
             ctrlrange=_numbers((head.lower, head.upper)))  # fmt: skip
        _add(self._sensor, "jointpos", name="head_pan_position", joint="head_pan")
        self._joints.append("head_pan")

    def _look(self, meshes: str | Path | None, assets: Assets) -> None:
        """What is seen of every body."""
        listed = AssetList(assets)
        bodies = {body.get("name"): body for body in self._world.iter("body")}
        for part in body_parts(self._robot, meshes, fingers=self._fingers):
            body = bodies["base" if part.body == "world" else part.body]
            _add(body, "geom", {"class": "visual"}, mesh=listed.mesh(part),
                 material=listed.material(part.color))  # fmt: skip
        self._root.insert(list(self._root).index(self._world), listed.element)

    def _excludes(self) -> None:
        """Pairs of bodies that are neighbours, or proven never to touch."""
        kept: dict[frozenset[str], bool] = {}
        for pair in link_pairs():
            for bodies in self._bodies(pair.first, pair.second):
                kept[bodies] = kept.get(bodies, False) or pair.checked
        for bodies, checked in kept.items():
            if not checked and len(bodies) == 2:
                first, second = sorted(bodies)
                _add(self._contact, "exclude", body1=first, body2=second)

    def _bodies(self, first: str, second: str) -> Iterator[frozenset[str]]:
        for one in self._bodies_of(first):
            for other in self._bodies_of(second):
                yield frozenset((one, other))

    def _bodies_of(self, link: str) -> tuple[str, ...]:
        if link in ("torso", "pedestal"):
            return ("base",)
        if link == "head":
            return ("head",)
        side, name = link.split("_", 1)
        if name == "fingers":
            return finger_names(side) if self._fingers else (f"{side}_w2_link",)
        names = {_link(joint) for joint in self._joints}
        return (f"{link}_link",) if f"{link}_link" in names else ("base",)

    def _keyframes(self) -> None:
        frames = _add(self._root, "keyframe")
        for key in CONFIGURATIONS:
            q: list[float] = []
            for name in self._joints:
                side, _, short = name.partition("_")
                if side not in SIDES or "finger" in short:
                    q.append(self._open.get(name, 0.0))
                    continue
                arm = self._robot.arm(side)
                q.append(float(arm.configuration(key)[arm.joint_names.index(name)]))
            _add(frames, "key", name=key, qpos=_numbers(q))


def _link(joint: str) -> str:
    return f"{joint}_link"


def _lighter(inertial: Inertial, fingers: list[Inertial]) -> Inertial:
    """The last link without its fingers: together with them, closed, it has this inertia."""
    mass = inertial.mass - sum(finger.mass for finger in fingers)
    moment = inertial.mass * inertial.com - sum(finger.mass * finger.com for finger in fingers)
    com = moment / mass
    about_origin = _about(inertial) - sum(_about(finger) for finger in fingers)
    return Inertial(mass, com, about_origin - mass * _steiner(com))


def _about(inertial: Inertial) -> Array:
    """Moments of inertia about the link's origin [kg m²], (3, 3)."""
    return inertial.inertia + inertial.mass * _steiner(inertial.com)


def _steiner(p: Array) -> Array:
    """Moments of a unit mass at `p` about the origin, (3, 3): p'p I - p p'."""
    moved: Array = p.dot(p) * np.eye(3) - np.outer(p, p)
    return moved


def _is_first(finger: DrawnCapsule) -> bool:
    """Whether a piece of a closed finger is of the one that opens along +y of w2."""
    return bool(finger.start[1] + finger.end[1] > 0.0)


def _finger_inertials(capsules: tuple[DrawnCapsule, ...]) -> dict[bool, Inertial]:
    """Of both fingers, closed: a mass in the middle of their pieces."""
    made = {}
    for first in (True, False):
        ends = [
            end
            for piece in capsules
            if piece.is_finger and _is_first(piece) is first
            for end in (piece.start, piece.end)
        ]
        made[first] = Inertial(FINGER_MASS, np.mean(ends, axis=0), FINGER_INERTIA * np.eye(3))
    return made


def _add(
    parent: ElementTree.Element, tag: str, given: Mapping[str, str] = _NONE, /, **more: str
) -> ElementTree.Element:
    return ElementTree.SubElement(parent, tag, {**given, **more})


def _numbers(values: Iterable[float] | Array) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(x) + 0.0) for x in values)


def _pose(T: Transform) -> dict[str, str]:
    return {"pos": _numbers(T[:3, 3]), "quat": _quaternion(T[:3, :3])}


def _quaternion(R: Rotation) -> str:
    return _numbers(np.roll(matrix_to_quaternion(R), 1))


def _body(parent: ElementTree.Element, name: str, T: Transform) -> ElementTree.Element:
    return _add(parent, "body", name=name, **_pose(T))


def _inertial(body: ElementTree.Element, inertial: Inertial) -> None:
    moments, R = principal(inertial)
    _add(body, "inertial", pos=_numbers(inertial.com), quat=_quaternion(R),
         mass=repr(float(inertial.mass)), diaginertia=_numbers(moments))  # fmt: skip


def _capsule(body: ElementTree.Element, capsule: DrawnCapsule, side: str, name: str) -> None:
    ends = _numbers((*capsule.start, *capsule.end))
    _add(body, "geom", {"class": f"{side}_collision"}, name=name, fromto=ends,
         size=repr(float(capsule.radius)))  # fmt: skip


def _box(body: ElementTree.Element, box: BodyBox, name: str) -> None:
    """A rounded box: the box inside, touched at the distance of its rounding."""
    place = {"pos": _numbers(box.center), "quat": _quaternion(box.R)}
    _add(body, "geom", {"class": "body_collision"}, name=name, margin=repr(float(box.radius)),
         size=_numbers(np.maximum(box.half, THINNEST)), **place)  # fmt: skip
