"""Verbs that go on until Ctrl-C: their signals, and what they print at once."""

from __future__ import annotations

import contextlib
import json
import logging
import signal
import sys
import threading
from collections.abc import Iterator

import click

MASTER = click.option(
    "--master",
    metavar="URI",
    help="Address of the ROS master, as http://robot.local:11311; ROS_MASTER_URI if not given.",
)
FOR = click.option("--for", "seconds", type=float, help="End after this time [s]; else by Ctrl-C.")


@contextlib.contextmanager
def stopped_by_signals(stop: threading.Event | None = None) -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; their former handlers are restored afterwards."""
    stop = threading.Event() if stop is None else stop
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: stop.set()) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def say_at_once(facts: dict[str, object], text: str, as_json: bool) -> None:
    """Prints the text, or the facts on one line of JSON, also into a pipe."""
    click.echo(json.dumps(facts) if as_json else text)
    sys.stdout.flush()


def serve(
    facts: dict[str, object],
    text: str,
    as_json: bool,
    seconds: float | None,
    ended: threading.Event | None = None,
) -> None:
    """Says what is there; then waits until Ctrl-C, SIGTERM, the end of the time, or `ended`."""
    logging.basicConfig(format="%(message)s", level=logging.WARNING)  # later warnings: to stderr
    with stopped_by_signals(ended) as stop:
        say_at_once(facts, f"{text}; Ctrl-C ends it", as_json)
        stop.wait(seconds)
