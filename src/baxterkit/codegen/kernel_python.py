"""The Python side of the kernel table: protocol, base classes, and the extension's type stub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from baxterkit.kernels.table import KERNELS, LINE, Kernel

_TYPES = {
    (4, 4): "Transform",
    (6, 7): "Jacobian",
    (6,): "Twist",
    (7,): "JointVector",
    (7, 7): "JointMatrix",
}
JOINTS = 7
"""Width of the arrays with one value per joint."""
_PROTOCOL = """\

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from baxterkit.kernels.choices import chosen
from baxterkit.kernels.records import IkShortages
from baxterkit.types import (
    Array,
    Given,
    Jacobian,
    JointMatrix,
    JointsLike,
    JointVector,
    Transform,
    Twist,
)

if TYPE_CHECKING:
    from baxterkit import _native

"""
_DIRECT = '''
class DirectKernels(Protocol):
    """The kernels that are methods of an arm.

    Arrays have the joints on their last axis, order s0 s1 e0 e1 w0 w1 w2; leading axes are a batch,
    and broadcast. `out` takes the result and is returned.
    """

'''
_KERNELS = '''

class Kernels(DirectKernels, Protocol):
    """The kernels of one arm, as every backend provides them (`kernels/table.py`)."""

'''
_CALLS = '''

class CalledKernels(Kernels):
    """Kernels that all go through one function of a kernel's name and arguments."""

    @abstractmethod
    def _call(self, name: str, inputs: tuple[ArrayLike, ...], out: Array | None) -> Array:
        """Computes the kernel of that name."""

    @abstractmethod
    def _fk_of(self, q: ArrayLike, of: str, out: Array | None) -> Transform:
        """Pose of another frame than the tip."""

    @abstractmethod
    def _jacobian_of(self, q: ArrayLike, frame: str, of: str, out: Array | None) -> Jacobian:
        """Jacobian of another frame than the tip."""

'''
_METHODS = '''

class KernelMethods(DirectKernels):
    """The methods of an arm that only call a kernel."""

    _kernels: Kernels

'''


def protocol(interface: str, extension: str) -> str:
    """The module `baxterkit.kernels.protocol`.

    Args:
        interface: Name of the extension's interface.
        extension: The protocol of the extension module.
    """
    shared = [kernel for kernel in KERNELS if kernel.reach != "native"]
    direct = [kernel for kernel in KERNELS if kernel.reach == "arm"]
    others = [kernel for kernel in shared if kernel not in direct]
    names = ",\n".join(f'    "{kernel.name}"' for kernel in direct)
    return (
        '"""The kernels in Python: the protocol of a backend, and base classes for one."""\n'
        + _PROTOCOL
        + f'INTERFACE = "{interface}"\n'
        + '"""The interface of the extension that this code was written for."""\n\n'
        + f"DIRECT = (\n{names},\n)\n"
        + '"""Methods of an arm that only call a kernel."""\n\n'
        + _DIRECT
        + "\n".join(_declared(kernel, kernel.doc(" " * 8) + "\n" + " " * 8) for kernel in direct)
        + _KERNELS
        + "\n".join(_declared(kernel, kernel.sentence) for kernel in others)
        + _CALLS
        + "\n".join(_method(kernel, _call(kernel), "Given") for kernel in shared)
        + _METHODS
        + "\n".join(_method(kernel, _forward(kernel), "JointsLike") for kernel in direct)
        + extension
    )


def kernel_stubs() -> list[str]:
    """The kernels as methods in a type stub."""
    return [line for kernel in KERNELS for line in _signature(kernel, " ...", "ArrayLike")]


def array_type(shape: tuple[int | str, ...]) -> str:
    """The alias of an array of this shape."""
    exact = _TYPES.get(tuple(axis for axis in shape if isinstance(axis, int)))
    return exact or ("Transform" if shape[-2:] == (4, 4) else "Array")


def _declared(kernel: Kernel, doc: str) -> str:
    """A method of a protocol, with its documentation."""
    return "\n".join([*_signature(kernel, "", "Given"), f'        """{doc}"""', ""])


def _method(kernel: Kernel, body: str, joints: str) -> str:
    """A method whose documentation the protocol has."""
    indent = " " * 8
    return "\n".join([*_signature(kernel, "", joints), *(indent + x for x in body.split("\n")), ""])


def _parameters(kernel: Kernel, joints: str) -> list[str]:
    given = [
        f"{argument.name}: {joints if argument.width == JOINTS else 'ArrayLike'}"
        for argument in kernel.inputs
    ]
    if kernel.choice is not None:
        given.append(f'{kernel.choice.name}: str = "{kernel.choice.default}"')
    of = ["of: str | None = None"] if kernel.any_frame else []
    return ["self", *given, "*", *of, "out: Array | None = None"]


def _signature(kernel: Kernel, end: str, joints: str) -> Iterator[str]:
    """The line of `def`, or as many as it takes; `joints` is the type of joint values.

    An arm takes joints by name; a backend takes what the arm was given, and the extension arrays.
    """
    parameters = _parameters(kernel, joints)
    result = f"-> {array_type(kernel.shape)}:{end}"
    yield from fitted(f"    def {kernel.name}(", parameters, f") {result}")


def fitted(first: str, items: Sequence[str], last: str) -> list[str]:
    """`first items last` on one line; if too long, the items on a line or lines of their own."""
    indent = " " * (len(first) - len(first.lstrip()))
    inner = f"{indent}    "
    one, two = first + ", ".join(items) + last, inner + ", ".join(items)
    if len(one) <= LINE:
        return [one]
    if len(two) <= LINE:
        return [first, two, indent + last]
    return [first, *(f"{inner}{item}," for item in items), indent + last]


def _arguments(kernel: Kernel) -> str:
    names = [argument.name for argument in kernel.inputs]
    return ", ".join(names + ([kernel.choice.name] if kernel.choice is not None else []))


def _forward(kernel: Kernel) -> str:
    of = "of=of, " if kernel.any_frame else ""
    return f"return self._kernels.{kernel.name}({_arguments(kernel)}, {of}out=out)"


def _call(kernel: Kernel) -> str:
    inputs = "".join(f"{argument.name}, " for argument in kernel.inputs)
    inputs = inputs.rstrip() if len(kernel.inputs) == 1 else inputs.removesuffix(", ")
    name = f'"{kernel.name}"'
    if kernel.choice is not None:
        name = f'chosen("{kernel.name}", {kernel.choice.name})'
    call = f"return self._call({name}, ({inputs}), out)"
    if not kernel.any_frame:
        return call
    of = f"return self._{kernel.name}_of({_arguments(kernel)}, of, out)"
    return f"if of is not None:\n    {of}\n{call}"
