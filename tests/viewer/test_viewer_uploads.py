"""Files that browsers send: bounded before they are kept."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from viewer_client import Client, wait_for

from baxterkit import Arm
from baxterkit.recording import Recording
from baxterkit.viewer import Viewer
from baxterkit.viewer.page.studio import file_name
from baxterkit.viewer.server.uploads import PATIENCE, Uploads

PART = 512 * 2**10


class Bench:
    """Uploads with a clock of our own."""

    def __init__(self, limit: int = 4 * PART) -> None:
        self.time = 0.0
        self.dropped: list[str] = []
        self.told: list[str] = []
        self.uploads = Uploads(
            self.dropped.append, self.told.append, limit=limit, clock=lambda: self.time
        )

    def start(self, key: str, size: Any, parts: Any, client: int = 1, name: Any = "a.csv") -> bool:
        fields = {"transfer_uuid": key, "filename": name, "size_bytes": size, "part_count": parts}
        return self.uploads.starts(client, SimpleNamespace(**fields))

    def part(self, key: str, index: Any, content: Any, client: int = 1) -> bool:
        fields = {"transfer_uuid": key, "part_index": index, "content": content}
        return self.uploads.continues(client, SimpleNamespace(**fields))


def test_an_upload_passes_part_by_part() -> None:
    bench = Bench()
    assert bench.start("a", 2 * PART, 2)
    assert bench.part("a", 0, bytes(PART))
    assert bench.part("a", 1, bytes(PART))
    assert not bench.part("a", 1, b"x")  # it is over
    assert bench.start("b", 4 * PART, 4)  # all the room is free again
    assert bench.dropped == []


def test_more_than_the_limit_is_refused_and_the_way_out_is_said() -> None:
    bench = Bench()
    assert not bench.start("a", 4 * PART + 1, 5, name="long.bag")
    assert bench.told == [
        "long.bag has 2 MB; browsers may send up to 2 MB. "
        "Start with baxterkit view --play FILE instead."
    ]


def test_all_uploads_under_way_share_the_room() -> None:
    bench = Bench()
    assert bench.start("a", 3 * PART, 3)
    assert not bench.start("b", 2 * PART, 2, client=2, name="b.csv")
    assert bench.told == ["b.csv has to wait: another upload is under way."]
    assert bench.start("c", PART, 1, client=2)


def test_a_forgotten_upload_makes_room_after_a_while() -> None:
    bench = Bench()
    assert bench.start("a", 4 * PART, 4)
    assert bench.part("a", 0, bytes(PART))
    bench.time = PATIENCE - 1.0
    assert not bench.start("b", PART, 1, client=2)
    bench.time = PATIENCE + 1.0
    assert bench.start("c", PART, 1, client=2)
    assert bench.dropped == ["a"]
    assert not bench.part("a", 1, bytes(PART))


def test_a_client_that_has_gone_makes_room_at_once() -> None:
    bench = Bench()
    assert bench.start("a", 4 * PART, 4)
    bench.uploads.forget(2)
    assert bench.dropped == []
    bench.uploads.forget(1)
    assert bench.dropped == ["a"]
    assert bench.start("b", 4 * PART, 4, client=2)


def test_more_than_was_announced_ends_the_upload() -> None:
    bench = Bench()
    assert bench.start("a", PART, 2)
    assert bench.part("a", 0, bytes(PART // 2))
    assert not bench.part("a", 1, bytes(PART))
    assert bench.dropped == ["a"]


def test_parts_count_once_and_for_their_sender() -> None:
    bench = Bench()
    assert bench.start("a", 2 * PART, 2)
    assert bench.part("a", 0, bytes(10))
    assert not bench.part("a", 0, bytes(10))
    assert not bench.part("a", 1, bytes(10), client=2)
    assert not bench.part("a", 2, bytes(10))
    assert not bench.part("a", True, bytes(10))
    assert not bench.part("a", 1, "text")
    assert not bench.part("no such", 0, b"")
    assert bench.part("a", 1, bytes(10))


@pytest.mark.parametrize(
    ("size", "parts", "name"),
    [
        (100, 3, "a.csv"),  # many tiny parts, each to be answered
        (PART, 10**6, "a.csv"),
        (-1, 0, "a.csv"),
        (1.5, 1, "a.csv"),
        ("1", 1, "a.csv"),
        (1, True, "a.csv"),
        (1, 1, None),
        (1, 1, "a" * 300),
    ],
)
def test_senseless_uploads_are_refused(size: Any, parts: Any, name: Any) -> None:
    assert not Bench().start("a", size, parts, name=name)


def upload_button(viewer: Viewer) -> str:
    """The button's name for messages."""
    handles = viewer.server.gui._gui_input_handle_from_uuid.items()
    return next(key for key, handle in handles if "Upload" in type(handle).__name__)


def announce(client: Client, viewer: Viewer, key: str, size: int, parts: int) -> None:
    client.send(
        "FileTransferStartUpload",
        source_component_uuid=upload_button(viewer),
        transfer_uuid=key,
        filename="sent.csv",
        mime_type="text/csv",
        part_count=parts,
        size_bytes=size,
    )


def send_part(client: Client, viewer: Viewer, key: str, index: int, content: bytes) -> None:
    client.send(
        "FileTransferPart",
        source_component_uuid=upload_button(viewer),
        transfer_uuid=key,
        part_index=index,
        content=content,
    )


def held(viewer: Viewer) -> int:
    """Bytes of unfinished uploads that the server keeps."""
    states = viewer.server.gui._current_file_upload_states.values()
    return sum(len(part) for state in states for part in state["parts"].values())


def test_a_real_client_cannot_fill_the_memory(viewer: Viewer, client: Client) -> None:
    viewer.uploads._limit = 4 * PART
    for k in range(8):  # as many as it likes, none of them ever complete
        announce(client, viewer, f"{k}", 3 * PART, 3)
        for index in range(2):
            send_part(client, viewer, f"{k}", index, bytes(PART))
    announce(client, viewer, "last", 5 * PART, 5)
    wait_for(lambda: viewer.controls.text.startswith("sent.csv has"), "a refusal is said")
    wait_for(lambda: "has 2 MB" in viewer.controls.text, "the last one was handled")
    assert held(viewer) == 2 * PART
    client.close()
    wait_for(lambda: held(viewer) == 0, "what a client leaves behind is forgotten")


@pytest.mark.slow
def test_a_recording_that_a_client_sends_is_played(
    viewer: Viewer, client: Client, tmp_path: Any
) -> None:
    arm = Arm("right")
    q = np.linspace(arm.configuration("untuck"), arm.configuration("untuck") + 0.1, 10)
    path = tmp_path / "sent.csv"
    Recording(t=np.linspace(0.0, 0.3, 10), q=q, side="right").save(path)
    content = path.read_bytes()
    half = len(content) // 2
    viewer.uploads._limit = len(content)
    for key in ("one", "two"):
        announce(client, viewer, key, len(content), 1)
        send_part(client, viewer, key, 0, content)
        wait_for(lambda: "sent.csv" in viewer.studio.pieces, "it is read")
        wait_for(lambda: np.allclose(viewer.session.limb("right").q, q[-1]), "it is played")
        viewer.studio.pieces.pop("sent.csv")
    announce(client, viewer, "three", len(content), 1)
    send_part(client, viewer, "three", 0, content[:half])  # less than announced
    buffer = viewer.server._websock_server.get_message_buffer().message_from_id.values()
    answers = [m for m in list(buffer) if type(m).__name__ == "FileTransferPartAck"]
    assert len(answers) <= 1  # not those of earlier uploads


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("motion.csv", "motion.csv"),
        ("../../etc/motion.csv", "motion.csv"),
        ("C:\\data\\motion.csv", "motion.csv"),
        ("a\0b\n.csv", "ab.csv"),
        ("..", "recording"),
        ("", "recording"),
        ("x" * 300 + ".bag", "x" * 40 + ".bag"),
        ("Ü" * 150 + ".csv", "Ü" * 40 + ".csv"),
    ],
)
def test_names_from_browsers_become_plain_file_names(given: str, plain: str) -> None:
    assert file_name(given) == plain
