"""The colours of everything that is drawn, which colour-blind readers can tell apart.

They are those of Okabe and Ito (Color Universal Design, 2008), and some greys.
"""

from __future__ import annotations

from typing import TypeAlias

Color: TypeAlias = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""

BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
YELLOW = "#F0E442"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
INK = "#2B2F36"
GREY = "#8A9099"
PALE = "#DDE1E6"
PANE = "#F6F7F9"

ARM_COLORS = {"left": SKY, "right": ORANGE}
AXIS_COLORS = {"x": VERMILION, "y": GREEN, "z": BLUE}
CYCLE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK, YELLOW)
"""Colours of distinct lines, in this order."""
JOINT_COLORS = CYCLE[:7]
"""Colours of the joints s0 s1 e0 e1 w0 w1 w2, in every plot, bar and report."""
TOUCHING: Color = (130, 20, 255)
"""Violet, for what touches: far from each colour of our robot and of Rethink's red one, for readers
who lack red or green cones too."""


def rgb(text: str) -> Color:
    """A colour such as "#56B4E9" as numbers."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
