"""Changes the numbers of an item that is generated: its size, noise, random draw and step."""

from __future__ import annotations

from core.contract.setting import Dial
from core.contract.view import Graph, Role
from core.layout.graph.as_graph import first_graph
from core.layout.rows import SIGNS
from core.text.language import _
from tui.browse.feature import Feature
from tui.browse.item_editing import change_item
from tui.shell.text_screen import TextScreen


class Dials(Feature):
    """Changes the numbers of the open item, and explains the parts of its graph."""

    NAME = "dials"

    def more(self) -> None:
        """Make the item one larger."""
        self._turn(Dial.SIZE, 1)

    def fewer(self) -> None:
        """Make the item one smaller."""
        self._turn(Dial.SIZE, -1)

    def more_noise(self) -> None:
        """Add one part that does not matter."""
        self._turn(Dial.NOISE, 1)

    def less_noise(self) -> None:
        """Take away one part that does not matter."""
        self._turn(Dial.NOISE, -1)

    def another(self) -> None:
        """Draw another one at random."""
        self._turn(Dial.DRAW, 1)

    def explain_step(self) -> None:
        """Go one step on in the explanation."""
        self._turn(Dial.STEP, 1)

    def _turn(self, dial: Dial, by: int) -> None:
        change_item(self.host, lambda state: state.turn(dial, by))

    def new_term(self) -> None:
        """Draw the text of the node under the cursor again at random."""
        node = self.host.graph.node() if self.host.graph_shown else None
        switch = node.draw_switch if node else ""
        if not switch:
            self.warn(_("Nothing was drawn at random here."))
            return
        change_item(self.host, lambda state: state.sample_again(switch))

    def why(self) -> None:
        """Explain every part of the graph."""
        state = self.host.state
        graph = first_graph(state.view()) if state is not None and state.is_open else None
        if graph is None:
            self.warn(_("There is no graph to explain here."))
            return
        self.host.app.push_screen(TextScreen(_("Why it is as it is"), text=reasons(graph)))


def reasons(graph: Graph) -> str:
    """The notes on the nodes, a paragraph each; then those on the links.

    Links with the same note share a paragraph.
    """
    texts = {node.id: node.text for node in graph.nodes}
    parts = [f"{node.text}\n    {node.note}" for node in graph.nodes if node.note]
    lines_of_note: dict[str, list[str]] = {}
    for link in graph.links:
        if link.note:
            end = SIGNS[link.role] if link.role in (Role.HINDERS, Role.CUT) else "→"
            line = f"{texts[link.source]}  ─{link.label}{end}  {texts[link.target]}"
            lines_of_note.setdefault(link.note, []).append(line)
    parts += ["\n".join([*lines, f"    {note}"]) for note, lines in lines_of_note.items()]
    return "\n\n".join(parts) or _("Nothing more is known of its parts.")
