"""Masters for the tests, the real one where it is installed and ours; a twin with a link to it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import components
import pytest
from clock_guard import only_simulated_time as only_simulated_time
from link_scene import LocalScene, Scene, ready
from ros_masters import start_master, stop

from baxterkit.ros import RobotLink
from baxterkit.ros.graph.own_master import OwnMaster

os.environ["ROS_IP"] = "127.0.0.1"


@pytest.fixture(scope="module", params=["ours", pytest.param("roscore", marks=pytest.mark.ros)])
def master(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a master: ours, and the real one where it is installed."""
    if request.param == "ours":
        with OwnMaster(0) as own:
            yield own.uri
        return
    components.require("ros")
    process, uri = start_master()
    yield uri
    stop(process)


@pytest.fixture(scope="module")
def best_master() -> Iterator[str]:
    """The address of the real master where it is installed, of ours elsewhere."""
    if components.checks()["ros"]() is not None:
        with OwnMaster(0) as own:
            yield own.uri
        return
    process, uri = start_master()
    yield uri
    stop(process)


@pytest.fixture(scope="module")
def shared_local() -> Iterator[LocalScene]:
    made = LocalScene()
    yield made
    made.close()


@pytest.fixture
def local(shared_local: LocalScene) -> LocalScene:
    """The robot enabled and untucked, in this process on simulated time."""
    shared_local.ready()
    return shared_local


@pytest.fixture(scope="module")
def shared(best_master: str) -> Iterator[Scene]:
    made = Scene(best_master)
    yield made
    made.close()


@pytest.fixture
def scene(shared: Scene) -> Scene:
    """The robot enabled and untucked, whatever a test before has done to it."""
    shared.received.clear()
    shared.robot.assembly.press(False)
    ready(shared)
    return shared


@pytest.fixture
def link(scene: Scene) -> RobotLink:
    return scene.link
