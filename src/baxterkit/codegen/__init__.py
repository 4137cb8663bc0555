"""Writers that turn derived programs into source files, and the list of generated files.

For users: `export` writes a quantity of an arm as a source file; `WHATS` and `FORMATS` list the
choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.extras import lazy_names

if TYPE_CHECKING:
    from baxterkit.codegen.exports import FORMATS, WHATS, export

__all__ = ["FORMATS", "WHATS", "export"]

__getattr__ = lazy_names(__name__, dict.fromkeys(__all__, "exports"))
