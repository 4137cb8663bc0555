"""A command line in the test's own process."""

from __future__ import annotations

import io
import json
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import components
import pytest
from cli_files import write_examples

from baxterkit import workspace
from baxterkit.cli.app import run
from baxterkit.cli.status import USAGE
from baxterkit.experiments import demo
from baxterkit.trajectory import smith


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.status, self.err) == (0, "")
        return json.loads(self.out)

    def fails_with(self, message: str, status: int = USAGE) -> None:
        """An exit status and one line on stderr, `Error: message`; nothing on stdout."""
        assert (self.status, self.out) == (status, "")
        assert self.err == f"Error: {message}\n"


Cli = Callable[..., Done]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`cli("fk", "neutral", stdin="...")` runs a command and returns what it left."""

    def call(*args: object, stdin: str | bytes = "") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
        capsys.readouterr()
        status = run([str(arg) for arg in args])
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call


SHORT = 6.0
"""Length of Smith's first motion in these tests, without its ramps [s]; it is 31.4 s."""


@pytest.fixture
def short_motions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Smith's first motion is as long as in `demo_result`."""
    monkeypatch.setattr(smith, "SET_1_DURATION", SHORT)


@pytest.fixture(scope="session")
def demo_result() -> demo.Demo:
    """The demo's numbers, of the first seconds of its motion."""
    components.require("mujoco")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(smith, "SET_1_DURATION", SHORT)
        return demo.run()


@pytest.fixture
def demo_done_before(demo_result: demo.Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's seconds in the twin are not spent again."""

    def run(progress: Callable[[str], None], robot: Path | None = None) -> demo.Demo:
        progress("as before")
        return demo_result

    monkeypatch.setattr(demo, "run", run)


@pytest.fixture(scope="session")
def kept_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of `example_files`, made once."""
    folder = tmp_path_factory.mktemp("examples")
    write_examples(folder)
    # A small map, with two figures in its report.
    workspace.make_map(
        folder / "map.zarr", workspace.Question(step=0.3, orientations=6, level="body")
    )
    return folder


@pytest.fixture
def example_files(kept_files: Path, tmp_path: Path) -> Path:
    """A folder with the files that the examples of the help read."""
    for path in kept_files.iterdir():
        if path.is_file():
            shutil.copyfile(path, tmp_path / path.name)
    (tmp_path / "map.zarr").symlink_to(kept_files / "map.zarr")  # of many files, and only read
    return tmp_path


@pytest.fixture(scope="module")
def ros_address() -> Iterator[str]:
    """A twin as a robot on a master of our own."""
    from baxterkit.ros import TwinRobot
    from baxterkit.ros.graph.own_master import OwnMaster

    with OwnMaster(0) as master, TwinRobot(master=master.uri):
        yield master.uri


@pytest.fixture
def foxglove() -> None:
    """Foxglove's SDK is installed."""
    components.require("foxglove")


@pytest.fixture
def ros_robot(ros_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the robot of verbs without --master."""
    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    monkeypatch.setenv("ROS_MASTER_URI", ros_address)


@pytest.fixture
def fresh_robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A robot of the test's own, which verbs may enable and move."""
    from baxterkit.ros import OwnMaster, TwinRobot

    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    with OwnMaster(0) as master, TwinRobot(master=master.uri):
        monkeypatch.setenv("ROS_MASTER_URI", master.uri)
        yield master.uri


@pytest.fixture
def gripper_robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same with an electric gripper in each hand."""
    from baxterkit.ros import OwnMaster, TwinRobot
    from baxterkit.sim import Twin

    monkeypatch.setenv("ROS_IP", "127.0.0.1")
    with OwnMaster(0) as master, TwinRobot(Twin(tool="electric_standard"), master.uri):
        monkeypatch.setenv("ROS_MASTER_URI", master.uri)
        yield master.uri


@pytest.fixture
def led_by_hand(fresh_robot: str) -> Iterator[None]:
    """Somebody squeezes its left cuff, and leads the hand to and fro."""
    from baxterkit.ros import TwinHardware

    over = threading.Event()

    def lead() -> None:
        with TwinHardware(fresh_robot) as hands:
            hands.hold("left_cuff", True)
            while not over.is_set():
                for z in (0.45, 0.15):
                    hands.push("left", (0.6, 0.3, z), 0.4)
            hands.hold("left_cuff", False)

    person = threading.Thread(target=lead)
    person.start()
    yield
    over.set()
    person.join()
