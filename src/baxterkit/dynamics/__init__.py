"""Dynamics of a serial arm, in plain NumPy: the reference for the generated kernels.

`newton_euler` has M, C, G and inverse dynamics, `lagrange` the same in the papers' form;
`forward` has forward dynamics, energies and task-space inertia, `derivatives` first derivatives,
`regressor` and `base_parameters` what identification needs.
"""
