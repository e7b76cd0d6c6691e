"""The pane that shows the options after every block."""

from __future__ import annotations

from tui.inside_pane import InsidePane


class XrayPane(InsidePane):
    """Options by blocks, as a heat map."""
