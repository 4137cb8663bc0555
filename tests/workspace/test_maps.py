from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from workspace_maps import SMALL, same, table

from baxterkit import Arm, Baxter, Payload, Tool, workspace
from baxterkit.errors import BaxterkitError, InputError, MissingExtraError, UnknownNameError
from baxterkit.ik import IkStatus
from baxterkit.model.shape import Solid
from baxterkit.spatial import transform
from baxterkit.workspace.compute import Job
from baxterkit.workspace.description import describe, model_hash
from baxterkit.workspace.settings import make_settings


def poses_of(made: workspace.Map) -> np.ndarray:
    """Every pose of a map, shape (nx, ny, nz, n, 4, 4)."""
    middles = made.grid.middles()[..., None, :]
    R = workspace.orientations(made.settings.orientations)
    return transform(
        *np.broadcast_arrays(R, middles[..., None])[:1], middles + np.zeros((len(R), 3))
    )


def test_every_status_is_that_of_inverse_kinematics(
    reach_map: workspace.Map, robot: Baxter
) -> None:
    T = poses_of(reach_map)
    found = robot.left.ik(T)
    np.testing.assert_array_equal(reach_map["status"][0], found.status)
    share = (found.status == IkStatus.SOLVED).mean(axis=-1)
    np.testing.assert_array_equal(reach_map.fraction[0], share.astype(np.float32))
    assert 0.05 < share.mean() < 0.5
    assert set(np.unique(found.status)) == {0, 1, 2}


def test_no_solution_of_the_arm_is_outside_of_the_map(
    reach_map: workspace.Map, robot: Baxter
) -> None:
    """Poses that joint angles within the limits reach are reached, whatever the map guesses."""
    limits = robot.left.limits
    q = np.random.default_rng(3).uniform(limits.lower, limits.upper, (500, 7))
    score = reach_map.score(robot.left.fk(q))
    assert score.reached.all()
    assert (score.fraction > 0).mean() > 0.7  # cells of 30 cm are coarse
    np.testing.assert_allclose(robot.left.fk(score.q), robot.left.fk(q), atol=1e-9)


def test_the_map_of_the_body_agrees_with_the_robots_ik(
    full_map: workspace.Map, robot: Baxter
) -> None:
    world = table()
    rng = np.random.default_rng(4)
    T = poses_of(full_map).reshape(-1, 4, 4)
    for n, side in enumerate(("left", "right")):
        status = full_map["status"][n].reshape(-1)
        some = rng.permutation(len(T))[:1500]
        other = (robot.right if side == "left" else robot.left).configuration("untuck")
        found = robot.scene(world).ik(side, T[some], other)
        np.testing.assert_array_equal(status[some], found.status)
        assert (status == IkStatus.COLLISION).sum() > 50


def test_the_qualities_are_those_of_free_solutions(full_map: workspace.Map, robot: Baxter) -> None:
    """By brute force over a cell: 200 values of e0 find no worse, and hardly better, than 48."""
    world, other = table(), robot.right.configuration("untuck")
    fraction = full_map.values("fraction", "left")
    cells = np.argwhere(fraction > 0.2)
    lower, upper = robot.left.limits.lower, robot.left.limits.upper
    rest = tuple(("right", x) for x in ("right", "torso", "pedestal", "head", "table"))
    for cell in cells[:: len(cells) // 6]:
        at = tuple(cell)
        T = poses_of(full_map)[at]
        every = robot.left.ik_all(T[:, None], np.linspace(lower[2], upper[2], 200)).reshape(-1, 7)
        every = every[np.isfinite(every[:, 0])]
        every = every[~np.asarray(robot.scene(world).in_collision(every, other))]
        margin = np.minimum(every - lower, upper - every).min(axis=-1)
        gap = robot.scene(world, without=rest).clearance(every, other)
        for name, values, slack in (
            ("manipulability", robot.left.manipulability(every), 0.003),
            ("margin", margin, 0.05),
            ("clearance", gap, 0.01),
        ):
            kept = full_map.values(name, "left")[at]
            assert kept <= values.max() + slack, name
            assert kept >= values.max() - slack, name


def test_width_is_the_share_of_e0_that_is_free(full_map: workspace.Map) -> None:
    width = full_map.values("width", "left")
    limits = full_map.arm("left").limits
    whole = limits.upper[2] - limits.lower[2]
    found = width[np.isfinite(width)]
    assert (found >= 0).all()
    assert found.max() <= whole + 1e-6
    np.testing.assert_allclose(found / whole * 48, np.rint(found / whole * 48), atol=1e-4)


def test_reasons_add_up(full_map: workspace.Map) -> None:
    total = full_map.grid.cells * full_map.settings.orientations
    for side in full_map.sides:
        assert sum(full_map.reasons(side).values()) == total
    reached = full_map["counts"][..., 0] / full_map.settings.orientations
    np.testing.assert_array_equal(reached.astype(np.float32), full_map.fraction)
    assert (np.isfinite(full_map["manipulability"]) == (full_map.fraction > 0)).all()


def test_what_both_arms_reach_is_in_the_middle(full_map: workspace.Map) -> None:
    both = full_map.both
    np.testing.assert_array_equal(both, full_map.fraction.min(axis=0))
    y = full_map.grid.axes[1]
    assert both[:, np.abs(y) < 0.5].sum() > 3.0
    assert both[:, np.abs(y) > 1.0].sum() == 0.0


def test_a_table_takes_away_what_is_below_it(tmp_path: Path, full_map: workspace.Map) -> None:
    free = workspace.make_map(
        tmp_path / "free.zarr", workspace.Question("both", level="body", **SMALL)
    )  # type: ignore[arg-type]
    assert (full_map.fraction <= free.fraction).all()
    lost = free.fraction[0] - full_map.fraction[0]
    x, _, z = np.nonzero(lost > 0.3)
    assert len(x) > 0
    assert full_map.grid.axes[2][z].max() < 0.3  # near the top of the table, and below


def test_chunks_do_not_change_a_bit(tmp_path: Path, robot: Baxter) -> None:
    """However a map is cut, and by however many threads."""
    options = {"step": 0.6, "orientations": 7, "level": "full"}
    scene = robot.scene(table())
    one = workspace.make_map(
        tmp_path / "1.zarr", workspace.Question(chunk=2, **options), scene, threads=1
    )  # type: ignore[arg-type]
    for threads, chunk in ((2, 100), (3, 3)):
        path = tmp_path / f"{threads}.zarr"
        other = workspace.make_map(
            path, workspace.Question(chunk=chunk, **options), scene, threads=threads
        )  # type: ignore[arg-type]
        same(one, other)


def test_metadata_say_what_the_map_is_of(reach_map: workspace.Map, robot: Baxter) -> None:
    kept = reach_map.description
    assert kept["model_hash"] == model_hash(robot.scene())
    assert kept["isa"] is not None
    assert kept["robot"]["left"]["tool"] == "hand"
    assert set(kept["versions"]) == {"baxterkit", "numpy", "zarr", "python"}
    assert kept["settings"]["orientations"] == SMALL["orientations"]
    assert model_hash(Baxter(Arm("left", "vacuum")).scene()) != model_hash(robot.scene())
    assert model_hash(robot.scene(table())) != model_hash(robot.scene())


def test_zarr_alone_reads_a_map(full_map: workspace.Map) -> None:
    import zarr

    group = zarr.open_group(full_map.path, mode="r")
    assert group.metadata.zarr_format == 3
    assert set(group.array_keys()) == {*full_map.names, "x", "y", "z", "quaternion", "done"}
    assert group["fraction"].metadata.dimension_names == ("arm", "x", "y", "z")
    np.testing.assert_array_equal(group["fraction"][:], full_map.fraction)
    np.testing.assert_array_equal(group["x"][:], full_map.grid.axes[0])


def test_a_map_opens_with_its_own_robot_and_world(full_map: workspace.Map, robot: Baxter) -> None:
    again = workspace.open_map(full_map.path)
    same(again, full_map)
    T = robot.left.fk(robot.left.configuration("neutral"))
    np.testing.assert_array_equal(again.score(T, "left").q, full_map.score(T, "left").q)
    assert again.scene.world.names == ("table",)
    with pytest.raises(InputError, match="a map of another robot"):
        workspace.open_map(full_map.path, Baxter(Arm("left", "vacuum")))


def narrow() -> Arm:
    """A left arm with a mount and joint limits of its own."""
    model = Arm("left").model
    joints = tuple(dataclasses.replace(joint, upper=joint.upper - 0.1) for joint in model.joints)
    T = model.T_base_s0.copy()
    T[:3, 3] += 0.01
    return Arm.from_model(dataclasses.replace(model, joints=joints, T_base_s0=T))


def shaped() -> Arm:
    """A left arm with a tool and a load whose shapes are known."""
    T = np.eye(4)
    T[2, 3] = 0.15
    tool = Tool("paddle", T, shape=(Solid("box", (0.2, 0.02, 0.3), T),))
    load = Payload(0.3, shape=(Solid("sphere", (0.05,), np.eye(4)),))
    return Arm("left", tool, payload=load)


@pytest.mark.parametrize("arm", [Arm("left", "vacuum"), narrow(), shaped()])
def test_a_robot_is_found_again(tmp_path: Path, arm: Arm) -> None:
    robot = Baxter(arm)
    path = tmp_path / "map.zarr"
    made = workspace.make_map(
        path, workspace.Question(step=0.5, orientations=3, level="body"), robot
    )
    assert made.description["model_hash"] != model_hash(Baxter().scene())
    again = workspace.open_map(path)
    np.testing.assert_array_equal(again.arm().model.T_last_tip, arm.model.T_last_tip)
    np.testing.assert_array_equal(again.arm().limits.upper, arm.limits.upper)
    T = arm.fk(arm.configuration("neutral"))
    np.testing.assert_array_equal(again.score(T).q, made.score(T).q)
    with pytest.raises(InputError, match="a map of another robot"):
        workspace.open_map(path, Baxter())


def test_a_map_needs_zarr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(MissingExtraError, match=r"needs zarr: pip install '\.\[scale\]'"):
        workspace.make_map(tmp_path / "map.zarr", workspace.Question(step=0.5, orientations=2))


@pytest.mark.parametrize("path", [None, 3, b"map.zarr", "a\0b", "/proc/map.zarr"])
def test_what_is_no_place_for_a_map_is_refused(path: object) -> None:
    with pytest.raises(BaxterkitError):
        workspace.make_map(path, workspace.Question(step=0.9, orientations=1))  # type: ignore[arg-type]


def test_each_arm_of_both_has_the_other_one_at_rest(tmp_path: Path, robot: Baxter) -> None:
    rest = (robot.left.configuration("tuck"), robot.right.configuration("tuck"))
    made = workspace.make_map(
        tmp_path / "map.zarr", workspace.Question("both", 0.5, 3, level="body", other=rest), robot
    )
    np.testing.assert_array_equal(made.settings.others, rest[::-1])
    T = poses_of(made).reshape(-1, 4, 4)
    found = robot.ik("right", T, rest[0])
    np.testing.assert_array_equal(made["status"][1].reshape(-1), found.status)


def test_a_map_keeps_the_world_that_it_was_made_with(tmp_path: Path, robot: Baxter) -> None:
    world = table()
    path = tmp_path / "map.zarr"
    made = workspace.make_map(
        path, workspace.Question(step=0.5, orientations=3, level="body"), Baxter().scene(world)
    )
    opened = workspace.open_map(path, Baxter().scene(world))
    world.remove("table")
    T = robot.left.fk(robot.left.configuration("neutral"))
    T[:3, 3] = 0.8, 0.2, -0.12  # in the table
    for one in (made, opened):
        assert one.scene.world.names == ("table",)
        assert one.score(T).status == IkStatus.COLLISION
    with pytest.raises(InputError, match="give a Scene, a Baxter"):
        workspace.open_map(path, "table")  # type: ignore[arg-type]


def test_arms_of_numpy_make_another_map(tmp_path: Path) -> None:
    path = tmp_path / "map.zarr"
    workspace.make_map(path, workspace.Question(step=0.9, orientations=2))
    slow = Baxter(*(Arm(side, backend="numpy") for side in ("left", "right")))
    with pytest.raises(InputError, match='backend: "native" there, "numpy" here'):
        workspace.make_map(path, workspace.Question(step=0.9, orientations=2), slow)


def test_a_chunk_is_a_function_of_its_settings_alone(robot: Baxter) -> None:
    import pickle

    scene = robot.scene()
    settings = make_settings(scene, workspace.Question("right", 0.4, 5, "full", chunk=3))
    job = Job(settings, scene)
    copy = pickle.loads(pickle.dumps(job))
    for name, values in job.chunk((0, 1, 1, 1)).items():
        assert values.tobytes() == copy.chunk((0, 1, 1, 1))[name].tobytes()
    assert describe(settings, scene) == describe(copy.settings, copy.scene)


def test_solutions_are_looked_at_a_few_poses_at_a_time(
    robot: Baxter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the memory does not grow with the map, nor with what is asked; the numbers stay."""
    scene = robot.scene()
    job = Job(make_settings(scene, workspace.Question("left", 0.4, 9, "full", chunk=3)), scene)
    whole = job.chunk((0, 1, 1, 1))
    sizes: list[int] = []
    every = Arm.ik_all

    def watched(arm: Arm, T: np.ndarray, *args: object, **options: object) -> np.ndarray:
        sizes.append(len(T))
        return every(arm, T, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Arm, "ik_all", watched)
    monkeypatch.setattr("baxterkit.workspace.answering.Answers.looked_at", 5)
    for name, values in job.chunk((0, 1, 1, 1)).items():
        assert values.tobytes() == whole[name].tobytes()
    assert max(sizes) == 5
    assert sum(sizes) == whole["counts"][..., 0].sum()


def make_map(path: Path, **options: Any) -> None:
    """A map of settings by name: of the scene, of the question, and of the work."""
    given = {name: options.pop(name) for name in SCENE if name in options}
    work = {name: options.pop(name) for name in ("threads",) if name in options}
    robot = options.pop("robot", Baxter())
    scene = robot.scene(given.pop("world", None), **given) if given else robot
    workspace.make_map(path, workspace.Question(**options), scene, **work)


SCENE = ("world", "head", "opening", "margin", "without")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": "middle"}, "unknown arm 'middle'; available: left, right, both"),
        ({"level": "all"}, "unknown level of a map 'all'; available: reach, body, full"),
        ({"step": -1.0}, "step = -1 m must be positive"),
        ({"orientations": 0}, "orientations = 0 must be from 1 to 1000000"),
        ({"chunk": 0}, "chunk must be a whole number, 1 or above, got 0"),
        ({"world": table()}, 'world counts for level="body" and "full", not for "reach"'),
        ({"level": "body", "opening": 2.0}, "opening = 2 must be from 0"),
        ({"level": "body", "without": (("left", "cat"),)}, "unknown link 'cat'"),
        ({"level": "body", "opening": (1, 1, 1)}, "opening must be one number or two"),
        ({"level": "body", "without": ("left",)}, "must hold pairs of names"),
        ({"level": "body", "head": [0.0, 1.0]}, "head must be one number, got shape"),
        ({"level": "body", "margin": -0.1}, "margin = -0.1 m must not be negative"),
        ({"margin": 0.1, "head": 0.2}, 'head, margin counts for level="body"'),
        ({"other": np.zeros(7)}, 'other counts for level="body" and "full"'),
        (
            {"side": "both", "level": "body", "other": np.zeros(7)},
            "other must be two configurations",
        ),
        ({"side": "pair", "level": "full"}, 'level="reach" or "body", not "full"'),
        ({"side": "pair", "apart": -0.1}, "apart = -0.1 m must be from 0 to 2"),
        ({"step": [0.1, 0.2]}, "step must be one number, got shape"),
        ({"box": 3.0}, "box must be two corners, shape (2, 3)"),
        ({"robot": Arm("left")}, "give a Scene, a Baxter"),
        ({"threads": 2.5}, "threads must be a whole number, 1 or above, got 2.5"),
        ({"threads": 0}, "threads must be a whole number, 1 or above, got 0"),
    ],
)
def test_bad_settings_leave_no_folder(tmp_path: Path, options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=re.escape(message)):
        make_map(tmp_path / "map.zarr", **{"step": 0.5, "orientations": 2} | options)
    assert not (tmp_path / "map.zarr").exists()


def test_questions_about_the_wrong_arm_are_refused(
    reach_map: workspace.Map, full_map: workspace.Map
) -> None:
    with pytest.raises(InputError, match='make one with side="both"'):
        _ = reach_map.both
    with pytest.raises(UnknownNameError, match="right"):
        reach_map.values("fraction", "right")
    with pytest.raises(InputError, match="say side="):
        full_map.score(np.eye(4))
    with pytest.raises(InputError, match='maps of level="full"'):
        reach_map["width"]


def test_a_volume_asks_for_a_share(reach_map: workspace.Map) -> None:
    with pytest.raises(InputError, match="least must hold real numbers"):
        reach_map.volume("left")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"side": "middle"}, "unknown arm 'middle'; available: left, right, both, pair"),
        ({"level": "all"}, "unknown level of a map 'all'; available: reach, body, full"),
        ({"level": ["reach"]}, "unknown level of a map ['reach']"),
        ({"side": "pair", "level": "full"}, 'level="reach" or "body", not "full"'),
        ({"step": 0}, "step = 0 m must be positive"),
        ({"step": float("nan")}, "step = nan; every value of step must be finite"),
        ({"orientations": 2.5}, "the number of orientations must be an integer, got 2.5"),
        ({"samples": 1}, "samples must be a whole number, 2 or above, got 1"),
        ({"chunk": 0}, "chunk must be a whole number, 1 or above, got 0"),
        ({"apart": 3.0}, "apart = 3 m must be from 0 to 2"),
        ({"box": ([0, 0, 0], [0, 1, 1])}, "m is empty"),
    ],
)
def test_a_question_is_refused_where_it_is_asked(options: dict, message: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=re.escape(message)):
        workspace.Question(**options)


def test_a_map_of_no_question_is_refused(tmp_path: Path, robot: Baxter) -> None:
    with pytest.raises(InputError, match=r"question must be of type Question, got str; "):
        workspace.make_map(tmp_path / "map.zarr", "left", robot)  # type: ignore[arg-type]
