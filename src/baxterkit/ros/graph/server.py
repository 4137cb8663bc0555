"""What other nodes reach us by: the XML-RPC interface of a node, and the port of TCPROS."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from socketserver import ThreadingMixIn
from xmlrpc.server import SimpleXMLRPCRequestHandler, SimpleXMLRPCServer

from baxterkit.clock import SYSTEM
from baxterkit.ros.errors import ConnectionLost, MessageError
from baxterkit.ros.graph.wire import LOG, Header, XmlValue, read_header, write_header

HANDSHAKE = 5.0
"""Time for the whole header of a new connection [s]."""
MOST_CONNECTIONS = 256
"""Connections that have not said yet what they want, at a time; for one more the oldest has to go.
So nobody can hold all places: a subscriber sends its header at once."""
MOST_REQUEST = 2**20
"""Longest XML-RPC request [bytes]."""


class _Handler(SimpleXMLRPCRequestHandler):
    rpc_paths = ()
    timeout = HANDSHAKE
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        try:
            size = int(self.headers.get("content-length", "-1"))
        except ValueError:
            size = -1
        if not 0 <= size <= MOST_REQUEST:
            self.close_connection = True
            self.send_error(413)
            LOG.warning("an XML-RPC request of %s bytes is refused", size)
            return
        super().do_POST()

    def log_message(self, format: str, *args: XmlValue) -> None:
        """Requests are not logged."""


class _Threading(ThreadingMixIn, SimpleXMLRPCServer):
    daemon_threads = True
    block_on_close = False
    places: Places

    def process_request(self, request: XmlValue, client_address: XmlValue) -> None:
        """A request takes a place; the oldest has to go for it, if need be."""
        self.places.take(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: XmlValue) -> None:
        """The end of a request."""
        self.places.leave(request)
        super().shutdown_request(request)

    def handle_error(self, request: XmlValue, client_address: XmlValue) -> None:
        """A caller that went away in the middle of a request is no trouble of ours."""
        LOG.info("a request from %s ended: %s", client_address, sys.exc_info()[1])


class NodeServer:
    """The XML-RPC interface that masters and subscribers call.

    Args:
        methods: Name -> function of the caller's name and the arguments; its result is the answer.
        host: Address to listen at.
        port: Port to listen at; a free one if 0.

    Attributes:
        pause: Time before each answer [s].
    """

    def __init__(
        self, methods: Mapping[str, Callable[..., XmlValue]], host: str = "0.0.0.0", port: int = 0
    ) -> None:
        self._server = _Threading(
            (host, port), requestHandler=_Handler, logRequests=False, allow_none=True
        )
        self._server.places = Places(MOST_CONNECTIONS)
        self.pause = 0.0
        self.port: int = self._server.server_address[1]
        for name, method in {"getPid": lambda *_: os.getpid(), **methods}.items():
            self._server.register_function(self._answering(method), name)
        self._server.register_multicall_functions()  # rospy says farewell to a master by one
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="XML-RPC", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Closes the port."""
        self._server.shutdown()
        self._server.server_close()

    def _answering(self, method: Callable[..., XmlValue]) -> Callable[..., XmlValue]:
        def answer(*args: XmlValue) -> list[XmlValue]:
            if self.pause:
                SYSTEM.sleep(self.pause)
            try:
                return [1, "", method(*args)]
            except Exception as error:
                return [-1, str(error), 0]

        return answer


class Places:
    """Room for connections whose wishes are not known yet.

    Args:
        most: How many there may be; for one more the oldest is closed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken: dict[socket.socket, None] = {}
        self._lock = threading.Lock()

    def take(self, connection: socket.socket) -> None:
        """A connection takes a place."""
        with self._lock:
            oldest = next(iter(self._taken)) if len(self._taken) >= self._most else None
            if oldest is not None:
                del self._taken[oldest]
            self._taken[connection] = None
        if oldest is not None:
            LOG.warning("more than %d connections have not said what they want", self._most)
            with contextlib.suppress(OSError):  # its thread notices, and closes it
                oldest.shutdown(socket.SHUT_RDWR)

    def leave(self, connection: socket.socket) -> None:
        """A connection needs its place no more."""
        with self._lock:
            self._taken.pop(connection, None)


class TcpServer:
    """The port that subscribers and clients of services connect to.

    Args:
        accept: Takes a connection with its header; runs in a thread of its own.
    """

    def __init__(self, accept: Callable[[socket.socket, Header], None]) -> None:
        self._accept = accept
        self._socket = socket.create_server(("0.0.0.0", 0), backlog=64)
        self.port: int = self._socket.getsockname()[1]
        self._places = Places(MOST_CONNECTIONS)
        threading.Thread(target=self._run, name="TCPROS", daemon=True).start()

    def close(self) -> None:
        """Takes no new connections."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _run(self) -> None:
        while True:
            try:
                connection, address = self._socket.accept()
            except OSError:
                return
            self._places.take(connection)
            threading.Thread(
                target=self._greet, args=(connection, address), name="greeting", daemon=True
            ).start()

    def _greet(self, connection: socket.socket, address: XmlValue) -> None:
        try:
            try:
                header = read_header(connection, HANDSHAKE)
            finally:
                self._places.leave(connection)
            connection.settimeout(HANDSHAKE)
            self._accept(connection, header)
        except Exception as error:
            ours = not isinstance(error, MessageError | ConnectionLost | OSError)
            LOG.warning("a connection from %s is refused: %s", address, error, exc_info=ours)
            _refuse(connection, str(error))


def _refuse(connection: socket.socket, reason: str) -> None:
    try:
        connection.settimeout(0.5)
        write_header(connection, {"error": reason[:500]})
    except OSError:
        pass
    connection.close()
