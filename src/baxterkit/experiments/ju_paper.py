"""The printed numbers of Ju et al. 2014, experiment 2: errors while the arms untuck and tuck."""

from __future__ import annotations

PAPER_MAX = {"right": (4.2, 3.3, 6.8, 5.6, 7.6, 7.3), "left": (4.4, 3.8, 6.1, 5.1, 7.2, 7.6)}
"""Largest errors: x y z [mm], roll pitch yaw [mrad]."""
PAPER_MEAN = {
    "right": (0.7, -0.6, -3.8, 2.9, -3.2, -1.2),
    "left": (1.1, 0.6, -2.8, -1.6, -3.5, 1.1),
}
"""Mean errors, with their signs."""
