"""Every verb, and every part of a verb: its happy path, its --json and one bad input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from baxterkit.cli.app import VERBS
from baxterkit.cli.reproduce import ALL

POSE = "0.6 0.3 0.2 --rpy 3.1416 0 0"


@dataclass(frozen=True)
class Case:
    """How a verb is tried.

    Attributes:
        happy: Words after the verb that work.
        says: What its output then holds.
        keys: What its JSON then holds.
        bad: Words after the verb that do not work.
        error: What it then says, without `Error: `.
    """

    happy: str
    says: str
    keys: tuple[str, ...]
    bad: str
    error: str


CASES = {
    "info": Case(
        "--side right --deg", "right_w2", ("installation", "limits"),
        "--side middle",
        "Invalid value for '--side': 'middle' is not one of 'left', 'right' "
        "(see: baxterkit info --help)",
    ),
    "fk": Case(
        "--deg 0 -31.5 0 43 0 72 0 --links", "left_w2", ("position", "quaternion", "links"),
        "1 2 3", "7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 3",
    ),
    "ik": Case(
        f"{POSE} --objective limits", "left_w2", ("status", "q", "position_error"),
        "0.6 0.3", "the position is 3 numbers, got 2",
    ),
    "jacobian": Case(
        "untuck", "manipulability", ("jacobian", "manipulability"),
        "untucked",
        "unknown configuration 'untucked'; did you mean 'untuck'? available: neutral, "
        "tuck, untuck; or give 7 numbers, a file, or "
        "- for stdin",
    ),
    "collide": Case(
        "tuck --other tuck", "free", ("clearance", "first", "second", "touches"),
        "tuck --other tucked",
        "--other: unknown configuration 'tucked'; did you mean 'tuck'? available: neutral, "
        "tuck, untuck; or give 7 numbers",
    ),
    "plan": Case(
        "untuck --to neutral", "a free path of", ("status", "reason", "path", "length", "duration"),
        "untuck", "give one of --to and --xyz (see: baxterkit plan --help)",
    ),
    "dynamics": Case(
        "untuck --payload 0.5", "left arm: M", ("inertia", "gravity"),
        "untuck --payload heavy", "--payload is MASS or MASS,X,Y,Z in kg and m, got 'heavy'",
    ),
    "dh": Case(
        "--inertials", "alpha", ("rows",),
        "--root base", "--root, --tip and --snap are about a file: give --urdf too "
        "(see: baxterkit dh --help)",
    ),
    "tree": Case(
        "", "left_tip", ("links",),
        "nothing.urdf",
        "Invalid value for '[FILE]': File 'nothing.urdf' does not exist "
        "(see: baxterkit tree --help)",
    ),
    "export": Case(
        "gravity --to c -o gravity.c", "gravity.c: gravity of the left arm, c", ("file", "bytes"),
        "gravity",
        "--to FORMAT is missing; baxterkit export --list shows the choices "
        "(see: baxterkit export --help)",
    ),
    "trajectory shape": Case(
        "circle --radius 0.08 -o circle.json", "within the limits", ("name", "duration", "start"),
        "circle --radius minus",
        "Invalid value for '--radius': 'minus' is not a valid float "
        "(see: baxterkit trajectory shape --help)",
    ),
    "trajectory smith": Case(
        "2", "within the limits", ("name", "duration"),
        "9",
        "Invalid value for '[1|2|3]': '9' is not one of '1', '2', '3' "
        "(see: baxterkit trajectory smith --help)",
    ),
    "trajectory drawn": Case(
        "drawing.csv --speed 0.05", "within the limits", ("name", "duration"),
        "nothing.csv",
        "Invalid value for 'FILE': File 'nothing.csv' does not exist "
        "(see: baxterkit trajectory drawn --help)",
    ),
    "trajectory through": Case(
        "waypoints.csv", "within the limits", ("name", "duration"),
        "nothing.csv", "nothing.csv: there is no such file",
    ),
    "trajectory move": Case(
        "neutral untuck", "within the limits", ("name", "duration", "end"),
        "neutral 1,2",
        "7 joint angles are needed (s0 s1 e0 e1 w0 w1 w2), got 2",
    ),
    "trajectory pair": Case(
        "box.csv --grasp 0.4 -o carry.csv", "wrote carry.csv", ("duration", "left", "right"),
        "box.csv",
        "give two files, of the left and of the right hand, or one of a box and --grasp "
        "(see: baxterkit trajectory pair --help)",
    ),
    "trajectory check": Case(
        "motion.json", "within the limits", ("name", "duration"),
        "nothing.json",
        "Invalid value for 'FILE': File 'nothing.json' does not exist "
        "(see: baxterkit trajectory check --help)",
    ),
    "workspace map": Case(
        "--step 0.5 --orientations 3 --out m.zarr", "reached", ("file", "arms", "model_hash"),
        "--step 0", "step = 0 m must be positive",
    ),
    "workspace info": Case(
        "map.zarr", "volume", ("arms", "level"),
        "nothing.zarr", "nothing.zarr: there is no map",
    ),
    "workspace figure": Case(
        "map.zarr -o map.png", "map.png: fraction of map.zarr", ("file", "shows"),
        "map.zarr --show colour",
        "unknown array to draw 'colour'; available: fraction, both, manipulability, clearance, "
        "margin, width",
    ),
    "workspace report": Case(
        "map.zarr -o map.html", "map.html: Map(left", ("file", "map"),
        "angles.csv", "angles.csv: this is a file; a map is a folder",
    ),
    "workspace grasps": Case(
        "map.zarr 0.6 0.3 0.2", "orientations are reached", ("q", "rpy", "clearance"),
        "map.zarr 0.6 0.3 up", "the point: 'up' is not a number",
    ),
    "workspace score": Case(
        "map.zarr 0.6 0.3 0.2 --rpy 3.1416 0 0", "SOLVED; in the map", ("q", "guess", "fraction"),
        "map.zarr 0.6 0.3 0.2",
        "a pose needs an orientation: give --rpy or --quat "
        "(see: baxterkit workspace score --help)",
    ),
    "workspace table": Case(
        "map.zarr --size 0.5,0.8", "share", ("places",),
        "map.zarr --size 0.5", "--size is two numbers in m, got '0.5'",
    ),
    "workspace canopy": Case(
        "--step 0.3 -o canopy.obj", "canopy.obj: Canopy(volume", ("volume", "area_error"),
        "--step 0.3 -o canopy.ply", "canopy.ply: a mesh is written as .stl or .obj",
    ),
    "plot skeleton": Case(
        "--both untuck -o arm.svg", "arm.svg: both arms, untuck configuration", ("file", "q"),
        "untuck -o arm.bmp", "arm.bmp: a figure is written as one of .png .svg .pdf",
    ),
    "plot workspace": Case(
        "--samples 20000 -o reach.png", "best manipulability", ("file", "samples", "lower"),
        "--samples 0",
        "Invalid value for '--samples': 0 is not in the range x>=1 "
        "(see: baxterkit plot workspace --help)",
    ),
    "plot self-motion": Case(
        f"{POSE} --deg", "stretches within the limits", ("file", "curves", "e0_intervals"),
        "0.6 0.3 0.2",
        "a pose needs an orientation: give --rpy or --quat "
        "(see: baxterkit plot self-motion --help)",
    ),
    "plot ik": Case(
        f"{POSE} --method lm --method ccd --errors", "lm: SOLVED after", ("file", "methods"),
        f"{POSE} --method lm --method ccd",
        "several solvers are compared by --errors (see: baxterkit plot ik --help)",
    ),
    "plot torques": Case(
        "recording.csv", "RMS difference", ("file", "samples", "rms"),
        "angles.csv --rate 100", "angles.csv holds no torques",
    ),
    "twin": Case(
        "motion.json --rigid", "tip off by", ("motion", "controller", "tip_rms"),
        "nowhere",
        "'nowhere' is neither a shape (circle, square, eight, spiral, smith1, smith2, smith3, "
        "exciting), nor "
        "a configuration (neutral, tuck, untuck), nor a file of `baxterkit trajectory`",
    ),
    "view": Case(
        "--seconds 0.2 --no-open", "http://127.0.0.1:", ("address",),
        "--play nothing.csv",
        "Invalid value for '--play': File 'nothing.csv' does not exist "
        "(see: baxterkit view --help)",
    ),
    "ros twin": Case(
        "--master http://127.0.0.1:0 --for 0.05 --no-cameras", "the twin is a robot at http://127.0.0.1:",
        ("master",),
        "--start asleep", "unknown configuration 'asleep'; available: neutral, tuck, untuck",
    ),
    "ros ik-service": Case(
        "--for 0.05 --suffix _exact", "PositionKinematicsNode/IKService_exact",
        ("services",),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros foxglove": Case(
        "--for 0.05 --port 0", "Foxglove: ws://127.0.0.1:", ("address",),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros learn": Case(
        "--side left --seconds 4 --motions 1", "nothing was sent", ("span",),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros teach": Case(
        "new.json --side left --for 2", "Lesson 'new': left", ("lesson", "sides", "waypoints"),
        "new.json --master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros replay": Case(
        "wave.json --speed 1", "replayed", ("succeeded", "reason"),
        "motion.json", "motion.json: it is no lesson (no format 'baxterkit lesson 1')",
    ),
    "ros teleop": Case(
        "--gamepad pad.js --side both --for 0.5", "shoulder button", ("seconds", "rate", "notes"),
        "--gamepad js7",
        "no gamepad at js7 (No such file or directory): plug one in, or name its file, as "
        "/dev/input/js1",
    ),
    "ros calibrate-gripper": Case(
        "", "calibrated: left and right", ("calibrated",),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros press": Case(
        "left_cuff --for 0.05", "left_cuff was pressed for 0.05 s", ("button",),
        "left_cuff --master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros estop": Case(
        "--release", "the emergency stop is released", ("estop",),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "ros doctor": Case(
        "--seconds 0.5", "no findings", ("healthy", "findings", "facts"),
        "--seconds 0", "seconds = 0; the doctor listens for 0.5 to 60 s",
    ),
    "ros state": Case(
        "", "robot disabled", ("enabled", "left", "right"),
        "--master robot.local",
        "'robot.local' is no address of a ROS master or node; write it as http://host:11311",
    ),
    "reproduce": Case(
        "--list", "kumar_fk", ("kumar_fk", "ju_pose"),
        "nothing", f"unknown experiment 'nothing'; available: {', '.join(ALL)}",
    ),
    "demo": Case(
        "--out out", "report:", ("report", "runs", "summary"),
        "--out angles.csv",
        "Invalid value for '--out': Directory 'angles.csv' is a file "
        "(see: baxterkit demo --help)",
    ),
    "identify": Case(
        "recording.csv --side left -o fitted.toml", "R² identified", ("robot", "side", "dynamics"),
        "angles.csv --side left --rate 100", "none of the recordings holds tip poses or torques",
    ),
    "completion": Case(
        "bash", "_BAXTERKIT_COMPLETE=bash_complete", ("shell", "script"),
        "csh",
        "Invalid value for '{bash|zsh|fish}': 'csh' is not one of 'bash', 'zsh', 'fish' "
        "(see: baxterkit completion --help)",
    ),
}  # fmt: skip


NEEDED = (
    ("demo", "demo_done_before"),
    ("demo", "pictures_not_drawn"),
    ("ros foxglove", "foxglove"),
    ("ros", "ros_robot"),
    ("ros teach", "led_by_hand"),
    ("ros replay", "fresh_robot"),
    ("ros teleop", "fresh_robot"),
    ("ros calibrate-gripper", "gripper_robot"),
    ("workspace report", "pictures_not_drawn"),
)
"""Start of a verb, and what must be there before. Whole reports are drawn by tests of their own."""


def parts(name: str, command: click.Command) -> Iterator[str]:
    """The names of a command and, if it is a group, of its parts."""
    if isinstance(command, click.Group):
        for part, inner in command.commands.items():
            yield from parts(f"{name} {part}", inner)
    else:
        yield name


def all_verbs() -> list[str]:
    return [
        part
        for verb in VERBS
        for part in parts(verb, import_module(f"baxterkit.cli.{verb}").command)
    ]


@pytest.fixture(autouse=True)
def here(example_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases read and write in a folder of their own."""
    monkeypatch.chdir(example_files)


def test_every_verb_has_a_case() -> None:
    assert sorted(CASES) == sorted(all_verbs())


@pytest.mark.parametrize("verb", CASES)
def test_happy_path(cli: Any, verb: str, request: pytest.FixtureRequest) -> None:
    case = CASES[verb]
    for start, fixture in NEEDED:
        if verb.startswith(start):
            request.getfixturevalue(fixture)
    done = cli(*verb.split(), *case.happy.split())
    assert (done.status, done.err) == (0, "")
    assert case.says in done.out


@pytest.mark.parametrize(
    "verb",
    [pytest.param(v, marks=pytest.mark.slow if v.startswith("ros ") else ()) for v in CASES],
)
@pytest.mark.usefixtures("pictures_not_drawn")
def test_json(cli: Any, verb: str, request: pytest.FixtureRequest) -> None:
    case = CASES[verb]
    for start, fixture in NEEDED:
        if verb.startswith(start):
            request.getfixturevalue(fixture)
    found = cli(*verb.split(), *case.happy.split(), "--json").json
    assert set(case.keys) <= set(found)


@pytest.mark.parametrize("verb", CASES)
def test_bad_input_is_one_line_and_status_2(cli: Any, verb: str) -> None:
    case = CASES[verb]
    cli(*verb.split(), *case.bad.split()).fails_with(case.error)


@pytest.mark.parametrize("verb", all_verbs())
def test_help_explains_itself_with_examples(cli: Any, verb: str) -> None:
    text = cli(*verb.split(), "--help").out
    assert text.startswith(f"Usage: baxterkit {verb} ")
    assert "--json" in text
    assert f"\nExamples:\n  baxterkit {verb}" in text
