"""The extension is built with the protections that compiler and linker offer."""

from __future__ import annotations

import os
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from baxterkit import _native

PT_LOAD, PT_DYNAMIC, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 0x6474E551, 0x6474E552
DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_FLAGS, DT_FLAGS_1 = 5, 6, 10, 30, 0x6FFFFFFB
DF_BIND_NOW, DF_1_NOW, PF_X = 0x8, 0x1, 0x1


@dataclass
class Elf:
    """What the loader reads of a 64-bit ELF file.

    Attributes:
        segments: Type -> flags of the program headers.
        dynamic: Tag -> value of the dynamic section.
        strings: Names in the dynamic string table: needed libraries and symbols.
    """

    segments: dict[int, int] = field(default_factory=dict)
    dynamic: dict[int, int] = field(default_factory=dict)
    strings: frozenset[str] = frozenset()


def read_elf(path: Path) -> Elf:
    data = path.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", "a 64-bit little-endian ELF file"
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    elf, loads = Elf(), []
    for i in range(count):
        kind, flags, start, address, _, length = struct.unpack_from(
            "<IIQQQQ", data, offset + i * size
        )
        elf.segments[kind] = flags
        if kind == PT_LOAD:
            loads.append((address, start, length))
        elif kind == PT_DYNAMIC:
            pairs = struct.iter_unpack("<qQ", data[start : start + length])
            elf.dynamic = {tag: value for tag, value in pairs if tag}

    def place(address: int) -> int:
        """Where a memory address lies in the file."""
        return next(s + address - a for a, s, n in loads if a <= address < a + n)

    table = place(elf.dynamic[DT_STRTAB])
    names = data[table : table + elf.dynamic[DT_STRSZ]].split(b"\0")
    elf.strings = frozenset(name.decode() for name in names)
    return elf


@pytest.fixture(scope="module")
def elf() -> Elf:
    if os.environ.get("BAXTERKIT_SANITIZE"):
        pytest.skip("the sanitizers' build has protections of its own")
    if sys.platform != "linux" or sys.maxsize < 2**32:
        pytest.skip("not a 64-bit Linux")
    return read_elf(Path(_native.__file__))


def test_reader_sees_what_is_surely_there(elf: Elf) -> None:
    """The numbers are those of this very file: it needs the C library, and has a stack entry."""
    assert any(name.startswith("libc.so") for name in elf.strings)
    assert "PyInit__native" in elf.strings
    assert PT_GNU_STACK in elf.segments


def test_functions_are_bound_at_load_time(elf: Elf) -> None:
    flags, flags_1 = elf.dynamic.get(DT_FLAGS, 0), elf.dynamic.get(DT_FLAGS_1, 0)
    assert flags & DF_BIND_NOW or flags_1 & DF_1_NOW


def test_relocated_data_is_read_only(elf: Elf) -> None:
    assert PT_GNU_RELRO in elf.segments


def test_stack_is_not_executable(elf: Elf) -> None:
    assert not elf.segments[PT_GNU_STACK] & PF_X


def test_stack_has_a_guard(elf: Elf) -> None:
    assert "__stack_chk_fail" in elf.strings


def test_only_the_entry_point_is_exported_by_name(elf: Elf) -> None:
    """What is hidden can neither be replaced nor collide with another library."""
    ours = [name for name in elf.strings if "baxterkit" in name and not name.endswith(".so")]
    assert ours == []
