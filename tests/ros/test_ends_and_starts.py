"""Calls that end motions end all of them; motions that cannot be followed do not begin."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit.collision import World
from baxterkit.ros import InProcess, RefusedError, Rules, in_process
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory, min_jerk


def left_at(both: InProcess) -> np.ndarray:
    return both.twin.left.truth.q.copy()


def around(q: np.ndarray, to: np.ndarray, seconds: float) -> Trajectory:
    return Trajectory.from_points([0.0, seconds], [q, to], side="left")


@pytest.mark.parametrize("end", ["stop", "disable"])
def test_calls_of_several_motions_do_not_go_on_after_a_stop(end: str) -> None:
    with in_process(Twin()) as both:
        link = both.link.enable()

        def stop_and_go_on() -> None:
            getattr(link, end)()
            link.enable()

        with link._whole():  # a call that will make a motion, as a replay between two of its parts
            here = left_at(both)
            stop_and_go_on()
            with pytest.raises(RefusedError, match="cancelled before it began"):
                link.follow(around(link.left.q, link.left.q + 0.2 * np.eye(7)[0], 2.0))
            assert np.abs(left_at(both) - here).max() < 5e-3
        assert link.move_to(left=link.left.q + 0.1 * np.eye(7)[0])


def test_a_motion_that_begins_beyond_a_limit_does_not_begin() -> None:
    with in_process(Twin()) as both:
        link = both.link.enable()
        limits = link.left.arm.limits
        q = link.left.q
        near, beyond = q.copy(), q.copy()
        near[6], beyond[6] = limits.upper[6] - 0.03, limits.upper[6] + 0.1
        assert link.move_to(left=near, speed=0.8)
        here = left_at(both)
        with pytest.raises(
            RefusedError, match=r"nothing was sent: the motion has left_w2 = 3\.159"
        ):
            link.follow(around(beyond, beyond + 0.3 * np.eye(7)[0], 2.0))
        assert np.abs(left_at(both) - here).max() < 5e-3


def test_position_commands_that_lag_too_much_do_not_begin_without_feed_forward_either() -> None:
    with in_process(Twin(), rules=Rules(jump=0.05)) as both:
        link = both.link.enable()
        here = left_at(both)
        quick = around(link.left.q, link.left.q + 0.5 * np.eye(7)[0], 2.0)
        with pytest.raises(RefusedError, match=r"nothing was sent: in mode 'position'"):
            link.follow(quick, mode="position", feed_forward=False)
        assert np.abs(left_at(both) - here).max() < 5e-3


def test_a_motion_of_no_length_ends_where_the_arm_is() -> None:
    with in_process(Twin()) as both:
        link = both.link.enable()
        q = link.left.q
        assert link.follow(around(q, q, 1e-9), settle=0.0)


def test_a_speed_ratio_that_was_set_before_another_program_had_control_is_forgotten() -> None:
    with in_process(Twin()) as both:
        link = both.link.enable()
        link.left.speed_ratio = 0.1
        tops = link._gate._judge._tops("left")
        assert len(tops) == 1
        link.release_control()
        link.take_control()
        assert len(link._gate._judge._tops("left")) > 1


@pytest.mark.parametrize("mode", ["velocity", "position", "raw position"])
@pytest.mark.parametrize("end", ["limb", "link", "cancel"])
def test_a_motion_that_is_told_to_hold_ends(end: str, mode: str) -> None:
    """It went on to its end, and counted as arrived; in mode "position" by another 80 mrad."""
    with in_process(Twin()) as both:
        link, clock = both.link.enable(), both.clock
        q = link.left.q
        seen = []

        def stop() -> None:
            seen.append(left_at(both))
            {"limb": link.left.hold, "link": link.hold, "cancel": link._end_motions}[end]()

        clock.call_at(clock.now() + 1.0, stop)
        with pytest.raises(RefusedError) as no:
            link.follow(around(q, q + 0.5 * np.eye(7)[0], 2.0), mode=mode)
        assert no.value.reason == ("held" if end == "limb" else "cancelled")
        assert np.abs(link.left.qd).max() < 0.03
        assert np.abs(left_at(both) - seen[0]).max() < 0.05
        here = left_at(both)
        clock.sleep(0.5)
        assert np.abs(left_at(both) - here).max() < 5e-3


def test_a_motion_by_positions_brakes_before_an_obstacle_that_appears() -> None:
    """It went 33 mm into it: the robot obeyed the last position for 0.2 s more."""
    with in_process(Twin()) as both:
        link, clock = both.link.enable(), both.clock
        link.move_to("neutral", "neutral", speed=0.5)
        q = link.left.q
        to = q + 0.6 * np.eye(7)[0]
        world = World()
        world.add_sphere("ball", 0.06, link.left.arm.fk(to)[:3, 3])
        clock.call_at(clock.now() + 1.6, setattr, link, "scene", link.scene.replace(world=world))
        least = []
        look = clock.every(
            0.004,
            lambda: least.append(
                both.twin.robot.scene(world).clearance(left_at(both), both.twin.right.truth.q)
            ),
            "look",
        )
        with pytest.raises(RefusedError) as no:
            link.follow(min_jerk(link.left.arm, q, to, 2.5), mode="position")
        assert no.value.reason == "collision"
        clock.sleep(0.5)
        look.close()
        assert min(least) > 0.003


def test_a_motion_by_positions_arrives_without_waiting() -> None:
    """Braking is for motions that are cut short."""
    with in_process(Twin()) as both:
        link = both.link.enable()
        q = link.left.q
        to = q + 0.2 * np.eye(7)[0]
        link.follow(min_jerk(link.left.arm, q, to, 2.0), mode="position", settle=0.0)
        both.clock.sleep(0.15)
        assert np.abs(left_at(both) - to).max() < 5e-3
        assert both.twin.left.mode == "position"


@pytest.mark.parametrize("what", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_of_a_source_comes_out_when_the_hand_is_at_rest(what: type[BaseException]) -> None:
    with in_process(Twin()) as both:
        link = both.link.enable()
        start = link.left.tip

        def source(t: float) -> np.ndarray:
            if t > 0.6:
                raise what
            T = start.copy()
            T[2, 3] += 0.2 * t
            return T

        with pytest.raises(what):
            link.servo(source, "left", seconds=2.0)
        assert np.abs(link.left.qd).max() < 0.03
        assert np.abs(both.twin.left.truth.qd).max() < 0.03
