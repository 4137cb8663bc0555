"""The arm's equations, written once over any scalars that know `+ - *`.

Numbers go in and numbers come out; expressions of a graph go in (`baxterkit.symbolic`) and programs
come out, from which the kernels are generated. `kinematics` and `dynamics` hold one function for
each quantity, `chain` and `inertia` the frames and mass moments that keep them short, and
`base_parameters` the numbers of a given arm.
"""
