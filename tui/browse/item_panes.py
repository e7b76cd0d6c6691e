"""Draws the open item: its graph in one pane, everything else in the other."""

from __future__ import annotations

from textual.content import Content

from core.contract.view import Note, Role, Statements, View
from core.layout.graph.as_graph import first_graph
from core.layout.graph.mentions import last_sentence, mentioned_nodes
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import ENGLISH, _, spoken
from tui.browse.feature import HIGH, WIDE, Feature, ItemHost


class ItemPanes(Feature):
    """Draws the open item, and explains the node under the cursor.

    The screen's class `-graph` says that there is a graph. `signs` spells a node's sign out where
    the node is explained.
    """

    NAME = "item"

    def __init__(self, host: ItemHost, *, signs: bool = False) -> None:
        super().__init__(host)
        self._signs = signs
        self._glosses: bool | None = None
        """Whether translations are shown, as the person chose; None for in an English program where
        there is room: the translations are English."""
        self._statements_as_graph = False

    def mounted(self) -> None:
        """Watch the graph's cursor: a message would come after the graph is painted."""
        self.host.watch(self.host.graph, "cursor", self.explain_node, init=False)
        self.host.watch(self.host.graph, "drawn", self.explain_node, init=False)

    @property
    def _shows_glosses(self) -> bool:
        if self._glosses is None:
            if spoken() != ENGLISH:
                return False
            return self.host.size.width >= WIDE and self.host.size.height >= HIGH
        return self._glosses

    def glosses(self) -> None:
        """Show or hide the translation of the statements, where there is one."""
        if "glosses" not in self.offers:
            self.host.notify(_("Nothing here has a translation."), timeout=3, markup=False)
            return
        self._glosses = not self._shows_glosses
        self.host.refresh_item()

    def show(self, view: View) -> None:
        """Draw a view, with its title and badges in the border."""
        self._draw(view, glosses=self._shows_glosses)
        title = escape_control_characters(view.title)
        badges = "  ".join(escape_control_characters(badge.text) for badge in view.badges)
        text = self.host.item_text
        if self.host.graph_shown:
            self.host.graph.border_title = Content(title)
            self.host.graph.head(title, badges)
            title = _("What is asked") if self.host.text_beside else _("Under the cursor")
            text.border_title, text.border_subtitle = title, ""
        else:
            text.border_title, text.border_subtitle = Content(title), Content(badges)

    def show_note(self, view: View) -> None:
        """Show something else in the place of an item, a note or an error, and no ladder."""
        self._draw(view, glosses=False)
        self.host.ladder.show((), source="", hint="")
        self.host.item_text.border_title = view.title
        self.host.item_text.border_subtitle = ""

    def show_error(self, error: CommonsenseError) -> None:
        """Show in the place of an item why it, or its collection, cannot be shown."""
        press = _("Press {key} to open another collection.", key=self.host.key("collections"))
        notes = [Note(text) for text in (error.where, error.hint, press) if text]
        self.show_note(View(_(error.title), sections=(Note(error.what, Role.BAD), *notes)))

    def _draw(self, view: View, *, glosses: bool) -> None:
        graph = first_graph(view, statements=self._statements_as_graph)
        self.host.set_class(graph is not None, "-graph")
        if graph is not None:
            self.host.graph.show(graph)
        elif self.host.pane == "graph":
            self.host.enter_pane("view")
        self.host.item_text.show(view, glosses=glosses, graphs=graph is None)
        self.explain_node()

    def explain_node(self) -> None:
        """Show the node's gloss and note above the text and in the graph's border."""
        graph = self.host.graph
        node = graph.node() if self.host.graph_shown else None
        title = f"{graph.number} {node.text}".lstrip() if node else ""
        lines: tuple[str, ...] = (title, node.gloss, node.note) if node else ()
        # The pane that says it in full is not in sight where there is no room for both.
        below = title if graph.number else node.note if node else ""
        if self._signs and node is not None and node.sign:
            below = f"{node.sign} · {node.note}" if node.note else node.sign
            lines = (node.text, below)
        graph.border_subtitle = Content(escape_control_characters(below))
        if self.host.text_beside and self.host.pane != "graph":
            # What is asked comes first where the text has little room.
            lines = self._asked()
        self.host.item_text.explain(tuple(line for line in lines if line))

    def ladder_changed(self) -> None:
        """Follow the ladder with what is asked."""
        self.explain_node()

    def _asked(self) -> tuple[str, ...]:
        """What the layer under the ladder's cursor asks, where the view itself does not say it."""
        rung = self.host.ladder.rung() if self.host.graph_shown else None
        if rung is None or rung.question is None or not rung.question.about:
            return ()
        return (rung.layer.shown, *rung.question.text.splitlines())

    @property
    def _graph_in_sight(self) -> bool:
        if self.host.stacked:
            return self.host.pane == "graph"
        covered = self.host.has_class("-xray") or self.host.has_class("-trace")
        return not (self.host.text_beside and covered)

    @property
    def offers(self) -> frozenset[str]:
        """What the drawn item offers to keys; see `Command.needs`."""
        offers: set[str] = set()
        graph = self.host.graph.graph if self.host.graph_shown else None
        if graph is not None:
            offers.add("graph")
            if self._graph_in_sight:
                offers.add("graph_in_sight")
            if any(node.draw_switch for node in graph.nodes):
                offers.add("terms")
        view = self.host.item_text.view
        for section in view.sections if view is not None else ():
            if isinstance(section, Statements):
                if section.links or section.states is not None:
                    offers.add("links")
                if any(statement.gloss for statement in section.statements):
                    offers.add("glosses")
        return frozenset(offers)

    def light_up(self, text: str) -> None:
        """Light the nodes that the last sentence of a text names; none for an empty text."""
        graph = self.host.graph.graph
        if self.host.graph_shown and graph is not None:
            self.host.graph.light(mentioned_nodes(last_sentence(text), graph.nodes) if text else ())

    def as_graph(self) -> None:
        """Draw statements as a graph, or as text again."""
        self._statements_as_graph = not self._statements_as_graph
        self.host.refresh_item()
        if self.host.graph_shown:
            self.host.enter_pane("graph")
