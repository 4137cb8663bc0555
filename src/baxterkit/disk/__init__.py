"""The user's files: bounded reads, and writes that happen completely or not at all."""

from baxterkit.disk.paths import as_path
from baxterkit.disk.reading import (
    GZIP,
    SEPARATOR,
    decoded,
    limit_bytes,
    lines_of,
    open_regular,
    read_bytes,
    read_packed,
    read_start,
    read_stream,
    read_text,
    too_large,
)
from baxterkit.disk.writing import (
    check_target,
    make_folder,
    replacing,
    replacing_path,
    write_bytes,
    write_text,
)

__all__ = [
    "GZIP",
    "SEPARATOR",
    "as_path",
    "check_target",
    "decoded",
    "limit_bytes",
    "lines_of",
    "make_folder",
    "open_regular",
    "read_bytes",
    "read_packed",
    "read_start",
    "read_stream",
    "read_text",
    "replacing",
    "replacing_path",
    "too_large",
    "write_bytes",
    "write_text",
]
