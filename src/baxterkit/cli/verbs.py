"""Command classes of the verbs: examples in the help, negative numbers as arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from baxterkit.cli.configuration import ConfigurationOption, gathered
from baxterkit.cli.words import MINUS, NEGATIVE, numbers
from baxterkit.errors import did_you_mean


class Verb(click.Command):
    """A command with examples in its help, whose arguments may be negative numbers.

    Args:
        examples: Lines to type, shown as they are at the end of the help.
        **options: As for `click.Command`.
    """

    def __init__(self, *, examples: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"  {example}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Hides minus signs of numbers from click's option parser, except in options' values."""
        configurations = {
            name
            for item in self.params
            if isinstance(item, ConfigurationOption)
            for name in item.opts
        }
        args = gathered(args, configurations)
        takes = {
            name: option.nargs
            for option in self.params
            if isinstance(option, click.Option) and not option.is_flag
            for name in option.opts
        }
        hidden, values = [], 0
        for arg in args:
            is_value = values > 0
            values = values - 1 if is_value else takes.get(arg, 0)
            hide = not is_value and NEGATIVE.fullmatch(arg)
            hidden.append(MINUS + arg[1:] if hide else arg)
        try:
            return super().parse_args(ctx, hidden)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # its help is the one to see
            extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message)
            if extra and numbers(extra[1]):
                advice = "put commas between numbers: 1,2,3"
                raise click.UsageError(f"{error.message}; {advice}", error.ctx) from None
            raise


def verb(name: str, *examples: str) -> Callable[[Callable[..., object]], Verb]:
    """Makes a function a verb."""
    return click.command(name, cls=Verb, examples=examples)


class VerbGroup(click.Group):
    """A verb with subcommands, such as `baxterkit plot workspace`; its help lists them all.

    Make one with `@click.group("plot", cls=VerbGroup)`.
    """

    def verb(self, name: str, *examples: str) -> Callable[[Callable[..., object]], click.Command]:
        """Makes a function a subcommand."""
        return self.command(name, cls=Verb, examples=examples)

    @property
    def examples(self) -> tuple[str, ...]:
        """The examples of all subcommands."""
        parts = (part for part in self.commands.values() if isinstance(part, Verb | VerbGroup))
        return tuple(example for part in parts for example in part.examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a subcommand, shows the help, as `baxterkit` alone does."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The subcommands, in the order of their definition."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the subcommands with the first sentence of their help."""
        parts = self.commands.items()
        with formatter.section("Parts"):
            formatter.write_dl([(name, part.get_short_help_str(limit=200)) for name, part in parts])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples of all subcommands."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"  {example}\n")
            formatter.write("\n  Each of them has --json and --help.\n")

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the subcommand, or says which ones there are."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            known = f"{did_you_mean(args[0], self.commands)}available: {', '.join(self.commands)}"
            raise click.UsageError(f"no {self.name} {args[0]!r}; {known}", ctx)
        return super().resolve_command(ctx, args)
