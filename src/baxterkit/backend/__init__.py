"""What computes for an arm: the native kernels, their NumPy reference, and the joints' effects."""
