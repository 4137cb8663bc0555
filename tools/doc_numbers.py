"""Put measured numbers into README and docs: from benchmarks/results, and from nowhere else.

Usage: python tools/doc_numbers.py [--take FILE] [--take-identified FILE] [--check]

Two kinds of places are filled. LINES are sentences whose numbers come from the benchmarks; they are
found by the words around the numbers. BLOCKS are tables between two comments. `make bench-page`
measures the benchmarks anew and runs this; `make experiments-page` runs `baxterkit reproduce` and
`baxterkit identify` on the recordings and hands their JSON over with `--take` and
`--take-identified`. `--check` only compares.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import gpu_numbers  # noqa: E402
from bench_page import RESULTS, ik_peers_table  # noqa: E402
from experiments_tables import claims_text, errata_text, experiment_text, methods_table  # noqa: E402

from baxterkit.experiments import EXPERIMENTS as NAMES  # noqa: E402
from baxterkit.model import JOINTS  # noqa: E402

EXPERIMENTS = RESULTS / "reproduce.json"
IDENTIFIED = RESULTS / "identify.json"
CAMPAIGNS = RESULTS / "campaigns.json"
PAGES = {
    "errata": ("docs/errata.md", errata_text),
    "claims": ("docs/papers/claims.md", claims_text),
}
"""Experiments with a page of their own, and what makes it; the others are on experiments.md."""
DIGITS = 7
"""Significant digits of the kept results of experiments."""

VALUE = r"\d[\d.,]*(?<![.,])(?: (?:ns|µs|ms|s)\b)?"
"""Pattern of a number in a line, with its unit of time if it has one."""
LINES = (
    ("README.md", "| `arm.fk`: times faster than Pinocchio | {fk_ratio} ({fk_one}) | "
     "{fk_batch_ratio} ({fk_batch} each) | `make bench` |"),
    ("README.md", "| `arm.inverse_dynamics`: times faster than Pinocchio | {id_ratio} ({id_one}) | "
     "{id_batch_ratio} ({id_batch} each; `rneaInParallel`) | `make bench` |"),
    ("README.md", "| `arm.ik`: times faster on the mean than Robotics Toolbox, OptIK | "
     "{ik_rtb_ratio}, {ik_optik_ratio} (mean {ik_mean}, worst {ik_worst}) | "
     "{ik_rate} targets/s | `make bench` |"),
    ("README.md", "R² of s0 ... w2 on recordings left out | | {r2_s0} {r2_s1} {r2_e0} {r2_e1} "
     "{r2_w0} {r2_w1} {r2_w2} | `baxterkit identify` |"),
    ("README.md", "on the different one, left out of the fit, R² is {other_s0} {other_s1} "
     "{other_e0} {other_e1} {other_w0} {other_w1} {other_w2} (`baxterkit reproduce"),
    ("README.md", "the nominal rigid model has R² = -{r2_nominal_s1} at s1"),
    ("docs/identify.md", "none of the torque at s1 (R² = -{r2_nominal_s1}) and errs by "
     "{mae_nominal_s1} N m there; the identified one errs by {mae_s1} N m"),
    ("README.md", "Pinocchio {pinocchio}, Robotics Toolbox {rtb}; [all results]"),
    ("README.md", "impedance control, each some {control_least} to {control_most} µs an update"),
    ("README.md", "controllers in Python run {twin_times} times faster than real time on one core"),
    ("docs/control/index.md", "One `update` takes {control_least} to {control_most} µs on one core "
     "(`python benchmarks/bench_control.py`)"),
    ("docs/control/predictive.md", "An update takes {predictive_free} (median) where no limit "
     "binds, and {predictive_median} on a motion\nthat the limits bind; 99 of 100 take less than "
     "{predictive_p99}"),
    ("docs/twin.md", "two computed-torque controllers in Python at 1 kHz take {twin_torque} of one "
     "core for a millisecond of both arms, {twin_times} times faster than real time; velocity "
     "commands to both arms {twin_velocity}, MuJoCo's step alone {twin_mujoco}."),
    ("docs/ik.md", "a batch runs at {ik_rate} targets/s on one core, `ik_all` takes {ik_all} on "
     "the mean, `self_motion` {self_motion}, the\nobjectives {objective_least} to "
     "{objective_most}; a target without a solution takes {no_mean} on the mean and {no_worst} "
     "at worst."),
    *gpu_numbers.LINES,
)  # fmt: skip
"""File, and a part of its text with names of `values` in braces."""


def values(folder: Path = RESULTS) -> dict[str, str]:
    """The numbers by name, as they are printed."""

    def load(name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((folder / f"bench_{name}.json").read_text("utf-8"))
        return content

    def row(content: Mapping[str, Any], what: str, who: str, against: str | None = None) -> Any:
        return next(
            r
            for r in content["results"]
            if (r["what"], r["who"]) == (what, who) and against in (None, r["against"])
        )

    kinematics, dynamics = load("kinematics"), load("dynamics")
    ahead = {r["what"].split(", ")[-1]: r for r in load("predictive")["results"]}
    twin, control, ik = load("twin"), load("control"), load("ik")
    fk = row(kinematics, "fk, one call", "baxterkit")
    fk_batch = row(kinematics, "fk, batch 100,000", "baxterkit, 1 thread")
    torque = row(dynamics, "inverse dynamics, one call", "baxterkit")
    batch = "inverse dynamics, batch 100,000"
    torque_batch = row(dynamics, batch, "baxterkit, 1 thread", "rneaInParallel")
    step = {r["what"]: float(r["median_ns"]) for r in twin["results"]}
    updates = [float(r["median_ns"]) / 1e3 for r in control["results"]]
    peers = {peer["who"]: peer for peer in ik["peers"]}
    ours = {name.rstrip("*"): float(value) for name, value in ik["ours"].items()}
    objectives = [ours[f"ik {x}: mean"] for x in ("nearest", "limits", "manipulability", "gravity")]
    versions = kinematics["machine"]["versions"]
    torques = json.loads((folder / IDENTIFIED.name).read_text("utf-8"))
    left_out, nominal = torques["held_out"]["memory"], torques["scores"]["before"]
    moved = max(step["full twin, two computed torques"], step["full twin, two double-loop PIDs"])
    return {
        "pinocchio": ".".join(versions["pin"].split(".")[:2]),
        "rtb": ".".join(versions["roboticstoolbox-python"].split(".")[:2]),
        "fk_ratio": _ratio(fk["ratio"]),
        "fk_one": _time(fk["median_ns"]),
        "fk_batch_ratio": _ratio(fk_batch["ratio"]),
        "fk_batch": _time(fk_batch["median_ns"]),
        "id_ratio": _ratio(torque["ratio"]),
        "id_one": _time(torque["median_ns"]),
        "id_batch_ratio": _ratio(torque_batch["ratio"]),
        "id_batch": _time(torque_batch["median_ns"]),
        "ik_rtb_ratio": _ratio(peers["roboticstoolbox ik_LM"]["slower_on_the_mean"]),
        "ik_optik_ratio": _ratio(peers["optik"]["slower_on_the_mean"]),
        "ik_mean": _time(1e3 * peers["baxterkit"]["mean_us"]),
        "ik_worst": _time(1e3 * peers["baxterkit"]["worst_us"]),
        "ik_rate": f"{1e3 * round(1e-3 * ours['ik batch: targets/s on one core']):,.0f}",
        "ik_all": _time(1e3 * ours["ik_all: mean"]),
        "self_motion": _time(1e3 * ours["self_motion: mean"]),
        "objective_least": _time(1e3 * min(objectives)),
        "objective_most": _time(1e3 * max(objectives)),
        "no_mean": _time(1e3 * ours["no solution: mean"]),
        "no_worst": _time(1e3 * ours["no solution: worst"]),
        "control_least": f"{min(updates):.0f}",
        "control_most": f"{max(updates):.0f}",
        "predictive_free": _time(ahead["away from the limits"]["median_ns"]),
        "predictive_median": _time(ahead["at the limits"]["median_ns"]),
        "predictive_p99": _time(ahead["at the limits"]["p99_ns"]),
        **{f"r2_{j}": f"{x:.3f}" for j, x in zip(JOINTS, left_out["r2"], strict=True)},
        **{f"other_{j}": f"{x:.3f}" for j, x in zip(JOINTS, _different(folder), strict=True)},
        "mae_s1": f"{left_out['mae'][1]:.2f}",
        "r2_nominal_s1": f"{-nominal['r2'][1]:.0f}",
        "mae_nominal_s1": f"{nominal['mae'][1]:.0f}",
        "twin_times": f"{1e6 // moved:.0f}",
        "twin_torque": _time(step["full twin, two computed torques"]),
        "twin_velocity": _time(step["full twin, both arms moved by velocity commands"]),
        "twin_mujoco": _time(step["MuJoCo's step alone"]),
        **gpu_numbers.values(folder),
    }


def _different(folder: Path) -> list[float]:
    """R² of the recording of another kind of motion, left out of the fit, from `smith_torque`."""
    results = json.loads((folder / EXPERIMENTS.name).read_text("utf-8"))["results"]
    rows = next(one for one in results if one["name"] == "smith_torque")["rows"]
    found: list[float] = next(
        row["ours"]
        for row in rows
        if row["section"].startswith("Recording C, identified")
        and row["quantity"] == "R², friction with memory"
    )
    return found


def blocks(folder: Path = RESULTS) -> dict[tuple[str, str], str]:
    """File and name of a block -> the lines in it."""
    ik = json.loads((folder / "bench_ik.json").read_text("utf-8"))
    found = {("docs/ik.md", "peers"): "\n".join(ik_peers_table(ik["peers"]))}
    torques = json.loads((folder / IDENTIFIED.name).read_text("utf-8"))
    found["docs/identify.md", "torques"] = torques_table(torques)
    campaigns = json.loads((folder / CAMPAIGNS.name).read_text("utf-8"))
    found["docs/identify.md", "campaigns"] = campaigns_table(campaigns)
    kept = folder / EXPERIMENTS.name
    if kept.exists():
        results = {one["name"]: one for one in json.loads(kept.read_text("utf-8"))["results"]}
        found["docs/ik.md", "methods"] = methods_table(results["kumar_ik"])
        for name, result in results.items():
            page, text = PAGES.get(name, ("docs/experiments.md", experiment_text))
            found[page, name] = text(result)
    return found


def filled(name: str, text: str, folder: Path = RESULTS) -> str:
    """A document with its numbers put in.

    Raises:
        SystemExit: If a line or block is not in it, or more than once.
    """
    numbers = values(folder)
    for file, template in LINES:
        if file == name:
            pattern = re.sub(r"\\{\w+\\}", lambda _: VALUE, re.escape(template))
            line = template.format_map(numbers)
            text = _replaced(text, pattern, line, f"{name}: no line like {line!r}")
    for (file, block), content in blocks(folder).items():
        if file == name:
            begin, end = f"<!-- {block}, by tools/doc_numbers.py -->", f"<!-- end of {block} -->"
            pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
            whole = f"{begin}\n\n{content}\n\n{end}"
            text = _replaced(text, pattern, whole, f"{name}: no block between {begin} and {end}")
    return text


def documents(folder: Path = RESULTS) -> list[str]:
    """The files that hold numbers."""
    return sorted({file for file, _ in LINES} | {file for file, _ in blocks(folder)})


def take(path: Path, kept: Path = EXPERIMENTS) -> None:
    """Keeps the JSON of `baxterkit reproduce`: rows and notes, without useless digits.

    Experiments that did not run this time stay as they are.
    """
    old = json.loads(kept.read_text("utf-8"))["results"] if kept.exists() else []
    new = json.loads(path.read_text("utf-8"))["results"]
    by_name = {one["name"]: one for one in (*old, *map(_rounded, new))}
    results = [by_name[name] for name in NAMES if name in by_name]
    kept.write_text(
        json.dumps({"results": results}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def take_identified(path: Path, kept: Path = IDENTIFIED) -> None:
    """Keeps the scores in the JSON of `baxterkit identify`."""
    found = json.loads(path.read_text("utf-8"))
    dynamics = found["dynamics"]
    content = {
        "sources": dynamics["sources"],
        "filter_hz": dynamics["filter_hz"],
        "scores": _rounded(dynamics["scores"]),
        "held_out": _rounded(found["held_out"]),
    }
    kept.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def campaigns_table(scores: Mapping[str, list[float]]) -> str:
    """R² on other days, with and without the zero of the day."""
    lines = [f"| R² | {' | '.join(JOINTS)} |", f"|---|{'---:|' * 7}"]
    lines += [f"| {name} | {' | '.join(f'{x:.3f}' for x in row)} |" for name, row in scores.items()]
    return "\n".join(lines)


def torques_table(torques: Mapping[str, Any]) -> str:
    """The scores of identified models as a table, R² above mean absolute errors."""
    scores, left_out = torques["scores"], torques["held_out"]
    models = {
        "nominal rigid model": scores["before"],
        "identified, on the recordings that were fitted": scores["consistent"],
        "identified, on recordings left out": left_out["memory"],
        "the same without memory of friction (`arm.inverse_dynamics`)": left_out["memoryless"],
    }
    lines = [f"| | {' | '.join(JOINTS)} |", f"|---|{'---:|' * 7}"]
    for key, label in (("r2", "R²"), ("mae", "MAE [N m]")):
        for name, one in models.items():
            numbers = " | ".join(f"{x:.3f}" for x in one[key])
            lines.append(f"| {label}, {name} | {numbers} |")
    return "\n".join(lines)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return value


def _replaced(text: str, pattern: str, new: str, problem: str) -> str:
    found = re.findall(pattern, text, re.DOTALL)
    if len(found) != 1:
        raise SystemExit(f"{problem} ({len(found)} of them)")
    return text.replace(found[0], new)


def _ratio(value: float) -> str:
    """A ratio: two digits, and whole numbers from 10 on."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


def _time(nanoseconds: float) -> str:
    """A time with two digits, or three from 100 on."""
    units: tuple[tuple[str, float], ...] = (("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
    unit, size = next((u for u in units if nanoseconds < 999.5 * u[1]), units[-1])
    value = nanoseconds / size
    return f"{value:.0f} {unit}" if value >= 9.95 else f"{value:.1f} {unit}"


def main() -> int:
    """Fills or compares the documents; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--take", type=Path, metavar="FILE", help="JSON of `baxterkit reproduce`")
    parser.add_argument("--check", action="store_true", help="fail if a document differs")
    parser.add_argument("--take-identified", type=Path, metavar="FILE", help="of `identify`")
    options = parser.parse_args()
    if options.take is not None:
        take(options.take)
    if options.take_identified is not None:
        take_identified(options.take_identified)
    differ = []
    for name in documents():
        path = ROOT / name
        old = path.read_text("utf-8")
        new = filled(name, old)
        if new != old:
            differ.append(name)
            if not options.check:
                path.write_text(new, encoding="utf-8")
    words: Callable[[str], str] = "differs: {}".format if options.check else "filled {}".format
    print("\n".join(map(words, differ)) or "every number is that of benchmarks/results")
    return int(options.check and bool(differ))


if __name__ == "__main__":
    sys.exit(main())
