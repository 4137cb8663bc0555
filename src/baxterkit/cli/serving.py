"""Verbs that go on until Ctrl-C: their signals, and what they print at once."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator

import click


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set; their former handlers are restored afterwards."""
    stop = threading.Event()
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
