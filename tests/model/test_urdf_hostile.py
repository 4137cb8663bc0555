"""The URDF reader survives hostile files: entities, sizes, depths, huge names and numbers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from urdf_texts import ENDS, INERTIAL, LINKS, J, joint, robot, serial

from baxterkit.errors import UnknownNameError, UrdfError
from baxterkit.model import xml_reader
from baxterkit.model.library import baxter_arm
from baxterkit.model.model import Payload
from baxterkit.model.urdf import arm_from_urdf
from baxterkit.model.urdf_reader import read_urdf
from baxterkit.model.urdf_writer import write_urdf

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


@pytest.mark.slow
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
        f"{path}: it has 100 MB, and at most 32 MB are read; "
        "a URDF names its meshes, it does not hold them"
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
    for path, kind in ((str(pipe), "pipe"), ("/dev/zero", "device")):
        with pytest.raises(UrdfError) as caught:
            read_urdf(path)
        assert str(caught.value) == (
            f"cannot read '{path}': this is a {kind}; only regular files are read; "
            "pass a path or the URDF text itself"
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
        ("no/such/robot.urdf", "there is no such file"),
        (Path("no/such/robot.urdf"), "there is no such file"),
        ("x" * 5000, "the name is too long"),
        ("a\0b", "it cannot be opened (embedded null byte)"),
    ],
)
def test_a_missing_file_is_told_from_text(source: str | Path, reason: str) -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(source)
    assert str(caught.value).startswith("cannot read '")
    assert str(caught.value).endswith(f"': {reason}; pass a path or the URDF text itself")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UrdfError, match="this is a folder; name one file in it; pass a path"):
        read_urdf(tmp_path)
