"""Makes the map that the examples read: examples/left_arm.zarr, at most 300 kB.

    .venv/bin/python tools/example_map.py

Run it again after a change of the robot's body or data: a map says which robot it is of, and
`workspace.open_map` refuses that of another.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from baxterkit import workspace

PLACE = Path(__file__).resolve().parent.parent / "examples" / "left_arm.zarr"
MOST = 300_000


def main() -> int:
    """Makes the map, and says how large it is."""
    if PLACE.exists():
        shutil.rmtree(PLACE)
    made = workspace.make_map(PLACE, workspace.Question("left", 0.1, 48, level="full", chunk=32))
    size = sum(file.stat().st_size for file in PLACE.rglob("*") if file.is_file())
    print(f"{PLACE}: {made!r}, {size} bytes")
    return 0 if size <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
