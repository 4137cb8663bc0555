"""Environments for learners: tasks for the twin, one robot or many at once, behind the safety gate.

For example::

    import gymnasium
    import baxterkit.learn
    env = gymnasium.make("baxterkit/Reach-v0")
    many = gymnasium.make_vec("baxterkit/Reach-v0", num_envs=64)

`Robots` is what both are made of: n twins (`sim.TwinBatch`), the gate of all of them (`gate`), and
a task (`task`), whose action (`actions`) is a command to the joints. `expert` solves the tasks by
planning.
"""

from __future__ import annotations

from baxterkit.extras import load_extra

gymnasium = load_extra(
    "gymnasium", feature="An environment for learners", package="Gymnasium", extra="learn"
)

from baxterkit.learn.envs import BaxterEnv, BaxterVectorEnv  # noqa: E402
from baxterkit.learn.settings import Randomisation, Settings  # noqa: E402

__all__ = ["IDS", "BaxterEnv", "BaxterVectorEnv", "Randomisation", "Settings"]

IDS = {
    "reach": "baxterkit/Reach-v0",
    "push": "baxterkit/Push-v0",
    "pick-and-place": "baxterkit/PickAndPlace-v0",
    "lift-tray": "baxterkit/LiftTray-v0",
}
"""Name of each task's environment in gymnasium's register, by the task's name."""

for _name, _id in IDS.items():
    if _id not in gymnasium.registry:
        gymnasium.register(
            _id,
            entry_point="baxterkit.learn:BaxterEnv",
            vector_entry_point="baxterkit.learn:BaxterVectorEnv",
            kwargs={"name": _name},
        )
