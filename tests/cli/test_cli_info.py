from __future__ import annotations

from typing import Any

import numpy as np

import baxterkit
from baxterkit import Arm


def test_json_holds_installation_limits_and_poses(cli: Any) -> None:
    facts = cli("info", "--side", "right", "--tool", "vacuum", "--json").json
    arm = Arm("right", tool="vacuum")
    assert facts["installation"]["baxterkit"] == baxterkit.__version__
    assert facts["installation"]["backend"] == baxterkit.backend_info()["backend"]
    assert (facts["side"], facts["tool"]) == ("right", "vacuum")
    for name in ("lower", "upper", "velocity", "effort"):
        assert facts["limits"][name] == getattr(arm.limits, name).tolist()
    assert facts["configurations"]["neutral"] == arm.configuration("neutral").tolist()
    assert facts["mount"] == arm.model.T_base_s0.tolist()


def test_text_has_the_limits_in_the_asked_unit(cli: Any) -> None:
    out = cli("info").out
    for word in ("left_e1", "2.6180", "lower [rad]", "untuck", "instruction set", "numpy"):
        assert word in out
    assert f"{np.degrees(2.618):.4f}" in cli("info", "--deg").out


def test_unknown_side_is_one_line(cli: Any) -> None:
    cli("info", "--side", "middle").fails_with(
        "Invalid value for '--side': 'middle' is not one of 'left', 'right' "
        "(see: baxterkit info --help)"
    )
