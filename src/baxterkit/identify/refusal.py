"""How a fit with doubts is refused: in the same words for mounts, dynamics and robots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from baxterkit.errors import ResultError


def check_doubts(fit: object, doubts: Sequence[str], path: str | Path | None = None) -> None:
    """Refuses a fit that does not explain its data.

    Args:
        fit: The fit.
        doubts: What is wrong with it.
        path: The file that it was to be written to, if any.

    Raises:
        ResultError: If there are doubts; names them, and how to write the file nevertheless.
    """
    if not doubts:
        return
    text = "; ".join(doubts)
    if path is not None:
        text = f"{path} was not written: {text}; accept=True writes it nevertheless"
    raise ResultError(text, fit)
