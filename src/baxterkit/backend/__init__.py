"""The backends of an arm: the native kernels, their NumPy reference, and the joint effects."""
