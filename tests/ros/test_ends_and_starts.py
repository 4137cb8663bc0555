"""Calls that end motions end all of them; motions that cannot be followed do not begin."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit.ros import InProcess, RefusedError, Rules, in_process
from baxterkit.sim import Twin
from baxterkit.trajectory import Trajectory


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
