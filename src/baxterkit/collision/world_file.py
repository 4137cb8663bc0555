"""Worlds in files: one readable TOML file, and the arrays of clouds and height fields beside it.

`lab.toml` has a table for each object, by its name; points and heights are in `lab.npz`, by the
same names. Numbers are written with up to 17 digits, so a world that is read equals the one that
was written.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from baxterkit import disk
from baxterkit.collision import world_imports
from baxterkit.collision.obstacle import Obstacle, plane_pose
from baxterkit.disk.tables import Table, read_toml, toml_text
from baxterkit.errors import BaxterkitError, ModelError, shortened
from baxterkit.model.model import rigid
from baxterkit.model.shape import SOLIDS
from baxterkit.poses import from_quaternion
from baxterkit.spatial.formulas import rpy_to_matrix, transform
from baxterkit.types import Array, Transform

FORMAT = 1
"""Version of the layout; a reader refuses files of a later one."""
SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "capsule": ("height", "radius"),
    "cylinder": ("height", "radius"),
    "plane": (),
    "height field": ("cell", "bottom"),
    "points": ("radius",),
}
"""Kind -> the entries that hold its size, as `World` calls them."""
WITH_DATA = ("height field", "points")
HEAD = """# A world of baxterkit: World.load reads it. Metres, kilograms, radians; poses in base.
# An object has a position (its middle), and rpy, quaternion (x y z w) or T (4x4) if it is turned;
# one that is held, those in the frame of that hand's tip.
"""


def write(path: str | Path, objects: Iterable[Obstacle]) -> Path:
    """Writes a file, and the arrays beside it if there are any.

    Raises:
        ModelError: If the file is not called .toml, or a name cannot be written.
    """
    path, objects = _named(path), list(objects)
    for one in objects:
        if not one.name.isprintable():
            raise ModelError(f"the name {one.name!r} has characters that cannot be written")
    tables: dict[str, object] = {"format": FORMAT}
    if objects:
        tables["objects"] = {one.name: _entries(one) for one in objects}
    arrays = {one.name: one.data for one in objects if one.data is not None}
    if arrays:
        with (
            disk.replacing(_beside(path)) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, data in arrays.items():  # np.savez takes no array called "file"
                with archive.open(f"{name}.npy", "w", force_zip64=True) as out:
                    np.lib.format.write_array(out, data, allow_pickle=False)
    disk.write_text(path, HEAD + toml_text(tables))
    return path


def read(path: str | Path) -> list[tuple[Table, Obstacle]]:
    """The objects of a file.

    Raises:
        ModelError: If it cannot be read or is no world; names the file and the entry.
    """
    if (path := disk.as_path(path)).suffix in world_imports.READERS:
        return [(Table(f"{path}: {one.name}", {}), one) for one in world_imports.read(path)]
    if path.suffix != ".toml":
        *known, last = (".toml", *world_imports.READERS)
        raise ModelError(f"{path}: a world is read from {', '.join(known)} and {last} files")
    table = read_toml(path, "world")
    version = table.number("format")
    if version != FORMAT:
        raise ModelError(
            f"{path}: format = {version:g} is not known here; this version reads format = {FORMAT}"
        )
    table.only("format", "objects")
    if not table.has("objects"):
        return []
    objects = table.table("objects")
    tables = {name: objects.table(name) for name in objects.entries}
    needed = any(one.has("kind") and one.entries["kind"] in WITH_DATA for one in tables.values())
    arrays = _arrays(_beside(path)) if needed else {}
    return [(entry, _obstacle(name, entry, arrays)) for name, entry in tables.items()]


def _obstacle(name: str, entry: Table, arrays: dict[str, Array]) -> Obstacle:
    kind = entry.text("kind")
    if kind not in SIZES:
        raise ModelError(
            f"{entry.where}.kind = {shortened(repr(kind))} is not known; available: "
            f"{', '.join(SIZES)}"
        )
    places = "normal offset T" if kind == "plane" else "position rpy quaternion T"
    more = "held mass color" if kind in SOLIDS else ""
    entry.only("kind", *SIZES[kind], *places.split(), *more.split())
    size = (
        tuple(entry.array("size", (3,)).tolist())
        if kind == "box"
        else tuple(entry.number(part) for part in SIZES[kind])
    )
    rgb = entry.array("color", (3,)).tolist() if entry.has("color") else None
    T = _plane(entry) if kind == "plane" and not entry.has("T") else _pose(entry)
    with entry.naming():
        return Obstacle(
            kind,
            size,
            T,
            name,
            data=_data(arrays, name, entry) if kind in WITH_DATA else None,
            held=entry.text("held") if entry.has("held") else None,
            mass=entry.number("mass") if entry.has("mass") else 0.0,
            color=None if rgb is None else (rgb[0], rgb[1], rgb[2]),
        )


def _named(path: str | Path) -> Path:
    path = disk.as_path(path)
    if path.suffix != ".toml":
        raise ModelError(f"{path}: a world is a .toml file; call it {path.stem or 'world'}.toml")
    return path


def _beside(path: Path) -> Path:
    return path.with_suffix(".npz")


def _entries(one: Obstacle) -> dict[str, object]:
    entries: dict[str, object] = {"kind": one.kind}
    if one.kind == "box":
        entries["size"] = one.size
    else:
        entries |= dict(zip(SIZES[one.kind], one.size, strict=True))
    if (one.T[:3, :3] == np.eye(3)).all() and one.kind != "plane":
        entries["position"] = one.T[:3, 3]
    else:
        entries["T"] = one.T
    if one.held is not None:
        entries["held"] = one.held
    if one.mass:
        entries["mass"] = one.mass
    if one.color is not None:
        entries["color"] = one.color
    return entries


def _plane(entry: Table) -> Transform:
    """A plane by its normal and its offset, as `World.add_plane` takes them."""
    n = entry.array("normal", (3,))
    if not n.any():
        raise ModelError(f"{entry.where}.normal is zero; it must have a direction")
    offset = entry.number("offset") if entry.has("offset") else 0.0
    return plane_pose(n, offset)


def _pose(entry: Table) -> Transform:
    turns = [key for key in ("T", "rpy", "quaternion") if entry.has(key)]
    if len(turns) > 1 or (entry.has("T") and entry.has("position")):
        both = " and ".join([*turns, "position"][:2])
        raise ModelError(f"{entry.where} has {both}; give one of them")
    with entry.naming():
        if entry.has("T"):
            return rigid(entry.array("T", (4, 4)), "T")
        position = entry.array("position", (3,))
        if entry.has("quaternion"):
            T = from_quaternion(position, entry.array("quaternion", (4,)), order="xyzw")
            return rigid(T, "T")
        rpy = entry.array("rpy", (3,)) if entry.has("rpy") else np.zeros(3)
        return rigid(transform(rpy_to_matrix(rpy), position), "T")


def _arrays(path: Path) -> dict[str, Array]:
    """The arrays of an archive, by the names of the objects."""
    try:
        raw, limit = disk.read_bytes(path), disk.limit_bytes()
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if sum(member.file_size for member in archive.infolist()) > limit:
                raise ModelError(f"{path}: {disk.too_large('it unpacks to more than that', limit)}")
        with np.load(io.BytesIO(raw), allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except ModelError:
        raise
    except BaxterkitError as error:
        raise ModelError(f"the arrays of the world: {error}") from error
    except Exception as error:  # a broken archive makes NumPy raise nearly anything
        reason = shortened(" ".join(str(error).split()), 200)
        raise ModelError(f"{path} does not hold the arrays of a world: {reason}") from error


def _data(arrays: dict[str, Array], name: str, entry: Table) -> Array:
    if name not in arrays:
        raise ModelError(
            f"{entry.where}: its numbers are not in the .npz beside the file, which has "
            f"{', '.join(arrays) or 'none'}; keep both files together"
        )
    return arrays[name]
