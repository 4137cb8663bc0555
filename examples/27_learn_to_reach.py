"""Learn to reach, from nothing: evolution of a small policy on many robots at once.

A policy is a matrix from the vector between tip and goal to joint velocities. Each generation draws
policies around the present one, lets each try the same goals, and moves towards the better ones
(cross-entropy method). A number of generations as argument learns for longer, and a file gets a
figure of it: `python 27_learn_to_reach.py 12 reach.png` takes minutes.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

GENERATIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
POLICIES, GOALS, ELITE = (32, 4, 8) if len(sys.argv) > 1 else (8, 2, 3)
SECONDS = 2.0  # of an episode
TESTS = 64 if len(sys.argv) > 1 else 4  # goals that are never learned from


def act(policies: np.ndarray, observation: dict[str, np.ndarray]) -> np.ndarray:
    """Actions (n, 7) of policies (n, 7, 3)."""
    away = observation["desired_goal"] - observation["achieved_goal"]
    return np.tanh(np.einsum("nij,nj->ni", policies, 5.0 * away))


def episode(env: Any, policies: np.ndarray, seeds: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Returns of policies (n, 7, 3), one for each robot, and whether the goals were reached."""
    observation, info = env.reset(seed=seeds)
    total = np.zeros(len(seeds))
    for _ in range(env.robots.steps):
        observation, reward, _, _, info = env.step(act(policies, observation))
        total += reward
    return total / env.robots.steps, info["is_success"]


def learn() -> list[tuple[float, float, float, float]]:
    """Time [s], mean return in training, return and success on other goals, of each generation."""
    from baxterkit.learn import BaxterVectorEnv

    env = BaxterVectorEnv("reach", POLICIES * GOALS, seconds=SECONDS)
    tests = BaxterVectorEnv("reach", TESTS, seconds=SECONDS)
    rng = np.random.default_rng(0)
    mean, spread = np.zeros((7, 3)), np.ones((7, 3))
    history, start = [], time.perf_counter()
    for generation in range(GENERATIONS + 1):
        tried, reached = episode(tests, np.tile(mean, (TESTS, 1, 1)), list(range(TESTS)))
        drawn = mean + spread * rng.standard_normal((POLICIES, 7, 3))
        seeds = [10_000 + GOALS * generation + k for k in range(GOALS)] * POLICIES
        returns, _ = episode(env, np.repeat(drawn, GOALS, axis=0), seeds)
        scores = returns.reshape(POLICIES, GOALS).mean(axis=1)
        best = drawn[np.argsort(scores)[-ELITE:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        spent = time.perf_counter() - start
        history.append((spent, float(scores.mean()), float(tried.mean()), float(reached.mean())))
        if len(sys.argv) > 1:
            print(f"{generation}: {spent:.0f} s, distance {-tried.mean():.3f} m on average, "
                  f"{100 * reached.mean():.0f} % reached", flush=True)  # fmt: skip
    return history


def draw(history: list[tuple[float, float, float, float]], path: str) -> None:
    """The return and the share of goals reached over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    t, train, test, reached = np.array(history).T
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(6, 5), layout="constrained")
    above.plot(t, train, color="0.6", label="policies that are tried")
    above.plot(t, test, color="#0072b2", label="present policy, other goals")
    above.set_ylabel("return: minus the mean\ndistance from the goal [m]")
    above.legend(frameon=False)
    below.plot(t, 100 * reached, color="#0072b2")
    below.set(xlabel="time [s]", ylabel=f"of {TESTS} goals reached [%]", ylim=(0, 100))
    figure.savefig(Path(path), dpi=120)


try:
    history = learn()
    print("generations:", len(history) - 1)
    print("numbers are finite:", bool(np.isfinite(history).all()))
    if len(sys.argv) > 2:
        draw(history, sys.argv[2])
except ImportError:
    print("no Gymnasium or MuJoCo on this machine: pip install baxterkit[learn]")
