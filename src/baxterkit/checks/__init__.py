"""Checks of arguments, with messages that name the value, the limit and the remedy."""
