"""Event graphs on the main screen: see, do, imagine, edit, ask; stories drawn as graphs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import yaml
from textual.widgets import Input, OptionList

from core.benchmarks.com2.benchmark import Com2
from core.contract.graph_edits import Edit, Operation, parse_edits
from core.contract.rungs import Phase
from core.contract.view import Node, Role
from core.files import paths
from core.layout.graph.drawing_options import Zoom
from tests.pilots import notices, screen_rows
from tests.tui.support import Opened, opened, widget_text
from tui.browse.item_list import ItemList
from tui.browse.view_pane import ViewPane
from tui.shell.prompts import AskText, PickOne
from tui.widgets import graph_travel
from tui.widgets.graph_view import GraphView
from tui.widgets.rows_view import RowsView

RAIN = {
    "id": "rain",
    "language": "en",
    "title": "Rain on the path",
    "events": {
        "rain": {"text": "It rains all night", "leak": 1},
        "wet": {"text": "The path gets wet"},
        "slip": {"text": "A runner slips"},
        "sand": {"text": "Somebody spreads sand"},
        "late": {"text": "The runner comes late"},
    },
    "links": [
        {"from": "rain", "to": "wet"},
        {"from": "wet", "to": "slip"},
        {"from": "slip", "to": "late"},
        {"from": "sand", "to": "slip"},
    ],
    "groups": [{"effect": "slip", "rule": "inhibitor", "causes": ["sand"]}],
    "tasks": {
        "direct": {
            "question": "It rains all night. What follows?",
            "path": ["rain", "wet", "slip", "late"],
            "options": [{"event": "late"}, {"text": "The sun comes out"}],
        },
        "intervention": {
            "question": "Sand is spread. What now?",
            "do": {"sand": 1},
            "path": ["rain", "wet"],
            "distractors": [["rain", "wet", "slip", "late"]],
            "options": [{"event": "wet"}, {"event": "late"}],
        },
    },
}


class Graphs(Opened):
    """The program on a graph."""

    @property
    def view(self) -> GraphView:
        return self.browse.query_one(GraphView)

    @property
    def title(self) -> str:
        """The graph's border: the item and its badges."""
        return str(self.view.border_title)

    @property
    def why(self) -> str:
        return str(self.view.border_subtitle)

    @property
    def nodes(self) -> dict[str, Node]:
        assert self.view.graph is not None
        return {node.id: node for node in self.view.graph.nodes}

    @property
    def drawing(self) -> str:
        return "\n".join(self.view.render_line(y).text for y in range(self.view.size.height))

    @property
    def told(self) -> str:
        return " ".join(notices(self.app))

    async def stand_on(self, node: str) -> None:
        self.view.cursor = node
        await self.pilot.pause()

    async def choose(self, line: str) -> None:
        """Pick the line that begins so in the dialogue that opens."""
        await self.until(lambda: self._place(line) is not None)
        dialogue = self.app.screen
        dialogue.query_one(OptionList).highlighted = self._place(line)
        await self.press("enter")
        await self.until(lambda: self.app.screen is not dialogue)

    def _place(self, line: str) -> int | None:
        """Where the line that begins so stands in the dialogue in front."""
        screen = self.app.screen
        if not isinstance(screen, PickOne) or not screen.query(OptionList):
            return None
        options = screen.query_one(OptionList).options
        found = (i for i, one in enumerate(options) if str(one.prompt).startswith(line))
        return next(found, None)

    async def type(self, text: str) -> None:
        """Answer the dialogue that asks for a line."""
        await self.until(lambda: isinstance(self.app.screen, AskText))
        self.app.screen.query_one(Input).value = text
        await self.press("enter")
        await self.until(lambda: self.app.screen is self.browse)


@asynccontextmanager
async def graphs(
    path: Path | None = None, *, size: tuple[int, int] = (140, 40), pane: str = "graph"
) -> AsyncIterator[Graphs]:
    """The program on graphs, in a pane."""
    async with opened(benchmark="com2", path=path, size=size) as program:
        there = Graphs(program.app, program.pilot)
        there.browse.enter_pane(pane)
        await there.pilot.pause()
        yield there


@pytest.fixture
def rain(tmp_path: Path) -> Path:
    path = tmp_path / "rain.yaml"
    path.write_text(yaml.safe_dump(RAIN, sort_keys=False), encoding="utf-8")
    return path


# -- see, do, imagine --------------------------------------------------------------------------


async def test_one_key_intervenes_and_the_border_says_why() -> None:
    async with graphs() as there:
        assert "rung 1: see" in there.title
        roots = [link.source for link in there.view.graph.links]
        await there.stand_on(roots[0])
        before = there.view.placement
        await there.press("i")
        assert "rung 2: do" in there.title
        assert there.nodes[roots[0]].role is Role.FORCED
        assert "set by do()" in there.why
        assert there.nodes[roots[0]].sign == "do=0"
        changed = [node for node in there.nodes.values() if node.role is Role.ABSENT]
        assert changed
        for node in changed:
            await there.stand_on(node.id)
            assert "does not happen" in there.why
            assert there.why.replace("\\", "") in " ".join(there.story.split())
        assert there.view.placement is before


async def test_every_key_skips_what_is_left_of_a_change_that_travels(
    rain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_travel, "SECONDS", 3600.0)
    async with graphs(rain) as there:
        monkeypatch.setattr(there.app, "animation_level", "full")
        # A movement, one with precedence, two that do nothing, and the one that asks.
        for key in ("j", "pageup", "f9", "Q", "space"):
            await there.stand_on("rain")
            await there.press("i")
            assert there.view.travel.under_way
            on_the_way = there.drawing
            await there.press(key)
            assert not there.view.travel.under_way, key
            assert there.drawing != on_the_way
            await there.press("u")


async def test_the_three_verbs_have_rungs_of_their_own(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("wet")
        for key, rung, role in (
            ("i", "rung 2: do", Role.FORCED),
            ("I", "rung 3: imagine", Role.IMAGINED),
            ("o", "rung 1: see", Role.OBSERVED),
        ):
            await there.press(key)
            assert rung in there.title
            assert there.nodes["wet"].role is role
        assert "◉" in there.drawing


async def test_a_key_goes_round_and_frees_the_event_again(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("wet")
        states = []
        for _ in range(3):
            await there.press("i")
            states.append(there.browse.state.history.now.get("event.wet", "free"))
        assert states == ["do=0", "do=1", "free"]
        assert "rung 1: see" in there.title


async def test_a_key_begins_with_the_opposite_of_what_the_task_makes_of_an_event(
    tmp_path: Path,
) -> None:
    fields = json.loads(json.dumps(RAIN))
    fields["tasks"]["intervention"]["do"] = {"wet": 0}
    path = tmp_path / "dry.yaml"
    path.write_text(yaml.safe_dump(fields), encoding="utf-8")
    async with graphs(path) as there:
        await there.press("v")
        await there.stand_on("wet")
        assert (there.nodes["wet"].role, there.nodes["wet"].happens) == (Role.FORCED, False)
        await there.press("i")
        assert there.browse.state.history.now["event.wet"] == "do=1"
        assert there.nodes["wet"].happens


async def test_what_was_prevented_looks_unlike_what_was_made_to_happen(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("rain")
        await there.press("Z", "Z", "z")
        await there.press("i")
        assert there.browse.state.history.now["event.rain"] == "do=0"
        assert "╣○It rains all night╠" in there.drawing.replace(" ╠", "╠")
        await there.press("i")
        assert "╣◆It rains all night╠" in there.drawing.replace(" ╠", "╠")


async def test_every_event_says_what_caused_it_and_by_which_rule(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("slip")
        assert "The path gets wet" in there.why
        await there.stand_on("sand")
        await there.press("i")
        await there.stand_on("slip")
        assert there.nodes["slip"].role is Role.ABSENT
        assert "Somebody spreads sand" in there.why


async def test_contradictory_evidence_is_told_and_passed_over(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("rain")
        await there.press("o")
        assert dict(there.browse.state.history.now)["event.rain"] == "observe=1"
        assert there.told == ""
        await there.press("o")
        assert "event.rain" not in there.browse.state.history.now
        assert "Skipped: seen not to happen, because: What is observed cannot be" in there.told
        assert there.app.screen is there.browse


async def test_undo_and_redo_go_through_states(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("wet")
        await there.press("i", "u")
        assert there.nodes["wet"].role is Role.PLAIN
        await there.press("ctrl+r")
        assert there.nodes["wet"].role is Role.FORCED
        await there.press("a")
        assert there.nodes["wet"].role is Role.PLAIN


# -- scenarios -----------------------------------------------------------------------------------


async def test_v_cycles_scenarios_and_keeps_edits_but_not_states(rain: Path) -> None:
    async with graphs(rain) as there:
        edit = Operation(Edit.RETEXT, "wet", "The path gets slippery")
        state = there.browse.state
        await there.stand_on("wet")
        await edit_text(there, edit.second)
        await there.press("i")
        assert "What follows?" in there.story
        await there.press("v")
        assert "intervention" in there.title
        assert "What now?" in there.story
        assert there.nodes["wet"].text == edit.second
        assert there.nodes["wet"].role is Role.PLAIN
        assert there.nodes["sand"].role is Role.FORCED
        assert parse_edits(state.history.now["edits"]) == (edit,)
        await there.press("v")
        assert "direct" in there.title
        assert there.nodes["wet"].text == edit.second


async def edit_text(there: Graphs, text: str) -> None:
    await there.press("ctrl+e")
    await there.choose("Retype this node")
    await there.type(text)
    await there.until(lambda: text in {node.text for node in there.nodes.values()})


@pytest.mark.slow
async def test_every_sample_shows_each_of_its_scenarios() -> None:
    com2 = Com2()
    collection = com2.open(com2.samples())
    async with graphs() as there:
        items = there.browse.query_one(ItemList)
        for position in range(0, len(collection), 9):
            items.move_cursor(-(10**9))
            items.move_cursor(position)
            await there.pilot.pause()
            assert there.browse.has_class("-graph")
            assert there.nodes
            assert "rung" in there.title
            await there.press("v")
            assert there.app.screen is there.browse


# -- editing -------------------------------------------------------------------------------------


async def test_an_event_is_added_and_has_no_state_to_set(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("slip")
        await there.press("ctrl+e")
        await there.choose("Add a node that this one leads to")
        await there.type("[red]A knee hurts[/]")
        await there.until(lambda: "new-1" in there.nodes)
        assert there.nodes["new-1"].text == "[red]A knee hurts[/]"
        assert any(
            (link.source, link.target) == ("slip", "new-1") for link in there.view.graph.links
        )
        await there.stand_on("new-1")
        assert "[red]A knee hurts[/]" in there.story
        assert "happens" in there.why
        now = there.browse.state.history.now
        for key in "ioc":
            await there.press(key)
        assert there.browse.state.history.now == now
        assert "cannot be set" in there.told
        await there.press("u")
        assert "new-1" not in there.nodes


async def test_links_are_added_and_removed_and_cycles_refused(rain: Path) -> None:
    async with graphs(rain) as there:

        def links() -> set[tuple[str, str]]:
            assert there.view.graph is not None
            return {(link.source, link.target) for link in there.view.graph.links}

        before = links()
        await there.stand_on("rain")
        await there.press("ctrl+e")
        await there.choose("Link this node to another")
        await there.choose("The runner comes late")
        await there.until(lambda: links() == before | {("rain", "late")})
        await there.press("ctrl+e")
        await there.choose("Remove a link of this node")
        await there.choose("It rains all night → The path gets wet")
        await there.until(lambda: links() == (before | {("rain", "late")}) - {("rain", "wet")})
        await there.stand_on("late")
        await there.press("ctrl+e")
        await there.choose("Link this node to another")
        changed = links()
        await there.choose("It rains all night")
        await there.until(lambda: "not possible" in there.told)
        assert links() == changed
        await there.press("u", "u")
        assert links() == before


async def test_an_event_is_removed_with_its_links_and_its_cursor(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("slip")
        await there.press("ctrl+e")
        await there.choose("Remove this node")
        await there.until(lambda: "slip" not in there.nodes)
        assert there.view.cursor in there.nodes
        assert "rung" in there.title


async def test_the_state_of_an_added_event_is_set_once_it_is_saved(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.stand_on("wet")
        await there.press("ctrl+e")
        await there.choose("Add a node that leads to this one")
        await there.type("A tap is left open")
        await there.until(lambda: "new-1" in there.nodes)
        await there.stand_on("new-1")
        before = there.browse.state.history.now
        for key in "ioc":
            await there.press(key)
        assert there.browse.state.history.now == before
        assert "An edit of yours added it. Save the graph as your own (ctrl+e)" in there.told
        await there.press("ctrl+e")
        await there.choose("Save the graph")
        await there.until(lambda: "Saved in your own collection" in there.told)
    (own,) = paths.own_folder("com2").iterdir()
    async with graphs(own) as there:
        await there.stand_on("new-1")
        await there.press("i")
        assert there.nodes["new-1"].happens
        assert there.nodes["new-1"].role is Role.FORCED


async def test_leaving_a_dialogue_changes_nothing(rain: Path) -> None:
    async with graphs(rain) as there:
        for line in ("Add a node that leads to this one", "Retype", "Link this"):
            await there.press("ctrl+e")
            await there.choose(line)
            await there.until(lambda: there.app.screen is not there.browse)
            await there.press("escape")
            await there.until(lambda: there.app.screen is there.browse)
        assert not there.browse.state.history.now


def own_files() -> list[Path]:
    folder = paths.own_folder("com2")
    return sorted(folder.iterdir()) if folder.is_dir() else []


async def test_an_edited_graph_is_saved_as_ones_own_and_the_file_left_alone(rain: Path) -> None:
    before = rain.read_bytes()
    async with graphs(rain) as there:
        await there.stand_on("wet")
        await edit_text(there, "The path gets slippery")
        for number in (1, 2):
            await there.press("ctrl+e")
            await there.choose("Save the graph")
            await there.until(lambda number=number: len(own_files()) == number)
        assert "Saved in your own collection" in there.told
    assert rain.read_bytes() == before
    com2 = Com2()
    for path in own_files():
        saved = com2.open(path)
        assert saved.item(0).graph.event("wet").text == "The path gets slippery"


# -- the model -----------------------------------------------------------------------------------


async def test_the_ladder_asks_each_link_and_then_the_question(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.ask()
        rungs = [rung for rung in there.browse.state.rungs() if rung.question is not None]
        assert [rung.phase for rung in rungs] == [Phase.ANSWERED] * 4
        *links, last = rungs
        for rung, (cause, effect) in zip(links, LINKS, strict=True):
            assert cause in rung.question.text
            assert effect in rung.question.text
        assert "What follows?" in last.question.text
        assert last.question.gold is not None
        assert there.ladder.count("◆ gold") + there.ladder.count("▸") >= 4
        await there.press("v")
        assert "Not asked yet" in there.ladder


async def test_a_link_that_the_intervention_broke_is_asked_and_is_not_so(rain: Path) -> None:
    async with graphs(rain) as there:
        await there.press("v")
        await there.ask()
        rungs = [rung for rung in there.browse.state.rungs() if rung.question is not None]
        assert [rung.question.layer for rung in rungs] == ["link-1", "broken", "answer"]
        broken = rungs[1].question
        assert broken.options[broken.gold] == "no"
        text = broken.text.splitlines()
        assert text[0] == "Somebody makes sure that this happens: Somebody spreads sand."
        assert text[1:3] == [f"First event: {LINKS[1][0]}.", f"Second event: {LINKS[1][1]}."]
        # Nothing on the screen says beforehand that this link is broken.
        assert "Other chain" in there.ladder
        assert "roken" not in there.ladder


LINKS = (
    ("It rains all night", "The path gets wet"),
    ("The path gets wet", "A runner slips"),
    ("A runner slips", "The runner comes late"),
)


async def test_what_the_model_names_lights_up(rain: Path) -> None:
    async with graphs(rain) as there:

        def lit() -> bool:
            here = [segment for y in range(30) for segment in there.view.render_line(y)]
            return any(
                s.style and s.style.meta.get("node") == "slip" and s.style.reverse for s in here
            )

        there.browse.light_up("First it rains. Then a runner slips, and so on.")
        assert lit()
        there.browse.light_up("")
        assert not lit()


# -- panes ---------------------------------------------------------------------------------------


async def test_keys_of_the_graph_stand_below_it() -> None:
    async with graphs() as there:
        keys = there.browse.query("KeyBar").first().render_line(0).text
        for word in ("i do", "o see", "I imagine", "ctrl+e edit"):
            assert word in keys
        await there.press("question_mark")
        assert "The graph" in there.app.screen.prose


async def test_a_step_and_its_reason_are_painted_at_once(rain: Path) -> None:
    async with graphs(rain) as there:
        for node in there.nodes.values():
            there.view.cursor = node.id
            # Nothing was awaited: what stands below changed in the same turn.
            assert there.story.splitlines()[0].strip() == node.text
            assert node.note in there.why.replace("\\", "")


async def test_arrows_walk_in_the_graph_and_leave_other_panes() -> None:
    async with graphs() as there:
        first = there.view.cursor
        await there.press("j")
        assert there.view.cursor != first
        await there.press("k", "left", "right")
        assert there.browse.pane == "graph"
        await there.press("end")
        assert there.view.cursor == list(there.nodes)[-1]
        await there.press("home")
        assert there.view.cursor == next(iter(there.nodes))
        await there.press("y")
        assert there.app.clipboard.lstrip().startswith("Events")


async def test_distance_and_direction_have_keys() -> None:
    async with graphs() as there:
        await there.press("Z", "Z", "Z")
        assert there.view.placement.zoom is Zoom.GLYPHS
        direction = there.view.placement.direction
        await there.press("vertical_line")
        assert there.view.placement.direction is not direction
        await there.press("z", "z")
        assert there.view.placement.zoom is Zoom.BOXES
        await there.press("0")
        assert there.view.placement.width <= there.view.size.width


async def test_stories_have_no_graph_pane_until_they_are_drawn_as_one() -> None:
    async with opened() as program:
        there = Graphs(program.app, program.pilot)
        seen = []
        for _ in range(4):
            seen.append(there.browse.pane)
            await there.press("tab")
        assert seen == ["list", "view", "ladder", "live"]
        await there.press("ctrl+g")
        assert there.browse.pane == "graph"
        statements = json.loads(json.dumps([node.text for node in there.nodes.values()]))
        assert len(statements) >= 4
        await there.press("v", "tab", "shift+tab")
        assert there.browse.pane == "graph"
        assert "■" in there.drawing
        for key in "ioc":
            await there.press(key)
        assert "cannot be set" in there.told
        await there.press("ctrl+e")
        await there.until(lambda: "cannot be edited" in there.told)
        await there.press("ctrl+g")
        assert there.browse.pane == "view"
        assert not there.browse.has_class("-graph")
        assert "■" in there.story


async def test_keys_of_a_graph_do_nothing_where_none_is_shown() -> None:
    async with opened() as program:
        there = Graphs(program.app, program.pilot)
        before = there.story
        for key in ("z", "Z", "0", "vertical_line", "i", "o", "I", "ctrl+e", "H", "J", "K", "L"):
            await there.press(key)
        assert there.story == before
        assert not there.browse.state.history.now
        await there.press("ctrl+g", "Z", "ctrl+g")
        placement = there.view.placement
        await there.press("z", "0", "vertical_line")
        assert there.view.placement is placement


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])
async def test_every_size_shows_the_graph_and_why(size: tuple[int, int], rain: Path) -> None:
    async with graphs(rain, size=size) as there:
        await there.stand_on("rain")
        await there.press("i")
        for word in ("It rains", "A runner", "○"):
            assert word in there.drawing
        assert "rung 2: do" in there.title
        assert "set by do()" in there.why
        painted = painted_text(there)
        assert "rung 2: do" in painted
        assert "set by do()" in painted
        for key in (" i do ", " o see ", " I imagine ", " ?"):
            assert key in painted.splitlines()[-1]
        seen = set()
        for _ in there.browse.navigator.panes:
            pane = there.browse.pane
            widget = there.browse.pane_widget(pane)
            assert widget.region.area > 0
            if isinstance(widget, RowsView):
                text = widget_text(widget)
                assert text.strip()
                if isinstance(widget, ViewPane):
                    assert "What follows?" in " ".join(text.split())
            seen.add(pane)
            await there.press("tab")
        assert seen == {"list", "graph", "view", "ladder", "live"}


def painted_text(there: Graphs) -> str:
    return "\n".join(screen_rows(there.app))


async def test_hostile_events_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    hostile = "[@click=app.quit]x[/] \u202eowt ␛ end"
    fields = json.loads(json.dumps(RAIN))
    fields["title"] = hostile
    fields["events"]["wet"]["text"] = hostile
    fields["events"]["wet"]["gloss"] = "[red]gloss[/]"
    path = tmp_path / "bad.yaml"
    path.write_text(yaml.safe_dump(fields, allow_unicode=True), encoding="utf-8")
    async with graphs(path) as there:
        await there.stand_on("wet")
        await there.press("i", "o", "I", "p", "y")
        await there.stand_on("slip")
        painted = painted_text(there)
        assert "\u202e" not in painted
        assert "⟨RLO⟩" in painted
        assert "[@click=app.quit]x" in painted
        assert there.app.is_running


async def test_mashing_keys_breaks_nothing() -> None:
    keys = "i o c j l c i v z Z R 0 u u ctrl+r a H J K L end home tab shift+tab ctrl+g y g p f"
    async with graphs(size=(80, 24)) as there:
        for _ in range(2):
            await there.press(*keys.split())
        assert there.app.is_running
        assert there.app.return_code is None
