"""Derivations of the arm's equations as expression graphs, from which kernels are generated."""
