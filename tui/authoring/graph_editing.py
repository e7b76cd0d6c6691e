"""What a person may do to the open graph: see, do, imagine, edit, save."""

from __future__ import annotations

from functools import partial

from textual import work
from textual.content import Content

from core.contract.graph_edits import Edit, Operation, format_edits, parse_edits
from core.contract.view import Graph, Node, View
from core.layout.graph.as_graph import first_graph
from core.layout.graph.mentions import last_sentence, mentioned
from core.text.errors import CommonsenseError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.authoring.item_editing import EditingScreen
from tui.browse.state import BrowseState
from tui.browse.view_pane import ViewPane

_EDITS = (
    N_("Add a node that this one leads to"),
    N_("Add a node that leads to this one"),
    N_("Link this node to another"),
    N_("Remove a link of this node"),
    N_("Retype this node"),
    N_("Remove this node"),
    N_("Save the graph as an item of your own"),
)


class GraphEditingScreen(EditingScreen):
    """Sets the states of nodes and edits the graph, in the setting and never in the file."""

    def __init__(self) -> None:
        super().__init__()
        self._statements_as_graph = False

    def show_view(self, view: View, *, glosses: bool) -> None:
        """Draw the graph of a view, where it has one, and everything else of it."""
        graph = first_graph(view, statements=self._statements_as_graph)
        self.set_class(graph is not None, "-graph")
        if graph is not None:
            self.graph.show(graph)
        elif self.pane == "graph":
            self.enter_pane("view")
        self.query_one(ViewPane).show(view, glosses=glosses, graphs=graph is None)
        self.node_explained()

    def on_mount(self) -> None:
        """Hear at once of another node under the cursor, so that both are painted together."""
        self.watch(self.graph, "cursor", self.node_explained, init=False)
        self.watch(self.graph, "drawn", self.node_explained, init=False)

    def node_explained(self) -> None:
        """Say why the node under the cursor is as it is: above the question and in the border."""
        node = self.graph.node() if self.has_class("-graph") else None
        text = f"{self.graph.number} {node.text}".lstrip() if node else ""
        words = (text, node.gloss, node.note) if node else ()
        # The pane that says it in full is not in sight where there is no room for both.
        below = text if self.graph.number else node.note if node else ""
        self.graph.border_subtitle = Content(escape_control_characters(below))
        self.query_one(ViewPane).explain(tuple(word for word in words if word))

    def light_up(self, written: str) -> None:
        """Light the nodes that the latest sentence of a text names; none for an empty text."""
        graph = self.graph.graph
        if self.has_class("-graph") and graph is not None:
            self.graph.light(mentioned(last_sentence(written), graph.nodes) if written else ())

    def action_as_graph(self) -> None:
        """Draw statements as a graph, or as text again."""
        self._statements_as_graph = not self._statements_as_graph
        self.refresh_item()
        if self.has_class("-graph"):
            self.enter_pane("graph")

    # -- see, do, imagine ------------------------------------------------------------------------

    def action_intervene(self) -> None:
        """Make the event under the cursor happen, prevent it, or let it be."""
        self._state("do")

    def action_observe(self) -> None:
        """Take the event under the cursor as observed."""
        self._state("observe")

    def action_imagine(self) -> None:
        """Imagine the event under the cursor otherwise."""
        self._state("imagine")

    def _node(self) -> Node:
        node = self.graph.node() if self.has_class("-graph") else None
        if node is None:
            raise SettingError(_("There is no node under the cursor."))
        return node

    def _state(self, verb: str) -> None:
        def change(state: BrowseState) -> None:
            node = self._node()
            if not node.state_switch:
                graph = self.graph.graph
                hint = ""
                if graph is not None and graph.edits_switch:
                    hint = _(
                        "An edit added it. Save the graph as your own ({save}) and open it "
                        "({open}): there it can.",
                        save=self._key("edit_graph"),
                        open=self._key("collections"),
                    )
                raise SettingError(_("The state of this node cannot be set."), hint=hint)
            passed_over = state.next_state(node.state_switch, verb)
            if passed_over:
                said = _("Passed over: {states}", states=escape_control_characters(passed_over))
                self.notify(said, severity="warning", markup=False)

        self._change(change)

    # -- editing ---------------------------------------------------------------------------------

    @work(group="dialogue", exit_on_error=False)
    async def action_edit_graph(self) -> None:
        """Choose an edit, say what it needs, and carry it out."""
        from tui.shell.prompts import PickOne

        graph = self.graph.graph
        node = self.graph.node()
        if not self.has_class("-graph") or graph is None or node is None:
            self.notify(_("There is no graph to edit here."), severity="warning", markup=False)
            return
        if not graph.edits_switch:
            self.notify(_("This graph cannot be edited."), severity="warning", markup=False)
            return
        said = _("Your changes never touch the file; {key} undoes them.")
        picked = await self.app.push_screen_wait(
            PickOne(_("Edit"), said.format(key=self._key("undo")), [_(edit) for edit in _EDITS])
        )
        if picked is None:
            return
        if picked == len(_EDITS) - 1:
            self._save()
            return
        made = await self._operations(picked, graph, node)
        if made:
            self._change(partial(_edited, key=graph.edits_switch, made=made))

    async def _operations(self, picked: int, graph: Graph, node: Node) -> tuple[Operation, ...]:
        """The operations of an edit, with what a person was asked for; empty when they left."""
        match picked:
            case 0 | 1:
                text = await self._typed(_("A new node"), "")
                if text is None:
                    return ()
                new = _unused(graph)
                ends = (node.id, new) if picked == 0 else (new, node.id)
                return Operation(Edit.ADD, new, text), Operation(Edit.LINK, *ends)
            case 2:
                linked = {link.target for link in graph.links if link.source == node.id}
                others = [n for n in graph.nodes if n.id not in linked and n.id != node.id]
                other = await self._picked(_("Link to"), others)
                return (Operation(Edit.LINK, node.id, other.id),) if other else ()
            case 3:
                ends_here = [x for x in graph.links if node.id in (x.source, x.target)]
                texts = {n.id: n.text for n in graph.nodes}
                at = await self._pick_line(
                    _("Remove a link"),
                    [f"{texts[x.source]} → {texts[x.target]}" for x in ends_here],
                )
                if at is None:
                    return ()
                return (Operation(Edit.UNLINK, ends_here[at].source, ends_here[at].target),)
            case 4:
                text = await self._typed(_("Retype this node"), node.text)
                return (Operation(Edit.RETEXT, node.id, text),) if text else ()
            case _:
                return (Operation(Edit.REMOVE, node.id),)

    async def _typed(self, title: str, start: str) -> str | None:
        from core.contract.setting import Text
        from tui.shell.prompts import AskText

        note = _("Your change is yours alone; the file stays as it is.")
        parse = Text("node", title, start).parse
        return await self.app.push_screen_wait(AskText(title, note, start, parse))

    async def _picked(self, title: str, nodes: list[Node]) -> Node | None:
        at = await self._pick_line(title, [node.text for node in nodes])
        return None if at is None else nodes[at]

    async def _pick_line(self, title: str, lines: list[str]) -> int | None:
        from tui.shell.prompts import PickOne

        if not lines:
            self.notify(_("There is none."), severity="warning", markup=False)
            return None
        return await self.app.push_screen_wait(PickOne(title, "", lines))

    def _save(self) -> None:
        """Save the item under its setting in the person's own collection."""
        state = self.state
        if state is None or not state.benchmark.can_save:
            said = _("Items of this kind cannot be saved.")
            self.notify(said, severity="warning", markup=False)
            return
        try:
            path = state.benchmark.save(state.item, state.history.now)
        except CommonsenseError as error:
            self.notify(str(error), severity="error", markup=False)
            return
        said = _("Saved in your own collection: {path}. {key} opens it.")
        said = said.format(path=path, key=self._key("collections"))
        self.notify(said, markup=False)


def _edited(state: BrowseState, *, key: str, made: tuple[Operation, ...]) -> None:
    """Add operations to the edits of the open item; raises `SettingError`."""
    switch = state.switch(key)
    before = parse_edits(state.history.now.value(switch))
    state.set(switch, format_edits((*before, *made)))


def _unused(graph: Graph) -> str:
    taken = {node.id for node in graph.nodes}
    return next(name for n in range(1, len(taken) + 2) if (name := f"new-{n}") not in taken)
