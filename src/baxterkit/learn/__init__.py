"""Environments for learners: tasks for the twin, one robot or many at once, behind the safety gate.

For example::

    import gymnasium
    import baxterkit.learn
    env = gymnasium.make("baxterkit/Reach-v0")
    many = gymnasium.make_vec("baxterkit/Reach-v0", num_envs=64)

`Robots` is what both are made of: n twins (`sim.TwinBatch`), the gate of all of them (`gate`), and
a task (`task`), whose action (`actions`) is a command to the joints. `Expert` solves the tasks by
planning.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from baxterkit.extras import lazy_names, load_extra
from baxterkit.learn.expert import Expert
from baxterkit.learn.settings import Randomisation, Settings

if TYPE_CHECKING:
    from baxterkit.learn.envs import BaxterEnv, BaxterVectorEnv

__all__ = ["IDS", "BaxterEnv", "BaxterVectorEnv", "Expert", "Randomisation", "Settings"]

IDS = {
    "reach": "baxterkit/Reach-v0",
    "push": "baxterkit/Push-v0",
    "pick-and-place": "baxterkit/PickAndPlace-v0",
    "lift-tray": "baxterkit/LiftTray-v0",
}
"""Name of each task's environment in gymnasium's register, by the task's name."""

_load = lazy_names(__name__, {"BaxterEnv": "envs", "BaxterVectorEnv": "envs"})


def __getattr__(name: str) -> Any:
    if name in ("BaxterEnv", "BaxterVectorEnv"):
        _gymnasium()
    return _load(name)


def _gymnasium() -> Any:
    return load_extra("gymnasium", feature="An environment", package="Gymnasium", extra="learn")


def _register() -> None:
    gymnasium = _gymnasium()
    for name, known_as in IDS.items():
        if known_as not in gymnasium.registry:
            gymnasium.register(
                known_as,
                entry_point="baxterkit.learn:BaxterEnv",
                vector_entry_point="baxterkit.learn:BaxterVectorEnv",
                kwargs={"name": name},
            )


if find_spec("gymnasium") is not None:
    _register()
