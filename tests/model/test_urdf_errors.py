"""The URDF reader refuses what is wrong or hostile, and names the element and the line."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urdf_texts import INERTIAL, J, serial

from baxterkit.errors import UnknownNameError, UrdfError
from baxterkit.model import xml_reader
from baxterkit.model.library import baxter_arm
from baxterkit.model.model import Payload
from baxterkit.model.urdf import arm_from_urdf, read_urdf, write_urdf

LINKS = '<link name="a"/>\n<link name="b"/>\n'
ENDS = '<parent link="a"/><child link="b"/>'
LIMIT = '<limit lower="-1" upper="1" velocity="1" effort="1"/>'


def robot(body: str) -> str:
    return f'<robot name="r">\n{body}\n</robot>'


def joint(inside: str, kind: str = "fixed", name: str = "j") -> str:
    return f'{LINKS}<joint name="{name}" type="{kind}">\n{inside}\n</joint>'


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


ENTITY_BOMB = (
    '<?xml version="1.0"?>\n<!DOCTYPE robot [\n<!ENTITY a "aaaaaaaaaa">\n'
    + "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">\n' for i in range(9))
    + ']>\n<robot name="&j;"><link name="a"/></robot>'
)
EXTERNAL_ENTITY = (
    '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'
    '<robot name="r"><link name="a"/>&x;</robot>'
)
EXTERNAL_DTD = '<!DOCTYPE robot SYSTEM "http://example.com/robot.dtd">\n<robot/>'
PARAMETER_ENTITY = '<!DOCTYPE robot [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>\n<robot/>'


@pytest.mark.parametrize(
    "text", [ENTITY_BOMB, EXTERNAL_ENTITY, EXTERNAL_DTD, PARAMETER_ENTITY], ids=range(4)
)
def test_document_types_and_entities_are_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(UrdfError) as caught:
        read_urdf(text)
    assert time.perf_counter() - start < 1.0
    assert caught.value.message == (
        "document type declarations and entities are refused; remove <!DOCTYPE ...>"
    )
    assert caught.value.element == "<!DOCTYPE>"
    assert caught.value.line == (2 if text is ENTITY_BOMB else 1)


def test_undeclared_entities_are_refused() -> None:
    with pytest.raises(UrdfError, match="line 1: this is not XML: undefined entity"):
        read_urdf('<robot name="&bomb;"/>')


def test_a_long_cycle_is_found_quickly() -> None:
    n = 20_000
    links = "".join(f'<link name="l{i}"/>' for i in range(n))
    joints = "".join(
        f'<joint name="j{i}" type="fixed"><parent link="l{i}"/>'
        f'<child link="l{(i + 1) % n}"/></joint>'
        for i in range(n)
    )
    start = time.perf_counter()
    with pytest.raises(UrdfError, match=r"the links l\d+ -> .* -> \.\.\. -> l\d+ form a cycle"):
        read_urdf(robot(links + joints))
    assert time.perf_counter() - start < 20.0


def test_a_number_of_a_million_digits_is_refused() -> None:
    with pytest.raises(UrdfError, match=r"'1{57}\.\.\.' is not a finite number"):
        read_urdf(robot(joint(f'{ENDS}<origin xyz="0 0 {"1" * 1_000_000}"/>')))


SAMPLE = write_urdf(baxter_arm("left", tool="vacuum", payload=Payload(1.0))).encode()


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 20), st.binary(max_size=4)),
        min_size=1,
        max_size=3,
    )
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    damages: list[tuple[int, int, bytes]],
) -> None:
    text = SAMPLE
    for place, removed, inserted in damages:
        text = text[:place] + inserted + text[place + removed :]
    try:
        model = arm_from_urdf(text, "left")
    except UrdfError:
        return
    assert model.dof == 7


def test_deep_nesting_is_refused() -> None:
    for tag in ("link", "x"):
        text = "<robot>" + f"<{tag}>" * 100_000
        with pytest.raises(UrdfError, match=f"line 1, <{tag}>: nested more than 64 deep"):
            read_urdf(text)


def test_too_many_elements_are_refused() -> None:
    text = "<robot>" + "<x/>" * 300_001
    with pytest.raises(UrdfError, match="more than 300000 elements"):
        read_urdf(text)


def test_a_100_mb_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.urdf"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    start = time.perf_counter()
    with pytest.raises(UrdfError) as caught:
        read_urdf(path)
    assert time.perf_counter() - start < 0.5
    assert str(caught.value) == (
        f"the file {path} has 100 MB; at most 32 MB are read "
        "(a URDF names its meshes, it does not hold them)"
    )


@pytest.mark.parametrize("make", [lambda n: "<" * n, lambda n: b"<" * n])
def test_text_over_the_size_limit_is_refused(
    make: Callable[[int], str | bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_reader, "MAX_BYTES", 2**20)
    with pytest.raises(UrdfError, match="the text has 2 MB; at most 1 MB are read"):
        read_urdf(make(2 * 2**20))


def test_pipes_and_devices_are_refused_unopened(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.urdf"
    os.mkfifo(pipe)  # opening it would wait for a writer
    for path in (str(pipe), "/dev/zero"):
        with pytest.raises(UrdfError) as caught:
            read_urdf(path)
        assert str(caught.value) == (
            f"'{path}' is a pipe or a device; pass a regular file, or the URDF text itself"
        )


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "robot.urdf").write_text(serial([J("fixed")]))
    (tmp_path / "link.urdf").symlink_to("robot.urdf")
    assert read_urdf(tmp_path / "link.urdf").root == "link0"


HUGE_NAME = "n" * 1_000_000


@pytest.mark.parametrize(
    "body",
    [
        f'<link name="{HUGE_NAME}"/><link name="{HUGE_NAME}"/>',
        f'<link name="{HUGE_NAME}"/><link name="{HUGE_NAME}2"/>',
        joint(f'{ENDS}<origin xyz="0"/>', name=HUGE_NAME),
        joint(f'<parent link="a"/><child link="{HUGE_NAME}"/>'),
        joint(ENDS, kind=HUGE_NAME),
        f'<link name="{HUGE_NAME}"/><joint name="{HUGE_NAME}" type="fixed">'
        f'<parent link="{HUGE_NAME}"/><child link="{HUGE_NAME}"/></joint>',
        f'{LINKS}<link name="{HUGE_NAME}"/>'
        f'<joint name="x" type="fixed"><parent link="b"/><child link="{HUGE_NAME}"/></joint>'
        f'<joint name="y" type="fixed"><parent link="{HUGE_NAME}"/><child link="b"/></joint>',
        f"<xacro:{HUGE_NAME}/>",
    ],
    ids=["duplicate", "roots", "owner", "missing", "kind", "itself", "cycle", "xacro"],
)
def test_messages_about_huge_names_are_short(body: str) -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(robot(body))
    assert "nnn..." in str(caught.value)
    assert len(str(caught.value)) < 400


def test_choices_with_huge_names_are_short() -> None:
    tree = read_urdf(robot(f'<link name="{HUGE_NAME}"/>'))
    with pytest.raises(UnknownNameError) as caught:
        tree.path("m" * 1_000_000, HUGE_NAME)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "message", "element"),
    [
        (
            f'<link name="a">{INERTIAL.replace("0.001", "1e308")}</link>',
            'ixy="1e308": 1e308 is out of range; numbers from -1e+09 to 1e+09 are read',
            "<inertia> of link 'a'",
        ),
        (
            joint(f'{ENDS}<origin xyz="0 -1.5e308 0"/>'),
            'xyz="0 -1.5e308 0": -1.5e308 is out of range; numbers from -1e+09 to 1e+09 are read',
            "<origin> of joint 'j'",
        ),
        (
            joint(f'{ENDS}<dynamics damping="1.1e9"/>'),
            'damping="1.1e9": 1.1e9 is out of range; numbers from -1e+09 to 1e+09 are read',
            "<dynamics> of joint 'j'",
        ),
    ],
    ids=["inertia", "origin", "damping"],
)
def test_numbers_that_would_overflow_are_refused(text: str, message: str, element: str) -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(robot(text))
    assert (caught.value.message, caught.value.element) == (message, element)
    assert caught.value.line is not None


def test_the_largest_numbers_make_a_chain_without_overflow() -> None:
    far = J("revolute", (1e9, -1e9, 1e9), (1e9, 1e9, -1e9))
    text = serial([far, J("fixed", (1e9, 1e9, 1e9)), far])
    heavy = text.replace('value="2"', 'value="1e9"').replace('ixx="0.02"', 'ixx="1e9"')
    chain = read_urdf(heavy).chain("link0", "link3")
    assert all(np.isfinite(inertial.inertia).all() for inertial in chain.inertials)


@pytest.mark.parametrize(
    ("written", "read"), [("1e308", np.inf), ("1e300", np.inf), ("1e12", 1e12)]
)
def test_huge_limits_stand_for_none(written: str, read: float) -> None:
    limit = f'<limit lower="-{written}" upper="{written}" velocity="{written}" effort="{written}"/>'
    found = read_urdf(robot(joint(f"{ENDS}{limit}", "prismatic"))).joints["j"]
    assert (found.lower, found.upper) == (-read, read)
    assert (found.velocity, found.effort) == (read, read)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("no/such/robot.urdf", "No such file or directory"),
        (Path("no/such/robot.urdf"), "No such file or directory"),
        ("x" * 5000, "File name too long"),
        ("a\0b", "embedded null byte"),
    ],
)
def test_a_missing_file_is_told_from_text(source: str | Path, reason: str) -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(source)
    assert str(caught.value).startswith("cannot read '")
    assert str(caught.value).endswith(f"': {reason}; pass a path or the URDF text itself")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UrdfError, match="Is a directory; pass a path"):
        read_urdf(tmp_path)


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
    message = "there is no link 'left_hand', so no left Baxter arm in this file"
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
