"""Arrays and files in one piece: points as text in a session, a world with its arrays as a .zip."""

from __future__ import annotations

import base64
import binascii
import io
import tempfile
import zipfile
import zlib
from pathlib import Path

import numpy as np

from baxterkit import disk
from baxterkit.collision.world import World
from baxterkit.errors import InputError
from baxterkit.types import Array

MOST_UNPACKED = 64 * 2**20
"""Largest array, and largest file of an archive, that is unpacked [bytes]."""
WORLD, ARRAYS, ARCHIVE = "world.toml", "world.npz", "world.zip"


def packed(array: Array) -> str:
    """An array as text: NumPy's .npy, compressed, in base64."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
    return base64.b64encode(zlib.compress(file.getvalue(), 6)).decode()


def unpacked(text: object, where: str) -> Array:
    """The array of such a text.

    Raises:
        InputError: If it is none.
    """
    if not isinstance(text, str):
        raise InputError(f"{where}: data is missing; points and height fields have it")
    try:
        unpacking = zlib.decompressobj()
        raw = unpacking.decompress(base64.b64decode(text, validate=True), MOST_UNPACKED)
        if not unpacking.eof:
            raise InputError(f"{where}: data is cut off, or unpacks to too much")
        return np.asarray(np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False), float)
    except (binascii.Error, zlib.error, ValueError, TypeError, MemoryError) as error:
        raise InputError(f"{where}: data is damaged ({error})") from error


def world_bytes(world: World) -> tuple[str, bytes]:
    """A world as one file, and its name: a .toml, or a .zip of that and the arrays beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = world.save(Path(folder) / WORLD)
        text, arrays = disk.read_bytes(path), path.with_suffix(".npz")
        if not arrays.is_file():
            return WORLD, text
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(WORLD, text)
            archive.writestr(ARRAYS, disk.read_bytes(arrays))
        return ARCHIVE, file.getvalue()


def world_of(content: bytes) -> World:
    """The world of such a file.

    Raises:
        InputError: If an archive has not one .toml, or is damaged.
        ModelError: If that is no world.
    """
    files = {WORLD: content}
    if content.startswith(b"PK"):
        files = _members(content)
    with tempfile.TemporaryDirectory() as folder:
        for name, raw in files.items():
            disk.write_bytes(Path(folder) / name, raw)
        return World.load(Path(folder) / WORLD)


def _members(content: bytes) -> dict[str, bytes]:
    """The world and its arrays in an archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [one.filename for one in archive.infolist() if not one.is_dir()]
            tomls = [name for name in names if name.endswith(".toml")]
            if len(tomls) != 1:
                raise InputError(f"the archive has {len(tomls)} .toml files; a world is one")
            wanted = {WORLD: tomls[0], ARRAYS: tomls[0].removesuffix(".toml") + ".npz"}
            found = {key: name for key, name in wanted.items() if name in names}
            if sum(archive.getinfo(name).file_size for name in found.values()) > MOST_UNPACKED:
                raise InputError(f"it unpacks to more than {MOST_UNPACKED // 2**20} MB")
            return {key: archive.read(name) for key, name in found.items()}
    except InputError:
        raise
    except Exception as error:  # a broken archive raises nearly anything
        raise InputError(f"the archive is damaged ({error})") from error
