"""What a robot says, live in Foxglove: every message as it came. Nothing is sent to the robot."""

from __future__ import annotations

from typing import Any

from baxterkit.errors import InputError
from baxterkit.extras import load_extra
from baxterkit.messages import Message
from baxterkit.ros import topics
from baxterkit.ros.node import Listener
from baxterkit.ros.states import States


class FoxgloveServer:
    """Serves the robot's messages by Foxglove's WebSocket protocol, until it is closed.

    Args:
        node: The node, to listen to what the link itself does not need.
        states: What the robot says.
        host: Address to listen on.
        port: Port; a free one if 0.

    Raises:
        MissingExtraError: If foxglove-sdk is not installed.
        InputError: If the port is taken.
    """

    def __init__(self, node: Listener, states: States, host: str, port: int) -> None:
        sdk = load_extra("foxglove", feature="Foxglove", package="foxglove-sdk", extra="foxglove")
        self._sdk, self._states = sdk, states
        self._context = sdk.Context()
        self._channels: dict[str, Any] = {}
        try:
            self._server = sdk.start_server(
                name="baxterkit", host=host, port=port, context=self._context
            )
        except (OSError, RuntimeError, OverflowError) as error:
            raise InputError(f"cannot listen on {host}, port {port}: {error}") from error
        self.port: int = self._server.port
        self.address = f"ws://{host}:{self.port}"
        states.taps.append(self._pass_on)
        self._own = [
            node.subscribe(name, kind, lambda message, _, name=name: self._pass_on(name, message))  # type: ignore[misc]
            for name, kind in (topics.of_robot("ref_joint_states"), topics.of_robot("tf"))
        ]

    def close(self) -> None:
        """Serves no more; may be called twice."""
        if self._pass_on in self._states.taps:
            self._states.taps.remove(self._pass_on)
            for subscriber in self._own:
                subscriber.close()
            self._server.stop()

    def __enter__(self) -> FoxgloveServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _pass_on(self, topic: str, message: Message) -> None:
        channel = self._channels.get(topic)
        if channel is None:
            schema = self._sdk.Schema(
                name=message.TYPE, encoding="ros1msg", data=message.TEXT.encode()
            )
            channel = self._channels[topic] = self._sdk.Channel(
                topic, schema=schema, message_encoding="ros1", context=self._context
            )
        channel.log(message.encode())
