"""Array aliases; shapes are stated in jaxtyping's grammar: `*batch` is any leading axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

OLDEST_NUMPY = (1, 26)
if tuple(int(part) for part in np.__version__.split(".")[:2]) < OLDEST_NUMPY:
    raise ImportError(
        f"baxterkit needs NumPy {OLDEST_NUMPY[0]}.{OLDEST_NUMPY[1]} or later, and {np.__version__} "
        "is installed: pip install --upgrade numpy"
    )

Array: TypeAlias = NDArray[np.float64]
JointVector: TypeAlias = Annotated[NDArray[np.float64], "*batch 7"]
JointMatrix: TypeAlias = Annotated[NDArray[np.float64], "*batch 7 7"]
Transform: TypeAlias = Annotated[NDArray[np.float64], "*batch 4 4"]
Rotation: TypeAlias = Annotated[NDArray[np.float64], "*batch 3 3"]
Inertia: TypeAlias = Annotated[NDArray[np.float64], "3 3"]
Vector3: TypeAlias = Annotated[NDArray[np.float64], "*batch 3"]
Quaternion: TypeAlias = Annotated[NDArray[np.float64], "*batch 4"]
Twist: TypeAlias = Annotated[NDArray[np.float64], "*batch 6"]
Jacobian: TypeAlias = Annotated[NDArray[np.float64], "*batch 6 7"]


AnyArray: TypeAlias = NDArray[Any]
"""An array of any numbers."""
ForeignArray: TypeAlias = Any
"""An array of a library that is imported if the user has it: PyTorch, JAX, CuPy."""
Index: TypeAlias = int | slice | list[int] | tuple[int | slice, ...] | AnyArray
"""Rows of a batch: what NumPy takes in brackets."""


Given: TypeAlias = Any
"""What a user gives for joint values or poses: arrays, names, tables, messages; checked at once."""


class JointMessage(Protocol):
    """A message that names joints, such as ROS's JointState."""

    @property
    def name(self) -> Given:
        """The joints' names."""

    @property
    def position(self) -> Given:
        """Their positions [rad]."""


JointsLike: TypeAlias = (
    ArrayLike | Mapping[str, ArrayLike] | Sequence[Mapping[str, ArrayLike]] | JointMessage
)
"""Joint values: an array, or values by the joints' names; `Arm` takes tables too."""


def frozen(x: ArrayLike) -> Array:
    """A read-only float64 copy of `x`."""
    array: Array = np.array(x, dtype=np.float64)
    array.setflags(write=False)
    return array
