"""The doctor finds each fault of the twin by its name, and none in a healthy one."""

from __future__ import annotations

import pytest

from baxterkit import Arm, Baxter
from baxterkit.errors import InputError, ModelWarning, ResultError, UnknownNameError
from baxterkit.ros import (
    ADVICE,
    Behaviour,
    Diagnosis,
    Finding,
    LocalGraph,
    TwinRobot,
    diagnose,
    in_process,
)
from baxterkit.ros.doctor.machine import that_it_can_tell
from baxterkit.ros.robot.faults import FAULTS
from baxterkit.sim import Twin

LOCAL = [name for name, fault in FAULTS.items() if not fault.sockets]
QUICK = ("estop_pressed", "clock_set", "rival_commands", "gaps", "joints_silent", "torque_offset")
"""Faults of which the default run has the whole examination; `make acceptance` has all."""


def examined(*faults: str, twin: Twin | None = None, enabled: bool = False) -> Diagnosis:
    graph = LocalGraph()
    behaviour = Behaviour(faults=faults)
    with TwinRobot(twin, graph, enabled=enabled, behaviour=behaviour):
        return diagnose(graph, seconds=2.0)


def told(diagnosis: Diagnosis) -> list[str]:
    return [f"{finding.name}: {finding.seen}" for finding in diagnosis.findings]


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_is_found_by_its_name(name: str) -> None:
    found = examined(name)
    assert found.names == (name,), told(found)


@pytest.mark.acceptance
@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize("name", LOCAL)
def test_every_fault_is_found_by_its_name_alone(name: str, enabled: bool) -> None:
    found = examined(name, enabled=enabled)
    assert found.names == (name,), told(found)
    assert all(len(finding.seen) < 300 for finding in found.findings)


def test_the_model_of_a_link_is_compared_with_the_robot() -> None:
    """A link with another tool than the hand wears: its tips are elsewhere."""
    robot = Baxter(Arm("left", "electric_standard"), Arm("right"))
    with in_process(Twin(robot), model=Baxter()) as both:
        assert told(diagnose(both.link, seconds=1.0)) == [
            "tip_differs: the left tip by the robot and by the link's model are 120 mm apart; "
            "10 mm are tolerated"
        ]
        with pytest.warns(ModelWarning, match="'hand', is 120 mm from where the robot has") as said:
            both.link.enable()
        assert {w.filename for w in said} == {__file__}
    with in_process(Twin(robot), model=robot) as both:
        both.link.enable()
        assert diagnose(both.link, seconds=1.0).healthy


def test_a_healthy_robot_has_no_finding() -> None:
    found = examined()
    assert found.healthy, told(found)
    assert set(found.facts) >= {"robot", "state", "clock", "joint states", "loop", "safety checks"}


@pytest.mark.acceptance
@pytest.mark.parametrize("enabled", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"start": "tuck"},
        {"start": "neutral"},
        {"tool": "electric_standard"},
        {"tool": "vacuum"},
        {"seed": 7},
    ],
    ids=str,
)
def test_every_healthy_robot_has_no_finding(options: dict[str, object], enabled: bool) -> None:
    found = examined(twin=Twin(**options), enabled=enabled)  # type: ignore[arg-type]
    assert found.healthy, told(found)


def test_every_fault_is_a_finding_with_a_fix() -> None:
    assert set(FAULTS) <= set(ADVICE)
    assert len(FAULTS) >= 25
    fixes = [advice.fix for advice in ADVICE.values()]
    assert all(fix.endswith(".") and len(fix) < 220 for fix in fixes)
    # Two faults may share a remedy, but no two of one area.
    assert len({(a.area, a.fix) for a in ADVICE.values()}) == len(ADVICE)


def test_a_robot_in_motion_has_no_finding() -> None:
    with in_process() as both:
        both.link.enable()
        speed = [0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 0.0]
        both.clock.every(0.05, lambda: both.link.left.command_velocity(speed), "we")
        found = diagnose(both.link, seconds=2.0)
    assert found.healthy, told(found)


def test_faults_together_are_found_together() -> None:
    pairs = ("estop_pressed", "clock_ahead", "rival_commands", "gripper_error", "software_version")
    found = examined(*pairs)
    assert set(found.names) == set(pairs), told(found)
    assert [f.area for f in found.findings] == sorted(
        (f.area for f in found.findings),
        key=["clock", "software", "state", "calibration", "other programs"].index,
    )


def test_a_computer_that_is_held_up_is_told_apart_from_a_slow_network() -> None:
    graph = LocalGraph()
    with TwinRobot(None, graph):
        graph.clock.every(0.3, lambda: graph.clock.stall(0.2), "another program")
        found = diagnose(graph, seconds=2.0)
    assert found.names == ("loop_late",), told(found)


def test_one_pause_of_a_busy_robot_is_no_finding() -> None:
    graph = LocalGraph()
    with TwinRobot(None, graph) as robot:
        graph.clock.call_at(0.8, robot.paused.set)
        graph.clock.call_at(1.5, robot.paused.clear)
        found = diagnose(graph, seconds=3.0)
    assert found.healthy, told(found)


def test_a_slow_gate_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from baxterkit.ros.doctor import machine

    monkeypatch.setattr(machine, "gate_time", lambda *_: 0.025)
    found = examined()
    assert found.names == ("gate_slow",)
    assert "25 ms of processor time; 10 ms are available" in found.findings[0].seen


def test_nothing_is_sent() -> None:
    """The doctor publishes on no topic of the robot's, before and after."""
    with in_process() as both:
        topics = dict(both.graph._topics)
        before = {name: len(topic.publishers) for name, topic in topics.items()}
        heard: list[str] = []
        rival = both.graph.node("listener")
        for name, topic in topics.items():
            if topic.publishers or not name.startswith("/robot"):
                continue
            rival.subscribe(name, topic.kind, lambda _, who: heard.append(who))
        diagnose(both.graph, seconds=1.0)
        after = {name: len(topic.publishers) for name, topic in both.graph._topics.items()}
        assert {name: after[name] for name in before} == before
        assert not any(after[name] for name in set(after) - set(before))
    assert heard == []


def test_our_own_link_is_no_rival() -> None:
    with in_process() as both:
        both.link.enable()

        def command() -> None:
            both.link.left.command_position(both.link.left.q)

        both.clock.every(0.1, command, "we")
        assert diagnose(both.link, seconds=1.0).healthy
        assert diagnose(both.graph, seconds=1.0).names == ("rival_commands",)


def test_the_result_is_words_html_and_plain_values() -> None:
    found = examined("estop_pressed")
    assert not found
    assert str(found).endswith(
        "1 finding\n\nestop_pressed: the emergency stop is pressed.\n    "
        + ADVICE["estop_pressed"].fix
    )
    assert ADVICE["estop_pressed"].fix[:20] in found._repr_html_()
    plain = found.to_dict()
    assert plain["healthy"] is False
    assert plain["findings"][0]["name"] == "estop_pressed"  # type: ignore[index]
    assert repr(found) == "<Diagnosis of this process: estop_pressed>"
    with pytest.raises(ResultError, match=r"the emergency stop is pressed\. Turn the red button"):
        found.raise_if_failed()


def test_bad_arguments_are_told() -> None:
    with pytest.raises(InputError, match=r"seconds = 100; the doctor listens for 0.5 to 60 s"):
        diagnose("http://127.0.0.1:1", seconds=100.0)
    with pytest.raises(InputError, match="timeout = 0 s; it must be above 0 s"):
        diagnose("http://127.0.0.1:1", timeout=0.0)
    with pytest.raises(InputError, match="where must be the address of a master, a link or a gr"):
        diagnose(7)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown fault 'estop'"):
        Behaviour(faults=("estop",))
    with pytest.raises(InputError, match="the fault 'node_name' is one of the network"):
        TwinRobot(None, LocalGraph(), behaviour=Behaviour(faults=("node_name",)))


def test_a_computer_that_is_late_blames_no_rate_on_the_robot() -> None:
    late, slow, stop = (Finding(name, "") for name in ("loop_late", "joints_slow", "estop_pressed"))
    assert that_it_can_tell([slow, stop]) == [slow, stop]
    assert that_it_can_tell([slow, stop, late]) == [stop, late]
