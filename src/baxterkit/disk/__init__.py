"""Files of the user: one way to read them, bounded, and one way to write them, all or nothing."""

from baxterkit.disk.reading import limit_bytes, read_bytes, read_packed, read_start, read_stream
from baxterkit.disk.writing import (
    check_target,
    make_folder,
    replacing,
    replacing_path,
    write_bytes,
    write_text,
)

__all__ = [
    "check_target",
    "limit_bytes",
    "make_folder",
    "read_bytes",
    "read_packed",
    "read_start",
    "read_stream",
    "replacing",
    "replacing_path",
    "write_bytes",
    "write_text",
]
