"""Admission of connections: from this server's own pages and from programs, not from other pages.

A browser connects to this machine's ports for any web page that asks. Such a page is named in the
request's `Origin`. A page can also have its own name resolve to this machine ("DNS rebinding");
then `Origin` and `Host` agree, but `Host` is a name that this server does not have. Both are
refused before a connection is opened, so that they neither move the robot nor read its state.

Addresses that no file has, and messages that cannot be read, are refused in words as well: viser
would answer with an internal error, and print a traceback.
"""

from __future__ import annotations

import contextlib
import http
import ipaddress
import socket
import threading
import traceback
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from baxterkit.errors import InputError
from baxterkit.viewer.server.viser_types import Viser

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LONGEST = 2000
"""Length of the longest address that is answered [characters]."""
UNREADABLE = 1007
"""The websocket's status for a message that is not what it should be."""
_patching = threading.Lock()


class AccessGate:
    """Checks the request that opens a connection.

    Args:
        host: Address that the server listens on.
        names: Further host names that browsers may use, such as a proxy's.

    Raises:
        InputError: If a name is not a plain host name: with a scheme, a port or a path.
    """

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self._names = {"localhost", host.lower()}
        self._local = host in LOOPBACK
        if not self._local:
            self._names |= {socket.gethostname().lower(), f"{socket.gethostname().lower()}.local"}
        for name in names:
            if not name or _host_of(f"//{name}") != name.lower().strip("[]"):
                raise InputError(
                    f"{name!r} is no host name; give the name alone, as robot.example.org"
                )
            self._names.add(name.lower().strip("[]"))

    def refusal(self, headers: Mapping[str, str]) -> str:
        """Why a request is refused; empty if it is not.

        Args:
            headers: Headers of the request.
        """
        try:
            host, origin = headers.get("Host", ""), headers.get("Origin")
        except Exception:  # a header that is there twice
            return "the request names more than one host or origin"
        name = _host_of(f"//{host}")
        if not self._knows(name):
            return (
                f"this server is not called {name!r}; if it should be, start it with "
                f"--allow-host {name or 'NAME'}"
            )
        if origin is None:  # not from a web page
            return ""
        parts = urlsplit(origin)
        same = parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()
        if same or _host_of(origin) in self._names - {"localhost"} - set(LOOPBACK):
            return ""
        return f"the page {origin} is not this server's"

    def _knows(self, name: str) -> bool:
        if name in self._names or name in LOOPBACK or name.endswith(".localhost"):
            return True
        # Only the owner of an address can serve pages under it, so a numeric host is safe.
        return not self._local and _is_address(name)


@contextlib.contextmanager
def gated(gate: AccessGate) -> Iterator[None]:
    """Puts the gate in front of the websocket server that is started meanwhile.

    viser has no option for it; it starts its server through `websockets.asyncio.server.serve`.
    """
    from websockets.asyncio import server

    real = server.serve

    def serve(
        handler: Viser, *args: Viser, process_request: Viser = None, **options: Viser
    ) -> Viser:
        def checked(connection: Viser, request: Viser) -> Viser:
            reason = gate.refusal(request.headers)
            if reason:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f"Refused: {reason}.\n")
            if len(request.path) > LONGEST:
                text = f"Refused: {len(request.path)} characters, {LONGEST} at most.\n"
                return connection.respond(http.HTTPStatus.REQUEST_URI_TOO_LONG, text)
            try:
                return None if process_request is None else process_request(connection, request)
            except (OSError, ValueError):  # no file can have this name
                return connection.respond(http.HTTPStatus.NOT_FOUND, "There is no such page.\n")

        return real(_patient(handler), *args, process_request=checked, **options)

    with _patching:
        server.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            server.serve = real  # type: ignore[misc]


def _patient(handler: Viser) -> Viser:
    """The handler of a connection; a message that it cannot read ends the connection only."""

    async def handle(connection: Viser) -> None:
        try:
            await handler(connection)
        except Exception as error:
            if not _is_reading(error):
                raise
            await connection.close(UNREADABLE, "the message cannot be read")

    return handle


def _is_reading(error: Exception) -> bool:
    """Whether an error comes from viser's reading of messages, and not from its other work."""
    return any(
        frame.name == "_message_consumer" for frame in traceback.extract_tb(error.__traceback__)
    )


def _host_of(url: str) -> str:
    """The host of an address, without port and brackets; empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
