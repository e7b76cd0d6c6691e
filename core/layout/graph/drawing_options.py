"""Options for drawing a graph: where links lead, and how much of a node is drawn."""

from __future__ import annotations

from enum import StrEnum


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
