"""The robot among its obstacles: `Scene`, and what is looked for in one.

`checks` is the robot, its surroundings and every check; `ik`, `path` and `pair` look for joint
positions that touch nothing, of one arm, along a path, and of both arms; `scene` is all of these as
methods. `hands` is the kinematics of both arms, which knows no body.
"""

from baxterkit.scene.scene import Scene as Scene
from baxterkit.scene.scene import SceneLike as SceneLike

__all__ = ["Scene", "SceneLike"]
