"""The ROS master and other nodes, called by XML-RPC; every call has a timeout."""

from __future__ import annotations

import http.client
import xmlrpc.client
from urllib.parse import urlparse
from xml.parsers.expat import ExpatError

from baxterkit.errors import InputError
from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph.wire import XmlValue

TIMEOUT = 3.0
"""Time after which a call is given up [s]."""


class _Transport(xmlrpc.client.Transport):
    def __init__(self, timeout: float) -> None:
        super().__init__()
        self._timeout = timeout

    def make_connection(self, host: XmlValue) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(str(host), timeout=self._timeout)
        self._connection = host, connection  # where the base class closes it
        return connection


class Caller:
    """The XML-RPC interface of a node or of the master.

    Args:
        uri: Its address, as "http://robot:11311".
        name: Our own name, which goes with every call.
        timeout: Of a call [s].
    """

    def __init__(self, uri: str, name: str, timeout: float = TIMEOUT) -> None:
        try:
            parts = urlparse(uri)
            sound = parts.scheme == "http" and bool(parts.hostname) and parts.port != 0
        except (ValueError, AttributeError):  # no text, half an address, a port above 65535
            sound = False
        if not sound:
            raise InputError(
                f"{uri!r} is no address of a ROS master or node; write it as http://host:11311"
            )
        self.uri, self._name, self._timeout = uri, name, timeout

    def call(self, method: str, *args: XmlValue) -> XmlValue:
        """Calls a method.

        Raises:
            MasterError: If there is no answer in time, or it is a refusal.
        """
        proxy = xmlrpc.client.ServerProxy(
            self.uri, transport=_Transport(self._timeout), allow_none=True
        )
        try:
            with proxy:
                answer: XmlValue = getattr(proxy, method)(self._name, *args)
        except (
            OSError, http.client.HTTPException, xmlrpc.client.Error, ExpatError, ValueError,
        ) as error:  # fmt: skip
            raise MasterError(f"{self.uri} does not answer {method}: {error}") from error
        if not isinstance(answer, list | tuple) or len(answer) != 3:
            raise MasterError(f"{self.uri} answers {method} with {answer!r:.80}")
        code, message, value = answer
        if code != 1:
            raise MasterError(f"{self.uri} refuses {method}: {message}")
        return value


class Master(Caller):
    """The master: who publishes, subscribes and serves what, and the parameters."""

    def as_caller(self, name: str) -> Caller:
        """The same master, called by another node."""
        return Caller(self.uri, name, self._timeout)

    def greet(self) -> int:
        """The number of its process: first of all, is there a master?

        Raises:
            MasterError: If there is none.
        """
        try:
            pid: int = self.call("getPid")
        except MasterError as error:
            raise MasterError(
                f"no ROS master answers at {self.uri} ({error.__cause__ or error}); is the robot "
                "on, or `baxterkit ros twin` running, and is the address right (ROS_MASTER_URI)?"
            ) from error
        return pid

    def publishers(self, topic: str) -> tuple[str, ...]:
        """Names of the nodes that publish a topic."""
        for name, nodes in self.call("getSystemState")[0]:
            if name == topic:
                return tuple(nodes)
        return ()

    def alive(self, node: str) -> bool:
        """Whether a node that the master knows answers."""
        try:
            Caller(self.call("lookupNode", node), self._name).call("getPid")
        except MasterError:
            return False
        return True

    def service(self, name: str) -> str:
        """Address of the node that serves `name`, as "rosrpc://host:port"."""
        uri: str = self.call("lookupService", name)
        return uri

    def parameter(self, name: str) -> XmlValue:
        """The value of a parameter; None if the master has none."""
        return self.call("getParam", name) if self.call("hasParam", name) else None

    def set_parameter(self, name: str, value: XmlValue) -> None:
        """Sets a parameter for all nodes."""
        self.call("setParam", name, value)
