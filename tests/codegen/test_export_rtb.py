"""The arm as a model of Corke's Robotics Toolbox, and the DH table as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import export_cases as cases
import numpy as np
import pytest
import tolerances

from baxterkit.model.dh import dh_from_model

# Stand-ins for the toolbox's classes that keep what they are given.
LINK = "function link = Link(kind, varargin)\n  link = struct(varargin{:});\nend\n"
SERIAL_LINK = """function robot = SerialLink(links, varargin)
  robot = struct(varargin{:});
  robot.links = links;
end
"""
SCRIPT = """
robot = exported();
out = [];
for link = robot.links
  out = [out; [link.d, link.a, link.alpha, link.offset, link.qlim, link.m, link.r, link.I(:)']];
end
printf('%.17g ', out'); printf('%.17g ', robot.base'); printf('%.17g ', robot.tool');
printf('%.17g ', robot.gravity);
"""


@pytest.mark.parametrize("name", cases.ARMS)
def test_toolbox_for_python_gives_the_arms_values(name: str, tmp_path: Path, require: Any) -> None:
    require("rtb")
    robot = cases.load(cases.write(tmp_path, "dh", "rtb", name)).exported
    arm = cases.arm(name)
    factor = cases.looseness(name)
    for q, qd, qdd in zip(*cases.inputs("inverse_dynamics", name, 20), strict=True):
        tau = np.ravel(robot.rne(q, qd, qdd))
        for got, wanted, tolerance in (
            (robot.fkine(q).A, arm.fk(q), tolerances.FK_ENGINE),
            (robot.jacob0(q), arm.jacobian(q), tolerances.JACOBIAN_ENGINE),
            (tau, arm.inverse_dynamics(q, qd, qdd), tolerances.TORQUE_ENGINE),
            (robot.inertia(q), arm.inertia(q), tolerances.TORQUE_ENGINE),
        ):
            tolerances.assert_close(got, wanted, factor * tolerance)
    limits = np.array([link.qlim for link in robot.links])
    np.testing.assert_array_equal(limits, np.stack([arm.limits.lower, arm.limits.upper], -1))


@pytest.mark.parametrize("name", cases.ARMS)
def test_toolbox_for_matlab_gets_the_same_numbers(name: str, tmp_path: Path, require: Any) -> None:
    require("octave")
    cases.write(tmp_path, "dh", "rtb-matlab", name)
    (tmp_path / "Link.m").write_text(LINK, encoding="utf-8")
    (tmp_path / "SerialLink.m").write_text(SERIAL_LINK, encoding="utf-8")
    (tmp_path / "main.m").write_text(SCRIPT, encoding="utf-8")
    out = cases.run("octave-cli", "--norc", "--no-history", "main.m", folder=tmp_path)
    numbers = np.array(out.split(), dtype=float)
    model = cases.arm(name).model
    table = dh_from_model(model)
    rows = [
        [
            *(row.d, row.a, row.alpha, row.theta_offset, joint.lower, joint.upper),
            *(body.mass, *body.com, *body.inertia.T.ravel()),
        ]
        for row, body, joint in zip(table.rows, table.inertials, model.joints, strict=True)
    ]
    wanted = [*np.ravel(rows), *table.T_base_0.ravel(), *table.T_n_tip.ravel(), *-model.gravity]
    np.testing.assert_array_equal(numbers, wanted)


def test_table_as_json_is_the_arms(tmp_path: Path) -> None:
    facts = json.loads(cases.write(tmp_path, "dh", "json", "loaded").read_text(encoding="utf-8"))
    table = dh_from_model(cases.arm("loaded").model)
    assert facts["schema"] == "baxterkit.dh/1"
    for entry, row, body in zip(facts["rows"], table.rows, table.inertials, strict=True):
        assert (entry["joint"], entry["d"], entry["a"]) == (row.joint, row.d, row.a)
        assert (entry["alpha"], entry["theta_offset"]) == (row.alpha, row.theta_offset)
        assert entry["mass"] == body.mass
        np.testing.assert_array_equal(entry["com"], body.com)
        np.testing.assert_array_equal(entry["inertia"], body.inertia)
    np.testing.assert_array_equal(facts["T_base_0"], table.T_base_0)
    np.testing.assert_array_equal(facts["T_n_tip"], table.T_n_tip)
