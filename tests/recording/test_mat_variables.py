"""Our reader of MATLAB files: equal to SciPy's on whole files, in one piece on damaged ones."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from baxterkit.recording.mat_variables import Other, read_variables

RNG = np.random.default_rng(0)
MATRICES: dict[str, Any] = {
    "double": RNG.normal(size=(7, 5)),
    "three_axes": RNG.normal(size=(6, 7, 4)),
    "single": np.float32(RNG.normal(size=(2, 3))),
    "whole": np.array([[1.0, 2.0, 300.0]]),
    "flag": np.array([[True, False]]),
    "empty": np.zeros((0, 7)),
    "one": np.array([[0.5]]),
    **{
        name: np.array([[0, 1, 100]], dtype=name)
        for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    },
}
OTHERS: dict[str, Any] = {
    "cell": np.array([[1.0, "a"]], dtype=object),
    "record": {"a": 1.0, "b": "text"},
    "turning": np.array([[1.0 + 2.0j]]),
}


@pytest.fixture(autouse=True)
def _scipy(require: Any) -> None:
    require("scipy")


def saved(content: dict[str, Any], **options: Any) -> bytes:
    import scipy.io

    file = io.BytesIO()
    scipy.io.savemat(file, content, **options)
    return file.getvalue()


def loaded(data: bytes) -> dict[str, Any]:
    import scipy.io

    return dict(scipy.io.loadmat(io.BytesIO(data)))


@pytest.mark.parametrize("packed", [False, True])
def test_matrices_are_those_that_scipy_reads(packed: bool) -> None:
    data = saved({**MATRICES, **OTHERS, "name": "right arm"}, do_compression=packed)
    ours, theirs = read_variables(data), loaded(data)
    assert set(ours) == {name for name in theirs if not name.startswith("__")}
    for name in MATRICES:
        np.testing.assert_array_equal(ours[name], theirs[name])
    assert ours["name"] == "right arm"
    kinds = {name: ours[name] for name in OTHERS}
    assert kinds == {
        "cell": Other("a cell array"), "record": Other("a struct"), "turning": Other("complex")
    }  # fmt: skip


def test_a_sparse_matrix_is_named() -> None:
    from scipy import sparse

    data = saved({"q": sparse.eye_array(7, format="csc")})
    assert read_variables(data) == {"q": Other("a sparse matrix")}


def test_version_4_is_read() -> None:
    content = {"q": RNG.normal(size=(7, 5)), "k": np.array([[3]], np.int32), "name": "left"}
    data = saved(content, format="4")
    ours = read_variables(data)
    np.testing.assert_array_equal(ours["q"], content["q"])
    np.testing.assert_array_equal(ours["k"], content["k"])
    assert ours["name"] == "left"


def big_endian(name: str, values: Any) -> bytes:
    """A file of one matrix as a big-endian machine writes it, by the published layout."""

    def element(kind: int, data: bytes) -> bytes:
        return struct.pack(">II", kind, len(data)) + data + bytes(-len(data) % 8)

    inner = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", *values.shape))
    inner += element(1, name.encode()) + element(9, values.astype(">f8").tobytes(order="F"))
    header = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(">H", 0x0100) + b"MI"
    return header + element(14, inner)


def test_a_file_of_a_big_endian_machine_is_read() -> None:
    q = RNG.normal(size=(7, 5))
    data = big_endian("q", q)
    np.testing.assert_array_equal(loaded(data)["q"], q)
    np.testing.assert_array_equal(read_variables(data)["q"], q)


@pytest.mark.parametrize("packed", [False, True])
def test_every_changed_byte_is_read_or_refused(packed: bool) -> None:
    """SciPy's reader brings the process down on some, as byte 176 changed from 9 to 0."""
    data = saved({"q": RNG.normal(size=(7, 4)), "t": np.arange(4.0)[None]}, do_compression=packed)
    refused = 0
    for place in range(128, len(data)):
        for value in {0, 1, 9, 14, 15, 127, 128, 255, data[place] ^ 1} - {data[place]}:
            try:
                read_variables(data[:place] + bytes([value]) + data[place + 1 :])
            except ValueError:
                refused += 1
    assert refused > 100


def test_every_cut_is_refused_or_ends_at_a_variable() -> None:
    data = saved({"q": RNG.normal(size=(7, 4)), "t": np.arange(4.0)[None]})
    found = []
    for end in range(len(data)):
        try:
            found.append(len(read_variables(data[:end])))
        except ValueError:
            continue
    assert found.count(1) == 1
    assert set(found) <= {0, 1}


@pytest.mark.parametrize(
    ("shape", "size", "text"),
    [
        ((2**31 - 1, 2**31 - 1), 8, "q has 8 bytes for 4611686014132420609 numbers"),
        ((-7, 1), 8, "the shape (-7, 1)"),
        ((1, 1), 2**32 - 1, "is longer than the"),
    ],
)
def test_lengths_are_checked_before_memory_is_taken(
    shape: tuple[int, int], size: int, text: str
) -> None:
    whole = bytearray(big_endian("q", np.zeros((1, 1))))
    whole[160:168] = struct.pack(">ii", *shape)
    whole[188:192] = struct.pack(">I", size)
    with pytest.raises(ValueError, match=text.replace("(", r"\(").replace(")", r"\)")):
        read_variables(bytes(whole))


def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAXTERKIT_MAX_FILE_MB", "1")
    body = zlib.compress(bytes(2**21))
    header = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<H", 0x0100) + b"IM"
    with pytest.raises(ValueError, match="unpacks to more than that, and at most 1 MB are read"):
        read_variables(header + struct.pack("<II", 15, len(body)) + body)
