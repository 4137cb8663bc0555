"""DH tables of any serial chain: they give the chain's poses, and hold the chain's bodies."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import DH_FACTS, DH_RESIDUAL, assert_close
from urdf_texts import J, serial

from baxterkit.errors import DhWarning, ModelError, ShapeError, UnknownNameError
from baxterkit.model.dh import DhTable, chain_fk, dh_from_model, dh_from_urdf
from baxterkit.model.library import baxter_arm
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.urdf_writer import write_urdf
from baxterkit.spatial import pose_error, so3_exp, transform

HALF = np.pi / 2
# theta offset, d, a, alpha from s0 to the hand: the papers' table, corrected.
BAXTER = [
    (0.0, 0.27035, 0.069, -HALF),
    (HALF, 0.0, 0.0, HALF),
    (0.0, 0.36442, 0.069, -HALF),
    (0.0, 0.0, 0.0, HALF),
    (0.0, 0.37429, 0.010, -HALF),
    (0.0, 0.0, 0.0, HALF),
    (0.0, 0.229525, 0.0, 0.0),
]


def rows(table: DhTable) -> list[tuple[float, float, float, float]]:
    return [(row.theta_offset, row.d, row.a, row.alpha) for row in table.rows]


def check(text: str, root: str, tip: str) -> DhTable:
    """The table, after checking it against the chain's own products at positions of our choice."""
    table = dh_from_urdf(text, root, tip)
    assert table.position_residual <= DH_RESIDUAL
    assert table.angle_residual <= DH_RESIDUAL
    chain = read_urdf(text).chain(root, tip)
    q = np.random.default_rng(7).uniform(-3.0, 3.0, (40, len(table.rows)))
    position, angle = pose_error(table.fk(q), chain_fk(chain, q))
    assert position.max() <= DH_RESIDUAL
    assert angle.max() <= DH_RESIDUAL
    assert [row.joint for row in table.rows] == [joint.name for joint in chain.joints]
    assert all(row.a >= 0.0 for row in table.rows[:-1])
    check_bodies(table, text, root, tip)
    return table


def check_bodies(table: DhTable, text: str, root: str, tip: str) -> None:
    """The centre of mass of each link, in the root's frame, is the same both ways at random q."""
    chain = read_urdf(text).chain(root, tip)
    q = np.random.default_rng(8).uniform(-2.0, 2.0, len(table.rows))
    T_dh, T_chain = table.T_base_0, np.eye(4)
    for i, (row, joint) in enumerate(zip(table.rows, chain.joints, strict=True)):
        T_dh = T_dh @ row.transform(q[i])
        moved = q[i] * joint.axis
        turn = so3_exp(moved) if joint.kind == "revolute" else np.eye(3)
        shift = np.zeros(3) if joint.kind == "revolute" else moved
        T_chain = T_chain @ joint.T_parent_joint @ transform(turn, shift)
        one, other = table.inertials[i].at(T_dh), chain.inertials[i].at(T_chain)
        assert one.mass == other.mass
        assert_close(one.com, other.com, DH_RESIDUAL)
        assert_close(one.inertia, other.inertia, DH_RESIDUAL)


@pytest.mark.parametrize("side", ["left", "right"])
def test_baxters_table_is_the_papers_corrected(side: str) -> None:
    table = dh_from_model(baxter_arm(side))
    assert rows(table) == BAXTER
    assert_close(table.T_base_0, baxter_arm(side).T_base_s0, 0.0)
    assert_close(table.T_n_tip, np.eye(4), 0.0)
    assert table.position_residual < 2e-15
    assert table.angle_residual < 2e-15


@pytest.mark.parametrize("side", ["left", "right"])
def test_rethinks_file_gives_the_same_table(urdf_dir: Path, side: str) -> None:
    text = (urdf_dir / "baxter_v1.2.0.urdf").read_text()
    assert rows(check(text, "base", f"{side}_hand")) == BAXTER


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_dump_printed_with_few_digits_has_a_table_too(urdf_dir: Path, side: str) -> None:
    path = urdf_dir / "baxter_calibrated_robot_a.urdf"
    check(path.read_text(), "base", f"{side}_hand")
    wide = dh_from_urdf(path, "base", f"{side}_hand", snap=2e-5)
    assert rows(wide) == BAXTER


def test_a_gripper_lengthens_the_last_row() -> None:
    table = dh_from_model(baxter_arm("left", tool="electric_extended"))
    assert rows(table)[:6] == BAXTER[:6]
    assert table.rows[6].d == 0.387225
    assert_close(table.T_n_tip, np.eye(4), 0.0)


def test_a_crooked_tool_goes_into_the_tool_transform() -> None:
    tip = transform(so3_exp([0.3, 0.4, 0.5]), [0.1, 0.02, 0.3])
    model = baxter_arm("left", tool=tip)
    table = dh_from_model(model)
    assert rows(table)[:6] == BAXTER[:6]
    assert_close(table.T_n_tip[:3, :3], tip[:3, :3], 1e-15)
    assert table.position_residual < 5e-15


def test_bodies_in_dh_frames_are_smiths_tables_corrected() -> None:
    # Smith et al., Tables III and IV; the five centres of mass that the paper prints 0.07 mm off,
    # and its link 7, are corrected.
    bodies = dh_from_model(baxter_arm("left")).inertials
    masses = [5.70044, 3.22698, 4.31272, 2.07206, 2.24665, 1.60979, 0.54218]
    assert_close([body.mass for body in bodies], masses, 1e-15)
    coms = [
        [-0.05117, 0.07908, 0.00086],
        [0.00269, -0.00529, 0.06845],
        [-0.07176, 0.08156, 0.00132],
        [0.00159, -0.01117, 0.02611],
        [-0.01168, 0.13118, 0.0046],
        [0.00697, 0.006, 0.06041],
        [0.005137046552805342, 0.0009572236157733594, -0.0668934671142425],
    ]
    for body, com in zip(bodies, coms, strict=True):
        assert_close(body.com, com, DH_FACTS)
    first, last = bodies[0].inertia, bodies[6].inertia
    assert_close(np.diag(first), [0.04709102262, 0.03595988478, 0.03766976455], DH_FACTS)
    off = [first[0, 1], first[1, 2], first[0, 2]]
    assert_close(off, [-0.00614870039, -0.00078086899, 0.00012787556], DH_FACTS)
    assert_close(np.diag(last), [0.00121477, 0.00127636, 0.00055487], 1e-8)
    assert_close([last[0, 1], last[1, 2], last[0, 2]], [8.14e-6, 4.72e-6, -6.551e-5], 1e-8)


def test_tool_and_payload_are_part_of_the_last_body() -> None:
    model = baxter_arm("left", tool="vacuum")
    assert dh_from_model(model).inertials[-1].mass == pytest.approx(0.54218 + 0.3)


def test_a_puma_gets_its_textbook_table() -> None:
    # Anthropomorphic 6R with shoulder offset and spherical wrist; axes turn by right angles.
    puma = [
        J("revolute", (0.0, 0.0, 0.67)),
        J("revolute", (0.0, 0.0, 0.0), (-HALF, 0.0, 0.0)),
        J("revolute", (0.4318, 0.0, 0.1501)),
        J("revolute", (0.0203, -0.4318, 0.0), (HALF, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.0), (-HALF, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.0), (HALF, 0.0, 0.0)),
    ]
    table = check(serial(puma), "link0", "link6")
    # Frame 0 stands in joint 1; the forearm runs along joint 4's axis.
    assert rows(table) == [
        (0.0, 0.0, 0.0, -HALF),
        (0.0, 0.1501, 0.4318, 0.0),
        (0.0, 0.0, 0.0203, HALF),
        (0.0, 0.4318, 0.0, -HALF),
        (0.0, 0.0, 0.0, HALF),
        (0.0, 0.0, 0.0, 0.0),
    ]
    assert_close(table.T_base_0[:3, 3], [0.0, 0.0, 0.67], 0.0)


def test_a_scara_has_parallel_axes_and_a_slider() -> None:
    scara = [
        J("revolute", (0.0, 0.0, 0.4)),
        J("revolute", (0.325, 0.0, 0.0)),
        J("prismatic", (0.225, 0.0, 0.0), (np.pi, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.1)),
    ]
    table = check(serial(scara), "link0", "link4")
    assert [row.kind for row in table.rows] == ["revolute", "revolute", "prismatic", "revolute"]
    assert rows(table)[:2] == [(0.0, 0.0, 0.325, 0.0), (0.0, 0.0, 0.225, np.pi)]
    assert rows(table)[2] == (0.0, 0.1, 0.0, 0.0)


def test_a_stanford_arm_slides_across_its_second_axis() -> None:
    stanford = [
        J("revolute", (0.0, 0.0, 0.412)),
        J("revolute", (0.0, 0.0, 0.0), (-HALF, 0.0, 0.0)),
        J("prismatic", (0.0, 0.0, 0.154), (HALF, 0.0, 0.0)),
        J("continuous", (0.0, 0.0, 0.0)),
        J("fixed", (0.0, 0.01, 0.02), (0.1, 0.2, 0.3)),
        J("revolute", (0.0, 0.0, 0.0), (-HALF, 0.0, 0.0), (0.0, 1.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.0), (HALF, 0.0, 0.0), (1.0, 0.0, 0.0)),
    ]
    check(serial(stanford), "link0", "link7")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(
    "second",
    [
        J("revolute", (0.0, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.3)),
        J("revolute", (0.0, 0.0, 0.3), (np.pi, 0.0, 0.0)),
        J("revolute", (0.2, 0.1, 0.3)),
        J("revolute", (0.2, 0.1, 0.3), (np.pi, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.3), (HALF, 0.0, 0.0)),
        J("revolute", (0.0, 0.0, 0.3), (1.0, 0.0, 0.0)),
        J("revolute", (0.2, 0.1, 0.3), (1.0, 0.0, 0.0)),
        J("revolute", (0.2, 0.1, 0.3), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
        J("revolute", (-0.2, 0.1, 0.3), (0.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
    ],
    ids=[
        "same", "coincident", "opposed", "parallel", "antiparallel", "meeting", "meeting-askew",
        "skew", "along-x", "against-y",
    ],
)  # fmt: skip
def test_every_position_of_two_axes_has_a_table(kind: str, second: J) -> None:
    third = J("revolute", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    check(serial([J(kind), second, third]), "link0", "link3")
    # And as the last two joints, where the tip decides the last row.
    check(serial([J("revolute", axis=(0.0, 1.0, 0.0)), J(kind), second]), "link0", "link3")


def test_one_joint_is_a_chain() -> None:
    table = check(serial([J("revolute", (1.0, 2.0, 3.0), axis=(0.0, 0.0, -1.0))]), "link0", "link1")
    assert rows(table) == [(0.0, 0.0, 0.0, np.pi)]
    assert table.T_base_0[2, 2] == -1.0


lengths = st.one_of(st.sampled_from([0.0, 0.0, 0.1, -0.25]), st.floats(-1.0, 1.0))
turns = st.one_of(
    st.sampled_from([0.0, 0.0, HALF, -HALF, np.pi, -np.pi]),
    st.floats(0.1, 3.0),
    st.floats(-3.0, -0.1),
)
axes = st.one_of(
    st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0), (-1, 0, 0)]),
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda v: np.linalg.norm(v) > 0.3),
)
joints = st.builds(
    J,
    st.sampled_from(["revolute", "revolute", "continuous", "prismatic", "fixed"]),
    st.tuples(lengths, lengths, lengths),
    st.tuples(turns, turns, turns),
    axes,
)


def nearly_parallel(text: str) -> bool:
    """Whether two neighbouring axes are almost parallel, which DH cannot represent well."""
    tree = read_urdf(text)
    chain = tree.chain("link0", list(tree.links)[-1])
    for one, other in zip(chain.joints, chain.joints[1:], strict=False):
        sine = np.linalg.norm(np.cross(one.axis, other.T_parent_joint[:3, :3] @ other.axis))
        if 1e-14 < sine < 1e-2:
            return True
    return False


@settings(max_examples=70)
@given(st.lists(joints, min_size=1, max_size=8))
def test_random_chains_have_tables(chain: list[J]) -> None:
    if all(joint.kind == "fixed" for joint in chain):
        chain = [*chain, J("revolute")]
    text = serial(chain)
    if not nearly_parallel(text):
        check(text, "link0", f"link{len(chain)}")


def test_the_residual_is_measured_not_promised() -> None:
    # Axes a metre apart that lean towards each other by 1e-7 rad meet 10,000 km away, and rounding
    # there is nanometres here: the table says so.
    leaning = [
        J("revolute"),
        J("revolute", (1.0, 0.3, 0.2), (3e-8, 1e-7, 0.4)),
        J("revolute", (0.7, 0.2, 0.1), (2e-8, -1e-7, 0.3)),
    ]
    with pytest.warns(DhWarning) as caught:
        table = dh_from_urdf(serial(leaning), "link0", "link3")
    assert abs(table.rows[0].d) > 1e6
    assert DH_RESIDUAL < table.position_residual < 1e-7
    (warning,) = caught
    text = str(warning.message)
    assert text.startswith(f"the DH table is off its chain by {table.position_residual:.1e} m and ")
    assert re.search(r"\(row joint[12]: d = -?\d\.?\d*e\+0[67] m, a = ", text)
    assert text.endswith("read the file with a wider snap (snap=1e-6, say)")
    assert warning.filename == __file__


def test_a_wider_snap_makes_leaning_axes_parallel() -> None:
    text = serial([J("revolute"), J("revolute", (1.0, 0.3, 0.2), (2e-8, 0.0, 0.4))])
    with pytest.warns(DhWarning):
        assert abs(dh_from_urdf(text, "link0", "link2").rows[0].d) > 1e6
    snapped = dh_from_urdf(text, "link0", "link2", snap=1e-7)
    assert snapped.rows[0].alpha == 0.0
    assert snapped.position_residual <= DH_RESIDUAL


def test_a_chain_without_moving_joints_has_no_table() -> None:
    text = "no joint between 'link0' and 'link1' moves, so there is no DH table"
    with pytest.raises(ModelError, match=f"^{re.escape(text)}$"):
        dh_from_urdf(serial([J("fixed")]), "link0", "link1")


def test_unknown_links_are_named() -> None:
    with pytest.raises(UnknownNameError, match="unknown link 'hand'; available: base, left_upper"):
        dh_from_urdf(write_urdf(baxter_arm("left")), "base", "hand")


def test_fk_takes_batches_and_checks_shapes() -> None:
    table = dh_from_model(baxter_arm("left"))
    q = np.random.default_rng(0).normal(size=(3, 1, 2, 7))
    assert table.fk(q).shape == (3, 1, 2, 4, 4)
    assert_close(table.fk(q)[1, 0, 1], table.fk(q[1, 0, 1]), 1e-15)
    with pytest.raises(ShapeError, match="q must have 7 values"):
        table.fk(np.zeros(6))
