"""A server of viser on a free port of this machine, without its banner and its public tunnel."""

from __future__ import annotations

import contextlib
import errno
import io
import socket

from baxterkit.errors import InputError
from baxterkit.extras import load_extra
from baxterkit.viewer.server.gate import AccessGate, gated
from baxterkit.viewer.server.viser_types import Viser


def listen(host: str, port: int, gate: AccessGate) -> Viser:
    """The server, from the first free port on, behind the gate.

    Raises:
        InputError: If no port is free, or the address is not this machine's.
        MissingExtraError: If viser is not installed.
    """
    viser = load_extra("viser", feature="The viewer", package="viser", extra="viewer")
    free = _free_port(host, port)
    # No banner of viser: the caller prints the address.
    with contextlib.redirect_stdout(io.StringIO()), gated(gate):
        server: Viser = viser.ViserServer(host=host, port=free, verbose=False)
    server.request_share_url = _refuse_to_share
    return server


def _free_port(host: str, port: int) -> int:
    """The first port from `port` on that can be listened on.

    Raises:
        InputError: If there is none, or the address is not this machine's.
    """
    if not 0 <= port <= 65535:
        raise InputError(f"port must be between 0 and 65535, got {port}")
    for candidate in range(port, min(port + 100, 65536)) if port else (0,):
        try:
            with socket.create_server((host, candidate)) as probe:
                found: int = probe.getsockname()[1]
                return found
        except OSError as error:
            reason = error
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                break
    why = str(reason.strerror or reason).partition(" (while")[0]  # Python adds the address again
    raise InputError(f"cannot listen on {host}, port {port}: {why}")


def _refuse_to_share(*_: object, **__: object) -> None:
    """Refuses a browser's request for a public tunnel to the server."""
