"""Goals of the trajectory action that name a start, tolerances, or come twice."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from action_client import ActionClient

from baxterkit.ros.robot.trajectory_action import ABORTED, PREEMPTED, SUCCEEDED

SECOND = 10**9


@pytest.fixture(scope="module")
def client() -> Iterator[ActionClient]:
    made = ActionClient()
    yield made
    made.close()


def send(client: ActionClient, name: str, duration: float = 0.3, **options: float) -> None:
    """A goal for the left arm that stays where it is, or turns its hand [rad]."""
    there = client.robot.twin.left.published.q + options.pop("turn", 0.0) * np.eye(7)[6]
    client.send(name, [duration], there, **options)  # type: ignore[arg-type]


def test_a_goal_starts_at_its_time(client: ActionClient) -> None:
    start = client.clock.stamp() + 4 * SECOND // 10
    send(client, "later", 0.1, stamp=start)
    assert client.result("later")[0] == SUCCEEDED
    assert 0.1 * SECOND <= client.clock.stamp() - start < 0.2 * SECOND
    send(client, "tomorrow", 0.1, stamp=client.clock.stamp() + 86_400 * SECOND)
    assert client.result("tomorrow")[:2] == (ABORTED, -1)
    send(client, "soon", 0.1, stamp=client.clock.stamp() + 50 * SECOND)
    client.clock.sleep(0.1)
    client.cancel("soon")
    assert client.result("soon")[0] == PREEMPTED


def test_a_goal_that_comes_twice_is_one(client: ActionClient) -> None:
    for _ in range(2):
        send(client, "twice", 1.0)
    assert client.result("twice")[0] == SUCCEEDED
    send(client, "next", 0.1)
    assert client.result("next")[0] == SUCCEEDED
    assert [m.status.status for m in client.ends("twice")] == [SUCCEEDED]


def test_tolerances_at_the_goal_count(client: ActionClient) -> None:
    send(client, "exact", 0.02, turn=2.5, path=3.0, goal=1e-3)  # no hand turns that fast
    status, code, text = client.result("exact")
    assert (status, code) == (ABORTED, -5)
    assert text.startswith("off by")
    send(client, "rough", 0.1, path=-1.0, goal=0.5)  # below 0: any
    assert client.result("rough")[0] == SUCCEEDED
    for word in ("path", "goal"):
        send(client, f"no {word}", 0.1, **{word: float("nan")})
        assert client.result(f"no {word}")[:2] == (ABORTED, -1)
