"""Draw the chart of docs/gpu.md from the results that are kept: from which batch on a GPU pays.

Usage: python tools/gpu_chart.py [--out FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from baxterkit.look.colors import BLUE, GREY
from baxterkit.plot.style import RC, matplotlib, new_figure, save

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "bench_cuda.json"
LINES = {
    "cpu_one_us": ("one core", GREY, "--"),
    "cpu_all_us": ("16 cores", GREY, "-"),
    "gpu_from_numpy_us": ("H200, NumPy arrays", "#E69F00", "-"),
    "gpu_us": ("H200, arrays on it", BLUE, "-"),
}


def chart(results: Path, path: Path) -> Path:
    """Time of a call by the size of its batch, for FK and inverse dynamics."""
    rows = json.loads(results.read_text(encoding="utf-8"))["crossover"]
    with matplotlib().rc_context(RC):
        figure = new_figure(8.0, 3.4)
        axes = figure.subplots(1, 2, sharey=True)
        for axis, kernel in zip(axes, ("fk", "inverse_dynamics"), strict=True):
            own = [row for row in rows if row["kernel"] == kernel]
            for key, (label, color, dash) in LINES.items():
                axis.loglog(
                    [row["rows"] for row in own],
                    [row[key] for row in own],
                    label=label,
                    color=color,
                    linestyle=dash,
                )
            axis.set_title(f"arm.{kernel}", loc="left")
            axis.set_xlabel("states in a call")
            axis.grid(True, alpha=0.3)
        axes[0].set_ylabel("time of the call [µs]")
        axes[1].legend(frameon=False, loc="upper left")
        figure.subplots_adjust(left=0.1, right=0.98, bottom=0.17, top=0.9, wspace=0.08)
        save(figure, path)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "docs" / "images" / "gpu_batches.png"))
    print(chart(RESULTS, Path(parser.parse_args().out)))
