"""A robot with other parameters than the nominal ones is learnt over its link, through the gate."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from baxterkit import Arm, Baxter, Payload, identify, ros
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.errors import InputError
from baxterkit.messages import Message
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.ros import RobotLink, TwinRobot, learning
from baxterkit.ros.graph.local import LocalGraph
from baxterkit.ros.one_process import InProcess
from baxterkit.ros.robot.behaviour import Behaviour
from baxterkit.ros.robot.faults import FAULTS, Fault
from baxterkit.ros.robot.message_faults import JOINTS as JOINT_STATES
from baxterkit.ros.robot.message_faults import altered
from baxterkit.ros.robot.tampering import Tampering
from baxterkit.sim import Twin
from baxterkit.sim.nominal import nominal_effects
from baxterkit.trajectory import min_jerk

ZERO = np.array([1.5, -0.8, 0.5, -0.4, 0.1, -0.1, 0.15])
"""What the zero of the torque sensors has moved by [N m]."""
DRIFT = 0.2 * ZERO
"""What it moves by while the robot is learnt [N m]."""


def stranger(side: str, zero: np.ndarray | float = 0.0) -> Arm:
    """An arm that nobody has seen: a load, other springs, other friction, another zero."""
    rng = np.random.default_rng(SEEDS[side])
    effects = nominal_effects()
    return Arm(side, payload=Payload(0.4, [0.0, 0.0, 0.05])).with_effects(
        effects.replace(
            bias=effects.bias + zero,
            coulomb=effects.coulomb * rng.uniform(0.6, 1.6, 7),
            viscous=effects.viscous * rng.uniform(0.5, 1.5, 7),
            spring_sin=0.8 * effects.spring_sin,
            spring_cos=1.2 * effects.spring_cos,
        )
    )


SEEDS = {"left": 4, "right": 3}


@pytest.mark.slow
def test_an_arm_is_moved_recorded_fitted_and_predicted(tmp_path: Path) -> None:
    robot = Baxter(stranger("left"), Arm("right"))
    with ros.in_process(Twin(robot), enabled=True) as both:
        fit = ros.learn(
            both.link.enable(), sides=("left",), seconds=6.0, motions=1, folder=tmp_path
        )["left"]
    assert (fit.held_out["memory"].r2[:6] > 0.97).all()
    assert fit.dynamics is not None
    assert fit.dynamics.scores["before"].r2[1] < 0.0  # the springs, which nobody had told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["left_1.bag", "left_2.bag"]


def test_motions_keep_off_the_obstacles_of_the_scene() -> None:
    """The wall is where motions that know nothing of it go."""
    world = World()
    world.add_plane("wall", (-1.0, 0.0, 0.0), -0.95)  # solid beyond x = 0.95 m
    settings = {"sides": ("left",), "seconds": 6.0, "motions": 1}
    with ros.in_process(enabled=True) as both:
        free = learning.plan(both.link, **settings)["left"]
        both.link.scene = both.link.scene.replace(world=world)
        walled = learning.plan(both.link, **settings)["left"]
        scene, right = both.link.scene, both.link.right.q
        touched = [scene.first_contact(m.q, right) is not None for m in (*free, *walled)]
    assert touched[:2] != [False, False]
    assert touched[2:] == [False, False]


def test_learning_needs_a_motion() -> None:
    with ros.in_process(enabled=True) as both, pytest.raises(InputError, match="motions must be"):
        ros.learn(both.link, motions=0)


@pytest.mark.slow
def test_computed_torque_over_ros_is_better_with_the_zero_of_the_day() -> None:
    known, today = stranger("left"), stranger("left", ZERO)
    start = today.configuration("neutral")
    end = start + 0.2
    motion = min_jerk(today, start, end, 1.5)
    rng = np.random.default_rng(0)
    moving = identify.exciting_motion(today, 4.0, part=0.3, seed=int(rng.integers(9)))
    found = identify.offsets(known, identify.simulated_recording(today, moving))
    assert np.abs(found.tau - ZERO).max() < 0.1
    errors = {}
    for name, arm in (("yesterday's", known), ("tared", found.arm)):
        with ros.in_process(Twin(Baxter(today, Arm("right"))), enabled=True) as both:
            both.link.enable().move_to(left=start)
            errors[name] = both.link.follow({"left": motion}, ComputedTorque(arm)).rms()
    assert errors["tared"] < 0.6 * errors["yesterday's"], errors


def drifting(shares: list[float]) -> Tampering:
    """Zeros of all torque sensors that move by `DRIFT` in ten minutes, the right arm's down.

    The share of it that each message shows is added to `shares`.
    """
    names = [f"{side}_{joint}" for side in SIDES for joint in JOINTS]
    moved = dict(zip(names, np.concatenate([DRIFT, -DRIFT]), strict=True))
    first = 0

    def change(message: Message) -> None:
        nonlocal first
        first = first or message.header.stamp
        shares.append(1e-9 * (message.header.stamp - first) / 600.0)
        zeros = [shares[-1] * moved.get(name, 0.0) for name in message.name]
        message.effort = np.add(message.effort, zeros).tolist()

    return altered(JOINT_STATES, change)


@pytest.mark.acceptance
def test_both_arms_are_learnt_in_ten_minutes_while_the_zeros_drift(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares: list[float] = []
    fault = Fault("Zeros of torque sensors drift.", (drifting(shares),))
    monkeypatch.setitem(FAULTS, "drift", fault)
    robot = Baxter(stranger("left", ZERO), stranger("right", -ZERO))
    graph = LocalGraph()
    twin = TwinRobot(Twin(robot), graph, enabled=True, behaviour=Behaviour(faults=("drift",)))
    with InProcess(RobotLink(graph), twin, graph) as both:
        fits = ros.learn(both.link.enable())
        assert both.clock.now() < 660.0
    assert max(shares) > 0.8
    for side, fit in fits.items():
        assert (fit.held_out["memory"].r2 > 0.99).all(), (side, fit.held_out["memory"])
        assert fit.dynamics is not None
        assert not fit.doubts
        truth = getattr(robot, side).effects
        assert np.abs(fit.dynamics.effects.coulomb - truth.coulomb).max() < 0.15
