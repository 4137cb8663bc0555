"""Admission of connections: from this server's own pages and from programs, not from other pages.

A browser connects to this machine's ports for any web page that asks. Such a page is named in the
request's `Origin`. A page can also have its own name resolve to this machine ("DNS rebinding");
then `Origin` and `Host` agree, but `Host` is a name that this server does not have. Both are
refused before a connection is opened, so that they neither move the robot nor read its state.
"""

from __future__ import annotations

import contextlib
import http
import ipaddress
import socket
import threading
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from baxterkit.errors import InputError
from baxterkit.viewer.server.viser_types import Viser

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_patching = threading.Lock()


class Gate:
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
def gated(gate: Gate) -> Iterator[None]:
    """Puts the gate in front of the websocket server that is started meanwhile.

    viser has no option for it; it starts its server through `websockets.asyncio.server.serve`.
    """
    from websockets.asyncio import server

    real = server.serve

    def serve(*args: Viser, process_request: Viser = None, **options: Viser) -> Viser:
        def checked(connection: Viser, request: Viser) -> Viser:
            reason = gate.refusal(request.headers)
            if reason:
                return connection.respond(http.HTTPStatus.FORBIDDEN, f"Refused: {reason}.\n")
            return None if process_request is None else process_request(connection, request)

        return real(*args, process_request=checked, **options)

    with _patching:
        server.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            server.serve = real  # type: ignore[misc]


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
