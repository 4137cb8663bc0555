"""`baxterkit completion`: scripts that complete verbs and options in a shell."""

from __future__ import annotations

import click

from baxterkit.cli.options import json_option
from baxterkit.cli.show import say
from baxterkit.cli.verbs import verb

VARIABLE = "_BAXTERKIT_COMPLETE"
INSTALL = {
    "bash": "baxterkit completion bash > ~/.local/share/bash-completion/completions/baxterkit",
    "zsh": 'baxterkit completion zsh > "${fpath[1]}/_baxterkit"',
    "fish": "baxterkit completion fish > ~/.config/fish/completions/baxterkit.fish",
}


@verb("completion", *INSTALL.values())
@click.argument("shell", type=click.Choice(list(INSTALL)))
@json_option
def command(shell: str, as_json: bool) -> None:
    """The script that completes verbs, options, poses and tools in SHELL.

    Written to the file that the examples name, it works in every new shell. For the current shell:
    eval "$(baxterkit completion bash)".
    """
    from click.shell_completion import get_completion_class

    from baxterkit.cli.app import group

    kind = get_completion_class(shell)
    assert kind is not None  # click knows the three
    completion = kind(group, {}, "baxterkit", VARIABLE)
    script = completion.source_template % completion.source_vars()
    say({"shell": shell, "install": INSTALL[shell], "script": script}, script, as_json)
