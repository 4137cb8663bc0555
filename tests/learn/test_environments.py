"""The environments keep gymnasium's contract, and a batch does what single robots do."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

from baxterkit import learn
from baxterkit.errors import InputError, UnknownNameError
from baxterkit.learn.actions import KINDS
from baxterkit.learn.gate import REASONS
from baxterkit.ros.rules import MARGIN
from baxterkit.sim import Variation

NAMES = list(learn.IDS)


def make(name: str, **options: Any) -> Any:
    import gymnasium

    return gymnasium.make(learn.IDS[name], **options)


def make_many(name: str, n: int, **options: Any) -> Any:
    import gymnasium

    return gymnasium.make_vec(learn.IDS[name], num_envs=n, **options)


@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium_finds_nothing(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(name, seconds=0.2).unwrapped, skip_render_check=True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_each_robot_of_a_batch_is_the_single_one_to_the_bit(kind: str) -> None:
    rng = np.random.default_rng(3)
    wide = learn.Randomisation(Variation(payload=(0.0, 1.0), friction=(0.5, 2.0)))
    options = {"action": kind, "randomise": wide, "seconds": 0.1}
    many = make_many("reach", 3, **options)
    given = rng.uniform(-1.0, 1.0, (8, *many.action_space.shape))
    first, _ = many.reset(seed=20)
    found = [many.step(action) for action in given]
    for i in range(3):
        env = make("reach", **options)
        observation, _ = env.reset(seed=20 + i)
        for key, values in observation.items():
            assert (first[key][i] == values).all()
        over = False
        for action, (rows, rewards, _, truncated, info) in zip(given, found, strict=True):
            if over:  # the batch begins the next episode, whatever the action
                observation, _ = env.reset()
                over = False
                assert all((rows[key][i] == values).all() for key, values in observation.items())
                continue
            observation, reward, _, over, told = env.step(action[i])
            for key, values in observation.items():
                assert (rows[key][i] == values).all(), key
            assert (rewards[i], bool(truncated[i])) == (reward, over)
            assert told["refused"] == tuple(REASONS[code] for code in info["refused"][i])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [("push", "tip"), ("lift-tray", "velocity")])
def test_random_actions_keep_clear_of_the_table_and_of_the_robot(name: str, kind: str) -> None:
    many = make_many(name, 4, action=kind).unwrapped
    many.reset(seed=1)
    rng = np.random.default_rng(0)
    action = rng.uniform(-1.0, 1.0, many.action_space.shape)
    refused, least = 0, np.inf
    for step in range(120):
        if step % 12 == 0:
            action = rng.uniform(-1.0, 1.0, many.action_space.shape)
            if many.robots.grips:
                action = action.reshape(4, len(many.robots.task.sides), -1)
                action[..., -1] = 1.0
                action = action.reshape(4, -1)
        info = many.step(action)[-1]
        refused += int((info["refused"] > 0).sum())
        q = many.robots.batch.truth[0]
        least = min(least, float(many.robots.scene.clearance(q[:, :7], q[:, 7:]).min()))
    assert refused > 0
    assert least > MARGIN - 0.002, f"{1e3 * least:.1f} mm"


def test_without_the_gate_such_actions_touch_the_table() -> None:
    many = make_many("push", 4, action="tip").unwrapped
    many.reset(seed=1)
    many.robots.gate.judge = lambda side, values, seen: np.zeros(4, np.int8)
    down = np.tile([0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 1.0], (4, 1))
    for _ in range(90):
        many.step(down)
    q = many.robots.batch.truth[0]
    assert many.robots.scene.clearance(q[:, :7], q[:, 7:]).min() < MARGIN


def test_rewards() -> None:
    for reward, near, far in (("dense", -0.01, -0.5), ("sparse", 0.0, -1.0)):
        env = make("reach", reward=reward, seconds=0.1).unwrapped
        goal, away = np.zeros((2, 3)), np.array([[0.0, 0.0, 0.01], [0.3, 0.4, 0.0]])
        assert env.compute_reward(away, goal, {}) == pytest.approx(np.array([near, far]))
        env.reset(seed=0)
        observation, value, *_ = env.step(np.zeros(7))
        goals = observation["achieved_goal"], observation["desired_goal"]
        assert value == env.compute_reward(*goals, {})


def test_episodes_differ_by_what_is_randomised() -> None:
    env = make("push", randomise=learn.Randomisation(), seconds=0.1).unwrapped
    masses, frictions = set(), set()
    for seed in range(3):
        env.reset(seed=seed)
        model = env.robots.batch[0].model
        masses.add(float(model.body("puck").mass[0]))
        frictions.add(float(env.robots.batch.parameters["friction"][0]))
    assert len(masses) == len(frictions) == 3
    before = env.robots.observe()
    env.reset(seed=2)
    assert all((values == before[key]).all() for key, values in env.robots.observe().items())


def test_pictures(require: Any) -> None:
    require("mujoco")
    from baxterkit.sim import RenderError

    try:
        env = make("pick-and-place", picture=(64, 48), seconds=0.1, render_mode="rgb_array")
        observation, _ = env.reset(seed=0)
    except RenderError:
        pytest.skip("no OpenGL here")
    assert observation["picture"].shape == (48, 64, 3)
    assert observation["picture"].std() > 10.0
    assert env.render().shape == (360, 480, 3)
    assert env.observation_space.contains(observation)


def test_wrong_settings_are_named() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"rate": 30.0}, "rate = 30 Hz; it must divide 100 Hz"),
        ({"reward": "much"}, "reward 'much'"),
        ({"action": "jump"}, "action 'jump'"),
        ({"side": "top"}, "'top'"),
        ({"seconds": 0.0}, "seconds = 0"),
        ({"randomise": True}, "randomise must be a learn.Randomisation"),
        ({"render_mode": "human"}, "render_mode = 'human'"),
    ]
    for options, message in cases:
        with pytest.raises((InputError, UnknownNameError), match=re.escape(message)):
            learn.BaxterEnv("reach", **options)
    with pytest.raises(UnknownNameError, match="task 'juggle'"):
        learn.BaxterEnv("juggle")
    with pytest.raises(InputError, match="a range is"):
        learn.Randomisation(mass=(2.0, 1.0))
    env = learn.BaxterVectorEnv("reach", 2, seconds=0.1)
    with pytest.raises(InputError, match="call reset"):
        env.step(np.zeros((2, 7)))
    with pytest.raises(InputError, match="3 seeds for 2 robots"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"shape \(2, 6\); it must be \(2, 7\)"):
        env.step(np.zeros((2, 6)))
    with pytest.raises(InputError, match="not finite"):
        env.step(np.full((2, 7), np.nan))
