"""`baxterkit export`: the arm's equations as standalone files for other languages."""

from __future__ import annotations

from pathlib import Path

import click

from baxterkit import Arm, disk
from baxterkit.cli.options import (
    IN_FOLDER,
    OutFile,
    complete_from,
    json_option,
    loaded_arm_options,
    note_nominal,
    robot_of,
)
from baxterkit.cli.show import Facts, say, show, show_json, table
from baxterkit.cli.verbs import verb
from baxterkit.codegen import matlab_symbolic
from baxterkit.codegen.exports import (
    DH,
    FORMATS,
    IK,
    WHATS,
    export,
    formats_of,
    write_function,
)
from baxterkit.codegen.quantities import QUANTITIES, export_function
from baxterkit.errors import InputError

MODELS = ("arm", "robot")
"""What goes to URDF."""
URDF = "urdf"
MJCF = "mjcf"
"""The robot as a folder of MuJoCo files."""


@verb(
    "export",
    "baxterkit export gravity --to c -o gravity.c",
    "baxterkit export dynamics --to matlab --tool electric_standard --payload 0.5 -o dyn.m",
    "baxterkit export inverse_dynamics --to casadi --parameters -o torque.py",
    "baxterkit export dh --to rtb -o baxter_left.py",
    "baxterkit export ik --to cpp -o baxter_ik.hpp",
    "baxterkit export gravity --to matlab --symbolic -o gravity.m",
    "baxterkit export robot --to urdf --tool electric_standard -o robot.urdf",
    "baxterkit export mjcf -o baxter/",
    "baxterkit export --list",
)
@click.argument("what", required=False, shell_complete=complete_from((*WHATS, *MODELS, MJCF)))
@click.option(
    "--to",
    metavar="FORMAT",
    shell_complete=complete_from((*FORMATS, URDF)),
    help=f"One of: {', '.join((*FORMATS, URDF))}.",
)
@click.option(
    "-o",
    "--out",
    "--output",
    "output",
    type=OutFile(folders=True),
    help="File; for mjcf, a folder.  [default: stdout]",
)
@loaded_arm_options
@click.option("--parameters", is_flag=True, help="Keep mount, tool and inertias as arguments.")
@click.option(
    "--symbolic",
    is_flag=True,
    help="For matlab: a function of symbols, and a .mat file of its coefficients.",
)
@click.option("--rigid", is_flag=True, help="Leave out springs, friction and bias of --robot.")
@click.option(
    "--meshes",
    type=IN_FOLDER,
    help="For mjcf: folder baxter_description with Rethink's meshes.  [default: of the package "
    "example-robot-data if it is installed, else our own look]",
)
@click.option("--name", help="Name of the function.  [default: that of the file]")
@click.option(
    "--list", "as_list", is_flag=True, help="List quantities and formats, with operation counts."
)
@json_option
@click.pass_context
def command(
    context: click.Context,
    what: str | None,
    to: str | None,
    output: Path | None,
    arm: Arm,
    parameters: bool,
    symbolic: bool,
    rigid: bool,
    meshes: Path | None,
    name: str | None,
    as_list: bool,
    as_json: bool,
) -> None:
    """Write WHAT, in closed form, as a file that does not need baxterkit.

    WHAT is fk, jacobian, body_jacobian, inertia, coriolis, gravity, dynamics (M, C and G together),
    bias_torque, inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, regressor, dh,
    ik, arm, robot or mjcf.
    Mount, tool, payload and gravity of the arm are folded in as numbers, which saves operations;
    --parameters keeps them as arguments. The springs, friction and bias of a --robot are part of
    inverse_dynamics, forward_dynamics and inverse_dynamics_derivatives; --rigid leaves them out.
    The dh table goes to json, latex, rtb and rtb-matlab (Corke's Robotics Toolbox), everything else
    to the other formats. ik, the exact inverse kinematics, goes to cpp: one file with a C
    interface, in which the arm is the default and any mount, tool and limits can be given. arm and
    robot go to urdf: the arm alone, or both arms, the head and every frame, where --tool is on both
    hands and --payload on that of --side. mjcf, the robot as a folder of MuJoCo files
    (-o FOLDER), needs no format. With --symbolic, the matlab file is a function of symbols
    or numbers, whose coefficients are in a workspace file beside it, FILE.mat. With --json
    and without a file, the text is a member of the JSON.
    """
    if rigid:
        arm = arm.with_effects(None)
    if as_list:
        show_json(_facts(arm)) if as_json else _show_list(arm)
        return
    if what == MJCF:
        _write_mjcf(to, arm, output, context, as_json)
        return
    if meshes is not None:
        raise click.UsageError("--meshes is for mjcf: baxterkit export mjcf -o FOLDER")
    if what is None or to is None:
        missing = "WHAT" if what is None else "--to FORMAT"
        raise click.UsageError(f"{missing} is missing; baxterkit export --list shows the choices")
    if to == "rtb" and output is not None and output.suffix == ".m":
        to = "rtb-matlab"
    if name is None and output is not None and output.stem.isidentifier():
        name = output.stem
    if symbolic:
        _write_symbolic(what, to, arm, name, output, context, as_json)
        return
    if what in MODELS or to == URDF:
        text = _urdf(what, to, arm, context)
    else:
        text = export(
            what,
            to,
            arm,
            name=name or "",
            parameters=parameters,
            command=_command(context, arm.side, to),
        )
    size = len(text.encode())
    facts: Facts = {"what": what, "format": to, "bytes": size}
    if output is None:
        show_json({**facts, "text": text}) if as_json else click.echo(text, nl=False)
        return
    disk.write_text(output, text)
    of = "" if what in MODELS else f" of the {arm.side} arm"
    told = f"{output}: {what}{of}, {to}, {size} bytes"
    say({"file": str(output), **facts}, told, as_json)


def _write_symbolic(
    what: str, to: str, arm: Arm, name: str | None, output: Path | None, context: click.Context,
    as_json: bool,
) -> None:  # fmt: skip
    """Writes the function of symbols and its workspace file."""
    if to != "matlab" or what not in QUANTITIES:
        raise click.UsageError("--symbolic is for the equations in matlab: --to matlab")
    if context.params["parameters"]:
        raise click.UsageError("--symbolic keeps all numbers in the .mat file: no --parameters")
    if output is None:
        raise click.UsageError("--symbolic writes two files: -o FILE.m, and FILE.mat beside it")
    exported = export_function(
        what, arm, name or output.stem, command=_command(context, arm.side, to)
    )
    written = matlab_symbolic.write(exported)
    disk.write_text(output, written.text)
    workspace = output.with_suffix(".mat")
    disk.write_bytes(workspace, written.workspace)
    count = len(written.coefficients)
    facts: Facts = {"file": str(output), "workspace": str(workspace), "what": what, "format": to}
    told = f"{output}: {what} of the {arm.side} arm, symbolic matlab"
    told += f"\n{workspace}: its {count} coefficients"
    say(facts | {"coefficients": count}, told, as_json)


def _write_mjcf(
    to: str | None, arm: Arm, output: Path | None, context: click.Context, as_json: bool
) -> None:
    """Writes the folder of MuJoCo files."""
    if to not in (None, MJCF) or output is None:
        raise click.UsageError("mjcf is a folder of MuJoCo files: baxterkit export mjcf -o FOLDER")
    given = context.params
    if given["parameters"] or given["symbolic"] or given["name"] is not None:
        raise click.UsageError("--parameters, --symbolic and --name are not for mjcf")
    from baxterkit.sim.mjcf import export_mjcf

    note_nominal()
    written = export_mjcf(output, robot_of(arm), meshes=given["meshes"] or "auto")
    names, meshes = ([path.name for path in each] for each in (written.files, written.meshes))
    facts = {"folder": str(output), "files": names, "meshes": meshes}
    say(facts, f"{output}: {', '.join(names)}; {len(meshes)} meshes", as_json)


def _urdf(what: str, to: str, arm: Arm, context: click.Context) -> str:
    """The arm or the robot as URDF."""
    if what not in MODELS or to != URDF:
        raise InputError(f"{what} does not go to {to}; arm and robot go to urdf, and nothing else")
    given = context.params
    if given["parameters"] or given["name"] is not None:
        raise click.UsageError("--parameters and --name are not for urdf")
    if what == "arm":
        return arm.to_urdf()
    note_nominal()
    return robot_of(arm).to_urdf()


def _command(context: click.Context, side: str, to: str) -> str:
    """The command that makes the file again; of files only the names, not this machine's paths."""
    given = context.params
    words = ["baxterkit export", given["what"], f"--to {to} --side {side}"]
    for option in ("tool", "urdf", "robot", "payload", "name"):
        value = given[option]
        if value is not None:
            words.append(f"--{option} {value.name if isinstance(value, Path) else value}")
    words += [f"--{flag}" for flag in ("parameters", "symbolic", "rigid") if given[flag]]
    if given["output"] is not None:
        words.append(f"-o {given['output'].name}")
    return " ".join(words)


def _facts(arm: Arm) -> list[Facts]:
    """For every quantity: operations with numbers folded in and kept, and bytes by format."""
    facts = []
    rigid = arm.model  # the table is of the rigid arm, and toolboxes take no other
    for what in WHATS:
        entry: Facts = {"what": what}
        if what in (DH, IK):
            texts = {to: export(what, to, rigid) for to in formats_of(what)}
        else:
            folded = export_function(what, arm)
            kept = export_function(what, arm, parameters=True)
            entry["operations"] = folded.program.operations.total
            entry["operations_with_parameters"] = kept.program.operations.total
            texts = {to: write_function(folded, to) for to in formats_of(what)}
        entry["bytes"] = {to: len(text.encode()) for to, text in texts.items()}
        facts.append(entry)
    return facts


def _show_list(arm: Arm) -> None:
    facts = _facts(arm)
    rows = [
        [
            entry["what"],
            str(entry["operations"]),
            str(entry["operations_with_parameters"]),
            *(f"{size / 1000:.1f}" for size in entry["bytes"].values()),
        ]
        for entry in facts
        if entry["what"] not in (DH, IK)
    ]
    header = ("WHAT", "operations", "--parameters", *formats_of(WHATS[0]))
    show(
        table(f"{arm.side} arm: operations, and size of the files [kB]", header, rows),
        *(f"dh: {_sizes(entry)}" for entry in facts if entry["what"] == DH),
        f"ik: {', '.join(formats_of(IK))}, one file with a C interface",
        "arm, robot: urdf",
        "mjcf: a folder of MuJoCo files",
    )


def _sizes(entry: Facts) -> str:
    return ", ".join(f"{to} {size / 1000:.1f} kB" for to, size in entry["bytes"].items())
