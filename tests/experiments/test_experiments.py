"""The papers' experiments: verdicts follow from the numbers, data missing is said, reports hold."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import components
import numpy as np
import pytest
from tolerances import FK_ENGINE, MOUNT_ROUNDED, assert_close

from baxterkit import Arm, experiments, identify
from baxterkit.checks.units import unwarned
from baxterkit.errors import InputError, MissingExtraError, UnknownNameError
from baxterkit.experiments import EXPERIMENTS, Result, Row, Section, Settings, registry
from baxterkit.experiments.ju_paper import pose_errors
from baxterkit.experiments.pykdl import kdl_fk, kdl_ik, load_pykdl
from baxterkit.experiments.result import VERDICTS, shown
from baxterkit.experiments.synthetic import pose_recording
from baxterkit.model.names import JOINTS, joint_names
from baxterkit.spatial import pose_error


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("BAXTERKIT_DATA", raising=False)
    return Settings(quick=True)


@pytest.mark.parametrize(
    ("paper", "ours", "options", "verdict"),
    [
        (1.0, 0.5, {}, "better"),
        (-1.0, 0.5, {}, "better"),
        (1.0, -1.5, {}, "worse"),
        (1.0, 1.5, {"larger_is_better": True}, "better"),
        (1.0, 1.05, {"same": 0.1}, "same"),
        ((1.0, 2.0), (0.5, 1.0), {}, "better"),
        ((1.0, 2.0), (0.5, 3.0), {}, "mixed"),
        ((1.0, 2.0), (1.5, 3.0), {}, "worse"),
        (None, 0.5, {}, "no number"),
        (1.0, 0.5, {"synthetic": True}, "synthetic"),
        (1.0, 0.5, {"alike": False}, "not alike"),
        (None, 0.5, {"alike": False}, "no number"),
        (1.0, 0.5, {"alike": False, "synthetic": True}, "synthetic"),
    ],
)
def test_verdicts_follow_from_the_numbers(
    paper: object, ours: object, options: dict[str, object], verdict: str
) -> None:
    options = dict(options)
    conditions = {name: options.pop(name) for name in ("alike", "synthetic") if name in options}
    row = Section("x", **conditions).compare("x", paper, ours, **options)  # type: ignore[arg-type]
    assert row.verdict == verdict


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("words", "words"),
        (1234567, "1,234,567"),
        (0.0, "0.000"),
        (1.5, "1.50"),
        (123.456, "123"),
        (-0.00001, "-1.0e-05"),
        ((1.0, -0.001, 12.0), "1.00 0.00 12.00"),
        ((1e-7, -2e-8), "1.0e-07 -2.0e-08"),
    ],
)
def test_values_are_shown_with_three_digits(value: object, text: str) -> None:
    assert shown(value) == text  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["ju_pose", "kumar_fk"])
def test_every_experiment_runs_without_data_and_says_how_to_give_it(
    name: str, no_data: Settings
) -> None:
    result = experiments.run(name, no_data)
    assert (result.name, bool(result.rows), bool(result.figures)) == (name, True, True)
    assert {row.verdict for row in result.rows} <= set(VERDICTS)
    assert any("--data DIR" in note and "BAXTERKIT_DATA=DIR" in note for note in result.notes)
    if name == "ju_pose":
        assert result.is_synthetic
        assert {row.verdict for row in result.rows} == {"synthetic"}
        assert "real" not in result.title
        assert not any(note.startswith("Not alike") for note in result.notes)


def test_every_registered_experiment_has_its_module() -> None:
    folder = components.ROOT / "src" / "baxterkit" / "experiments"
    for name in EXPERIMENTS:
        assert "def run(settings: Settings) -> Result:" in (folder / f"{name}.py").read_text()


def test_unknown_experiments_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown experiment 'smoth'; available: "):
        experiments.run("smoth")
    with pytest.raises(InputError) as caught:
        Settings(data=tmp_path / "none")
    assert str(caught.value) == (
        f"{tmp_path / 'none'} is no folder; --data names the folder of the recordings"
    )


def test_of_all_experiments_those_without_their_extra_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "EXPERIMENTS", {"kumar_fk": "forward kinematics"})
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    (name, result) = next(experiments.run_all(Settings(quick=True)))
    assert (name, list(result.rows)) == ("kumar_fk", [])
    assert result.notes == (
        "Left out: Plotting needs matplotlib: pip install '.[plot]' in a clone of baxterkit",
    )
    assert result.summary == "kumar_fk: left out (0.0 s)"
    with pytest.raises(MissingExtraError):
        experiments.run("kumar_fk", Settings(quick=True))


def test_the_report_holds_every_row_and_picture(tmp_path: Path) -> None:
    from baxterkit.plot.style import new_figure

    figure = new_figure(2.0, 1.0)
    figure.add_subplot().plot([0, 1], [0, 1])
    joints = tuple(0.1 * n for n in range(1, 8))
    rows = [
        Row("first <quantity>", 1.0, 2.0, "worse", "one"),
        Row("second", None, (1.0, 2.0), "no number", "two"),
        Row("of each joint", joints, joints, "synthetic", "three"),
        Row("of each joint, not printed", None, joints, "no number", "three"),
    ]
    result = Result("trial", "A trial", rows, {"line": figure}, ["Note well."])
    path = experiments.write_report([result], tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    for part in ("A trial", "first &lt;quantity&gt;", "1.00 2.00", "Note well."):
        assert part in text
    assert '<span class="bad">worse</span>' in text
    assert '<span class="note">synthetic</span>' in text  # a remark, not a failure
    assert "no number" not in text
    assert all(f"<th>{name}</th>" in text for name in JOINTS)
    (row,) = re.findall(r"<tr><th>of each joint</th>(.*?)</tr>", text)
    assert re.findall(r"<td>([\d.]+)</td>", row) == [f"{x:.3f}" for x in joints]
    assert "<details><summary>What the paper does not print: 1 table</summary>" in text
    assert len(re.findall(r'<img src="data:image/', text)) == 1
    assert sorted(file.name for file in path.parent.iterdir()) == ["report.html", "trial_line.png"]
    assert result.summary == "trial: 1 worse, 2 no number, 1 synthetic (0.0 s)"


def test_the_synthetic_robot_is_as_far_off_as_real_ones_and_can_be_fitted() -> None:
    for side in ("left", "right"):
        rec = pose_recording(side)
        fit = identify.mount(rec)
        assert 0.005 < fit.nominal_position_error.mean() < 0.03
        assert fit.position_error.mean() < MOUNT_ROUNDED
        assert fit.tool.name == "electric_gripper"


def test_pose_errors_are_differences_of_model_and_recording() -> None:
    rec = pose_recording("left", n=50)
    arm = Arm("left", "electric_extended")
    errors = pose_errors(arm, rec)
    distance, angle = pose_error(arm.fk(rec.q), rec.T_base_tip)
    assert_close(np.linalg.norm(errors[:, :3], axis=1), 1e3 * distance, 1e-9)
    # Small rotations: no component of roll, pitch, yaw is much larger than the angle between.
    pitch = np.abs(np.arcsin(np.clip(-rec.T_base_tip[:, 2, 0], -1.0, 1.0)))
    flat = pitch < 1.0
    assert (np.abs(errors[flat, 3:]).max(axis=1) < 3e3 * angle[flat] + 0.5).all()


def test_pykdl_gives_the_same_poses() -> None:
    components.require("kdl")
    kdl = load_pykdl()
    assert kdl is not None
    arm = Arm("right", "vacuum")
    q = np.random.default_rng(0).uniform(arm.limits.lower, arm.limits.upper, (50, 7))
    assert_close(kdl_fk(kdl, arm, q), arm.fk(q), FK_ENGINE)


def test_ju_on_real_recordings_fits_the_mount_and_claims_no_tuck(data_dir: Path) -> None:
    result = experiments.run("ju_pose", Settings(data=data_dir))
    beside = [row for row in result.rows if row.paper is not None]
    assert len(beside) == 12
    assert {row.verdict for row in beside} == {"not alike"}
    assert all(row.section.startswith("Another ") for row in beside)
    for row in beside:
        nominal = "nominal mount" in f"{row.section}{row.quantity}"
        largest = np.abs(row.ours)[:3].max()  # type: ignore[arg-type]
        assert largest > 5.0 if nominal else largest < 2.0
    assert sorted(result.figures) == ["errors", "fig7_configurations", "fig8_form"]


def test_ju_leaves_out_files_that_hold_no_poses_and_says_so(tmp_path: Path) -> None:
    import scipy.io

    naist, mit = tmp_path / "endpoint_naist", tmp_path / "endpoint_mit"
    for folder in (naist, mit):
        folder.mkdir()
    lefts, rights = (pose_recording(side, n=60) for side in ("left", "right"))
    for name in ("aJA", "bJA", "cJA"):
        header = ["time", *joint_names("left"), *joint_names("right")]
        rows = [
            ",".join(map(repr, row))
            for row in np.hstack([lefts.t[:, None], lefts.q, rights.q]).tolist()
        ]
        (naist / f"{name}.csv").write_text("\n".join([",".join(header), *rows]))
        header, columns = ["time"], [lefts.t[:, None]]
        for rec in (lefts, rights):
            header += [f"poselinear_{rec.side}_{axis}" for axis in "xyz"]
            header += [f"poseangle_{rec.side}_{axis}" for axis in "xyzw"]
            columns += [rec.required("position"), rec.required("quaternion")]
        rows = [",".join(map(repr, row)) for row in np.hstack(columns).tolist()]
        if name == "bJA":
            rows[7] = "broken"
        if name != "cJA":
            (naist / f"{name[0]}EE.csv").write_text("\n".join([",".join(header), *rows]))
    for name, rec in (("left_1", lefts), ("right_1", rights), ("right_2", rights)):
        content = {"time": rec.t, "q": rec.q.T, "xp": rec.required("position").T}
        scipy.io.savemat(mit / f"{name}.mat", content)
    scipy.io.savemat(mit / "right_3.mat", {"time": rights.t, "q": rights.q.T})
    scipy.io.savemat(mit / "right_4.mat", {"time": rights.t})
    result = experiments.run("ju_pose", Settings(data=tmp_path))
    assert not result.is_synthetic
    text = "\n".join(result.notes)
    assert "(endpoint_naist, 2)" in text
    assert f"Left out: {naist / 'cJA.csv'} holds no position; it has q" in text
    assert "bJA.csv: dropped line 9: " in text
    assert f"Left out: {mit / 'right_3.mat'} holds no position; it has q" in text
    assert f"Left out: {mit / 'right_4.mat'}: no variable q (7 by n) in it" in text
    assert "mount fitted on right_2.mat (electric_gripper), compared on right_1.mat" in text


def test_kumar_fk_on_the_golden_set_agrees_and_has_no_verdict(data_dir: Path) -> None:
    result = experiments.run("kumar_fk", Settings(data=data_dir, quick=True))
    golden = [row for row in result.rows if "golden" in row.section]
    assert [row.verdict for row in golden] == ["no number"] * 3
    assert golden[0].ours < 1e-10  # type: ignore[operator]


def test_kumars_table_as_printed_is_seven_hundredths_of_a_millimetre_off(no_data: Settings) -> None:
    result = experiments.run("kumar_fk", no_data)
    printed = [row.ours for row in result.rows if "as printed" in row.section]
    assert printed[0] == pytest.approx(7e-5, rel=1e-6)
    assert printed[2] == pytest.approx(7e-5, rel=1e-6)


def test_kumar_fk_is_better_only_beside_rethinks_own_file(
    monkeypatch: pytest.MonkeyPatch, no_data: Settings, urdf_dir: Path
) -> None:
    """KDL on a chain that we built ourselves has no verdict: it has our own numbers."""
    components.require("kdl")
    monkeypatch.setenv("BAXTERKIT_URDF", str(urdf_dir))
    five = [row for row in experiments.run("kumar_fk", no_data).rows if "5 random" in row.section]
    assert [row.verdict for row in five] == ["better", "better", "no number"]
    assert 1e-13 < five[0].ours < 1e-10  # type: ignore[operator]  # the file's 1.57079632679
    monkeypatch.delenv("BAXTERKIT_URDF")
    result = experiments.run("kumar_fk", no_data)
    assert {row.verdict for row in result.rows} == {"not available", "no number"}
    assert any("our own model" in note for note in result.notes)


def test_without_pykdl_nothing_is_called_better(
    monkeypatch: pytest.MonkeyPatch, no_data: Settings
) -> None:
    monkeypatch.setattr("baxterkit.experiments.kumar_fk.load_pykdl", lambda: None)
    result = experiments.run("kumar_fk", no_data)
    assert [row.verdict for row in result.rows] == ["not available"] * 2 + ["no number"] * 9
    assert [row.ours for row in result.rows[:2]] == [None, None]
    assert result.notes[0].startswith("PyKDL is not installed for this Python")


@pytest.fixture(scope="module")
def kumar_ik() -> Result:
    return experiments.run("kumar_ik", Settings(quick=True))


def rates_of(result: Result, section: str) -> dict[str, float]:
    return {
        row.quantity.rsplit(" (", 1)[0]: float(row.ours.split(" ")[0])
        for row in result.rows
        if row.section.startswith(section) and isinstance(row.ours, str)
    }


@pytest.mark.slow
def test_kumars_algorithm_is_counted_as_printed_and_corrected(kumar_ik: Result) -> None:
    printed, corrected = (rates_of(kumar_ik, name) for name in ("As printed", "Corrected"))
    assert printed["Algorithm 1, step 0.1, to 1e-9"] == 0.0
    assert 30.0 < printed["Algorithm 1, step 0.05, to 0.01"] < 80.0
    assert corrected["Algorithm 1"] > 50.0
    assert printed["with random restarts, step 0.05, to 0.01"] > 95.0
    assert corrected["Algorithm 1 with random restarts"] > 95.0
    assert rates_of(kumar_ik, "Other")["exact: every solution of the geometry"] == 100.0


@pytest.mark.slow
def test_words_of_the_paper_are_checked_and_numbers_it_has_not_are_not_judged(
    kumar_ik: Result,
) -> None:
    judged = [(row.paper, row.verdict) for row in kumar_ik.rows if row.paper is not None]
    assert judged == [
        ("very low", "holds"),  # to 1e-9
        ("very low", "does not hold"),  # to 0.01, with steps of 0.1 and 0.05
        ("very low", "does not hold"),
        ("drastic improvement", "holds"),
        ("no defined orientation", "holds"),
    ]


@pytest.mark.slow
def test_kdls_solver_ignores_the_limits_where_it_is_measured(kumar_ik: Result) -> None:
    components.require("kdl")
    answers, inside, wrapped = (
        row.ours for row in kumar_ik.rows if row.section.startswith("What baxter_pykdl calls")
    )
    assert isinstance(answers, int)
    assert 90 <= answers <= 100
    assert 0 < inside < wrapped < answers  # type: ignore[operator]


def test_answers_of_kdls_solver_reach_their_poses() -> None:
    components.require("kdl")
    kdl = load_pykdl()
    arm = Arm("right")
    q = np.random.default_rng(1).uniform(arm.limits.lower, arm.limits.upper, (20, 7))
    answers = kdl_ik(kdl, arm, arm.fk(q), arm.limits.middle)
    found = np.isfinite(answers).all(axis=1)
    assert found.sum() > 15
    with unwarned():  # KDL knows no limits: its answers may be many turns away
        assert_close(arm.fk(answers[found]), arm.fk(q)[found], 1e-5)


def test_without_pykdl_its_solver_is_not_available_and_the_source_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from baxterkit.experiments import kumar_ik

    monkeypatch.setattr(kumar_ik, "load_pykdl", lambda: None)
    monkeypatch.setattr(kumar_ik, "METHODS", kumar_ik.METHODS[-1:])
    result = experiments.run("kumar_ik", Settings(quick=True))
    assert [row.verdict for row in result.rows[-3:]] == ["not available"] * 3
    assert "PyKDL 1.5.1 of Debian 12 on 15 November 2026" in result.notes[-1]


def test_kumars_pictures_are_drawn(no_data: Settings) -> None:
    result = experiments.run("kumar_pictures", no_data)
    assert list(result.figures) == ["fig3_skeleton", "fig4_workspace", "fig5_restarts", "fig6_ccd"]
    rows = {(row.section[:6], row.quantity): row.ours for row in result.rows}
    assert rows["Fig. 5", "ended"] == rows["Fig. 6", "ended"] == "solved"
    assert rows["Fig. 5", "at the end turned away by [deg]"] < 1e-6  # type: ignore[operator]
    assert rows["Fig. 6", "at the end turned away by [deg]"] > 5.0  # type: ignore[operator]
