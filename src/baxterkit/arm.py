"""The facade `Arm`: one arm with its tool, mount and payload, and methods on arrays.

Where its methods are:

- `fk`, `jacobian`, `inertia` and others that only call a kernel: `KernelMethods` in
  kernels/protocol.py, generated from kernels/table.py. `_set_up` replaces them in the instance by
  the kernels of the backend: the extension's (native/README.md), NumPy's (backend/reference.py)
  or the GPU's (cuda/kernels.py).
- Methods of several kernels: facade/kinematics.py and facade/dynamics.py.
- Inverse kinematics: facade/ik.py, then ik/inverse.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from baxterkit.backend.choice import is_native, kernels_of
from baxterkit.checks.units import warn_if_odd_gravity
from baxterkit.display import html_table
from baxterkit.errors import InputError
from baxterkit.facade.dynamics import DynamicsMethods
from baxterkit.facade.ik import IkMethods
from baxterkit.facade.kinematics import KinematicsMethods
from baxterkit.kernels.protocol import DIRECT
from baxterkit.model.library import (
    NOMINAL_TOLERANCE,
    baxter_arm,
    geometry_difference,
    load_baxter,
    named_configuration,
    nominal_geometry,
    resolve_mount,
)
from baxterkit.model.limits import Limits
from baxterkit.model.model import GRAVITY, ArmModel, Payload, Tool
from baxterkit.model.tool import resolve_tool
from baxterkit.types import JointsLike, JointVector

if TYPE_CHECKING:
    from pathlib import Path

    from baxterkit.dynamics.joint_effects import EffectFields, JointEffects

_DERIVED = frozenset(
    (
        "model",
        "effects",
        "_backend",
        "_kernels",
        "_moving",
        "_inverse",
        "_cuda_all",
        "_cuda_ik",
        "_torch_number",
        "_dh_table",
        "_has_inertia",
        "base_parameters",
        *DIRECT,
    )
)
"""Attributes that follow from model, backend and effects, so they are not copied or pickled."""


class Arm(KinematicsMethods, DynamicsMethods, IkMethods):
    """One Baxter arm.

    Every array method takes leading batch axes, broadcasts, and takes `out=`. Joint arrays have
    last axis 7 in the order s0 s1 e0 e1 w0 w1 w2; units are SI and radians. Joint values may also
    have names, in any order: a dict, a pandas Series or DataFrame, a JointState message.

    Args:
        side: "left" or "right".
        tool: "hand", "vacuum", "electric_standard_narrow" (short "electric_standard"),
            "electric_standard_wide", "electric_extended_narrow" (short "electric_extended"),
            "electric_extended_wide", or a 4x4 `T_hand_tip`.
        mount: 4x4 `T_base_s0` of this robot, or a name: "nominal" (as None), "pykdl_robot".
        payload: Body that the tip carries.
        gravity_vector: Gravity in base axes [m/s²]; a `UnitsWarning` tells of one above 20 m/s²,
            or that points upwards.
        backend: "native" (the compiled kernels), "numpy" (the readable reference), or "cuda" (the
            kernels on an NVIDIA GPU, "cuda:1" on the second).
    """

    def __init__(
        self,
        side: str = "left",
        tool: str | ArrayLike | Tool = "hand",
        mount: str | ArrayLike | None = None,
        payload: Payload | None = None,
        gravity_vector: ArrayLike = GRAVITY,
        backend: str = "native",
    ) -> None:
        self._set_up(baxter_arm(side, tool, mount, payload, gravity_vector), backend)
        warn_if_odd_gravity(self.model.gravity, self.model.T_base_s0)

    @classmethod
    def from_model(
        cls, model: ArmModel, backend: str = "native", effects: JointEffects | None = None
    ) -> Arm:
        """An arm from its model.

        A model with other joints than Baxter's uses the NumPy backend.
        """
        arm = cls.__new__(cls)
        arm._set_up(model, backend, effects)
        return arm

    @classmethod
    def from_urdf(
        cls,
        path_or_text: str | Path,
        side: str = "left",
        tool: str | ArrayLike | Tool | None = None,
        backend: str = "native",
        *,
        links: Mapping[str, str] | None = None,
    ) -> Arm:
        """The arm of a URDF file: Rethink's, or the dump of a real robot with its own mounts.

        The dump of a robot prints few digits (1.5708 for π/2). Joints within 1e-4 (m, rad) of
        Baxter's are replaced by Baxter's exact ones; the mount stays as in the file.
        `arm.model.snaps` lists the angles that were moved to a multiple of π/2.

        Args:
            path_or_text: A path, or the text of the file.
            side: "left" or "right".
            tool: As in `Arm`, in place of a gripper that the file has (a 4x4 leaves its mass).
                None: that gripper, the tool that `to_urdf` wrote, or the hand.
            backend: As in `Arm`.
            links: Other names of "base" and "hand", the first and the last link of the arm.

        Raises:
            UrdfError: If the file cannot be read or does not hold that arm.
        """
        from baxterkit.model.urdf import arm_from_urdf

        model = arm_from_urdf(path_or_text, side, tool, links=links)
        if geometry_difference(model) <= NOMINAL_TOLERANCE:
            model = nominal_geometry(model)
        return cls.from_model(model, backend)

    @classmethod
    def from_file(cls, path: str | Path, side: str | None = None, backend: str = "native") -> Arm:
        """The arm of a robot file (robot.toml): mount, tool, payload, inertias and effects.

        A tare in the file (`identify.offsets`) is part of the arm; `TareWarning` if it is old.

        Args:
            path: The file, as `to_file` and `identify` write it.
            side: "left" or "right"; may be None if the file holds one arm.
            backend: As in `Arm`.

        Raises:
            ModelError: If the file cannot be read or does not hold that arm.
        """
        from baxterkit import robot_file

        arm = robot_file.read(path, side)
        arm.warn_if_stale()
        model, effects = arm.today
        return cls.from_model(model, backend, effects)

    def to_file(self, path: str | Path, provenance: Mapping[str, object] | None = None) -> Path:
        """Writes this arm to a robot file; if the file holds the other arm, that one stays.

        Args:
            path: The file, for example "robot.toml".
            provenance: Origin of the numbers: texts, numbers, and lists and tables of them.

        Returns:
            The path.

        Raises:
            ModelError: If the file is not called .toml, or is there and no robot file.
            FileError: If it cannot be written.
        """
        from baxterkit import robot_file

        arm = robot_file.StoredArm(self.model, self.effects, provenance or {})
        return robot_file.write(path, arm)

    def to_urdf(self) -> str:
        """This arm as URDF: root link `base`, seven joints, tip link last, 17 digits.

        URDF has no place for springs, bias and smooth friction: effects are left out, and a comment
        in the text states it. `to_file` keeps them.
        """
        from baxterkit.model.urdf_writer import write_urdf

        note = "Rigid arm only: springs, friction and bias of this arm's joints are not in."
        return write_urdf(self.model, "" if self.effects is None else note)

    def replace(
        self,
        *,
        tool: str | ArrayLike | Tool | None = None,
        mount: ArrayLike | None = None,
        payload: Payload | EllipsisType | None = ...,
        gravity_vector: ArrayLike | None = None,
        backend: str | None = None,
    ) -> Arm:
        """A copy with some of its parts changed; the arguments are those of `Arm`.

        `payload=None` removes the payload.
        """
        changes: dict[str, Any] = {}
        if tool is not None:
            changes["tool"] = resolve_tool(tool, load_baxter().tools)
        if mount is not None:
            changes["T_base_s0"] = resolve_mount(mount, self.side)
        if payload is not ...:
            changes["payload"] = payload
        if gravity_vector is not None:
            changes["gravity"] = gravity_vector
        model = dataclasses.replace(self.model, **changes)
        if gravity_vector is not None:
            warn_if_odd_gravity(model.gravity, model.T_base_s0)
        backend = self._backend if backend is None else backend
        return type(self).from_model(model, backend, self.effects)

    def with_effects(
        self, effects: JointEffects | None = None, **fields: Unpack[EffectFields]
    ) -> Arm:
        """A copy whose joints add springs, friction and bias to the torques of the rigid arm.

        Inverse and forward dynamics and their derivatives include the effects; M, C and G stay
        rigid.

        Args:
            effects: A `JointEffects`, or None to remove the effects.
            fields: Instead of `effects`, fields of `JointEffects`: `bias`, `coulomb`, `viscous`,
                `speed`, `stiffness`, shape (7,) each; `spring_sin`, `spring_cos`, shape (7, k);
                `hysteresis`.
        """
        if fields:
            from baxterkit.dynamics.joint_effects import JointEffects

            if effects is not None:
                raise InputError("give effects or its fields by name, not both")
            effects = JointEffects(**fields)  # type: ignore[arg-type]  # it makes arrays of them
        return type(self).from_model(self.model, self._backend, effects)

    @property
    def side(self) -> str:
        """Which arm: "left" or "right"."""
        return self.model.side

    @property
    def tool(self) -> Tool:
        """The tool on the hand."""
        return self.model.tool

    @property
    def limits(self) -> Limits:
        """Joint limits: lower, upper [rad], velocity [rad/s], effort [N m], shape (7,) each."""
        return self.model.limits

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Joint names in the order of every array."""
        return self.model.joint_names

    @property
    def backend(self) -> str:
        """The backend in use: "native", "numpy" or "cuda"."""
        if self._backend.startswith("cuda"):
            return self._backend
        return "native" if is_native(self._kernels) else "numpy"

    def configuration(self, name: str) -> JointVector:
        """A named configuration [rad]: "neutral", "tuck" or "untuck", shape (7,)."""
        return named_configuration(name, self.side)

    def named(self, q: JointsLike) -> dict[str, Any]:
        """Joint values by name: {"left_s0": ..., ...}, as the robot's own software takes them.

        Args:
            q: Positions, velocities or torques, shape (*batch, 7), or values with names, of which
                this arm's are taken. NaN, as where `ik` has no solution, stays.

        Returns:
            Joint name → number, or array of shape (*batch) for a batch; order s0 s1 e0 e1 w0 w1 w2.
        """
        array = self.model.joint_values(q, nan=True)
        columns = array.tolist() if array.ndim == 1 else np.moveaxis(array, -1, 0)
        return dict(zip(self.joint_names, columns, strict=True))

    def _set_up(self, model: ArmModel, backend: str, effects: JointEffects | None = None) -> None:
        self.model = model
        self.effects = effects
        self._backend = backend
        self._kernels, self._moving = kernels_of(model, backend, effects)
        # A method that only calls a kernel is replaced in the instance by the kernel itself, which
        # saves a Python call.
        for name in DIRECT:
            if getattr(type(self), name) is getattr(Arm, name):
                self.__dict__[name] = getattr(self._kernels, name)

    def __reduce__(self) -> tuple[object, ...]:
        # Derived attributes are made again; a subclass's own fields are copied.
        own = {name: value for name, value in vars(self).items() if name not in _DERIVED}
        return type(self).from_model, (self.model, self._backend, self.effects), own

    def __repr__(self) -> str:
        extras = "" if self.model.payload is None else f", payload={self.model.payload.mass:g} kg"
        extras += "" if self.effects is None else ", with effects"
        return f"Arm({self.side!r}, tool={self.tool.name!r}{extras}, backend={self.backend!r})"

    def _repr_html_(self) -> str:
        limits = self.limits
        columns = (limits.lower, limits.upper, limits.velocity, limits.effort)
        rows = [
            (name, *(float(column[i]) for column in columns))
            for i, name in enumerate(self.joint_names)
        ]
        header = ("joint", "lower [rad]", "upper [rad]", "velocity [rad/s]", "effort [N m]")
        return html_table(repr(self), header, rows)
