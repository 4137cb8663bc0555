"""A small ROS master, for machines without ROS: who publishes, listens to and serves what.

It has the methods of the master's interface that nodes and tools call, and keeps parameters. It
runs in the process that made it, such as `baxterkit ros twin`.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from functools import partial

from baxterkit.ros.errors import MasterError
from baxterkit.ros.graph.notices import Notices
from baxterkit.ros.graph.server import NodeServer
from baxterkit.ros.graph.wire import XmlValue


class OwnMaster:
    """A master.

    Args:
        port: Its port; a free one if 0.
        host: Address to listen at, and its own name in `uri`.

    Attributes:
        calls: Whether nodes are called when something changes; a network may keep it from that.
    """

    def __init__(self, port: int = 11311, host: str = "127.0.0.1") -> None:
        self.calls = True
        self._lock = threading.Lock()
        self._notices = Notices()
        self._nodes: dict[str, str] = {}
        self._publishers: dict[str, dict[str, str]] = {}
        self._subscribers: dict[str, dict[str, str]] = {}
        self._services: dict[str, tuple[str, str]] = {}
        self._types: dict[str, str] = {}
        self._parameters: dict[str, XmlValue] = {}
        self._watchers: dict[str, set[str]] = {}
        try:
            self._server = NodeServer(self._methods(), host, port)
        except OSError as error:
            raise MasterError(f"no master at port {port}: {error.strerror}") from error
        self.uri = f"http://{host}:{self._server.port}"
        _OPEN[self.uri] = self

    def close(self) -> None:
        """Stops answering."""
        self._server.close()

    def __enter__(self) -> OwnMaster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _methods(self) -> dict[str, XmlValue]:
        return {
            "registerPublisher": self._register_publisher,
            "unregisterPublisher": self._unregister_publisher,
            "registerSubscriber": self._register_subscriber,
            "unregisterSubscriber": self._unregister_subscriber,
            "registerService": self._register_service,
            "unregisterService": self._unregister_service,
            "lookupNode": lambda _, name: self._nodes[name],
            "lookupService": lambda _, name: self._services[name][1],
            "getSystemState": lambda _: self._state(),
            "getTopicTypes": lambda _: [[t, kind] for t, kind in self._types.items()],
            "getPublishedTopics": lambda *_: self._published(),
            "getUri": lambda _: self.uri,
            "setParam": self._set,
            "getParam": lambda _, name: self._get(name),
            "hasParam": lambda _, name: self._has(name),
            "deleteParam": lambda _, name: self._delete(name),
            "getParamNames": lambda _: list(self._parameters),
            "searchParam": self._search,
            "subscribeParam": self._subscribe_parameter,
            "unsubscribeParam": self._unsubscribe_parameter,
        }

    def _register_publisher(self, name: str, topic: str, kind: str, uri: str) -> list[str]:
        with self._lock:
            self._know(name, uri)
            self._publishers.setdefault(topic, {})[uri] = uri
            self._note(topic, kind)
            listeners = list(self._subscribers.get(topic, {}))
        self._tell(topic, listeners)
        return listeners

    def _unregister_publisher(self, _name: str, topic: str, uri: str) -> int:
        with self._lock:
            found = self._publishers.get(topic, {}).pop(uri, None)
            listeners = list(self._subscribers.get(topic, {}))
        self._tell(topic, listeners)
        return int(found is not None)

    def _register_subscriber(self, name: str, topic: str, kind: str, uri: str) -> list[str]:
        with self._lock:
            self._know(name, uri)
            self._subscribers.setdefault(topic, {})[uri] = uri
            self._note(topic, kind)
            return list(self._publishers.get(topic, {}))

    def _unregister_subscriber(self, _name: str, topic: str, uri: str) -> int:
        with self._lock:
            return int(self._subscribers.get(topic, {}).pop(uri, None) is not None)

    def _register_service(self, caller: str, name: str, address: str, uri: str) -> int:
        with self._lock:
            self._know(caller, uri)
            self._services[name] = (uri, address)
        return 1

    def _unregister_service(self, _caller: str, name: str, address: str) -> int:
        with self._lock:
            if self._services.get(name, ("", ""))[1] != address:
                return 0
            del self._services[name]
        return 1

    def _know(self, name: str, uri: str) -> None:
        """Notes where a node is; one that ended may have left its port to another.

        What one of the same name that was killed has left behind is forgotten.
        """
        gone = self._nodes.get(name, uri)
        for other in [other for other, own in self._nodes.items() if own == uri]:
            del self._nodes[other]
        self._nodes[name] = uri
        if gone != uri:
            for table in (self._publishers, self._subscribers):
                for uris in table.values():
                    uris.pop(gone, None)
            self._services = {k: v for k, v in self._services.items() if v[0] != gone}

    def _note(self, topic: str, kind: str) -> None:
        if kind != "*":
            self._types[topic] = kind

    def _tell(self, topic: str, listeners: Iterable[str]) -> None:
        """Tells the subscribers of a topic who publishes it now."""
        for uri in listeners if self.calls else ():
            self._notices.tell(uri, "publisherUpdate", topic, lambda: self._sources(topic))

    def _sources(self, topic: str) -> list[str]:
        with self._lock:
            return list(self._publishers.get(topic, {}))

    def _state(self) -> list[XmlValue]:
        with self._lock:
            return [
                [
                    [topic, [self._name(uri) for uri in uris]]
                    for topic, uris in table.items()
                    if uris
                ]
                for table in (self._publishers, self._subscribers)
            ] + [[[name, [self._name(uri)]] for name, (uri, _) in self._services.items()]]

    def _name(self, uri: str) -> str:
        return next((name for name, own in self._nodes.items() if own == uri), uri)

    def _published(self) -> list[list[str]]:
        with self._lock:
            return [[t, self._types.get(t, "*")] for t, uris in self._publishers.items() if uris]

    def _set(self, _caller: str, name: str, value: XmlValue) -> int:
        with self._lock:
            self._remove(name)
            self._parameters |= _leaves(_key(name), value)
        self._tell_watchers(name)
        return 0

    def _delete(self, name: str) -> int:
        with self._lock:
            if not self._remove(name):
                raise KeyError(f"parameter {name} is not set")
        self._tell_watchers(name)
        return 0

    def _search(self, caller: str, name: str) -> str:
        """The parameter of that name nearest to the caller: its own, then those of its folders."""
        if name.startswith("/"):
            places = [""]
        else:
            parts = caller.strip("/").split("/")
            places = ["/" + "/".join(parts[:n]) if n else "" for n in range(len(parts), -1, -1)]
        first = name.strip("/").partition("/")[0]
        for place in places:
            if self._has(f"{place}/{first}"):
                return f"{place}/{name.strip('/')}"
        raise KeyError(f"parameter {name} is not set for {caller}")

    def _subscribe_parameter(self, _caller: str, uri: str, name: str) -> XmlValue:
        with self._lock:
            self._watchers.setdefault(_key(name), set()).add(uri)
        return self._value(name)

    def _unsubscribe_parameter(self, _caller: str, uri: str, name: str) -> int:
        with self._lock:
            uris = self._watchers.get(_key(name), set())
            known = uri in uris
            uris.discard(uri)
        return int(known)

    def _tell_watchers(self, name: str) -> None:
        """Tells those who follow a parameter, one above or one below it, of its value now."""
        key = _key(name)
        with self._lock:
            heard = [
                (uri, watched)
                for watched, uris in self._watchers.items()
                for uri in uris
                if _below(key, watched) is not None or _below(watched, key) is not None
            ]
        for uri, watched in heard:
            what = key if _below(key, watched) is not None else watched
            self._notices.tell(uri, "paramUpdate", f"{what}/", partial(self._value, what))

    def _value(self, name: str) -> XmlValue:
        """A parameter's value; none, {}, if it is not set."""
        try:
            return self._get(name)
        except KeyError:
            return {}

    def _remove(self, name: str) -> int:
        """Removes a parameter, or all below it; returns how many there were."""
        found = [full for full in self._parameters if _below(full, name) is not None]
        for full in found:
            del self._parameters[full]
        return len(found)

    def _get(self, name: str) -> XmlValue:
        with self._lock:
            if _key(name) in self._parameters:
                return self._parameters[_key(name)]
            inside = {
                rest: value
                for full, value in self._parameters.items()
                if (rest := _below(full, name))
            }
        if not inside:
            raise KeyError(f"parameter {name} is not set")
        tree: dict[str, XmlValue] = {}
        for path, value in inside.items():
            *folders, last = path.split("/")
            place = tree
            for folder in folders:
                place = place.setdefault(folder, {})
            place[last] = value
        return tree

    def _has(self, name: str) -> bool:
        with self._lock:
            return any(_below(full, name) is not None for full in self._parameters)


_OPEN: weakref.WeakValueDictionary[str, OwnMaster] = weakref.WeakValueDictionary()


def own_master(uri: str) -> OwnMaster | None:
    """The master of this process at an address; None if there is none."""
    return _OPEN.get(uri.replace("//localhost", "//127.0.0.1"))


def _key(name: str) -> str:
    return "/" + name.strip("/")


def _below(full: str, name: str) -> str | None:
    """The rest of a parameter's name under another one; "" if it is that, None if elsewhere."""
    folder = _key(name).rstrip("/")
    if full == folder:
        return ""
    return full[len(folder) + 1 :] if full.startswith(f"{folder}/") else None


def _leaves(key: str, value: XmlValue) -> dict[str, XmlValue]:
    """A tree of parameters as single ones; what is no tree is one."""
    if not isinstance(value, dict) or not value:
        return {key: value}
    found: dict[str, XmlValue] = {}
    for name, inner in value.items():
        found |= _leaves(f"{key.rstrip('/')}/{name}", inner)
    return found
