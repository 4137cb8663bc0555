"""The seam between the methods of an arm and the code that computes them.

`table` declares every kernel once. `protocol`, generated from it, is what a backend must have:
`Kernels`, which the native extension, the NumPy reference and the joints' effects satisfy.
`extension` declares the other types of the extension in the words of `seam`; `records`, generated
from it, are the answers that they give.
"""

SEED_LIMIT = 1e6
"""Farthest joint position that a search may start from [rad]: squares do not overflow."""
