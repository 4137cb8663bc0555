"""One thread for linear algebra while a fit runs.

A fit multiplies thousands of tall, narrow matrices. BLAS would split each over all cores and
busy-wait for the last of them: no faster on an idle machine, and much slower on a busy one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def on_one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with BLAS on one thread while it runs.

    The limit applies to the whole process, other threads included, until the function ends. Without
    the package threadpoolctl (extra [data]) there is no limit.
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
