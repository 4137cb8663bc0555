"""Put results of the benchmarks into docs/benchmarks.md, with the machine and the versions.

Usage: python tools/bench_page.py [--take FOLDER] [--check]

The page is made from benchmarks/results/*.json. `--take bench-out`, which `make bench-page` runs
after the benchmarks, first puts new results there; `--check` only compares.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- results, by tools/bench_page.py -->", "<!-- end of the results -->"
IK_COLUMNS = {
    "who": "solver",
    "targets": "targets",
    "solved": "solved within the limits",
    "worst_error": "worst error [m, rad]",
    "mean_us": "mean",
    "median_us": "median",
    "p99_us": "99 %",
    "worst_us": "worst",
    "repeatable": "repeatable",
    "slower_on_the_mean": "times slower on the mean",
}


ELSEWHERE = {"bench_cuda"}
"""Results that docs/gpu.md shows."""


def results_text(folder: Path) -> str:
    """The part of the page that holds the results."""
    parts = [
        _part(path) for path in sorted(folder.glob("bench_*.json")) if path.stem not in ELSEWHERE
    ]
    return "\n".join([BEGIN, "", *parts, END])


def page_text(page: str, folder: Path) -> str:
    """The page with its results replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{results_text(folder)}{after}"


def _part(path: Path) -> str:
    content = json.loads(path.read_text(encoding="utf-8"))
    title = "inverse kinematics" if "peers" in content else str(content["title"])
    lines = [f"### {title.capitalize()}", "", _machine(content), ""]
    if "results" in content:
        lines += _timings(content["results"])
    if content.get("notes"):
        lines += ["", "; ".join(_note(*item) for item in content["notes"].items()) + "."]
    if "peers" in content:
        lines += _inverse_kinematics(content["peers"], content.get("ours", {}))
    return "\n".join([*lines, ""])


def _machine(content: dict[str, Any]) -> str:
    m = content["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items())
    return (
        f"{m['cpu']}, {m['cores']} cores, {m['isa']}, load {m['load']} at the end; "
        f"{m['compiler']}; {versions}; commit {m['commit']}, {m['when'][:10]}."
    )


def _timings(rows: list[dict[str, Any]]) -> list[str]:
    """Times of every competitor, its counterpart, and the ratio of the medians."""
    keys = ("best_ns", "median_ns", "p99_ns", "worst_ns")
    times = ("best", "median", "99 %", "worst")
    if all(row["what"] == row["who"] for row in rows):  # nobody to compare with
        return _table(("", *times), [(row["what"], *(_time(row[k]) for k in keys)) for row in rows])
    header = ("", "who", *times, "times faster than")
    cells = []
    last = ""
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.1f} ({row['against']})"
        what = row["what"] if row["what"] != last else ""
        last = row["what"]
        cells.append((what, row["who"], *(_time(row[key]) for key in keys), ratio))
    return _table(header, cells)


def ik_peers_table(peers: list[dict[str, Any]]) -> list[str]:
    """The solvers beside each other, as lines of Markdown."""
    cells = [[_ik_cell(key, row[key]) for key in IK_COLUMNS] for row in peers]
    return _table(tuple(IK_COLUMNS.values()), cells)


def _inverse_kinematics(peers: list[dict[str, Any]], ours: dict[str, float]) -> list[str]:
    lines = ik_peers_table(peers)
    if ours:
        rows = []
        for name, value in ours.items():
            rate = "targets/s" in name
            text = f"{value:,.0f}" if rate else _time(1e3 * value)
            rows.append((name.replace("*", ""), text))
        lines += ["", *_table(("baxterkit alone, best of five repeats of each target", ""), rows)]
    return lines


def _note(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return f"{name}: " + ", ".join(f"{key} {each}" for key, each in value.items())
    return f"{name}: {value:.2g}" if isinstance(value, float) else f"{name}: {value}"


def _ik_cell(key: str, value: Any) -> str:
    if key == "solved":
        return f"{100.0 * value:.2f} %"
    if key == "worst_error":
        return f"{value:.1e}"
    if key.endswith("_us"):
        return _time(1e3 * value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _time(nanoseconds: float) -> str:
    for unit, size in (("ns", 1.0), ("µs", 1e3), ("ms", 1e6)):
        if nanoseconds < 999.5 * size:
            return f"{nanoseconds / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{nanoseconds / 1e9:.3g}\N{NO-BREAK SPACE}s"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def main() -> int:
    """Rewrites or compares the page; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--take", type=Path, metavar="FOLDER", help="new results, to be kept")
    parser.add_argument("--check", action="store_true", help="fail if the page is not theirs")
    options = parser.parse_args()
    if options.take is not None:
        RESULTS.mkdir(parents=True, exist_ok=True)
        for path in sorted(options.take.glob("bench_*.json")):
            shutil.copyfile(path, RESULTS / path.name)
    old = PAGE.read_text(encoding="utf-8")
    new = page_text(old, RESULTS)
    if options.check:
        if new != old:
            print("docs/benchmarks.md is not of benchmarks/results; run: tools/bench_page.py")
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    print(f"rewrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
