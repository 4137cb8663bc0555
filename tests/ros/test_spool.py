"""Messages kept on disk come back as they were, in their order; a full disk is told."""

from __future__ import annotations

import errno
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from baxterkit.errors import FileError
from baxterkit.messages import message_class
from baxterkit.ros.spool import BLOCK, Spool

JointState = message_class("sensor_msgs/JointState")
Bool = message_class("std_msgs/Bool")
Image = message_class("sensor_msgs/Image")


def test_messages_come_back_in_order_while_more_come(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "run.bag")
    assert list(spool) == []
    sent = []
    for k in range(200):
        message = (
            Image(width=k, data=bytes(BLOCK // 7)) if k % 50 == 3
            else Bool(data=True) if k % 3
            else JointState(name=["a"] * k, position=np.arange(k) * 0.5)
        )  # fmt: skip
        spool.append(f"/{type(message).TYPE}", 10 * k, message)
        sent.append((f"/{type(message).TYPE}", 10 * k, type(message), message.encode()))
        if k == 120:
            assert [tuple(one) for one in spool] == sent
    first = iter(spool)
    head = [tuple(next(first)) for _ in range(5)]
    spool.append("/late", 1, Bool(data=False))
    assert head + [tuple(one) for one in first] == sent
    assert len(spool) == 201
    assert not list(tmp_path.iterdir())  # the file has no name


def test_many_messages_take_no_memory() -> None:
    spool, message = Spool(), Image(data=bytes(100_000))
    tracemalloc.start()
    for k in range(300):
        spool.append("/image", k, message)
    assert sum(len(one.data) for one in spool) > 30_000_000
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(tmp_path / "run.bag")
    spool.append("/a", 0, Bool(data=True))

    class Full:
        def write(self, data: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    whole = spool._file
    monkeypatch.setattr(spool, "_file", Full())
    spool.append("/a", 1, Bool(data=True))
    monkeypatch.setattr(spool, "_file", whole)
    spool.append("/a", 2, Bool(data=True))
    assert len(list(spool)) == 1
    with pytest.raises(FileError, match=r"run\.bag"):
        spool.check()
