"""Who may connect to the viewer."""

from __future__ import annotations

import contextlib
import http.client
import socket
from collections.abc import Iterator

import components
import pytest
from viewer_client import Client, wait_for

from baxterkit.errors import InputError
from baxterkit.viewer import Viewer
from baxterkit.viewer.server.gate import AccessGate

ME = socket.gethostname().lower()


@pytest.mark.parametrize(
    ("own", "headers"),
    [
        (True, {"Host": "127.0.0.1:8080"}),  # no page: a program on this machine
        (True, {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}),
        (True, {"Host": "localhost:9000", "Origin": "http://localhost:9000"}),  # forwarded
        (True, {"Host": "LOCALHOST:9000", "Origin": "http://localhost:9000"}),
        (True, {"Host": "[::1]:9000", "Origin": "http://[::1]:9000"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:3000"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "http://localhost:8080"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "https://elsewhere.example"}),
        (False, {"Host": "elsewhere.example:8080", "Origin": "http://elsewhere.example:8080"}),
        (False, {"Host": "elsewhere.example:8080"}),
        (False, {"Host": "localhost.elsewhere.example"}),
        (False, {"Host": "192.0.2.7:8080", "Origin": "http://192.0.2.7:8080"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "null"}),
        (False, {"Host": "127.0.0.1:8080", "Origin": ""}),
        (False, {"Host": "127.0.0.1:8080", "Origin": "file://127.0.0.1:8080"}),
        (False, {"Host": "[", "Origin": "http://["}),
        (False, {}),
    ],
)
def test_a_viewer_of_this_machine_answers_to_it_alone(own: bool, headers: dict[str, str]) -> None:
    assert (AccessGate("127.0.0.1").refusal(headers) == "") is own


@pytest.mark.parametrize(
    ("own", "headers"),
    [
        (True, {"Host": "192.0.2.7:8080", "Origin": "http://192.0.2.7:8080"}),
        (True, {"Host": "[2001:db8::1]:8080", "Origin": "http://[2001:db8::1]:8080"}),
        (True, {"Host": f"{ME}:8080", "Origin": f"http://{ME}:8080"}),
        (True, {"Host": f"{ME}.local", "Origin": f"http://{ME}.local"}),
        (True, {"Host": "localhost:8080", "Origin": "http://localhost:8080"}),
        (False, {"Host": "192.0.2.7:8080", "Origin": "http://192.0.2.8:8080"}),
        (False, {"Host": "elsewhere.example:8080", "Origin": "http://elsewhere.example:8080"}),
    ],
)
def test_a_viewer_of_the_network_answers_to_its_names(own: bool, headers: dict[str, str]) -> None:
    assert (AccessGate("0.0.0.0").refusal(headers) == "") is own


@pytest.mark.parametrize(
    ("own", "headers"),
    [
        (True, {"Host": "robot.example.org", "Origin": "https://robot.example.org"}),
        (True, {"Host": "Robot.Example.org:443", "Origin": "https://robot.example.org:443"}),
        # A proxy that asks in its own name for a page that a browser knows by another.
        (True, {"Host": "127.0.0.1:8080", "Origin": "https://robot.example.org"}),
        (False, {"Host": "other.example.org", "Origin": "https://other.example.org"}),
        (False, {"Host": "robot.example.org", "Origin": "https://other.example.org"}),
    ],
)
def test_further_names_are_allowed_by_name(own: bool, headers: dict[str, str]) -> None:
    assert (AccessGate("127.0.0.1", ["robot.example.org"]).refusal(headers) == "") is own


@pytest.mark.parametrize("name", ["", "http://robot", "robot:8080", "robot/path", "a b@c"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="is no host name; give the name alone"):
        AccessGate("127.0.0.1", [name])


@pytest.fixture
def named() -> Iterator[Viewer]:
    """A viewer that may be asked for under another name."""
    components.require("viser")
    with Viewer(port=0, allow_hosts=["robot.example.org"]) as viewer:
        yield viewer


def refused(viewer: Viewer, **names: str) -> int:
    """The status that a handshake is refused with; 101 if it is not."""
    from websockets.exceptions import InvalidStatus

    try:
        client = Client(viewer, **names)
    except InvalidStatus as error:
        return int(error.response.status_code)
    client.close()
    return 101


def test_handshakes_of_pages_from_elsewhere_are_refused(named: Viewer) -> None:
    port = named.server.get_port()
    assert refused(named, origin="https://elsewhere.example") == 403
    assert (
        refused(named, origin=f"http://elsewhere.example:{port}", host="elsewhere.example") == 403
    )
    assert refused(named, host="elsewhere.example") == 403
    assert refused(named) == 101
    assert refused(named, origin=named.address) == 101
    assert refused(named, origin=f"http://localhost:{port}", host="localhost") == 101
    assert refused(named, origin="https://robot.example.org") == 101
    assert refused(named, host="robot.example.org") == 101
    client = Client(named, origin=named.address)
    wait_for(lambda: client.read() and client.received > 50_000, "the scene")
    client.close()


def test_pages_are_served_under_known_names_only(named: Viewer) -> None:
    def status(host: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", named.server.get_port(), timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", "/", headers={"Host": host})
            answer = connection.getresponse()
            return answer.status, answer.read()

    assert status("robot.example.org")[0] == 200
    code, text = status("elsewhere.example")
    assert code == 403
    assert text == (
        b"Refused: this server is not called 'elsewhere.example'; if it should be, start it with "
        b"--allow-host elsewhere.example.\n"
    )


def test_other_websocket_servers_are_left_alone(named: Viewer) -> None:
    from websockets.asyncio import server

    assert isinstance(server.serve, type)  # websockets' own again, not the gate's


ADDRESSES = {
    "/" + "a" * 5000: 414,
    "/" + "a/" * 2600: 414,
    "/" + "a" * 300: 404,  # longer than the name of any file
    "/" + "%C3%A9" * 200: 404,
    "/%00": 404,
    "/../../etc/passwd": 404,
    "/nothing": 404,
}
"""Addresses without a page, and how they are answered."""
UNREADABLE = (
    b"\xc1 no MessagePack",
    "text",
    b"",
    b"\x80",  # without a type
    b"\x81\xa4type\xa4Nope",
    b"\x93\x01\x02\x03",
    b"\x82\xa4type\xb0GuiUpdateMessage\xa4uuid\x01",  # fields are missing
)
"""Messages that viser cannot read."""


def test_addresses_without_a_page_are_refused_in_words(
    viewer: Viewer, caplog: pytest.LogCaptureFixture
) -> None:
    place = viewer.server.get_host(), viewer.server.get_port()
    for path, status in ADDRESSES.items():
        connection = http.client.HTTPConnection(*place, timeout=30)
        with contextlib.closing(connection):
            connection.request("GET", path, headers={"Host": "localhost"})
            assert connection.getresponse().status == status, path[:20]
    assert not [record for record in caplog.records if record.exc_info]


def test_messages_that_cannot_be_read_end_their_connection_only(
    viewer: Viewer, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    from websockets.exceptions import ConnectionClosed

    def read_all(client: Client) -> None:
        while True:
            client.read(30.0)

    for raw in UNREADABLE:
        other = Client(viewer)
        other.hello()
        wait_for(lambda: len(viewer.server.get_clients()) == 2, "both are known")
        other.socket.send(raw)
        with pytest.raises(ConnectionClosed) as closed:
            read_all(other)
        end = closed.value.rcvd
        assert end is not None
        assert (end.code, end.reason) == (1007, "the message cannot be read")
        wait_for(lambda: len(viewer.server.get_clients()) == 1, "it is gone")
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    client.drag("left", viewer.session.limb("left").T_base_tip[:3, 3])
    wait_for(lambda: viewer.updates > 0, "the other one still moves the arm")
