"""Maps on disk or in a bucket: a zarr v3 group, written chunk by chunk.

Each array of the group has the map's chunks, and `done` holds a checksum of each chunk, written
after its arrays. So a chunk counts when it is complete, and not before. Files are written beside
their place and renamed (zarr's stores do so), and who computes a chunk twice writes the same bytes.
Every file of an array ends in its own checksum too (zarr's codec crc32c), which is verified when
it is read, and the metadata hold theirs: a flipped bit is an error, not another number.
"""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from baxterkit.errors import BaxterkitError, FileError, InputError, MissingFileError
from baxterkit.spatial.formulas import matrix_to_quaternion
from baxterkit.types import AnyArray
from baxterkit.workspace.addresses import (
    AnyPath,
    Zarr,
    damaged,
    holds_something,
    is_remote,
    line_of,
    local_path,
    system_errors,
    zarr_module,
    zarr_store,
)
from baxterkit.workspace.compute import ARRAYS, REASONS, Chunk, array_names
from baxterkit.workspace.description import (
    FORMAT,
    KIND,
    Plain,
    description_checksum,
    differences,
    restored,
)
from baxterkit.workspace.grid import orientations
from baxterkit.workspace.settings import Settings

Index: TypeAlias = tuple[int, int, int, int]
RESUME = "the same command goes on where it stopped"


class MapStore:
    """The folder, or bucket, of a map.

    Attributes:
        path: Where it is: a path, or an address with a protocol, such as s3://bucket/map.zarr.
        description: The map's metadata, as `description.describe` makes it.
        settings: The map's settings, checked.
    """

    def __init__(self, path: AnyPath, group: Zarr, description: Plain) -> None:
        self.path = path
        self.description = description
        self.settings: Settings = restored(description)
        self._group = group

    def array(self, name: str) -> AnyArray:
        """A whole array of the group."""
        with damaged(self.path), system_errors(self.path):
            return np.asarray(self._group[name][:])

    def write(self, index: Index, chunk: Chunk) -> None:
        """Writes a chunk, then the mark that it is done."""
        with system_errors(self.path, f"; {RESUME}", writing=True):
            part = self._part(index)
            for name, values in chunk.items():
                self._group[name][part] = values[None]
            self._group["done"][index] = checksum(chunk)

    def read(self, index: Index) -> Chunk:
        """Reads a chunk."""
        part = self._part(index)
        names = array_names(self.settings.level)
        with damaged(self.path), system_errors(self.path):
            return {name: np.asarray(self._group[name][part])[0] for name in names}

    def done(self) -> NDArray[np.uint64]:
        """The checksums of all chunks, 0 where a chunk is missing, shape `settings.chunks`."""
        return self.array("done")

    def unwanted(self) -> list[Index]:
        """Chunks that are marked as done, but hold other bytes than were written."""
        marks = self.done()
        found = []
        for row in np.argwhere(marks != 0).tolist():
            index = (row[0], row[1], row[2], row[3])
            try:
                right = checksum(self.read(index)) == int(marks[index])
            except FileError:
                right = False
            if not right:
                found.append(index)
        return found

    def forget(self, indices: list[Index]) -> None:
        """Marks chunks as missing."""
        with system_errors(self.path, writing=True):
            for index in indices:
                self._group["done"][index] = 0

    def _part(self, index: Index) -> tuple[slice, ...]:
        return (slice(index[0], index[0] + 1), *self.settings.part(index[1:]))


def checksum(chunk: Chunk) -> int:
    """A number for the bytes of a chunk, never 0."""
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(chunk):
        values = chunk[name]
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes())
    return int.from_bytes(digest.digest(), "little") or 1


def create(path: AnyPath, description: Plain, repair: bool = False) -> MapStore:
    """A new map, or the unfinished one of the same description that is there.

    Args:
        path: Its place.
        description: Its metadata.
        repair: Whether arrays that cannot be read are made again, empty.

    Raises:
        FileError: If something else is there, or it cannot be written.
        InputError: If the map that is there answers another question.
    """
    zarr = zarr_module()
    path = local_path(path)
    kept = _peek(path)
    if kept is None:
        with system_errors(path, writing=True):
            group = zarr.create_group(zarr_store(path), attributes=description)
            _add_arrays(group, restored(description))
        return MapStore(path, group, description)
    changed = differences(kept, description)
    if changed:
        raise InputError(
            f"{path} holds another map ({'; '.join(changed[:4])}); choose another folder, or take "
            "the same settings"
        )
    with damaged(path), system_errors(path):
        group = zarr.open_group(zarr_store(path), mode="r+")
        if repair:
            _remove_damaged(group, restored(kept))
        _add_arrays(group, restored(kept))
        _check_arrays(group, restored(kept))
    return MapStore(path, group, kept)


def open_store(path: AnyPath, writing: bool = False) -> MapStore:
    """A map that is there.

    Raises:
        FileError: If there is none, or it is not readable; MissingFileError if nothing is there.
    """
    path = local_path(path)
    kept = _peek(path)
    if kept is None:
        raise MissingFileError(errno.ENOENT, "there is no map", str(path))
    with damaged(path), system_errors(path):
        group = zarr_module().open_group(zarr_store(path), mode="r+" if writing else "r")
        _check_arrays(group, restored(kept))
    return MapStore(path, group, kept)


def _peek(path: AnyPath) -> Plain | None:
    """The metadata of the map at a place; None where nothing is.

    Raises:
        FileError: If something else than a map of this format is there.
    """
    zarr = zarr_module()
    if not is_remote(path):
        place = Path(path)
        with system_errors(path):
            if not place.exists():
                if not place.absolute().parent.is_dir():
                    reason = f"there is no folder {place.absolute().parent}; make it first"
                    raise MissingFileError(errno.ENOENT, reason, str(path))
                return None
            if not place.is_dir():
                raise FileError(errno.ENOTDIR, "this is a file; a map is a folder", str(path))
            if not any(place.iterdir()):
                return None
            if not (place / "zarr.json").exists():
                what = "this folder holds other files than a map; choose another place"
                raise FileError(errno.EINVAL, what, str(path))
    try:
        with system_errors(path):
            group = zarr.open_group(zarr_store(path), mode="r")
            kept = dict(group.attrs)
    except BaxterkitError:
        raise
    except Exception as error:
        if is_remote(path) and isinstance(error, FileNotFoundError | KeyError):
            if holds_something(path):
                what = "this address holds other files than a map; choose another one"
                raise FileError(errno.EINVAL, what, str(path)) from None
            return None
        raise FileError(
            errno.EINVAL, f"its zarr metadata cannot be read ({line_of(error)})", str(path)
        ) from error
    if kept.get("kind") != KIND:
        raise FileError(errno.EINVAL, "this zarr group is no map of baxterkit", str(path))
    number = kept.get("format")
    if number != FORMAT:
        age = "an older" if isinstance(number, int) and number < FORMAT else "another"
        raise FileError(
            errno.EINVAL,
            f"this map has {age} format ({number!r}; this version writes and reads {FORMAT}); "
            f"make it again, or use baxterkit {kept.get('baxterkit', 'of its time')}",
            str(path),
        )
    if kept.get("checksum") != description_checksum(kept):
        raise FileError(
            errno.EINVAL,
            "its metadata are damaged (they have another checksum); make it again",
            str(path),
        )
    try:
        restored(kept)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(
            errno.EINVAL, f"its settings are damaged ({line_of(error)}); make it again", str(path)
        ) from error
    return kept


def _add_arrays(group: Zarr, settings: Settings) -> None:
    """Makes the arrays that are not there yet: a job may have been killed in between."""
    for name in array_names(settings.level):
        if name in group:
            continue
        kind = ARRAYS[name]
        shape = _shape(settings, name)
        group.create_array(
            name,
            shape=shape,
            chunks=(1, *[min(settings.chunk, n) for n in shape[1:4]], *shape[4:]),
            dtype=kind.dtype,
            fill_value=kind.fill,
            compressors=_codecs(),
            dimension_names=("arm", "x", "y", "z", *([kind.axis] if kind.axis else [])),
            attributes={"text": kind.text},
        )
    axes = dict(zip("xyz", settings.grid.axes, strict=True))
    for name, values in axes.items():
        if name not in group:
            text = {"text": f"middles of the cells along {name} in base [m]"}
            group.create_array(
                name, data=values, compressors=_codecs(), dimension_names=(name,), attributes=text
            )
    if "quaternion" not in group:
        group.create_array(
            "quaternion",
            data=matrix_to_quaternion(orientations(settings.orientations)),
            compressors=_codecs(),
            dimension_names=("orientation", "xyzw"),
            attributes={"text": "the orientations of the tip in base"},
        )
    if "done" not in group:
        group.create_array(
            "done",
            shape=settings.chunks,
            chunks=(1, 1, 1, 1),
            dtype="u8",
            fill_value=0,
            compressors=_codecs()[-1:],
            dimension_names=("arm", "chunk_x", "chunk_y", "chunk_z"),
            attributes={"text": "checksum of each chunk, 0 where it is missing"},
        )


def _codecs() -> list[Zarr]:
    """How the bytes of every file are packed: compressed, then with a checksum at the end."""
    codecs = zarr_module().codecs
    return [codecs.ZstdCodec(level=0), codecs.Crc32cCodec()]


def _check_arrays(group: Zarr, settings: Settings) -> None:
    """Raises if an array is not there, cannot be read, or is not what the settings say."""
    for name in (*array_names(settings.level), "done"):
        _check_array(group, name, settings)


def _check_array(group: Zarr, name: str, settings: Settings) -> None:
    if name == "done":
        wanted: tuple[object, ...] = (settings.chunks, np.dtype("u8"), (1, 1, 1, 1))
    else:
        shape = _shape(settings, name)
        chunks = (1, *(min(settings.chunk, n) for n in shape[1:4]), *shape[4:])
        wanted = (shape, np.dtype(ARRAYS[name].dtype), chunks)
    array = group[name]
    found = (tuple(array.shape), array.dtype, tuple(array.chunks))
    if found != wanted:
        raise ValueError(f"array {name} has shape, type and chunks {found}")
    if array.metadata.codecs[-1].to_dict()["name"] != "crc32c":
        raise ValueError(f"array {name} has no checksums")


def _remove_damaged(group: Zarr, settings: Settings) -> None:
    """Removes arrays that are no good, and those that the settings give, to be made again."""
    for name in (*array_names(settings.level), "done"):
        try:
            _check_array(group, name, settings)
        except Exception:  # zarr raises what it likes
            del group[name]
    for name in ("x", "y", "z", "quaternion"):
        del group[name]


def _shape(settings: Settings, name: str) -> tuple[int, ...]:
    last = {"orientation": (settings.orientations,), "reason": (len(REASONS),), None: ()}
    return (len(settings.sides), *settings.grid.shape, *last[ARRAYS[name].axis])
