"""The exit statuses of the command line, in one place.

| status | meaning |
|---|---|
| 0 | success |
| 1 | no solution: no joint angles reach the pose, or the motion breaks off or violates a limit, or the robot touches itself, or the doctor has a finding; in a batch, one row or more |
| 2 | bad input: words, options, files, or a part that is not installed |
| 130 | stopped by Ctrl-C |
"""  # noqa: E501

from __future__ import annotations

from typing import NoReturn

import click

OK = 0
NO_ANSWER = 1
USAGE = 2
INTERRUPTED = 130


def without_answer() -> NoReturn:
    """Ends a verb that has printed why there is no solution."""
    click.get_current_context().exit(NO_ANSWER)
