"""DLPack in both directions: the capsules in which libraries hand arrays to each other."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import TYPE_CHECKING

from baxterkit.types import ForeignArray

if TYPE_CHECKING:
    from baxterkit.cuda.arrays import View

GPU = 2
"""Code of memory of an NVIDIA GPU."""
TYPES = {
    (2, 64): "float64",
    (2, 32): "float32",
    (2, 16): "float16",
    (1, 8): "uint8",
    (0, 32): "int32",
    (6, 8): "bool",
    (4, 16): "bfloat16",
}
"""Code and bits → type."""
FRESH, USED = b"dltensor", b"used_dltensor"


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("context", c_void_p), ("deleter", _Deleter))
_Destructor = ctypes.CFUNCTYPE(None, c_void_p)

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (c_void_p, ctypes.c_char_p, _Destructor)
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, (ctypes.py_object, ctypes.c_char_p)
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_is_valid_of = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)

_kept: dict[int, tuple[object, ...]] = {}
"""What a capsule's memory consists of, until its consumer deletes it."""


def _delete(managed: ForeignArray) -> None:
    _kept.pop(ctypes.addressof(managed.contents), None)


def _destroy(capsule: ForeignArray) -> None:
    """A capsule that nobody has consumed."""
    if _is_valid_of(capsule, FRESH):
        _kept.pop(_pointer_of(capsule, FRESH) or 0, None)


_DELETE, _DESTROY = _Deleter(_delete), _Destructor(_destroy)


def capsule(view: View) -> object:
    """A view as a DLPack capsule."""
    codes = {name: code for code, name in TYPES.items()}
    shape = (c_int64 * max(1, len(view.shape)))(*view.shape)
    managed = _Managed()
    tensor = managed.tensor
    tensor.data, tensor.device_type, tensor.device = view.pointer, GPU, view.device
    tensor.ndim, (tensor.code, tensor.bits), tensor.lanes = len(view.shape), codes[view.dtype], 1
    tensor.shape = ctypes.cast(shape, POINTER(c_int64))
    managed.deleter = _DELETE
    address = ctypes.addressof(managed)
    _kept[address] = (managed, shape, view)
    return _new(address, FRESH, _DESTROY)


class Consumed:
    """An array that came in a capsule; gives it back when it is deleted itself.

    Attributes:
        pointer: Its first number.
        shape: Its shape.
        strides: Numbers from one entry to the next along each axis; None without gaps.
        dtype: Its type.
        device: Code of the kind of memory, and number of the device.
    """

    def __init__(self, packed: object) -> None:
        address = _pointer(packed, FRESH)
        _set_name(packed, USED)
        self._managed = ctypes.cast(address, POINTER(_Managed))
        tensor = self._managed.contents.tensor
        axes = range(tensor.ndim)
        self.pointer: int = (tensor.data or 0) + tensor.byte_offset
        self.shape = tuple(int(tensor.shape[i]) for i in axes)
        self.strides = tuple(int(tensor.strides[i]) for i in axes) if tensor.strides else None
        self.dtype = TYPES.get((tensor.code, tensor.bits), f"type {tensor.code}/{tensor.bits}")
        self.device = (int(tensor.device_type), int(tensor.device))

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.contents.deleter:
            managed.contents.deleter(managed)
