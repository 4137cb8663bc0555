"""The arm's equations, written once over any scalars that support `+ - *`.

Applied to numbers they give numbers; applied to expressions of a graph (`baxterkit.symbolic`) they
give programs, from which the kernels are generated. `kinematics` and `dynamics` hold one function
for each quantity, `chain` and `inertia` the frames and mass moments that keep them short, and
`base_parameters` the numbers of a given arm.
"""
