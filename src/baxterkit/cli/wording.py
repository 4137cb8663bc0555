"""Advice of errors in the words of the command line: options in place of Python's arguments."""

from __future__ import annotations

import re

_OPTIONS: tuple[tuple[str, str], ...] = (
    (r"read it with load\(\.\.\., angles='deg'\)", "say --deg"),
    (r"leave out angles='deg'", "leave out --deg"),
    (r"load\(\.\.\., rate=(\S+?)\)", r"--rate \1"),
    (r"load\(\.\.\., bad_rows='drop'\)", "--drop-bad-rows"),
    (r"recording\.load\(\.\.\., side=\.\.\.\)", "--side"),
    (r"load them with side='left' or 'right'(, or give (?:arm|side)=)?",
     "say --side left or --side right"),
    (r"make one with side=\"both\"", "make one with --side both"),
    (r"(say(?: which with)?|pass) side=(['\"])left\2( or (side=)?\2right\2)?( \(--side\))?",
     "say --side left or --side right"),
    (r"level=\"body\" or \"full\"", "--body or --full"),
    (r"level=\"(body|full)\" and \"full\", not for \"reach\"", "--body and --full"),
    (r"level=\"reach\" or \"body\", not \"full\"", "no --full"),
    (r"level=\"(body|full)\"", r"--\1"),
    (r"this motion is the (left|right) arm's, not the (left|right) arm's",
     r"this motion is the \1 arm's, not the \2 arm's: say --side \1"),
    (r"repair=True \(--repair\)", "--repair"),
    (r"--rigid, in Python arm\.with_effects\(None\)", "--rigid"),
    (r"clip with arm\.limits\.clip\(q\)", "give it within the limits"),
    (r"use objective='quick'", "use --objective quick"),
    (r"method=\"auto\"", "--method auto"),
    (r"arm\.ik\(T, method='lm', trace=True\)", "--method lm"),
    (r"\(snap=(\S+), say\)", r"(--snap \1, say)"),
    (r"; project it with baxterkit\.spatial\.nearest_rotation\(R\)", ""),
    (r"; see `(blocked_by|violations)`\.?", ""),
    (r"raise max_iterations or restarts, start from another seed, or use method=\"exact\"",
     "give another --seed, or --method exact"),
    (r"in a scene with a margin", "with --margin"),
    (r"robot='robot\.toml'", "--robot robot.toml"),
    (r"another seed= may lead to one", "--start untuck, or another start, may lead to one"),
    (r"leave seed= out, or give another one", "leave --start out, or give another one"),
    (r"call enable\(\) first", "enable it first (rosrun baxter_tools enable_robot.py -e)"),
)  # fmt: skip
"""What Python's users are told, and what those of the command line are."""

_RULES = tuple((re.compile(pattern), option) for pattern, option in _OPTIONS)


def in_options(message: str) -> str:
    """The message with options of the command line where it names Python's arguments."""
    for pattern, option in _RULES:
        message = pattern.sub(option, message)
    return message
