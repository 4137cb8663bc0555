"""The arm's equations as expression graphs and programs, from which kernels are generated.

For users: `ClosedForm`, the equations as SymPy matrices and as programs of shared subexpressions
(extra `[symbolic]`). It is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baxterkit.symbolic.closed_form import ClosedForm

__all__ = ["ClosedForm"]


def __getattr__(name: str) -> Any:
    if name == "ClosedForm":
        from baxterkit.symbolic.closed_form import ClosedForm

        return ClosedForm
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
