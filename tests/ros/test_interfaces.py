"""The twin has the robot's interfaces: names, types, rates, as one table declares them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import components
import pytest

from baxterkit.messages import message_class
from baxterkit.ros import LocalGraph, TwinRobot, topics
from baxterkit.ros.robot import interfaces
from baxterkit.ros.robot.interfaces import HEARD, PUBLISHED, TABLE, Interface
from baxterkit.sim import Twin

EVERY = [one for row in TABLE for one in row.each()]
ROBOT = Path(interfaces.__file__).parent
ELSEWHERE = ("cameras",)
"""Makers that are a process of their own."""


@pytest.fixture(scope="module")
def graph() -> LocalGraph:
    graph = LocalGraph()
    TwinRobot(Twin(rigid=True), graph)
    return graph


def test_the_table_is_as_long_as_the_bridges_lists() -> None:
    assert sum(1 for row in PUBLISHED for _ in row.each()) == 142
    assert sum(1 for row in HEARD for _ in row.each()) == 52
    assert len({one.name for one in EVERY}) == len(EVERY)


def test_the_twin_has_what_the_table_says_and_nothing_that_it_does_not(graph: LocalGraph) -> None:
    for one in EVERY:
        if one.maker in ELSEWHERE or one.role == "answers":
            continue  # `test_cameras.py` is about them
        topic = graph._topics.get(one.name)
        if one.twin == "absent":
            assert topic is None, one.name
            continue
        assert topic is not None, one.name
        assert topic.kind is message_class(one.kind), one.name
        assert topic.publishers if one.role == "publishes" else topic.subscribers, one.name
    actions = [topics.ACTION.format(side=side) for side in ("left", "right")]
    ours = (*actions, "/baxterkit/")
    known = {one.name for one in EVERY}
    assert [n for n in graph._topics if n not in known and not n.startswith(ours)] == []


def test_services_of_the_table_are_answered(graph: LocalGraph) -> None:
    wanted = {one.name for one in EVERY if one.role == "answers" and one.maker not in ELSEWHERE}
    assert wanted == set(graph._services)


def test_makers_are_modules() -> None:
    for row in TABLE:
        assert bool(row.maker) is (row.twin == "provided"), row.name
        assert not row.maker or (ROBOT / f"{row.maker}.py").exists(), row.name


def test_names_that_both_sides_use_are_in_the_table() -> None:
    known = {one.name: one.kind for one in EVERY}
    for word in topics._ROBOT:
        topic = topics.of_robot(word)
        assert known[topic.name] == topic.kind.TYPE
    for word in (*topics._LIMB, *topics._GRIPPER):
        topic = topics.limb("left", word)
        assert known[topic.name] == topic.kind.TYPE


def test_rates_are_those_of_the_table() -> None:
    graph = LocalGraph()
    clock = graph.clock
    with TwinRobot(Twin(rigid=True), graph):
        listener = graph.node("listener")
        counts: dict[str, int] = {}

        def count(one: Interface) -> None:
            def note(_message: object, who: str) -> None:
                if who != "/end_effector_publisher" or "joint_states" not in one.name:
                    counts[one.name] += 1

            counts[one.name] = 0
            listener.subscribe(one.name, message_class(one.kind), note)

        said = [one for row in PUBLISHED for one in row.each() if one.twin == "provided"]
        said = [one for one in said if one.maker not in ELSEWHERE]
        for one in said:
            count(one)
        clock.sleep(2.0)
        for one in said:
            wanted = 2.0 * one.rate
            if one.rate:
                assert abs(counts[one.name] - wanted) <= 2, (one.name, counts[one.name])
            else:
                assert counts[one.name] == 1, one.name


def test_the_page_is_made_from_the_table() -> None:
    tool = [sys.executable, "tools/interfaces_page.py", "--check"]
    done = subprocess.run(tool, cwd=components.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("title", "twin"), [("accepts", "accepted"), ("lacks", "absent")])
def test_the_guide_names_what_is_not_provided(title: str, twin: str) -> None:
    text = (components.ROOT / "docs" / "ros.md").read_text()
    (row,) = (line for line in text.splitlines() if line.startswith(f"| {title}"))
    names = [row.name for row in TABLE if row.twin == twin]
    short = ("/robot/limb", "/robot/set")
    wanted = {n.rsplit("/", 1)[1] if n.startswith(short) else n for n in names}
    assert set(re.findall(r"`([^`]+)`", row)) == wanted
