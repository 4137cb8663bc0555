"""Output of the verbs: JSON, CSV, tables, poses."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import click
import numpy as np

from baxterkit.cli.wording import in_options
from baxterkit.spatial.formulas import matrix_to_quaternion, matrix_to_rpy
from baxterkit.types import Array, Transform

if TYPE_CHECKING:
    from rich.console import RenderableType

    from baxterkit.recording import Recording

# rich is imported when a table is made: JSON and CSV output start without it.

PIPE_WIDTH = 160
"""Width of a table that goes into a file or a pipe: wide enough that no row is folded."""

POSE_COLUMNS = ("x", "y", "z", "qx", "qy", "qz", "qw", "roll", "pitch", "yaw")

Facts: TypeAlias = dict[str, Any]
"""Results of a verb, as `--json` prints them."""


def show(*parts: RenderableType) -> None:
    """Prints tables and lines of text: in colour on a terminal, plain elsewhere."""
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leaves a broken pipe to the caller; rich would exit with status 1."""
            raise BrokenPipeError

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    console = PlainConsole(file=sys.stdout, width=width, highlight=False, markup=False)
    for part in parts:
        console.print(part)


@contextmanager
def progress(text: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr while long work goes on; only on a terminal.

    Args:
        text: Description of the work.
        total: Number of steps.

    Yields:
        A function to call with the number of steps that were just done.
    """
    done = 0
    with progress_parts(text) as tell:

        def advance(steps: int) -> None:
            nonlocal done
            done += steps
            tell(text, done / total)

        yield advance


@contextmanager
def progress_parts(text: str = "") -> Iterator[Callable[[str, float], None]]:
    """The same for work that names its parts.

    Args:
        text: First description beside the bar.

    Yields:
        A function to call with a description of the present part, and the share done, 0 to 1.
    """
    if not sys.stderr.isatty():
        yield lambda text, part: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(text, total=1.0)
        yield lambda text, part: bar.update(task, description=text, completed=part)


def show_notes(recordings: Iterable[Recording], as_json: bool) -> list[str]:
    """The notes of recordings with their files, printed to standard error unless JSON is wanted."""
    notes = [
        in_options(f"{one.source}: {note}")
        for one in recordings
        for note in one.notes
        if not note.startswith("time 0 is ")
    ]
    for note in () if as_json else notes:
        click.echo(f"Note: {note}", err=True)
    return notes


def show_json(value: object) -> None:
    """Prints a value as JSON; arrays become lists, with every digit."""
    click.echo(json.dumps(value, indent=2, default=_plain))


def say(facts: object, text: str, as_json: bool) -> None:
    """Prints facts as JSON where that is wanted, else a text."""
    show_json(facts) if as_json else click.echo(text)


def say_list(names: Mapping[str, str], as_json: bool) -> None:
    """Prints names, each with what it stands for."""
    width = max(map(len, names))
    say(names, "\n".join(f"{name:{width}}  {about}" for name, about in names.items()), as_json)


def show_csv(header: Iterable[str], rows: Array) -> None:
    """Prints rows of numbers as CSV, with every digit."""
    click.echo(",".join(header))
    for row in rows.tolist():
        click.echo(",".join(map(repr, row)))


def number(value: float, digits: int = 6) -> str:
    """A number with a fixed count of decimals, and no negative zero."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("-") and float(text) == 0.0 else text


def table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """A titled table: the first column names the row, the others are right-aligned."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    result = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_header=any(header), show_edge=False)
    # Text, since rich would read units in brackets as markup.
    for index, name in enumerate(header):
        result.add_column(Text(name), justify="right" if index else "left", overflow="fold")
    for row in rows:
        result.add_row(*map(Text, row))
    return Group(Text(title, "bold"), result, "")


def angle_unit(deg: bool) -> str:
    """The unit that angles are shown in."""
    return "deg" if deg else "rad"


def angles(values: Any, deg: bool) -> Any:
    """Angles [rad] in the unit that they are shown in."""
    return np.degrees(values) if deg else values


def pose_dict(T: Transform, deg: bool) -> Facts:
    """A pose for JSON: position [m], quaternion x y z w, roll pitch yaw, 4 by 4 matrix."""
    return {
        "position": T[:3, 3],
        "quaternion": matrix_to_quaternion(T[:3, :3]),
        "rpy": angles(matrix_to_rpy(T[:3, :3]), deg),
        "matrix": T,
    }


def pose_rows(Ts: Transform, deg: bool) -> Array:
    """Poses, shape (n, 4, 4), as rows of `POSE_COLUMNS`, shape (n, 10)."""
    R = Ts[:, :3, :3]
    parts = [Ts[:, :3, 3], matrix_to_quaternion(R), angles(matrix_to_rpy(R), deg)]
    return np.concatenate(parts, axis=1)


def pose_table(title: str, T: Transform, deg: bool) -> RenderableType:
    """One pose as a table: position, quaternion, roll pitch yaw."""
    pose = pose_dict(T, deg)
    unit = angle_unit(deg)
    rows = [
        ("position [m]", "x y z", *map(number, pose["position"])),
        ("quaternion", "x y z w", *map(number, pose["quaternion"])),
        (f"rpy [{unit}]", "roll pitch yaw", *map(number, pose["rpy"])),
    ]
    return table(title, ("", "", "", "", "", ""), [(*r, *[""] * (6 - len(r))) for r in rows])


def matrix_table(
    title: str, header: Sequence[str], names: Sequence[str], matrix: Array, digits: int = 6
) -> RenderableType:
    """A matrix with named rows and columns."""
    named = zip(names, matrix, strict=True)
    rows = [(name, *(number(x, digits) for x in row)) for name, row in named]
    return table(title, ("", *header), rows)


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")
