"""An arm's numbers as its equations take them, all from its DH table.

The derivations take the geometry as a `Chain` and DH rows, and mount, tool, base parameters and
gravity as arguments. This module computes those arguments for a model: as numbers, or (link masses
and inertias) as other scalars, for example SymPy symbols.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit.equations.base_parameters import base_parameters, chain_gravity
from baxterkit.equations.chain import Chain
from baxterkit.equations.inertia import Moments, conjugated, symmetric
from baxterkit.equations.vectors import Matrix, Scalar, matvec
from baxterkit.errors import ModelError
from baxterkit.model.dh import DhRow, clean_transform, dh_from_model
from baxterkit.model.inertial import Inertial
from baxterkit.model.model import ArmModel, Tool
from baxterkit.types import Transform

INERTIA_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Order of the six entries of an inertia tensor: xx yy zz xy xz yz."""


@dataclass(frozen=True)
class LinkInertial:
    """Ten inertial parameters of a link, in its DH frame; any scalars.

    Attributes:
        mass: Mass [kg].
        com: Centre of mass [m], 3 entries.
        inertia: Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the centre of mass [kg m²], tensor signs.
    """

    mass: Scalar
    com: Sequence[Scalar]
    inertia: Sequence[Scalar]


@dataclass(frozen=True)
class ArmParameters:
    """The numbers of one arm.

    Attributes:
        rows: DH rows from the first joint to the tip or to the hand.
        chain: The same geometry as the dynamics take it.
        mount: DH frame 0 in base, rows of [R | p], 12 numbers.
        tool: Tip in the last DH frame, rows of [R | p], 12 numbers.
        links: Inertials of the links in their DH frames, tool and payload in the last one.
        gravity: Gravity in frame 0 [m/s²], 3 numbers.
        beta: Base parameters [kg m²], those that the kernels take.
        g: Gravity over the chain's unit of length [1/s²], likewise.
    """

    rows: tuple[DhRow, ...]
    chain: Chain
    mount: list[float]
    tool: list[float]
    links: tuple[LinkInertial, ...]
    gravity: list[float]
    beta: list[float]
    g: list[float]

    def moments(self, links: Sequence[LinkInertial]) -> list[Moments]:
        """Mass moments in chain frames of links given in DH frames."""
        length = 1 if self.chain.length == 1.0 else self.chain.length
        return [
            _moments(_chain_frame(row, row is self.rows[-1]), link, length)
            for row, link in zip(self.rows, links, strict=True)
        ]


def arm_parameters(
    model: ArmModel, length: float | None = None, *, separate_tool: bool = False
) -> ArmParameters:
    """The numbers of an arm.

    Args:
        model: An arm of revolute joints.
        length: Unit of length of the chain [m]; by default the one that saves most operations.
        separate_tool: Whether the rows end at the hand, with all of `T_hand_tip` in `tool`, so that
            the same rows serve every tool. Otherwise the last row takes up what it can.

    Raises:
        ModelError: If a joint slides.
    """
    for joint in model.joints:
        if joint.kind != "revolute":
            raise ModelError(
                f"joint {joint.name} is {joint.kind}: the closed form needs turning ones"
            )
    table = dh_from_model(without_tool(model) if separate_tool else _unmounted(model))
    T_n_tip = table.T_n_tip @ model.T_hand_tip if separate_tool else table.T_n_tip
    R_0_base = (model.T_base_s0 @ table.T_base_0)[:3, :3].T
    chain = Chain.from_dh(table.rows, length)
    return ArmParameters(
        rows=table.rows,
        chain=chain,
        mount=_rows(model.T_base_s0 @ table.T_base_0),
        tool=_rows(T_n_tip),
        links=tuple(_link_inertial(body) for body in table.inertials),
        gravity=[float(x) for x in clean_transform(R_0_base) @ model.gravity + 0.0],
        beta=base_parameters(model, chain).tolist(),
        g=(clean_transform(chain_gravity(model, chain)) + 0.0).tolist(),
    )


def without_tool(model: ArmModel) -> ArmModel:
    """The arm without mount and tool; the masses of tool and payload stay, in the last link."""
    tool = Tool("hand", np.eye(4))
    links = model.link_inertials()
    return dataclasses.replace(_unmounted(model), tool=tool, payload=None, inertials=links)


def _unmounted(model: ArmModel) -> ArmModel:
    return dataclasses.replace(model, T_base_s0=np.eye(4))


def _link_inertial(body: Inertial) -> LinkInertial:
    tensor = [float(body.inertia[i, k]) for i, k in INERTIA_ENTRIES]
    return LinkInertial(body.mass, body.com.tolist(), tensor)


def _chain_frame(row: DhRow, is_last: bool) -> Transform:
    """DH frame j in chain frame j: they move together. The last chain frame leaves out theta."""
    s, c = np.sin(row.theta_offset), np.cos(row.theta_offset)
    turn = np.eye(4)
    if not is_last:
        turn[:2, :2] = [[c, s], [-s, c]]
    return clean_transform(turn @ row.transform(0.0))


def _moments(T: Transform, link: LinkInertial, length: float) -> Moments:
    R: Matrix = [[whole(x) for x in row] for row in T[:3, :3].tolist()]
    t = [whole(x) for x in T[:3, 3].tolist()]
    xx, yy, zz, xy, xz, yz = link.inertia
    half = (xx + yy + zz) / 2
    about_com = symmetric(half - xx, half - yy, half - zz, -xy, -xz, -yz)
    com = [x + offset for x, offset in zip(matvec(R, link.com), t, strict=True)]
    m, S = link.mass, conjugated(R, about_com)
    return Moments(
        m=m * length * length,
        h=[m * x * length for x in com],
        S=[[S[i][k] + m * com[i] * com[k] for k in range(3)] for i in range(3)],
    )


def whole(x: float) -> float:
    """An integer where `x` is one: SymPy then leaves no `1.0*` in its expressions."""
    return int(x) if x == int(x) else x


def _rows(T: Transform) -> list[float]:
    return clean_transform(T)[:3].ravel().tolist()
