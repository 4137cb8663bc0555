"""Small files that stand for large ones, read in a process of their own that watches its memory.

`python bombs.py SIZE` makes each bomb of SIZE megabytes and prints what came of it, as JSON lines.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from targets import TARGETS  # noqa: E402
from worker import run, watch_time  # noqa: E402

from baxterkit.errors import BaxterkitError  # noqa: E402

BLOCK = 2**20


def repeated(piece: bytes, size: int) -> Iterator[bytes]:
    """Blocks of a piece, `size` megabytes in all."""
    block = piece * (BLOCK // len(piece) + 1)
    yield from (block for _ in range(size))


def gzipped(piece: bytes) -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
            for block in repeated(piece, size):
                file.write(block)
        return packed.getvalue()

    return make


def matlab(size: int) -> bytes:
    packer = zlib.compressobj(1)
    body = b"".join(packer.compress(block) for block in repeated(b"\0", size)) + packer.flush()
    header = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    return header + struct.pack("<II", 15, len(body)) + body


def bag(compression: str) -> Callable[[int], bytes]:
    def record(header: dict[str, bytes], data: bytes) -> bytes:
        fields = b"".join(
            struct.pack("<I", len(name) + 1 + len(value)) + name.encode() + b"=" + value
            for name, value in header.items()
        )
        return struct.pack("<I", len(fields)) + fields + struct.pack("<I", len(data)) + data

    def make(size: int) -> bytes:
        if compression == "bz2":
            import bz2

            packer = bz2.BZ2Compressor(1)
            body = b"".join(packer.compress(block) for block in repeated(b"\0", size))
            body += packer.flush()
        else:
            import lz4.frame

            body = lz4.frame.compress(bytes(size * BLOCK))
        length = struct.pack("<I", size * BLOCK)
        chunk = {"op": b"\x05", "compression": compression.encode(), "size": length}
        about = {"op": b"\x03", "index_pos": bytes(8)}
        about |= {"conn_count": bytes(4), "chunk_count": bytes(4)}
        return b"#ROSBAG V2.0\n" + record(about, b" " * 4000) + record(chunk, body)

    return make


def archive(size: int) -> bytes:
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("knots.npy", "w", force_zip64=True) as member,
    ):
        for block in repeated(b"\0", size):
            member.write(block)
    return packed.getvalue()


def parquet(size: int) -> bytes:
    import numpy as np
    import pyarrow
    from pyarrow import parquet

    packed = io.BytesIO()
    rows = size * BLOCK // 64
    column = pyarrow.array(np.zeros(rows))
    names = ["time", *(f"q_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2"))]
    parquet.write_table(pyarrow.table(dict.fromkeys(names, column)), packed)
    return packed.getvalue()


def plain(piece: bytes, most: int) -> Callable[[int], bytes]:
    """The piece again and again, up to `most` megabytes."""
    return lambda size: b"".join(repeated(piece, min(size, most)))


BOMBS: dict[str, tuple[str, str, Callable[[int], bytes]]] = {
    "packed zeros": ("recording, CSV", ".csv.gz", gzipped(b"\0")),
    "packed line ends": ("recording, CSV", ".csv.gz", gzipped(b"\n")),
    "packed rows": ("recording, CSV", ".csv.gz", gzipped(b"0,0,0,0,0,0,0\n")),
    "packed MATLAB": ("recording, MATLAB", ".mat", matlab),
    "packed bag of zeros": ("recording, bag", ".bag.gz", gzipped(b"#ROSBAG V2.0\n")),
    "bz2 in a bag": ("recording, bag", ".bag", bag("bz2")),
    "lz4 in a bag": ("recording, bag", ".bag", bag("lz4")),
    "an archive of zeros": ("trajectory, NumPy", ".npz", archive),
    "many equal rows in Parquet": ("recording, Parquet", ".parquet", parquet),
    "lists in JSON": ("trajectory, JSON", ".json", lambda size: b"[" + plain(b"[],", 31)(size)),
    "line ends": ("points", ".csv", plain(b"\n", 250)),
    "short lines": ("trajectory, CSV", ".csv", plain(b"1\n", 3)),
    "keys in TOML": ("robot file", ".toml", lambda size: b"[[a]]\n" * 170_000),
    "elements of a mesh": ("mesh", ".dae", plain(b"<a>", 60)),
    "elements of a URDF": ("URDF", ".urdf", lambda size: b"<robot>" + plain(b"<a/>", 30)(size)),
}


def main() -> None:
    size = int(sys.argv[1])
    watch_time()
    for name, (reader, ending, make) in BOMBS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"bomb{ending}"
            path.write_bytes(make(size))
            refusals: list[str] = []

            def use(path: Path, reader: str = reader, refusals: list[str] = refusals) -> None:
                try:
                    STRICT.get(reader, TARGETS[reader].use)(path)
                except BaxterkitError as error:
                    refusals.append(str(error))

            problem = run(use, path) or ("" if refusals else "it was not refused")
            print(json.dumps({"name": name, "problem": problem, "refusal": refusals}), flush=True)


def _load(path: Path) -> None:
    from baxterkit import recording

    recording.load(path, "left")


def _robot(path: Path) -> None:
    from baxterkit import Arm

    Arm.from_file(path)


# Some uses of the other tests pass over refusals; here each bomb must be refused.
STRICT: dict[str, Callable[[Path], object]] = {
    **{name: _load for name in TARGETS if name.startswith("recording")},
    "robot file": _robot,
}

if __name__ == "__main__":
    main()
