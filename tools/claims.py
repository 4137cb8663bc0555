"""Measures README's claims again, and fails where one no longer holds.

Usage: python tools/claims.py [--fresh FOLDER]      FOLDER: results that are there already

README's numbers are those of benchmarks/results (tools/doc_numbers.py). Speeds count beside another
library in the same process, so that the machine hardly matters; plain times are not compared.
Scores of identification need the recordings (BAXTERKIT_DATA); without them they are left out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import doc_numbers  # noqa: E402

from baxterkit.model import JOINTS  # noqa: E402

SLOWER = 0.75
"""Of a kept ratio, what must be left: other processors and busy hosts move it by a fifth."""
LESS = 0.002
"""How much lower an R² may be; other versions of SciPy move it by 0.001."""
CLAIMS = {
    **dict.fromkeys(("fk_ratio", "fk_batch_ratio"), "bench_kinematics.json"),
    **dict.fromkeys(("id_ratio", "id_batch_ratio"), "bench_dynamics.json"),
    **dict.fromkeys(("ik_rtb_ratio", "ik_optik_ratio"), "bench_ik.json"),
    "twin_times": "bench_twin.json",
    **{f"r2_{joint}": "identify.json" for joint in JOINTS},
    **{f"other_{joint}": "reproduce.json" for joint in JOINTS},
}
"""Name of a number in tools/doc_numbers.py -> the file that it comes from; larger is better."""


def measure(folder: Path) -> None:
    """Measures what the claims come from, as `make bench-page` and `make experiments-page` do."""
    for name in sorted({file for file in CLAIMS.values() if file.startswith("bench_")}):
        script = ROOT / "benchmarks" / f"{Path(name).stem}.py"
        subprocess.run([sys.executable, script, "--json", folder / name], check=True)
    data = os.environ.get("BAXTERKIT_DATA")
    if data:
        program = [sys.executable, "-m", "baxterkit"]
        with tempfile.TemporaryDirectory() as scratch:
            found = Path(scratch, "found.json")
            words = ("identify", f"{data}/torque", "--side", "left", "--rate", "100", "--json")
            with found.open("w") as file:
                subprocess.run(
                    [*program, *words, "-o", f"{scratch}/r.toml"], check=True, stdout=file
                )
            doc_numbers.take_identified(found, folder / "identify.json")
            words = ("reproduce", "smith_torque", "--json", "--out", scratch)
            with found.open("w") as file:
                subprocess.run([*program, *words], check=True, stdout=file)
            doc_numbers.take(found, folder / "reproduce.json")


def broken(fresh: Path, kept: Path = doc_numbers.RESULTS) -> tuple[list[str], list[str]]:
    """Claims that do not hold, a sentence each, and those that were not measured.

    Args:
        fresh: Folder of new results; of those that are not there, the kept ones stand in.
        kept: Folder of the results that README prints.
    """
    with tempfile.TemporaryDirectory() as scratch:
        both = Path(scratch, "both")
        shutil.copytree(kept, both)
        shutil.copytree(fresh, both, dirs_exist_ok=True)
        old, new = doc_numbers.values(kept), doc_numbers.values(both)
    failures, missing = [], []
    for name, file in CLAIMS.items():
        if not (fresh / file).exists():
            missing.append(name)
            continue
        is_score = name.startswith(("r2_", "other_"))
        least = float(old[name]) - LESS if is_score else SLOWER * float(old[name])
        if float(new[name]) < least:
            failures.append(f"{name}: README says {old[name]}, measured {new[name]}")
    return failures, missing


def main() -> int:
    """Measures and compares; returns how many claims do not hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fresh", type=Path, metavar="FOLDER")
    fresh = parser.parse_args().fresh
    if fresh is None:
        fresh = ROOT / "build" / "claims"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        measure(fresh)
    failures, missing = broken(fresh)
    print(*failures, sep="\n")
    if missing:
        print("not measured:", ", ".join(missing))
    print(f"{len(CLAIMS) - len(failures) - len(missing)} of README's claims hold")
    return len(failures)


if __name__ == "__main__":
    sys.exit(main())
