"""The URDF reader refuses what is wrong or hostile, and names the element and the line."""

from __future__ import annotations

import re

import pytest
from urdf_texts import ENDS, INERTIAL, LIMIT, LINKS, J, joint, robot, serial

from baxterkit.errors import UnknownNameError, UrdfError
from baxterkit.model.urdf import arm_from_urdf
from baxterkit.model.urdf_reader import read_urdf

# text, message, element, line
CASES = [
    pytest.param("", "the URDF is empty; a <robot> element is needed", None, None, id="empty"),
    pytest.param(b"", "the URDF is empty; a <robot> element is needed", None, None, id="no-bytes"),
    pytest.param("<robot", "this is not XML: unclosed token", None, 1, id="cut-off"),
    pytest.param(
        "<robot>\n<link name='a'>\n</robot>", "this is not XML: mismatched tag", None, 3, id="tags"
    ),
    pytest.param(
        b"\x89PNG\r\n\x1a\n\x00\x00",
        "this is not XML: not well-formed (invalid token)",
        None,
        1,
        id="binary",
    ),
    pytest.param(
        "<robot name='a' name='b'/>", "this is not XML: duplicate attribute", None, 1, id="twice"
    ),
    pytest.param(
        "<sdf version='1.6'/>", "the outermost element must be <robot>", "<sdf>", 1, id="sdf"
    ),
    pytest.param(
        robot("<xacro:include filename='x'/>"),
        "this is a xacro file; run xacro to get the URDF",
        "<xacro:include>",
        2,
        id="xacro",
    ),
    pytest.param(
        "<robot/>", "the robot has no links; one at least is needed", "<robot>", 1, id="no-links"
    ),
    pytest.param(
        robot('<link name="a"/>\n<link name="a"/>'),
        "line 2 has a link of this name already",
        "link 'a'",
        3,
        id="duplicate-link",
    ),
    pytest.param(
        robot(
            f'{LINKS}<link name="c"/>\n<joint name="j" type="fixed">{ENDS}</joint>\n'
            '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint>'
        ),
        "line 5 has a joint of this name already",
        "joint 'j'",
        6,
        id="duplicate-joint",
    ),
    pytest.param(
        robot("<link/>"), "the attribute 'name' is missing or empty", "<link>", 2, id="nameless"
    ),
    pytest.param(
        robot(joint('<parent link="a"/><child link="c"/>')),
        "there is no link 'c'",
        "<child> of joint 'j'",
        5,
        id="missing-child",
    ),
    pytest.param(
        robot(joint('<parent link="x"/><child link="b"/>')),
        "there is no link 'x'",
        "<parent> of joint 'j'",
        5,
        id="missing-parent",
    ),
    pytest.param(
        robot(joint('<child link="b"/>')),
        "<parent link=...> is missing",
        "joint 'j'",
        4,
        id="no-parent",
    ),
    pytest.param(
        robot(joint('<parent link="a"/><child link="a"/>')),
        "it joins link 'a' to itself",
        "joint 'j'",
        4,
        id="itself",
    ),
    pytest.param(
        robot(f'{LINKS}<link name="c"/>'),
        "there are 3 roots: a, b, c; every link but one must be a joint's child",
        "link 'b'",
        3,
        id="roots",
    ),
    pytest.param(
        robot(
            f'{LINKS}<link name="c"/>\n'
            '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>\n'
            '<joint name="cb" type="fixed"><parent link="c"/><child link="b"/></joint>'
        ),
        "link 'b' is the child of joint 'ab' already; a link hangs on one joint only",
        "joint 'cb'",
        6,
        id="two-parents",
    ),
    pytest.param(
        robot(
            f'{LINKS}<link name="c"/>\n'
            '<joint name="bc" type="fixed"><parent link="b"/><child link="c"/></joint>\n'
            '<joint name="cb" type="fixed"><parent link="c"/><child link="b"/></joint>'
        ),
        "the links c -> b -> c form a cycle; a URDF is a tree",
        "joint 'bc'",
        5,
        id="cycle-beside-the-root",
    ),
    pytest.param(
        robot(
            f"{LINKS}"
            '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>\n'
            '<joint name="ba" type="fixed"><parent link="b"/><child link="a"/></joint>'
        ),
        "the links b -> a -> b form a cycle; a URDF is a tree",
        "joint 'ab'",
        4,
        id="all-a-cycle",
    ),
    pytest.param(
        robot(joint(ENDS, "hinge")),
        "type 'hinge' is not known; available: revolute, continuous, prismatic, fixed, floating, "
        "planar",
        "joint 'j'",
        4,
        id="unknown-type",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin xyz="0 0 nan"/>')),
        "xyz=\"0 0 nan\": 'nan' is not a finite number",
        "<origin> of joint 'j'",
        5,
        id="nan",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin rpy="0 inf 0"/>')),
        "rpy=\"0 inf 0\": 'inf' is not a finite number",
        "<origin> of joint 'j'",
        5,
        id="inf",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin xyz="0 0 1e999"/>')),
        'xyz="0 0 1e999" is too large for a double',
        "<origin> of joint 'j'",
        5,
        id="overflow",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin xyz="0 0 1_0"/>')),
        "xyz=\"0 0 1_0\": '1_0' is not a finite number",
        "<origin> of joint 'j'",
        5,
        id="underscore",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin xyz="0,0,0"/>')),
        'xyz="0,0,0" has 1 value; 3 are needed, separated by spaces',
        "<origin> of joint 'j'",
        5,
        id="commas",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin rpy="0 0 0 1"/>')),
        'rpy="0 0 0 1" has 4 values; 3 are needed, separated by spaces',
        "<origin> of joint 'j'",
        5,
        id="four-values",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<origin xyz="0 0 ${{x}}"/>')),
        'xyz="0 0 ${x}" is a xacro expression; run xacro first',
        "<origin> of joint 'j'",
        5,
        id="xacro-expression",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<axis xyz="0 0 0"/>{LIMIT}', "revolute")),
        "the axis of a revolute joint must not be zero",
        "<axis> of joint 'j'",
        5,
        id="zero-axis",
    ),
    pytest.param(
        robot(joint(ENDS, "prismatic")),
        "a prismatic joint needs <limit>; without limits it is 'continuous'",
        "joint 'j'",
        4,
        id="no-limit",
    ),
    pytest.param(
        robot(joint(f'{ENDS}<limit lower="2" upper="1" velocity="1" effort="1"/>', "revolute")),
        "lower=2 is above upper=1",
        "<limit> of joint 'j'",
        5,
        id="limits-crossed",
    ),
    pytest.param(
        robot(joint(f"{ENDS}<origin/>\n<origin/>")),
        "there are two <origin> elements here; one is allowed",
        "<origin> of joint 'j'",
        6,
        id="two-origins",
    ),
    pytest.param(
        robot('<link name="a">\n<inertial><mass value="1"/></inertial></link>'),
        "<inertia> is missing",
        "<inertial> of link 'a'",
        3,
        id="no-inertia",
    ),
    pytest.param(
        robot('<link name="a">' + INERTIAL.replace('value="2"', 'value="-2"') + "</link>"),
        "the mass -2 kg is negative",
        "<mass> of link 'a'",
        2,
        id="negative-mass",
    ),
    pytest.param(
        robot(f'<link name="a">{INERTIAL.replace("ixx=", "jxx=")}</link>'),
        "the attribute 'ixx' is missing or empty",
        "<inertia> of link 'a'",
        2,
        id="no-ixx",
    ),
    pytest.param(
        b'<?xml version="1.0" encoding="utf-33"?><robot/>',
        "the text's encoding cannot be read: unknown encoding: utf-33",
        None,
        1,
        id="unknown-encoding",
    ),
]


@pytest.mark.parametrize(("text", "message", "element", "line"), CASES)
def test_wrong_files_are_refused_with_element_and_line(
    text: str | bytes, message: str, element: str | None, line: int | None
) -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(text)
    assert caught.value.message == message
    assert (caught.value.element, caught.value.line) == (element, line)


@pytest.mark.parametrize("kind", ["floating", "planar"])
def test_joints_of_several_degrees_of_freedom_are_read_but_make_no_arm(kind: str) -> None:
    tree = read_urdf(serial([J("revolute"), J(kind), J("revolute")]))
    assert tree.joints["joint2"].kind == kind
    assert len(tree.chain("link2", "link3").joints) == 1
    with pytest.raises(UrdfError) as caught:
        tree.chain("link0", "link3")
    assert caught.value.message == (
        f"a {kind} joint cannot be part of an arm; "
        "available: revolute, continuous, prismatic, fixed"
    )
    assert caught.value.element == "joint 'joint2'"
    assert caught.value.line == tree.joints["joint2"].line


def test_a_mimic_joint_makes_no_arm() -> None:
    text = serial([J("revolute"), J("revolute")]).replace(
        "</joint>\n</robot>", '<mimic joint="joint1"/></joint>\n</robot>'
    )
    with pytest.raises(UrdfError, match=re.escape("it follows joint 'joint1' (mimic)")):
        read_urdf(text).chain("link0", "link2")


def test_chains_need_links_that_exist_and_lie_below_each_other() -> None:
    tree = read_urdf(serial([J("revolute"), J("revolute")]))
    text = "unknown link 'hand'; available: link0, link1, link2"
    with pytest.raises(UnknownNameError, match=f"^{text}$"):
        tree.chain("link0", "hand")
    with pytest.raises(UrdfError, match=r"^line 2, link 'link0': it is not below link 'link1'$"):
        tree.chain("link1", "link0")


def test_a_file_without_the_arm_is_refused() -> None:
    text = serial([J("revolute")])
    message = (
        "there is no link 'left_hand' or 'left_hand_link', so no left Baxter arm in this file; if "
        "it has another name, say links={'hand': ...}"
    )
    with pytest.raises(UrdfError, match=message):
        arm_from_urdf(text, "left")
    with pytest.raises(UnknownNameError, match="unknown side 'up'; available: left, right"):
        arm_from_urdf(text, "up")
    with pytest.raises(UrdfError) as caught:
        arm_from_urdf(text.replace("link1", "left_hand"), "left")
    assert caught.value.message == (
        "the joints from 'link0' to 'left_hand' must be left_s0, left_s1, left_e0, left_e1, "
        "left_w0, left_w1, left_w2; found joint1"
    )
    assert caught.value.element == "link 'left_hand'"
