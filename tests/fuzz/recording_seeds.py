"""Recordings in every kind of file, and what a user does with one."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from seed_files import N, motion, tried, written

from baxterkit import recording
from baxterkit.errors import BaxterkitError


def csv_seeds() -> list[bytes]:
    rec = motion()
    recorder = ["time,left_s0,left_s1,left_e0,left_e1,left_w0,left_w1,left_w2,left_gripper"]
    recorder += [
        ",".join(map(repr, [t, *q, 0.0]))
        for t, q in zip(rec.t.tolist(), rec.q.tolist(), strict=True)
    ]
    plain = np.concatenate([rec.q, rec.qd, rec.tau], axis=1)  # type: ignore[list-item]
    text = io.StringIO()
    np.savetxt(text, plain, delimiter=" ")
    german = "\n".join(recorder).replace(",", ";").replace(".", ",")
    texts = ("\n".join(recorder), text.getvalue(), german)
    return [written(".csv", rec.save), *(text.encode() for text in texts)]


def klampt_seeds() -> list[bytes]:
    rows = [
        " ".join(["%.3f" % (0.01 * i), "54", *("%.4f" % (0.01 * k) for k in range(54))])
        for i in range(N)
    ]
    return ["\n".join(rows).encode()]


def parquet_seeds() -> list[bytes]:
    import pyarrow
    from pyarrow import parquet

    rec = motion()
    names = [f"left_{joint}" for joint in ("s0", "s1", "e0", "e1", "w0", "w1", "w2")]
    stamps = (rec.t * 1e9).astype("datetime64[ns]")
    table = pyarrow.table(
        {"time": stamps, "label": ["x"] * N, **dict(zip(names, rec.q.T, strict=True))}
    )

    def plain(path: Path) -> None:
        parquet.write_table(table, path, compression="none", use_dictionary=False)

    def zstd(path: Path) -> None:
        parquet.write_table(table, path, compression="zstd", data_page_version="2.0")

    return [written(".parquet", rec.save), written(".parquet", plain), written(".parquet", zstd)]


def mat_seeds() -> list[bytes]:
    import scipy.io

    rec = motion()
    content: dict[str, Any] = {
        "time": rec.t[None], "q": rec.q.T, "dq": rec.qd.T, "name": "left arm", "extra": {"a": 1.0}  # type: ignore[union-attr]
    }  # fmt: skip
    found = []
    for options in ({}, {"do_compression": True}, {"format": "4"}):
        file = io.BytesIO()
        some = {k: v for k, v in content.items() if k != "extra" or "format" not in options}
        scipy.io.savemat(file, some, **options)
        found.append(file.getvalue())
    return found


def mcap_seeds() -> list[bytes]:
    import zstandard

    plain = written(".mcap", motion().save)
    at = plain.index(b"\x06", 8 + 9)  # the chunk follows the header
    size = int.from_bytes(plain[at + 1 : at + 9], "little")
    body = plain[at + 9 : at + 9 + size]
    packed = zstandard.compress(body[8 * 3 + 4 + 4 + 8 :])
    body = body[: 8 * 3 + 4] + b"\x04\0\0\0zstd" + len(packed).to_bytes(8, "little") + packed
    chunk = b"\x06" + len(body).to_bytes(8, "little") + body
    return [plain, plain[:at] + chunk + plain[at + 9 + size :]]


def bag_seeds() -> list[bytes]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "recording"))
    from bag_files import START, STEP, Messages, joint_state_entries, write_bag

    from baxterkit.recording.bag_messages import ENDPOINT_STATE

    messages = Messages()
    entries = joint_state_entries(N, messages)
    topic = "/robot/limb/left/endpoint_state"
    for i in range(N):
        stamp = START + i * STEP
        tip = messages.endpoint(stamp, np.zeros(3), [0.0, 0.0, 0.0, 1.0], np.zeros(6), np.zeros(6))
        entries.append((topic, ENDPOINT_STATE, stamp, tip))
    kinds = (None, "BZ2", "LZ4")
    return [
        written(".bag", lambda path, kind=kind: write_bag(path, entries, kind)) for kind in kinds
    ]  # type: ignore[misc]


def tf_seeds() -> list[bytes]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "recording"))
    from test_tf import write_tf

    rows = [("base", "torso", np.eye(4)), ("torso", "left_arm_mount", np.eye(4))]
    return [written(".bag", lambda path: write_tf(path, [rows] * N))]


def use_tf(path: Path) -> None:
    """Reads the frames and the mount."""
    for use in (recording.fixed_frames, lambda p: recording.mount_from_tf(p, "left")):
        with contextlib.suppress(BaxterkitError):
            use(path)


def packed(seeds: Callable[[], list[bytes]]) -> Callable[[], list[bytes]]:
    return lambda: [gzip.compress(seed, mtime=0) for seed in seeds()]


def use_recording(path: Path) -> None:
    for options in ({}, {"side": "left", "bad_rows": "drop", "rate": 100.0}):
        with contextlib.suppress(BaxterkitError):
            rec = recording.load(path, **options)
            tried(
                lambda rec=rec: rec.resampled(50.0),  # type: ignore[misc]
                lambda rec=rec: rec.filtered(5.0),  # type: ignore[misc]
                lambda rec=rec: rec.with_acceleration(),  # type: ignore[misc]
                lambda rec=rec: (repr(rec), rec._repr_html_(), rec.segments),  # type: ignore[misc]
                lambda rec=rec: rec.save(path.with_name("again.csv")),  # type: ignore[misc]
            )
