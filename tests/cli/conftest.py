"""A command line in the test's own process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from baxterkit.cli.app import run


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert (self.status, self.err) == (0, "")
        return json.loads(self.out)

    def fails_with(self, message: str) -> None:
        """Exit status 2 and one line on stderr, `Error: message`; nothing on stdout."""
        assert (self.status, self.out) == (2, "")
        assert self.err == f"Error: {message}\n"


Cli = Callable[..., Done]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """`cli("fk", "neutral", stdin="...")` runs a command and returns what it left."""

    def call(*args: object, stdin: str | bytes = "") -> Done:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
        capsys.readouterr()
        status = run([str(arg) for arg in args])
        captured = capsys.readouterr()
        return Done(status, captured.out, captured.err)

    return call
