"""The command line, `baxterkit VERB ...`: one file per verb, loaded on demand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from baxterkit.errors import MissingExtraError

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Runs the command line and exits, with a status of `baxterkit.cli.status`.

    Args:
        args: The arguments after the program's name; the process's own if None.
    """
    if find_spec("click") is None or find_spec("rich") is None:
        error = MissingExtraError("The command line", "click and rich", "cli")
        print(error, file=sys.stderr)
        sys.exit(2)
    try:
        from baxterkit.cli.app import run

        sys.exit(run(args))
    except KeyboardInterrupt:  # while it was being imported; `run` says more
        sys.exit(130)
