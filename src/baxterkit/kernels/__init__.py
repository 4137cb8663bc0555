"""The seam between what is asked of an arm and what computes it.

`table` declares every kernel once. `protocol`, generated from it, is what a backend must have:
`Kernels`, which the native extension, the NumPy reference and the joints' effects satisfy.
"""
