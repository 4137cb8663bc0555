"""The version of this package; pyproject.toml has the same."""

__all__ = ["VERSION"]

VERSION = "0.2.0"
