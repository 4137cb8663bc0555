"""`python -m baxterkit.codegen` writes the generated files; `--check` compares instead."""

from __future__ import annotations

import argparse
import sys

from baxterkit import disk
from baxterkit.codegen.headers import COMMAND, files
from baxterkit.codegen.provenance import PACKAGE


def main(arguments: list[str] | None = None) -> int:
    """Writes or checks the files; returns the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is committed")
    check = parser.parse_args(arguments).check
    stale = []
    for name, text in files().items():
        path = PACKAGE / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            disk.write_text(path, text)
            print(f"wrote {path}")
    if check and stale:
        print(f"out of date: {', '.join(stale)}; run {COMMAND}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
