from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import components
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from viewer_client import do, opened, wait_for

from baxterkit import Arm
from baxterkit.errors import MissingExtraError
from baxterkit.recording import Recording
from baxterkit.trajectory import smith
from baxterkit.viewer import Motion, Viewer


def short_motion(name: str = "wave") -> Motion:
    arm = Arm("right")
    q = np.linspace(arm.configuration("untuck"), arm.configuration("untuck") + 0.1, 10)
    return Motion(name, np.linspace(0.0, 0.3, 10), {"right": q})


def test_motions_given_at_the_start_are_on_the_list_with_the_papers(
    request: pytest.FixtureRequest,
) -> None:
    motion = short_motion()
    with opened(request, motions=[motion]) as viewer:
        assert list(viewer.studio.pieces) == [
            "wave",
            *(f"Smith et al., set {n}" for n in (1, 2, 3)),
        ]
        do(viewer, lambda: viewer.studio.play("wave"))
        limb = viewer.session.limb("right")
        wait_for(lambda: np.array_equal(limb.q, motion.q["right"][-1]), "it has been played")


def test_a_papers_trajectory_is_computed_and_played(viewer: Viewer) -> None:
    do(viewer, lambda: viewer.studio.play("Smith et al., set 2"))
    wait_for(lambda: viewer.session.player.playing, "it plays")
    assert viewer.session.player.motion is not None
    assert viewer.session.player.motion.duration == pytest.approx(20.0, abs=0.1)
    do(viewer, viewer.session.stop_playing)
    assert not viewer.session.moving


def test_a_papers_trajectory_runs_in_the_twin(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    components.require("mujoco")
    monkeypatch.setattr(smith, "SWITCHES", 3)  # 6 s in place of 20 s
    do(viewer, lambda: viewer.studio.run("Smith et al., set 2"))
    name = "twin: Smith et al., set 2"
    wait_for(lambda: name in viewer.studio.pieces, "the twin has run")
    assert "mm off" in viewer.controls.text


def test_a_recording_cannot_be_run_and_that_is_said(viewer: Viewer) -> None:
    from baxterkit.viewer.state.pieces import motion_piece

    do(viewer, lambda: viewer.studio.add(motion_piece(short_motion("old"))))
    do(viewer, lambda: viewer.studio.run("old"))
    assert viewer.controls.text == "A recording is played, not run; choose a trajectory."


def test_a_recording_from_the_browser_is_played(viewer: Viewer, tmp_path: Path) -> None:
    motion = short_motion()
    path = tmp_path / "sent.csv"
    Recording(t=motion.t, q=motion.q["right"], side="right").save(path)
    file = SimpleNamespace(name="../../sent.csv", content=path.read_bytes())
    do(viewer, lambda: viewer.studio.open_file(file))
    limb = viewer.session.limb("right")
    wait_for(
        lambda: np.allclose(limb.q, motion.q["right"][-1], rtol=0.0, atol=1e-9), "it is played"
    )
    assert "sent.csv" in viewer.studio.pieces


def test_a_broken_file_from_the_browser_is_named_not_played(viewer: Viewer) -> None:
    before = viewer.session.limb("left").q
    file = SimpleNamespace(name="letter.txt", content=b"Dear robot,\n")
    do(viewer, lambda: viewer.studio.open_file(file))
    wait_for(lambda: not viewer.controls.text.startswith("Reading"), "it is read")
    assert "letter.txt" in viewer.controls.text
    assert_array_equal(viewer.session.limb("left").q, before)
    assert viewer.failures == 0


def test_a_damaged_matlab_file_from_the_browser_does_not_end_the_viewer(
    viewer: Viewer, require: Callable[[str], None]
) -> None:
    require("scipy")
    import scipy.io

    whole = io.BytesIO()
    scipy.io.savemat(whole, {"q": np.full((7, 30), 0.1), "time": np.arange(30.0)[None]})
    data = bytearray(whole.getvalue())
    assert data[176] == 9  # the type of the numbers; SciPy reads a 0 in its place and dies
    data[176] = 0
    file = SimpleNamespace(name="arm.mat", content=bytes(data))
    do(viewer, lambda: viewer.studio.open_file(file))
    wait_for(lambda: "arm.mat" in viewer.controls.text, "it is read")
    wait_for(lambda: "or it is damaged" in viewer.controls.text, "it is refused")
    assert viewer.failures == 0


def test_running_an_empty_drawing_is_said(viewer: Viewer) -> None:
    do(viewer, lambda: viewer.studio.run_drawing())
    wait_for(lambda: viewer.controls.text.startswith("draw a line"), "it is said")
    assert not viewer.session.moving


def test_a_drawing_is_followed_without_the_twin(viewer: Viewer) -> None:
    sketch = viewer.studio.sketch
    camera = np.array([2.5, 0.5, 1.2])
    for i, angle in enumerate(np.linspace(0.0, 4.0, 30)):
        point = sketch.center + 0.08 * np.array([np.cos(angle), np.sin(angle), 0.0])
        do(viewer, lambda point=point, i=i: viewer.studio.draw_to(camera, point - camera, i == 0))
    assert len(sketch.points) == 30
    do(viewer, lambda: viewer.studio.run_drawing())
    wait_for(lambda: viewer.session.player.playing, "the hand follows it")
    assert "drawn path" in viewer.studio.pieces


def test_without_viser_the_way_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(MissingExtraError) as caught:
        Viewer(port=0)
    assert (
        str(caught.value)
        == "The viewer needs viser: pip install '.[viewer]' in a clone of baxterkit"
    )


@pytest.mark.parametrize("plane", ["table", "wall"])
def test_a_drawing_is_shown_on_both_faces_of_the_board(viewer: Viewer, plane: str) -> None:
    studio = viewer.studio

    def draw() -> None:
        studio._active.value = True
        studio._plane.value = plane
        studio._place_plane(moved=True)
        T = studio.sketch.T_base_plane
        for x in (0.0, 0.1):
            target = T[:3, 3] + x * T[:3, 0]
            studio.draw_to(target + T[:3, 2], -T[:3, 2], first=False)

    do(viewer, draw)
    T = studio.sketch.T_base_plane
    shown = viewer.stage._lines["/drawing"].points - T[:3, 3]
    heights = shown @ T[:3, 2]
    half = studio.board.dimensions[2] / 2.0
    assert (np.abs(heights) > half).all()
    assert (np.abs(heights) < 2.0 * half).all()
    assert heights.min() < 0.0 < heights.max()
