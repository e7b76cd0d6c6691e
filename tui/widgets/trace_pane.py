"""The pane that shows which span of which block brings the answer back."""

from __future__ import annotations

from tui.inside_pane import InsidePane


class TracePane(InsidePane):
    """Spans by blocks, as a heat map."""
