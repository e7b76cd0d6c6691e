"""Reasoning trees on the main screen: grow, fold, toggle, redraw, ask, review."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input, Static

from core.benchmarks.accord.benchmark import Accord
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.sources.pairing_decisions import decisions_file
from core.benchmarks.accord.task_layers import HOP, TWIN
from core.contract.rungs import Phase
from core.contract.view import Role
from core.files.shipped import samples
from tests.benchmarks.accord.suites import bundled_questions, generator, written
from tests.pilots import notices
from tests.tui.support import opened
from tests.tui.test_com2_screen import Graphs, painted_text
from tui.browse.item_list import ItemList
from tui.shell.prompts import AskText, PickOne
from tui.shell.text_screen import TextScreen

SIZES = [(140, 40), (60, 20)]


class Trees(Graphs):
    """The program on questions or a suite."""

    @property
    def item(self) -> AccordItem:
        found = self.browse.state.item
        assert isinstance(found, AccordItem)
        return found

    @property
    def setting(self) -> dict[str, str]:
        return dict(self.browse.state.history.now)

    @property
    def labels(self) -> list[str]:
        assert self.view.graph is not None
        return [link.label for link in self.view.graph.links]

    @property
    def texts(self) -> dict[str, str]:
        return {name: node.text for name, node in self.nodes.items()}

    @property
    def statements(self) -> list[str]:
        """The statements of their pane, whether in sight or not."""
        rows = self.browse.item_text.draw(400)
        texts = ("".join(span.text for span in row) for row in rows)
        found = (text.partition("Suppose that") for text in texts)
        return [after.partition("  ")[0] for _, start, after in found if start]


@asynccontextmanager
async def trees(
    path: Path | None = None, *, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[Trees]:
    async with opened(benchmark="accord", path=path, size=size) as program:
        there = Trees(program.app, program.pilot)
        if there.browse.has_class("-graph"):
            there.browse.enter_pane("graph")
        await there.pilot.pause()
        yield there
        assert there.app.is_running
        assert there.app.return_code is None


def counted(title: str) -> tuple[int, int]:
    """The hops and distractors that the border names."""
    words = title.split()
    hops = next(i for i, word in enumerate(words) if word.startswith("hop"))
    distractors = next(i for i, word in enumerate(words) if word.startswith("distractor"))
    return int(words[hops - 1]), int(words[distractors - 1])


def asked(there: Trees) -> list[str]:
    """The layers that have a question."""
    rungs = there.browse.state.rungs()
    return [rung.layer.id for rung in rungs if rung.question is not None]


# -- growing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_keys_grow_and_shrink_the_tree(size: tuple[int, int]) -> None:
    async with trees(size=size) as there:
        assert counted(there.title) == (2, 1)
        for key, cell in (
            ("plus", (3, 1)),
            ("plus", (4, 1)),
            ("minus", (3, 1)),
            ("d", (3, 2)),
            ("d", (3, 3)),
            ("D", (3, 2)),
        ):
            await there.press(key)
            assert counted(there.title) == cell
            assert len(there.labels) == sum(cell)
            assert len(there.nodes) == sum(cell) + 1
            roles = [link.role for link in there.view.graph.links]
            assert roles.count(Role.DISTRACTOR) == cell[1]
            assert f"{cell[0]} hops" in painted_text(there)
        assert "kettle" in there.drawing
        await there.press("u")
        assert counted(there.title) == (3, 3)


@pytest.mark.parametrize("size", SIZES)
async def test_keys_stop_at_the_ends_and_say_so(size: tuple[int, int]) -> None:
    async with trees(size=size) as there:
        await there.press(*["minus"] * 4)
        assert "Hops: 1 is as far as it goes." in there.told
        await there.press(*["D"] * 3)
        assert counted(there.title) == (1, 0)
        assert there.labels == ["spatial"]
        assert "Distractors: 0 is as far as it goes." in there.told


async def test_where_nothing_is_translated_the_key_says_so_and_changes_nothing() -> None:
    async with opened(benchmark="accord", model="/nowhere.gguf") as program:
        await program.press("T")
        assert any("Nothing here has a translation" in said for said in notices(program.app))


async def test_another_tree_is_another_tree_of_the_same_size() -> None:
    async with trees() as there:
        seen = set()
        for _ in range(4):
            links = tuple((x.source, x.label, x.target) for x in there.view.graph.links)
            seen.add((links, tuple(there.texts.values())))
            await there.press("ctrl+n")
            assert counted(there.title) == (2, 1)
        assert len(seen) == 4


# -- folding and explaining ----------------------------------------------------------------------


async def test_folding_puts_one_link_in_the_place_of_the_path_so_far() -> None:
    async with trees() as there:
        await there.press("plus", "plus")
        on_path = [link for link in there.view.graph.links if link.role is Role.CAUSE]
        assert len(on_path) == 4
        for folded in (1, 2, 3):
            await there.press("f")
            *links, concluded = there.view.graph.links
            assert concluded.label == "⇒ spatial"
            assert "kettle" in (there.texts[concluded.source], there.texts[concluded.target])
            assert f"{folded} of 3 steps" in concluded.note
            assert [link.role for link in links].count(Role.CUT) == folded + 1
        answer = next(name for name, node in there.nodes.items() if node.sign == "answer")
        assert answer in (concluded.source, concluded.target)
        await there.press("u", "u", "u")
        assert not any("⇒" in label for label in there.labels)


@pytest.mark.parametrize("size", SIZES)
async def test_the_reason_of_every_part_is_told(size: tuple[int, int]) -> None:
    async with trees(size=size) as there:
        await there.press("d", "plus")
        links, nodes = there.view.graph.links, there.nodes
        await there.press("w")
        assert isinstance(there.app.screen, TextScreen)
        await there.press("y")
        text = there.app.clipboard
        refused = {link.note for link in links if link.note.startswith("A distractor, not a step")}
        assert text.count("A distractor, not a step") == len(refused) > 0
        assert "Paired with the question: the path begins here." in text
        assert text.count("of the fold:") == 2
        for part in (*links, *nodes.values()):
            assert part.note in text
        await there.press("escape")
        assert there.app.screen is there.browse


async def test_a_term_is_drawn_anew_alone_and_the_ends_are_not() -> None:
    async with trees() as there:
        await there.press("plus")
        drawn = [name for name, node in there.nodes.items() if node.draw_switch]
        assert len(drawn) == len(there.nodes) - 2
        for name in drawn:
            await there.stand_on(name)
            before = there.texts
            await there.press("N")
            assert there.texts[name] != before[name]
            assert there.texts.keys() == before.keys()
        for name in set(there.nodes) - set(drawn):
            await there.stand_on(name)
            before = there.texts
            await there.press("N")
            assert there.texts == before
        assert "Nothing was drawn at random here." in there.told


# -- the implied answer --------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
async def test_one_key_flips_the_implied_answer_and_back(size: tuple[int, int]) -> None:
    async with trees(size=size) as there:
        default = there.item.question.answer
        factual = there.statements
        placement = there.view.placement
        assert "anti-factual" not in there.title
        await there.press("a")
        assert "anti-factual" in there.title
        assert "anti-factual" in painted_text(there)
        assert there.setting["implied"] != default
        flipped = there.statements
        assert len(flipped) == len(factual)
        changed = [(x, y) for x, y in zip(factual, flipped, strict=True) if x != y]
        assert len(changed) == 2
        assert all(("does not" in x) != ("does not" in y) for x, y in changed)
        await there.press("a")
        assert there.setting == {}
        assert there.statements == factual
        assert there.view.placement.width == placement.width


async def test_numbers_choose_the_answer_and_the_key_jumps_to_the_last_one() -> None:
    async with trees() as there:
        labels, default = there.item.question.labels, there.item.question.answer
        for key, label in enumerate(labels, 1):
            await there.press(str(key))
            assert there.setting.get("implied", default) == label
            assert ("anti-factual" in there.title) is (label != default)
            assert there.item.question.text(label) in there.texts.values()
        await there.press("4", "a")
        assert there.setting.get("implied", default) == default
        await there.press("a")
        assert there.setting["implied"] == labels[3]
        now = there.setting
        await there.press("6")
        assert there.setting == now
        assert "only 5 answers" in there.told


async def test_the_implied_answer_outlives_growing_and_folding() -> None:
    async with trees() as there:
        await there.press("1", "plus", "d", "ctrl+n", "f")
        assert there.setting["implied"] == "A"
        assert "anti-factual" in there.title
        await there.press("v")
        assert there.setting["pairing"] == "2"
        assert counted(there.title) == (3, 2)


async def test_every_bundled_question_stands_every_key() -> None:
    async with trees(size=(80, 24)) as there:
        items = there.browse.query_one(ItemList)
        seen = set()
        for position in (5, 13, 27):
            items.move_cursor(-(10**9))
            items.move_cursor(position)
            await there.pilot.pause()
            await there.press("plus", "d", "ctrl+n", "a", "f", "v", "5", "D", "minus", "u")
            assert there.browse.has_class("-graph")
            assert there.nodes
            seen.add(there.item.id)
        assert len(seen) == 3


# -- the model -----------------------------------------------------------------------------------


async def test_the_ladder_has_a_rung_for_each_hop_and_the_twin_beside_it() -> None:
    async with trees() as there:
        await there.press("plus", "3")
        layers = [rung.layer.id for rung in there.browse.state.rungs()]
        assert layers == ["bare", f"{HOP}1", f"{HOP}2", f"{HOP}3", "answer", TWIN]
        await there.ask()
        rungs = there.browse.state.rungs()
        assert [rung.phase for rung in rungs] == [Phase.ANSWERED] * 6
        golds = [rung.question.gold for rung in rungs if rung.question]
        default = there.item.question.labels.index(there.item.question.answer)
        assert golds == [default, 2, 2, 2, 2, default]
        assert "◆ gold" in there.ladder
        await there.press("a")
        # The bare question is the same in both worlds; it stands beside the ladder.
        assert "Layers answered: 0 of 4" in there.ladder
        assert TWIN not in [rung.layer.id for rung in there.browse.state.rungs()]
        await there.press("a")
        assert "Layers answered" not in there.ladder


async def test_an_answer_from_memory_is_named_when_it_happens() -> None:
    """The bundled model loses the thread of a longer path, and may fall back on the default."""
    accord = Accord()
    collection = accord.open(samples() / "accord")
    async with trees() as there:
        items = there.browse.query_one(ItemList)
        for position in range(len(collection)):
            items.move_cursor(-(10**9))
            items.move_cursor(position)
            await there.pilot.pause()
            await there.press("a")
            await there.ask()
            told = "Context unfaithful" in " ".join(there.ladder.split())
            verdicts = [rung.verdict for rung in there.browse.state.rungs()]
            remarks = [accord.remark(one) for one in verdicts if one is not None]
            assert told is any(remarks)
            if told:
                return
        raise AssertionError("No answer of the bundled model was the default one.")


# -- reviewing -----------------------------------------------------------------------------------


async def test_a_pairing_is_rejected_edited_and_taken_back() -> None:
    async with trees() as there:
        assert there.item.question.pairings[0].skill == "spatial"
        await there.press("ctrl+k")
        await there.choose("reviewed: spatial(kettle")
        await there.choose("Reject it")
        await there.until(lambda: len(there.item.question.pairings) == 1)
        await there.choose("rejected: spatial(kettle")
        await there.choose("Take the decision back")
        await there.until(lambda: len(there.item.question.pairings) == 2)
        await there.choose("reviewed: spatial(kettle")
        await there.choose("Edit it")
        surface = "Suppose that {} [[is|is not]] there with {}"
        await there.until(lambda: isinstance(there.app.screen, AskText))
        line = there.app.screen.query_one(Input)
        line.value = "nonsense"
        await there.press("enter")
        said = there.app.screen.query_one(".error", Static)
        await there.until(lambda: bool(str(said.content)))
        assert isinstance(there.app.screen, AskText)
        line.value = f"spatial([red]pot, source): {surface}"
        await there.press("enter")
        await there.until(lambda: there.item.question.pairings[0].term == "[red]pot")
        await there.until(lambda: isinstance(there.app.screen, PickOne))
        await there.press("escape")
        await there.until(lambda: there.app.screen is there.browse)
        assert "[red]pot" in there.texts.values()
        assert any("there with" in row for row in there.statements)
    assert "[red]pot" in decisions_file().read_text()
    async with trees() as there:
        assert there.item.question.pairings[0].term == "[red]pot"


# -- suites --------------------------------------------------------------------------------------


async def test_a_suite_is_shown_as_it_was_made(tmp_path: Path) -> None:
    written(generator((1, 3), seed=2, questions=bundled_questions(1)), tmp_path)
    (tmp_path / "knowledge").symlink_to(samples() / "accord" / "knowledge")
    async with trees(tmp_path) as there:
        assert there.item.bare
        assert not there.browse.has_class("-graph")
        for key in ("plus", "d", "a", "1", "ctrl+n", "f", "w", "N"):
            await there.press(key)
        assert there.setting == {}
        assert asked(there) == ["bare"]
        items = there.browse.query_one(ItemList)
        items.move_cursor(10**9)
        await there.pilot.pause()
        fixed = there.item.fixed
        assert fixed is not None
        assert counted(there.title) == (fixed.structure.hops, fixed.structure.distractors)
        before = there.texts
        for key in ("plus", "minus", "d", "D", "ctrl+n", "N"):
            await there.press(key)
        assert there.texts == before
        assert there.setting == {}
        variant = "anti-factual" in there.title
        assert variant
        await there.press(
            str(fixed.structure.question.labels.index(there.item.question.answer) + 1)
        )
        assert "anti-factual" not in there.title
        assert asked(there) == ["answer"]


async def test_the_bundled_sweep_opens() -> None:
    async with trees(samples() / "accord" / "sweep.yaml") as there:
        collection = there.browse.state.collection
        assert len(collection) > 500
        assert not collection.errors
        assert there.item.bare


# -- hostile text --------------------------------------------------------------------------------

HOSTILE = "[@click=app.quit]x[/] \u202eowt"
PAN = "[@click=app.quit]pan[/]"


@pytest.mark.parametrize("size", SIZES)
async def test_hostile_questions_and_terms_are_shown_and_not_obeyed(
    size: tuple[int, int], tmp_path: Path
) -> None:
    fields = {
        "id": f"h {HOSTILE}",
        "question": f"Where? {HOSTILE} \x1b]8;;http://x\x1b\\link\x1b[2J\x9b31m",
        "choices": {"A": f"a {HOSTILE}", "B": "[bold]kitchen[/]", "C": "\x1b[31mgarage"},
        "answer": "B",
        "concept": PAN,
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(fields) + "\n", encoding="utf-8")
    knowledge = tmp_path / "knowledge"
    knowledge.mkdir()
    rows = [f"{HOSTILE} {n},[b]place {n % 7}[/] \u2066y\n" for n in range(40)]
    rows.append(f"{PAN},[bold]kitchen[/]\n")
    for skill in ("AtLocation", "Causes", "PartOf", "IsA", "UsedFor", "HasPrerequisite"):
        (knowledge / f"{skill}.csv").write_text("".join(rows), encoding="utf-8")
    async with trees(tmp_path / "q.jsonl", size=size) as there:
        for key in ("a", "plus", "ctrl+n", "f", "N", "p", "y", "w", "escape", "s", "escape", "b"):
            await there.press(key)
            painted = painted_text(there)
            assert not {"\x1b", "\x9b", "\u202e", "\u2066", "\x00"} & set(painted)
        await there.press("escape")
        there.browse.enter_pane("graph")
        await there.pilot.pause()
        assert "[@click=app.quit]" in painted_text(there)
        assert there.setting["hops"] == "3"


async def test_a_concept_that_would_steer_the_terminal_is_not_paired(tmp_path: Path) -> None:
    fields = {
        "id": "h",
        "question": "Where is the kettle?",
        "choices": {"A": "attic", "B": "kitchen"},
        "answer": "B",
        "concept": "kettle\u202e",
    }
    (tmp_path / "q.jsonl").write_text(json.dumps(fields) + "\n", encoding="utf-8")
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "AtLocation.csv").write_text("kettle\u202e,kitchen\n")
    async with trees(tmp_path / "q.jsonl") as there:
        assert "control character" in there.item.unpaired
        assert asked(there) == ["bare"]
        assert "No tree can be grown" in painted_text(there)


async def test_mashing_keys_breaks_nothing() -> None:
    keys = "plus d a F g w escape N 3 v minus D F F a z Z R 0 u u ctrl+r tab plus shift+tab g y p f"
    async with trees(size=(60, 20)) as there:
        await there.press(*keys.split())
