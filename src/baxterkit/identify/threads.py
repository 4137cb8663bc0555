"""One thread for linear algebra while a fit runs.

A fit multiplies thousands of tall, narrow matrices. BLAS would share each out to all cores and
wait, spinning, for the last of them: no faster on an idle machine, and eight times slower on a
busy one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["on_one_thread"]

P = ParamSpec("P")
R = TypeVar("R")


def on_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with BLAS on one thread while it runs.

    The limit is the process's: what other threads compute meanwhile is limited, too. It is lifted
    when the function ends. Without the package threadpoolctl (extra [data]) there is no limit.
    """

    @functools.wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            from threadpoolctl import threadpool_limits
        except ModuleNotFoundError:
            return function(*args, **kwargs)
        with threadpool_limits(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return limited
