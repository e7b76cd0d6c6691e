"""Options for drawing a graph and moving in it: direction, zoom, heading."""

from __future__ import annotations

from enum import Enum, StrEnum


class Direction(StrEnum):
    """Where links lead."""

    DOWN = "down"
    RIGHT = "right"


class Zoom(StrEnum):
    """How much of a node is drawn, from least to most."""

    GLYPHS = "glyphs"
    """A sign and a number."""
    LABELS = "labels"
    """One line of text."""
    BOXES = "boxes"
    """All of the text, wrapped, in a frame."""


LABEL_WIDTH = 24
"""Most cells of a one-line label."""

LINK_LABEL_WIDTH = 16
"""Most cells of the label of a link."""


class Heading(Enum):
    """Where to look, as steps in x and y."""

    LEFT = (-1, 0)
    RIGHT = (1, 0)
    UP = (0, -1)
    DOWN = (0, 1)
