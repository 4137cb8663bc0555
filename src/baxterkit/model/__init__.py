"""The robot's model: its numbers, and how they are read and written.

>>> from baxterkit.model import baxter_arm, dh_from_model
>>> print(dh_from_model(baxter_arm("left")))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.extras import lazy_names

if TYPE_CHECKING:
    from baxterkit.model.dh import DhTable, dh_from_model, dh_from_urdf
    from baxterkit.model.drawing import draw_tree, tree_dot
    from baxterkit.model.head import HeadModel
    from baxterkit.model.library import (
        BaxterData,
        baxter_arm,
        load_baxter,
        named_configuration,
        nominal_geometry,
    )
    from baxterkit.model.limits import Limits
    from baxterkit.model.model import ArmModel, Inertial, Joint, Payload, Tool
    from baxterkit.model.names import JOINTS, SIDES, from_message, joint_names, to_message
    from baxterkit.model.shape import Solid
    from baxterkit.model.urdf import arm_from_urdf
    from baxterkit.model.urdf_reader import read_urdf
    from baxterkit.model.urdf_tree import UrdfTree
    from baxterkit.model.urdf_writer import write_urdf

__all__ = [
    "JOINTS",
    "SIDES",
    "ArmModel",
    "BaxterData",
    "DhTable",
    "HeadModel",
    "Inertial",
    "Joint",
    "Limits",
    "Payload",
    "Solid",
    "Tool",
    "UrdfTree",
    "arm_from_urdf",
    "baxter_arm",
    "dh_from_model",
    "dh_from_urdf",
    "draw_tree",
    "from_message",
    "joint_names",
    "load_baxter",
    "named_configuration",
    "nominal_geometry",
    "read_urdf",
    "to_message",
    "tree_dot",
    "write_urdf",
]

_MODULES = {
    "DhTable": "dh",
    "dh_from_model": "dh",
    "dh_from_urdf": "dh",
    "draw_tree": "drawing",
    "tree_dot": "drawing",
    "HeadModel": "head",
    "BaxterData": "library",
    "baxter_arm": "library",
    "load_baxter": "library",
    "named_configuration": "library",
    "nominal_geometry": "library",
    "Limits": "limits",
    "ArmModel": "model",
    "Inertial": "model",
    "Joint": "model",
    "Payload": "model",
    "Tool": "model",
    "Solid": "shape",
    "JOINTS": "names",
    "SIDES": "names",
    "from_message": "names",
    "joint_names": "names",
    "to_message": "names",
    "arm_from_urdf": "urdf",
    "read_urdf": "urdf_reader",
    "write_urdf": "urdf_writer",
    "UrdfTree": "urdf_tree",
}
__getattr__ = lazy_names(__name__, _MODULES)
