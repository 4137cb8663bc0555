"""Without rosbags, MuJoCo or Foxglove: what works, and what is said in one sentence."""

from __future__ import annotations

import subprocess
import sys

BLOCKED = """
import importlib.abc, sys
class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"rosbags", "mujoco", "foxglove"}:
            raise ModuleNotFoundError(f"no module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
from baxterkit import ros
from baxterkit.ros.foxglove_server import FoxgloveServer
"""


CASES = {
    "ros.Rules(jump=float('x'))": "could not convert string to float: 'x'",  # it can be used
    "ros.TwinRobot()": "Simulation needs MuJoCo: pip install '.[sim]' in a clone of baxterkit",
    "ros.Recorder(None, None, 'run.bag')": (
        "Writing bags needs rosbags: pip install '.[ros]' in a clone of baxterkit"
    ),
    "FoxgloveServer(None, None, '127.0.0.1', 0)": (
        "Foxglove needs foxglove-sdk: pip install '.[foxglove]' in a clone of baxterkit"
    ),
}


def test_what_is_missing_is_said_in_one_sentence() -> None:
    code = BLOCKED + "".join(
        f"try:\n    {line}\nexcept Exception as error:\n    print(error)\n" for line in CASES
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout.splitlines() == list(CASES.values()), run.stderr
