"""The seam between the methods of an arm and the code that computes them.

`table` declares every kernel once. `protocol`, generated from it, is what a backend must have:
`Kernels`, which the native extension, the NumPy reference and the joints' effects satisfy.
"""
