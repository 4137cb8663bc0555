"""A map with a flipped bit is refused, or gives the numbers that it gave before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import problems
import pytest
from components import ROOT

from baxterkit import workspace
from baxterkit.errors import BaxterkitError

EXAMPLE = ROOT / "examples" / "left_arm.zarr"


def numbers(path: Path) -> dict[str, np.ndarray]:
    """All that a map answers."""
    made = workspace.open_map(path)
    T = np.array([[1.0, 0, 0, 0.6], [0, -1, 0, 0.3], [0, 0, -1, 0.2], [0, 0, 0, 1]])
    return {
        **{name: made[name] for name in made.names},
        "middles": made.grid.middles(),
        "fraction at": np.asarray(made.score(T).fraction),
    }


def silent(copy: Path, files: list[Path], flips: int, name: str) -> list[str]:
    """Flips one bit of one file after the other; the files of which nobody noticed it."""
    before, rng, unnoticed = numbers(copy), problems.generator(name), list[str]()
    for n in range(flips):
        file = files[n % len(files)]
        data = file.read_bytes()
        bit = int(rng.integers(8 * len(data)))
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        file.write_bytes(bytes(changed))
        try:
            now = numbers(copy)
            if any(not np.array_equal(now[k], before[k], equal_nan=True) for k in before):
                unnoticed.append(f"{file.relative_to(copy)}, bit {bit}")
        except BaxterkitError:
            pass
        file.write_bytes(data)
    return unnoticed


@pytest.mark.slow
def test_every_array_has_a_checksum(tmp_path: Path) -> None:
    """Of 615 flipped bits, 15 in arrays of summaries gave other numbers without a word."""
    copy = Path(shutil.copytree(EXAMPLE, tmp_path / "map.zarr"))
    arrays = sorted(file for file in copy.glob("*/c/**/*") if file.is_file())
    assert len(arrays) == 12
    assert silent(copy, arrays, 60, "flipped bits in arrays") == []


@pytest.mark.parametrize("name", ["clearance", "counts", "done", "fraction"])
def test_an_array_without_checksums_is_refused(tmp_path: Path, name: str) -> None:
    """As maps were written before: most flipped bits cannot be unpacked, but not all."""
    copy = Path(shutil.copytree(EXAMPLE, tmp_path / "map.zarr"))
    about = copy / name / "zarr.json"
    facts = json.loads(about.read_text(encoding="utf-8"))
    facts["codecs"] = [codec for codec in facts["codecs"] if codec["name"] != "crc32c"]
    about.write_text(json.dumps(facts), encoding="utf-8")
    for file in (file for file in (copy / name).glob("c/**/*") if file.is_file()):
        file.write_bytes(file.read_bytes()[:-4])
    with pytest.raises(BaxterkitError):
        numbers(copy)


def test_metadata_have_a_checksum(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(EXAMPLE, tmp_path / "map.zarr"))
    assert silent(copy, sorted(copy.rglob("zarr.json")), 39, "flipped bits in metadata") == []


@pytest.mark.acceptance
def test_thousands_of_flipped_bits(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(EXAMPLE, tmp_path / "map.zarr"))
    files = sorted(file for file in copy.rglob("*") if file.is_file())
    assert silent(copy, files, 5000, "flipped bits") == []
