"""The arm's equations as expression graphs and programs, from which kernels are generated.

For users: `ClosedForm`, the equations as SymPy matrices and as programs of shared subexpressions
(extra `[symbolic]`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from baxterkit.extras import lazy_names

if TYPE_CHECKING:
    from baxterkit.symbolic.closed_form import ClosedForm

__all__ = ["ClosedForm"]

__getattr__ = lazy_names(__name__, {"ClosedForm": "closed_form"})
