"""Draw the charts of docs/benchmarks.md from the results that are kept.

Usage: python tools/bench_charts.py [--out FOLDER]      make bench-page runs it
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from baxterkit.look.colors import BLUE, GREY
from baxterkit.plot.style import RC, matplotlib, new_figure, panel_title, save

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
IMAGES = ROOT / "docs" / "images"
WHO = {
    "baxterkit": "baxterkit",
    "baxterkit, 1 thread": "baxterkit",
    "pinocchio": "Pinocchio",
    "pinocchio, each call": "Pinocchio",
    "rneaInParallel": "Pinocchio, rneaInParallel",
    "roboticstoolbox": "Robotics Toolbox",
    "PyKDL": "PyKDL",
}
COLORS = {
    "baxterkit": BLUE,
    "Pinocchio": "#E69F00",
    "Pinocchio, rneaInParallel": "#D55E00",
    "Robotics Toolbox": "#8A9099",
    "PyKDL": "#CC79A7",
}


def calls_chart(results: Path, path: Path) -> Path:
    """Times of kinematics and dynamics, ours and others', one call and in a batch."""
    rows = [row for name in ("kinematics", "dynamics") for row in _load(results, name)["results"]]
    figure = new_figure(9.0, 7.4)
    for bottom, kind, title in (
        (0.535, "one call", "One call: median time [ns]"),
        (0.06, "batch 100,000", "Batch of 100,000, one thread: median time per row [ns]"),
    ):
        axes = figure.add_axes((0.26, bottom, 0.71, 0.385))
        _bars(
            axes,
            {
                (row["what"].split(",")[0], WHO[row["who"]]): row["median_ns"]
                for row in rows
                if row["what"].endswith(kind) and row["who"] in WHO
            },
        )
        panel_title(axes, f"{title}, logarithmic; shorter is better")
    handles = {}
    for axes in figure.axes:
        handles |= dict(zip(*axes.get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles, loc="upper center", ncols=5, fontsize=9)
    return save(figure, path)


def ik_chart(results: Path, path: Path) -> Path:
    """Inverse kinematics: mean, 99th percentile and worst time of every solver."""
    peers = _load(results, "ik")["peers"]
    figure = new_figure(9.0, 3.4)
    axes = figure.add_axes((0.24, 0.16, 0.73, 0.7))
    names = [f"{row['who']}\n{100.0 * row['solved']:.1f} % solved" for row in peers]
    for k, (key, label, marker) in enumerate(
        (("mean_us", "mean", "o"), ("p99_us", "99 %", "D"), ("worst_us", "worst", "|"))
    ):
        values = [row[key] for row in peers]
        axes.plot(
            values, range(len(peers)), marker, ms=(8, 6, 12)[k], mew=2, color=BLUE, label=label
        )
    for i, row in enumerate(peers):
        axes.plot([row["mean_us"], row["worst_us"]], [i, i], color=GREY, lw=1.5, zorder=0)
    axes.set_xscale("log")
    axes.set_yticks(range(len(peers)), names)
    axes.invert_yaxis()
    axes.legend(loc="upper right", ncols=3)
    axes.set_ylim(len(peers) - 0.5, -0.9)
    panel_title(axes, "Inverse kinematics, one call: time [µs], logarithmic; left is better")
    return save(figure, path)


def _bars(axes: Any, times: dict[tuple[str, str], float]) -> None:
    """Groups of horizontal bars, one group a quantity, with the numbers at their ends."""
    whats = list(dict.fromkeys(what for what, _ in times))
    labelled: set[str] = set()
    for i, what in enumerate(whats):
        names = [who for quantity, who in times if quantity == what]
        height = 0.78 / max(len(names), 3)
        for k, who in enumerate(names):
            value, y = times[what, who], i + (k - (len(names) - 1) / 2.0) * height
            label = None if who in labelled else who
            axes.barh(y, value, 0.92 * height, color=COLORS[who], label=label)
            text = f"{value:,.0f}"
            offset = {"textcoords": "offset points", "va": "center", "fontsize": 6.5}
            axes.annotate(text, (value, y), (3, 0), **offset)
            labelled.add(who)
    axes.set_xscale("log")
    axes.set_yticks(range(len(whats)), whats)
    axes.invert_yaxis()
    axes.margins(x=0.08, y=0.02)


def _load(results: Path, name: str) -> Any:
    return json.loads((results / f"bench_{name}.json").read_text(encoding="utf-8"))


def main() -> int:
    """Draws both charts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=IMAGES, metavar="FOLDER")
    folder = parser.parse_args().out
    with matplotlib().rc_context(RC):
        print(calls_chart(RESULTS, folder / "bench_calls.png"))
        print(ik_chart(RESULTS, folder / "bench_ik.png"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
