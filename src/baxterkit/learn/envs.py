"""The tasks as environments of gymnasium: one robot, or many at once."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from baxterkit.errors import InputError
from baxterkit.learn.gate import REASONS
from baxterkit.learn.robots import Outcome, Robots
from baxterkit.learn.settings import Settings
from baxterkit.learn.tasks import task
from baxterkit.types import Array

Observation = dict[str, Array]
PICTURE = (480, 360)
"""Width and height of what `render` draws."""
MOST = 100.0
"""Bound of all observations [rad, rad/s, m]."""
RENDER_MODES = ["rgb_array"]
METADATA: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 50}


class BaxterEnv(gymnasium.Env[Observation, Array]):
    """One robot at a task, in the twin, commanded through the safety gate.

    Args:
        name: The task: "reach", "push", "pick-and-place" or "lift-tray".
        side: The arm of a task for one arm.
        render_mode: "rgb_array" or None.
        settings: Fields of `Settings`.
    """

    metadata = METADATA

    def __init__(
        self, name: str, side: str = "left", render_mode: str | None = None, **settings: Any
    ) -> None:
        self.render_mode = _check_mode(render_mode)
        self.robots = Robots(task(name, side), 1, Settings(**settings))
        self.observation_space, self.action_space = _spaces(self.robots)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode; `options` are not used."""
        super().reset(seed=seed)
        self.robots.reset([0], [self.np_random])
        return _first(self.robots.observe()), {"is_success": False, "refused": ("",)}

    def step(self, action: Array) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """One action; episodes end when their time is up.

        `info` has "is_success", and "refused": for each arm why the gate did not send its command,
        or "".
        """
        if self.robots.episodes[0] is None:
            raise InputError("call reset() before the first step()")
        found = self.robots.step(_actions(self.robots, np.asarray(action)[None]))
        refused = tuple(REASONS[code] for code in found.refused[0])
        info = {"is_success": bool(found.success[0]), "refused": refused}
        observation = _first(found.observation)
        return observation, float(found.reward[0]), False, bool(found.over[0]), info

    def compute_reward(self, achieved: Array, desired: Array, info: object) -> Array:
        """The reward of goals (..., k): for learners that try other goals in hindsight."""
        return self.robots.reward(np.asarray(achieved), np.asarray(desired))

    def render(self) -> NDArray[np.uint8] | None:
        """The robot from in front, shape (360, 480, 3)."""
        return None if self.render_mode is None else self.robots.picture(0, PICTURE)


class BaxterVectorEnv(VectorEnv[Observation, Array, Any]):
    """Many robots at a task, stepped together on all cores. Each does what `BaxterEnv` does.

    Args:
        name: As in `BaxterEnv`.
        num_envs: Number of robots.
        side: The arm of a task for one arm.
        render_mode: "rgb_array" or None.
        settings: Fields of `Settings`.
    """

    metadata = METADATA | {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        name: str,
        num_envs: int = 1,
        side: str = "left",
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.render_mode = _check_mode(render_mode)
        self.num_envs = num_envs
        self.robots = Robots(task(name, side), num_envs, Settings(**settings))
        self.single_observation_space, self.single_action_space = _spaces(self.robots)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._rngs: list[np.random.Generator] = []
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode of each robot; from a seed, their seeds are seed, seed + 1, ..."""
        n = self.num_envs
        seeds = (
            seed
            if isinstance(seed, list)
            else [None if seed is None else seed + i for i in range(n)]
        )
        if len(seeds) != n:
            raise InputError(f"{len(seeds)} seeds for {n} robots; give one for each")
        if not self._rngs:
            self._rngs = [seeding.np_random(one)[0] for one in seeds]
        for i, one in enumerate(seeds):
            if one is not None:
                self._rngs[i] = seeding.np_random(one)[0]
        self.robots.reset(range(n), self._rngs)
        self._over[:] = False
        return self.robots.observe(), self._info(None)

    def step(
        self, actions: Array
    ) -> tuple[Observation, Array, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action of each robot; one whose episode was over begins the next one instead."""
        if not self._rngs:
            raise InputError("call reset() before the first step()")
        fresh = {i: self._rngs[i] for i in np.flatnonzero(self._over).tolist()}
        found = self.robots.step(_actions(self.robots, actions), fresh)
        rewards = np.where(self._over, 0.0, found.reward)
        self._over = found.over
        never = np.zeros(self.num_envs, dtype=bool)
        return found.observation, rewards, never, found.over.copy(), self._info(found)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Each robot from in front."""
        if self.render_mode is None:
            return None
        return tuple(self.robots.picture(i, PICTURE) for i in range(self.num_envs))

    def _info(self, found: Outcome | None) -> dict[str, Any]:
        n, everyone = self.num_envs, np.ones(self.num_envs, dtype=bool)
        if found is None:
            success, refused = ~everyone, np.zeros((n, len(self.robots.task.sides)), dtype=np.int8)
        else:
            success, refused = found.success, found.refused
        return {
            "is_success": success, "_is_success": everyone,
            "refused": refused, "_refused": everyone.copy(),
        }  # fmt: skip


def _spaces(robots: Robots) -> tuple[Any, Any]:
    """Of one robot: observations and actions."""
    sides, objects = len(robots.task.sides), len(robots.task.objects)
    length = sides * 23 + sides * robots.grips + objects * (9 + 3 * sides)
    goal = spaces.Box(-MOST, MOST, (robots.task.goal_size,), np.float64)
    found: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(-MOST, MOST, (length,), np.float64),
        "achieved_goal": goal,
        "desired_goal": goal,
    }
    if robots.settings.picture is not None:
        width, height = robots.settings.picture
        found["picture"] = spaces.Box(0, 255, (height, width, 3), np.uint8)
    return spaces.Dict(found), spaces.Box(-1.0, 1.0, (robots.width,), np.float64)


def _actions(robots: Robots, given: Array) -> Array:
    """Actions, shape (n, k), if they are finite."""
    values = np.asarray(given, dtype=np.float64)
    shape = (len(robots.batch), robots.width)
    if values.shape != shape:
        raise InputError(f"actions have shape {values.shape}; it must be {shape}")
    if not np.isfinite(values).all():
        raise InputError("an action is not finite; actions are from -1 to 1")
    return values


def _first(observation: Observation) -> Observation:
    return {name: values[0] for name, values in observation.items()}


def _check_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"render_mode = {mode!r}; it must be one of {RENDER_MODES} or None")
    return mode
