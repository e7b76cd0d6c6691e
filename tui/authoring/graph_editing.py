"""Changing the graph of the open item: see, do, imagine, edit, save."""

from __future__ import annotations

from functools import partial

from core.contract.graph_edits import Edit, Operation, format_edits, parse_edits
from core.contract.setting import Text
from core.contract.view import Graph, Node
from core.text.errors import CommonsenseError, SettingError
from core.text.language import N_, _
from tui.authoring.node_states import next_state
from tui.browse.feature import Feature
from tui.browse.item_editing import change_item
from tui.browse.state import BrowseState
from tui.shell.prompts import AskText, PickOne

_EDITS = (
    N_("Add a node that this one leads to"),
    N_("Add a node that leads to this one"),
    N_("Link this node to another"),
    N_("Remove a link of this node"),
    N_("Retype this node"),
    N_("Remove this node"),
    N_("Save the graph as an item of your own"),
)


class GraphEditing(Feature):
    """Sets the states of nodes and edits the graph, in the setting and never in the file."""

    NAME = "graph_editing"

    # -- see, do, imagine ------------------------------------------------------------------------

    def intervene(self) -> None:
        """Make the event under the cursor happen, prevent it, or let it be."""
        self._state("do")

    def observe(self) -> None:
        """Take the event under the cursor as observed."""
        self._state("observe")

    def imagine(self) -> None:
        """Imagine the event under the cursor otherwise."""
        self._state("imagine")

    def _node(self) -> Node:
        node = self.host.graph.node() if self.host.graph_shown else None
        if node is None:
            raise SettingError(_("There is no node under the cursor."))
        return node

    def _state(self, verb: str) -> None:
        def change(state: BrowseState) -> None:
            node = self._node()
            if not node.state_switch:
                graph = self.host.graph.graph
                hint = ""
                if graph is not None and graph.edits_switch:
                    hint = _(
                        "An edit of yours added it. Save the graph as your own ({save}) and open "
                        "that ({open}) to set its state.",
                        save=self.host.key("edit_graph"),
                        open=self.host.key("collections"),
                    )
                raise SettingError(_("The state of this node cannot be set."), hint=hint)
            passed_over = next_state(state, node.state_switch, verb)
            if passed_over:
                self.warn(_("Skipped: {states}", states=passed_over))

        change_item(self.host, change)

    # -- editing ---------------------------------------------------------------------------------

    async def edit_graph(self) -> None:
        """Choose an edit, say what it needs, and carry it out."""
        graph = self.host.graph.graph
        node = self.host.graph.node()
        if not self.host.graph_shown or graph is None or node is None:
            self.warn(_("There is no graph to edit here."))
            return
        if not graph.edits_switch:
            self.warn(_("This graph cannot be edited."))
            return
        explanation = _(
            "Your changes never touch the file; {key} undoes them.", key=self.host.key("undo")
        )
        picked = await self.host.app.push_screen_wait(
            PickOne(_("Edit"), explanation, [_(edit) for edit in _EDITS])
        )
        if picked is None:
            return
        if picked == len(_EDITS) - 1:
            self._save()
            return
        operations = await self._operations(picked, graph, node)
        if operations:
            change_item(self.host, partial(_edited, key=graph.edits_switch, operations=operations))

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
        note = _("Your change is yours alone; the file stays as it is.")
        parse = Text("node", title, start).parse
        return await self.host.app.push_screen_wait(AskText(title, note, start, parse))

    async def _picked(self, title: str, nodes: list[Node]) -> Node | None:
        at = await self._pick_line(title, [node.text for node in nodes])
        return None if at is None else nodes[at]

    async def _pick_line(self, title: str, lines: list[str]) -> int | None:
        if not lines:
            self.warn(_("There is none."))
            return None
        return await self.host.app.push_screen_wait(PickOne(title, "", lines))

    def _save(self) -> None:
        """Save the item under its setting in the person's own collection."""
        state = self.host.state
        if state is None or not state.benchmark.can_save:
            self.warn(_("Items of this kind cannot be saved."))
            return
        try:
            path = state.benchmark.save(state.item, state.history.now)
        except CommonsenseError as error:
            self.host.notify(str(error), severity="error", markup=False)
            return
        message = _(
            "Saved in your own collection: {path}. {key} opens it.",
            path=path,
            key=self.host.key("collections"),
        )
        self.host.notify(message, markup=False)


def _edited(state: BrowseState, *, key: str, operations: tuple[Operation, ...]) -> None:
    """Add operations to the edits of the item on the state; raises `SettingError`."""
    switch = state.switch(key)
    before = parse_edits(state.history.now.value(switch))
    state.set(switch, format_edits((*before, *operations)))


def _unused(graph: Graph) -> str:
    taken = {node.id for node in graph.nodes}
    return next(name for n in range(1, len(taken) + 2) if (name := f"new-{n}") not in taken)
