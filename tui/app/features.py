"""The features that are plugged into every item screen."""

from __future__ import annotations

from tui.authoring.graph_editing import GraphEditing
from tui.authoring.review import SuggestionReview
from tui.blocks.controller import BlocksController
from tui.browse.feature import Feature
from tui.lessons.feature import Lessons

FEATURES: tuple[type[Feature], ...] = (BlocksController, GraphEditing, SuggestionReview, Lessons)
