"""XML for URDF and SDF files, hardened.

The module uses Expat directly. It refuses document type declarations, so there are no entities to
expand or to fetch. Size, depth and number of elements are bounded. Elements that a URDF reader does
not need (shapes, meshes, Gazebo's tags) are counted and dropped while parsing.
"""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, TypeAlias
from xml.parsers import expat

import numpy as np

from baxterkit import disk
from baxterkit.errors import FileError, UrdfError, shortened
from baxterkit.types import Array

Source: TypeAlias = "str | bytes | os.PathLike[str]"
"""A path, or the text itself: a string that holds a `<` is text."""

MAX_BYTES = 32 * 2**20
"""Longest text that is read [bytes]. Baxter's description has 52 kB; meshes are separate files."""
MESHES = "a URDF names its meshes, it does not hold them"
MAX_DEPTH = 64
"""Deepest nesting of elements."""
MAX_ELEMENTS = 300_000
"""Largest number of elements in one file. Baxter's description has about 1,000."""
MAX_NUMBER = 1e9
"""Largest magnitude of a number (m, rad, kg, ...); sums and products of such do not overflow."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

Kept: TypeAlias = Mapping[str, frozenset[str]]
"""Elements that are read, by their parent element; all others are dropped with their children."""

URDF: Kept = {
    "": frozenset({"robot"}),
    "robot": frozenset({"link", "joint", "baxterkit"}),
    "link": frozenset({"inertial", "collision"}),
    "collision": frozenset({"origin", "geometry"}),
    "geometry": frozenset({"box", "sphere", "cylinder", "capsule", "mesh"}),
    "inertial": frozenset({"origin", "mass", "inertia"}),
    "joint": frozenset({"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}),
    "baxterkit": frozenset({"arm", "last_link", "tool", "payload"}),
    "arm": frozenset({"last_link", "tool", "payload"}),
    "last_link": frozenset({"inertial"}),
    "tool": frozenset({"inertial"}),
    "payload": frozenset({"inertial"}),
}
SDF: Kept = {
    "": frozenset({"sdf"}),
    "sdf": frozenset({"world", "model"}),
    "world": frozenset({"model", "include", "frame"}),
    "model": frozenset({"pose", "link", "model", "include"}),
    "link": frozenset({"pose", "collision"}),
    "collision": frozenset({"pose", "geometry"}),
    "geometry": frozenset({"box", "sphere", "cylinder", "capsule", "plane", "empty"}),
    "box": frozenset({"size"}),
    "sphere": frozenset({"radius"}),
    "cylinder": frozenset({"radius", "length"}),
    "capsule": frozenset({"radius", "length"}),
    "plane": frozenset({"normal"}),
}


@dataclass
class Element:
    """An XML element that knows its line.

    Attributes:
        tag: Its name.
        attributes: Its attributes; its text is one more, called `content`.
        line: Its line, counted from 1.
        children: The elements in it.
        owner: Nearest element around it (or itself) that has a name, for messages.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    owner: str = ""

    @property
    def label(self) -> str:
        """As messages call it: `joint 'left_s0'`, or `<axis> of joint 'left_s0'`."""
        if "name" in self.attributes:
            return label(self.tag, self.attributes["name"])
        return f"<{self.tag}> of {self.owner}" if self.owner else f"<{self.tag}>"

    def fail(self, message: str) -> NoReturn:
        """Raises UrdfError about this element."""
        raise UrdfError(message, self.label, self.line)

    def all(self, tag: str) -> list[Element]:
        """The children called `tag`."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Element | None:
        """The only child called `tag`, or None; two are an error."""
        found = self.all(tag)
        if len(found) > 1:
            found[1].fail(f"there are two <{tag}> elements here; one is allowed")
        return found[0] if found else None

    def text(self, attribute: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.attributes.get(attribute, "").strip()
        if not value:
            self.fail(f"the attribute '{attribute}' is missing or empty")
        return value

    def number(
        self, attribute: str, default: float | None = None, largest: float = MAX_NUMBER
    ) -> float:
        """An attribute that is one finite number; `default` where it is absent."""
        if attribute not in self.attributes and default is not None:
            return default
        return float(self.numbers(attribute, 1, largest=largest)[0])

    def numbers(
        self,
        attribute: str,
        count: int,
        default: float | None = None,
        largest: float = MAX_NUMBER,
    ) -> Array:
        """An attribute that is `count` numbers of magnitude up to `largest`, shape (count,)."""
        if attribute not in self.attributes and default is not None:
            return np.full(count, default)
        text = self.text(attribute)
        words = text.split()
        if len(words) != count:
            self.fail(
                f'{attribute}="{shortened(text)}" has {len(words)} value{"s" * (len(words) != 1)}; '
                f"{count} {'is' if count == 1 else 'are'} needed, separated by spaces"
            )
        for word in words:
            if "${" in word:
                self.fail(f'{attribute}="{shortened(text)}" is a xacro expression; run xacro first')
            if len(word) > 100 or not _NUMBER.fullmatch(word):
                self.fail(
                    f"{attribute}=\"{shortened(text)}\": '{shortened(word)}' is not a finite number"
                )
            value = abs(float(word))
            if not math.isfinite(value):
                self.fail(f'{attribute}="{shortened(text)}" is too large for a double')
            if value > largest:
                self.fail(
                    f'{attribute}="{shortened(text)}": {shortened(word)} is out of range; '
                    f"numbers from {-largest:g} to {largest:g} are read"
                )
        return np.array([float(word) for word in words])


def label(tag: str, name: str) -> str:
    """An element's name in messages: `joint 'left_s0'`."""
    return f"{tag} '{shortened(name)}'"


def parse_xml(source: Source, kept: Kept = URDF) -> Element:
    """Reads a file or text into elements.

    Args:
        source: A path, or the text (a string with a `<`, or bytes).
        kept: `URDF` or `SDF`.

    Returns:
        The outermost element: `<robot>` or `<sdf>`.

    Raises:
        UrdfError: If there is no such file, it is too large, or it is not the XML of a URDF.
    """
    data, encoding = _read(source)
    (root,) = kept[""]
    if not data.strip():
        kind = "URDF" if kept is URDF else "SDF"
        raise UrdfError(f"the {kind} is empty; a <{root}> element is needed")
    return _Builder(encoding, kept, root).parse(data)


def _read(source: Source) -> tuple[bytes, str | None]:
    """The bytes, and their encoding where it is known from outside the text."""
    if isinstance(source, bytes):
        data, encoding = source, None
    elif isinstance(source, str) and ("<" in source or not source.strip()):
        if len(source) > MAX_BYTES:
            _too_large(len(source), "text")
        data, encoding = source.encode("utf-8", "surrogatepass"), "utf-8"
    else:
        data, encoding = _read_file(disk.as_path(source, "source")), None
    if len(data) > MAX_BYTES:
        _too_large(len(data), "text")
    return data, encoding


def _read_file(path: Path) -> bytes:
    try:
        return disk.read_bytes(path, MAX_BYTES, MESHES)
    except FileError as error:
        if error.errno == errno.EFBIG:
            raise UrdfError(str(error)) from error
        raise UrdfError(
            f"cannot read '{shortened(str(path), 200)}': {error.strerror}; "
            "pass a path or the URDF text itself"
        ) from error


def _too_large(size: int, what: str) -> NoReturn:
    raise UrdfError(
        f"the {what} has {size / 2**20:.0f} MB; at most {MAX_BYTES // 2**20} MB are read; {MESHES}"
    )


class _Builder:
    """Collects the elements to read from expat's events."""

    def __init__(self, encoding: str | None, kept: Kept, root: str) -> None:
        self.kept, self.outermost = kept, root
        self.parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.CharacterDataHandler = self.text
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.doctype
        parser.EntityDeclHandler = self.doctype
        parser.ExternalEntityRefHandler = self.doctype
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.words: list[str] = []  # text since the last tag that is kept
        self.dropped = 0  # depth inside a dropped element
        self.count = 0

    def parse(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, str(error))
            raise UrdfError(f"this is not XML: {reason}", None, error.lineno) from error
        except (LookupError, ValueError) as error:
            if isinstance(error, UrdfError):
                raise
            reason = shortened(str(error))
            raise UrdfError(f"the text's encoding cannot be read: {reason}", None, 1) from error
        if self.root is None:
            raise UrdfError(f"there is no <{self.outermost}> element", None, 1)
        return self.root

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        line = self.parser.CurrentLineNumber
        if self.count > MAX_ELEMENTS:
            raise UrdfError(f"more than {MAX_ELEMENTS} elements", f"<{shortened(tag)}>", line)
        if len(self.stack) + self.dropped >= MAX_DEPTH:
            raise UrdfError(f"nested more than {MAX_DEPTH} deep", f"<{shortened(tag)}>", line)
        if tag.startswith("xacro:"):
            raise UrdfError(
                "this is a xacro file; run xacro to get the URDF", f"<{shortened(tag)}>", line
            )
        if not self.stack and not self.dropped and tag != self.outermost:
            raise UrdfError(
                f"the outermost element must be <{self.outermost}>", f"<{shortened(tag)}>", line
            )
        inside = self.stack[-1].tag if self.stack else ""
        if self.dropped or tag not in self.kept.get(inside, ()):
            self.dropped += 1
            return
        owner = ""
        for outer in reversed(self.stack):
            if "name" in outer.attributes and outer.tag != "robot":
                owner = outer.label
                break
        element = Element(tag, attributes, line, owner=owner)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)
        self.words.clear()

    def end(self, tag: str) -> None:
        if self.dropped:
            self.dropped -= 1
            return
        element, words = self.stack.pop(), "".join(self.words).strip()
        if words:
            element.attributes["content"] = words
        self.words.clear()

    def text(self, words: str) -> None:
        if not self.dropped:
            self.words.append(words)

    def doctype(self, *_: object) -> NoReturn:
        raise UrdfError(
            "document type declarations and entities are refused; remove <!DOCTYPE ...>",
            "<!DOCTYPE>",
            self.parser.CurrentLineNumber,
        )
