"""Motions and plans that cannot be followed to their end do not begin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from link_scene import LocalScene, bump

from baxterkit import Arm, Baxter, Payload, Tool, planning
from baxterkit.collision import World
from baxterkit.control import ComputedTorque
from baxterkit.errors import BaxterkitError, InputError
from baxterkit.model import Solid
from baxterkit.planning import PlanError, PlanResult
from baxterkit.ros import RefusedError, RobotLink, following, in_process, topics
from baxterkit.ros.planned import world_of
from baxterkit.ros.rules import MARGIN
from baxterkit.ros.topics import Topic
from baxterkit.scene import Scene
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory
from baxterkit.types import Array

S0 = np.eye(7)[0]


@pytest.fixture
def link(local: LocalScene) -> RobotLink:
    """On simulated time: no socket is needed to refuse."""
    return local.link


def tell(link: RobotLink, world: World) -> None:
    """The gate knows this world from now on."""
    link.scene = link.scene.replace(world=world)


@pytest.fixture
def sent(link: RobotLink, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Topics of all that the link sends; what a test before has sent may still be on its way."""
    names: list[str] = []
    send = link._gate._send

    def noting(topic: Topic, **fields: object) -> None:
        names.append(topic.name)
        send(topic, **fields)

    monkeypatch.setattr(link._gate, "_send", noting)
    return names


def refused(sent: list[str], reason: str, says: str, act: Callable[[], object]) -> None:
    """It is refused before any command is sent."""
    sent.clear()
    with pytest.raises(RefusedError, match=says) as caught:
        act()
    assert caught.value.reason == reason
    assert not sent


def test_a_motion_of_the_other_arm_does_not_begin(
    link: RobotLink, sent: list[str], tmp_path: Path
) -> None:
    """It starts where the right arm is, and nothing is in its way: its side alone is wrong."""
    q = link.right.q.copy()
    right = replace(Trajectory.from_points([0.0, 0.5, 1.0], [q, q + 0.02 * S0, q]), side="right")
    left = replace(right, side="left")
    files = [Trajectory.load(left.save(tmp_path / f"left{x}")) for x in (".npz", ".csv", ".json")]
    sent.clear()
    for motion in (left, *files):
        with pytest.raises(InputError, match="is the left arm's, not the right arm's"):
            link.follow({"right": motion})
    assert not sent
    link.follow({"right": right})


def test_what_leaves_the_limits_does_not_begin(link: RobotLink, sent: list[str]) -> None:
    q = link.left.q.copy()
    slow = Trajectory.from_points([0.0, 1.0, 2.0], [q, q + 0.2 * S0, q])
    fast = slow.stretched(0.1)
    refused(sent, "velocity", r"left_s0 = .* rad/s .*; follow motion\.stretched\(",
            lambda: link.follow({"left": fast}))  # fmt: skip
    far = Trajectory.from_points([0.0, 5.0], [q, q + 2.5 * S0])
    refused(sent, "position", "left_s0 = .* rad at .* s, outside",
            lambda: link.follow({"left": far}))  # fmt: skip
    with pytest.raises(RefusedError):  # the other arm's motion does not begin either
        link.follow({"left": far, "right": bump(link, "right")})
    assert not sent


@dataclass
class Course:
    """A motion of somebody's own making."""

    duration: float
    q: Array
    qd: Array

    def sample(self, t: Array) -> Course:
        """Stands still."""
        rows = (*np.shape(t), len(self.q))
        return Course(self.duration, np.broadcast_to(self.q, rows),
                      np.broadcast_to(self.qd, rows))  # fmt: skip


def test_what_has_no_end_or_no_number_does_not_begin(link: RobotLink, sent: list[str]) -> None:
    q, zero = link.left.q.copy(), np.zeros(7)
    late_nan = Course(1.0, q, np.where(S0 > 0.0, np.nan, 0.0))
    for course, says in (
        (Course(np.inf, q, zero), "takes inf s"),
        (Course(np.nan, q, zero), "takes nan s"),
        (late_nan, "left_s0 = nan rad/s at 0.00 s"),
    ):
        with pytest.raises(InputError, match=says):
            link.follow({"left": course})  # type: ignore[arg-type]
    assert not sent


def test_a_blocked_way_is_refused_before_anything_moves(link: RobotLink, sent: list[str]) -> None:
    motion, world = bump(link, "left", 0.3, 4.0), World()
    world.add_sphere("ball", 0.05, link.left.arm.fk(motion.sample(2.0).q)[:3, 3])
    tell(link, world)
    refused(sent, "collision", "nothing was sent: .* and ball would come within 5 mm at",
            lambda: link.follow({"left": motion}))  # fmt: skip
    tell(link, World())
    link.follow({"left": bump(link, "left", 0.05, 0.6)})
    assert sent


def test_what_is_there_to_be_gripped_or_put_is_left_out() -> None:
    with in_process(Twin(tool="electric_standard"), enabled=True) as both:
        link = both.link.enable()
        motion, world = bump(link, "left", 0.3, 4.0), World()
        tip = link.left.arm.fk(motion.sample(2.0).q)
        world.add_sphere("ball", 0.02, tip[:3, 3], mass=0.1)
        tell(link, world)
        says = "left_fingers and ball .* where it is to grip 'ball', leave that object out of link"
        with pytest.raises(RefusedError, match=says):
            link.follow({"left": motion})
        world.remove("ball")
        world.add_sphere("post", 0.02, tip[:3, 3])  # it has no mass: nobody grips it
        tell(link, world)
        with pytest.raises(RefusedError, match=r"left_fingers and post .*margin=\.\.\.\)$"):
            link.follow({"left": motion})
        world.remove("post")
        world.add_box("rod", (0.02, 0.02, 0.3), (0.0, 0.0, 0.0))
        ahead = np.eye(4)
        ahead[2, 3] = 0.1
        world.attach("rod", "left", ahead)
        world.add_sphere("shelf", 0.02, tip[:3, 3] + 0.2 * tip[:3, 2])
        tell(link, world)
        with pytest.raises(RefusedError, match="where it is to put 'rod' there, leave that object"):
            link.follow({"left": motion})


def test_positions_that_would_lead_by_too_much_do_not_begin(
    link: RobotLink, sent: list[str]
) -> None:
    """In position mode a command leads by 0.4 s times the speed; the gate allows 0.3 rad."""
    q = link.left.q.copy()
    fast = Trajectory.from_points([0.0, 0.8, 1.6], [q, q + 0.4 * S0, q], side="left")
    refused(sent, "jump", r"left_s0 at .* rad/s, and at most 0\.3 are allowed; go at 0\.\d+ of",
            lambda: link.follow(fast, mode="position"))  # fmt: skip
    share = 0.27 / (0.4 * float(np.abs(fast.sample(np.linspace(0.0, 1.6, 400)).qd).max()))
    link.follow(fast, mode="position", speed=np.floor(100.0 * share) / 100.0)
    link.follow(fast)


def test_hold_ends_the_motions_under_way(local: LocalScene) -> None:
    link = local.link
    local.later(0.3, link.hold)
    with pytest.raises(RefusedError, match=r"the motion was cancelled after 0\.3"):
        link.follow({"left": bump(link, "left", 0.1, 6.0)})
    assert np.abs(link.left.qd).max() < 0.05
    link.follow({"left": bump(link, "left", 0.05, 0.6)})


def test_an_arm_follows_one_motion_at_a_time(local: LocalScene) -> None:
    link, said = local.link, list[str]()
    link.rules = replace(link.rules, stall=5.0)  # what happens meanwhile holds the motion up

    def meanwhile() -> None:
        with pytest.raises(RefusedError, match="the left arm follows another motion") as caught:
            link.follow({"left": bump(link, "left", 0.05, 0.6)})
        said.append(caught.value.reason)
        link.follow({"right": bump(link, "right", -0.05, 1.0)})  # that arm is free
        link.cancel(0.0)

    local.later(0.3, meanwhile)
    with pytest.raises(RefusedError, match="the motion was cancelled"):
        link.follow({"left": bump(link, "left", 0.1, 6.0)})
    assert said == ["moving"]
    link.follow({"left": bump(link, "left", 0.05, 0.6)})


def test_a_call_of_several_motions_is_cancelled_as_a_whole(
    link: RobotLink, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none is under way yet: while the head turns, or while the motion is being checked."""

    def cancelled() -> dict[str, object]:
        link.cancel(0.0)
        return {}

    with monkeypatch.context() as patch:
        patch.setattr(link, "pan_head", lambda *_: cancelled())
        refused(sent, "cancelled", "before it began", link.tuck)
    with monkeypatch.context() as patch:
        patch.setattr(following, "check_motions", lambda *_: cancelled())
        refused(sent, "cancelled", "before it began", lambda: link.move_to("neutral"))
    link.follow({"left": bump(link, "left", 0.05, 0.6)})  # the next one is another call


def test_a_speed_ratio_is_as_it_was_before_a_motion(local: LocalScene) -> None:
    link, limb = local.link, local.robot.arms["left"].limb
    link.left.speed_ratio = 0.1
    local.clock.sleep(0.01)
    assert limb.speed_ratio == 0.1
    seen = set[float]()
    watch = local.clock.every(0.01, lambda: seen.add(limb.speed_ratio), "watch")
    link.follow({"left": bump(link, "left", 0.02, 0.6)}, mode="position")
    watch.close()
    local.clock.sleep(0.01)
    assert 1.0 in seen
    assert limb.speed_ratio == 0.1
    link.left.speed_ratio = 0.3


def test_torques_of_another_shape_are_said(link: RobotLink) -> None:
    class Both(ComputedTorque):
        def update(self, *args: object) -> Array:
            return np.zeros(14)

    controller = Both(link.left.arm)
    with pytest.raises(BaxterkitError, match="torques of the controller"):
        link.follow({"left": bump(link, "left")}, controller={"left": controller})


def planned(
    link: RobotLink, world: World | None = None, margin: float = 0.01, **options: object
) -> PlanResult:
    start = np.concatenate([link.left.q, link.right.q])
    goal = link.left.q + 0.25 * S0
    scene, options = link.robot.scene(world, margin=margin), {"group": "left", **options}
    return planning.plan(scene, start, goal, **options)  # type: ignore[arg-type]


def test_the_gate_knows_what_a_plan_held(link: RobotLink, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.add_box("table", [0.3, 0.3, 0.05], [1.5, 0.0, 0.0])
    world.add_box("cup", [0.04, 0.04, 0.1], [1.5, 0.0, 0.1])
    world.attach("cup", "left", np.eye(4))
    plan = planned(link, world).raise_if_failed()
    known: list[object] = []
    follow = following.follow

    def spy(*args: object) -> object:
        known.append({thing.name: thing.held for thing in link.scene.world.state})
        return follow(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(following, "follow", spy)
    link.follow(plan)
    assert known == [{"table": None, "cup": "left"}]
    assert not link.scene.world.names


def test_plans_under_way_together_leave_no_obstacle(link: RobotLink) -> None:
    """The first one ends first; what both know stays until the second one ends."""
    plans = []
    for name in ("crate", "shelf"):
        world = World()
        world.add_box("table", [0.3, 0.3, 0.05], [1.5, 0.0, 0.0])
        world.add_box(name, [0.1, 0.1, 0.1], [1.5, 0.0, 0.3])
        plans.append(planned(link, world).raise_if_failed())
    before = link.scene.world
    first, second = (world_of(link, plan) for plan in plans)
    with second:
        first.__enter__()
        assert set(link.scene.world.names) == {"table", "crate", "shelf"}
        during = link.scene.world
        with world_of(link, plans[0]):
            assert link.scene.world is during  # nothing is new
        first.__exit__(None, None, None)
        assert link.scene.world.names == ("table", "shelf")
    assert link.scene.world.names == before.names == ()


def test_an_obstacle_that_is_told_during_a_plan_stays(link: RobotLink) -> None:
    world = World()
    world.add_box("table", [0.3, 0.3, 0.05], [1.5, 0.0, 0.0])
    with world_of(link, planned(link, world).raise_if_failed()):
        tell(link, world)
    assert link.scene.world.names == ("table",)
    tell(link, World())


def test_a_plan_that_does_not_fit_the_link_is_refused(link: RobotLink, sent: list[str]) -> None:
    plan, world = planned(link), World()
    tip = link.left.arm.fk(plan.path[-1])[:3, 3]
    world.add_sphere("ball", 0.05, tip)  # since the plan was made
    tell(link, world)
    refused(sent, "collision", "and ball would come within", lambda: link.follow(plan))
    world.remove("ball")
    tell(link, world)
    away = np.concatenate([link.left.q - 0.4 * S0, link.right.q])
    other = planning.plan(link.robot, away, away[:7] + 0.1 * S0, group="left")
    refused(sent, "jump", "go there by move_to first", lambda: link.follow(other))
    held = World()
    held.add_box("cup", [0.04, 0.04, 0.1], [1.5, 0.0, 0.1])
    held.attach("cup", "left", np.eye(4))
    world.add_box("cup", [0.04, 0.04, 0.1], [1.5, 0.0, 0.1])
    tell(link, world)
    with pytest.raises(InputError, match=r"with 'cup' in the left hand, .* it is standing free"):
        link.follow(planned(link, held))
    with pytest.raises(PlanError):
        link.follow(planned(link, margin=0.9))
    assert not sent
    assert link.scene.world is world.snapshot()


def claw(side: float) -> Tool:
    return Tool("claw", np.eye(4), None, (Solid("box", (side, side, 0.06), np.eye(4)),))


def from_here(link: RobotLink, scene: Scene) -> PlanResult:
    start = np.concatenate([link.left.q, link.right.q])
    return planning.plan(scene, start, link.left.q + 0.1 * S0, group="left").raise_if_failed()


def test_a_plan_with_the_tool_that_the_gate_reckons_with_is_followed() -> None:
    """The robot says electric, the model a claw: every plan in link.scene was refused."""
    model = Baxter(Arm("left", claw(0.08)), Arm("right"))
    with in_process(Twin(model), model=model, enabled=True) as both:
        name, kind = topics.limb("left", "gripper_properties")
        node = both.graph.node("changer")
        node.advertise(name, kind, latch=True).publish(kind(ui_type=2, properties="{}"))
        both.clock.sleep(0.1)
        link = both.link.enable()
        assert link.tools["left"].tool.name == "gripper"
        assert link.follow(from_here(link, link.scene))
        assert link.follow(from_here(link, model.scene()))  # the gate checks with more


def test_a_plan_with_another_body_in_the_hand_is_refused() -> None:
    model = Baxter(Arm("left", claw(0.08)), Arm("right"))
    with in_process(Twin(model), model=model, enabled=True) as both:
        link = both.link.enable()
        heavy = Payload(1.5)
        rod = Payload(0.02, shape=(Solid("box", (0.02, 0.3, 0.02), np.eye(4)),))
        for robot, says in (
            (Baxter(Arm("left", claw(0.14)), Arm("right")), "another shape of the tool 'claw' in"),
            (model.replace(left=model.left.replace(payload=heavy)), "a payload of 1.5 kg in the"),
            (model.replace(left=model.left.replace(payload=rod)), "whose shape the link's robot"),
        ):
            with pytest.raises(InputError, match=says):
                link.follow(from_here(link, robot.scene()))
        held = World()
        held.add_box("load", (0.05, 0.05, 0.05), np.eye(4), mass=1.5)
        held.attach("load", "left", np.eye(4))
        tell(link, held)  # the gate knows that mass by another name
        assert link.follow(
            from_here(link, model.replace(left=model.left.replace(payload=heavy)).scene())
        )


def test_a_scene_that_does_not_fit_the_link_is_refused(link: RobotLink) -> None:
    """The gate keeps its robot, and leaves no pair out."""
    before = link.scene
    for scene, says in (
        (
            World(),
            r"a baxterkit.Scene, got World; .* link.scene.replace\(world=world",
        ),
        (Baxter().scene(), "another robot than the link"),
        (before.replace(without=(("left", "right"),)), "leaves out .* pairs of links"),
    ):
        with pytest.raises(InputError, match=says):
            link.scene = scene  # type: ignore[assignment]
    assert (link.scene.world, link.scene.margin) == (before.world, MARGIN)
    link.scene = before.replace(margin=0.02)
    assert link.scene.margin == 0.02
    with pytest.raises(InputError, match="world of a scene does not change"):
        link.scene.world.add_sphere("ball", 0.1, (1.0, 0.0, 0.0))
