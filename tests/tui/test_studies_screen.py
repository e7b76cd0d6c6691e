"""The screens of studies: the list, one that is begun, its map, and the items behind a cell."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import msgspec
import pytest
from textual.widgets import OptionList, Static

from core.contract import registry
from core.contract.view import Statements
from core.files import paths
from core.layout.graph.weights import percent
from core.runs.records import RunState
from core.studies.direction import STRENGTHS
from core.studies.plan import Study, StudyPlan
from core.studies.study_store import StudyStore
from core.studies.subject import task_layer
from tests.mostly_slow import mostly_slow
from tests.pilots import notices
from tests.tui.support import Opened, opened, widget_text
from tests.tui.test_xray import lines_of
from tui.blocks.xray_cursor import Face
from tui.blocks.xray_pane import XrayPane
from tui.shell.prompts import PickOne
from tui.studies.choices import StudyForm
from tui.studies.choices_dialogue import ChooseStudy
from tui.studies.studies_screen import OpenCollection, StudiesScreen
from tui.studies.study_screen import StudyScreen

pytestmark = pytest.mark.usefixtures("demo_model")
NO_MODEL = "/nowhere.gguf"
SIZES = pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)], ids=lambda size: size[0])


def item(name: str, effect: float, control: float | None, group: str) -> dict[str, Any]:
    """An item with the same effect in both blocks of the breakpoint."""
    return {
        "item": name, "cluster": name, "group": group, "valid": group != "wrong here",
        "margins": [1.0, -1.0], "effects": {"breakpoint": [effect, effect]},
        "control": None if control is None else {"breakpoint": [control, control]},
    }  # fmt: skip


def record(
    kind: str,
    result: dict[str, Any],
    *options: tuple[str, str],
    benchmark: str = "gita",
    layer: str = "story_class",
    fingerprint: str = "f" * 64,
) -> Study:
    """Record a study of the bundled items of a benchmark that is done."""
    loaded = registry.load(benchmark)
    collection = loaded.open(loaded.samples())
    plan = StudyPlan(
        kind, "org/Sure 7B", fingerprint, benchmark, str(loaded.samples()), collection.content_hash,
        layer, options=options,
    )  # fmt: skip
    with StudyStore(paths.runs()) as store:
        study = store.start(plan)
        store.finish(study.id, result)
        return store.study(study.id)


def recorded(**changes: Any) -> Study:
    """Record a trace of three stories, in which the breakpoint does it."""
    right = "right in every layer"
    result = {
        "n": 2, "of": 3, "clusters": 2, "excluded": {"the model is wrong about it": 1},
        "items": [
            item("0-O0", 1.5, 0.25, right), item("1-O0", 2.5, None, right),
            item("2-O0", -1.0, 0.0, "wrong here"),
        ],
        "roles": ["instruction", "breakpoint"], "blocks": [0, 1],
        "n_by_row": [2, 2], "n_control": [1, 1],
        "effect": [[0.0, 0.0], [2.0, None]], "interval": [[None, None], [[1.25, 2.75], None]],
        "control": [[0.0, 0.0], [0.25, None]], "difference": [[0.0, 0.0], [1.25, None]],
        "difference_interval": [[None, None], [None, None]],
        "p": [[None, None], [0.04, None]],
        "split": [
            {
                "group": group, "n": n, "n_by_row": [n, n], "effect": [[0.0, 0.0], [effect, None]],
                "interval": [[None, None], [None, None]],
            }
            for group, n, effect in ((right, 2, 2.0), ("wrong here", 1, -1.0))
        ],
    } | changes  # fmt: skip
    return record("trace", result, ("part", "residual"))


def estimate(name: str, value: float) -> dict[str, Any]:
    """A figure of a result, without an interval."""
    return {name: value, f"{name}_interval": None}


def recorded_probe(items: list[dict[str, Any]] | None) -> None:
    """Record a probe of two blocks, with what it kept of the questions or without."""
    blocks = [
        {"block": 0, "auc": 0.5, "interval": None, "shuffled_auc": 0.5, "accuracy": 0.5},
        {"block": 1, "auc": 0.75, "interval": [0.625, 0.875], "shuffled_auc": 0.5,
         "accuracy": 0.75},
    ]  # fmt: skip
    result: dict[str, Any] = {
        "n": 3, "groups": 3, "left_out": 0, "blocks": blocks, "chosen_blocks": [1], "options":
        ["false", "true"], "layers": ["story_class"], "base_rate": 0.5, "accuracy": 0.75,
        "own_accuracy": 0.5, "selectivity": 0.0, "verdict": "not encoded",
        "encoded_not_used": False,
    }  # fmt: skip
    for name in ("auc", "margin_auc", "shuffled_auc", "difference", "naive_difference"):
        result |= estimate(name, 0.5)
    for name in ("bag_of_words_auc", "over_bag_of_words"):
        result |= estimate(name, 0.5)
    record("probe", result | ({} if items is None else {"items": items}))


def probed(name: str, gold: int, margin: float, *scores: float) -> dict[str, Any]:
    """What a probe keeps of a question."""
    right = (margin > 0) == (gold == 1)
    return {
        "item": name, "layer": "story_class", "group": name, "fold": 0, "gold": gold,
        "margin": margin, "model_right": right, "score": scores[1], "probe_right": True,
        "scores": list(scores),
    }  # fmt: skip


def recorded_direction() -> None:
    """Record a direction of two blocks that was added to two stories."""
    blocks = [
        {"block": number, "norm": 1.0, "effects": [
            {"strength": strength} | estimate("effect", 0.5) for strength in STRENGTHS
        ]} | estimate("random", 0.0) | estimate("difference", 0.5)
        for number in range(2)
    ]  # fmt: skip
    result = {
        "n": 2, "groups": 2, "left_out": 0, "added_to": 2, "raised": "true", "lowered": "false",
        "blocks": blocks, "chosen_blocks": [0, 0], "p": 0.5, "tested": 2,
        "moves_the_answer": False, "layers": ["story_class"], "not_asked": [],
        "vector": {"block": 0, "numbers": [1.0]},
        "items": [
            {"item": name, "layer": "story_class", "group": name, "half": 0, "gold": 1,
             "margin": 0.5, "effects": [0.25, effect], "random": [0.0, None]}
            for name, effect in (("0-O0", -0.5), ("1-O0", 1.5))
        ],
        "side_effects": [
            {"benchmark": "gita", "layer": "physical_state", "n": 0, "too_long": 2, "no_score": 0},
            {"benchmark": "com2", "layer": "link-1", "n": 2, "groups": 2, "too_long": 0,
             "no_score": 0, "right_before": 1, "right_after": 0, "p": 0.05, "beyond_random": True,
             "items": [
                 {"item": name, "group": name, "margin": margin, "change": change, "random": 0.0}
                 for name, margin, change in (
                     ("barn-owl:direct", -0.5, -1.0), ("attic-fan:direct", 0.5, -0.75),
                 )
             ]} | estimate("change", -0.875) | estimate("random", 0.0)
            | estimate("difference", -0.875),
        ],
    }  # fmt: skip
    for name in ("effect", "random", "difference"):
        result |= estimate(name, 0.5)
    record("direction", result)


async def listed(app: Opened) -> StudiesScreen:
    """Open the list of studies."""
    await app.until(lambda: app.browse.state is not None)
    await app.press("f4")
    await app.until(lambda: isinstance(app.app.screen, StudiesScreen))
    screen = app.app.screen
    assert isinstance(screen, StudiesScreen)
    return screen


async def test_a_damaged_study_is_named_below_the_others() -> None:
    sound = recorded()
    with StudyStore(paths.runs()) as store:
        damaged = store.start(msgspec.structs.replace(sound.plan, seed=7))
    with closing(sqlite3.connect(paths.runs())) as db, db:
        db.execute("UPDATE studies SET plan = '{' WHERE id = ?", (damaged.id,))
    async with opened(model=NO_MODEL) as app:
        screen = await listed(app)
        assert [study.id for study in screen.list.studies] == [sound.id]
        assert f"The record of study {damaged.id} is damaged." in str(
            screen.query_one("#detail", Static).content
        )


async def shown(app: Opened) -> StudyScreen:
    """Open the first study of the list."""
    await listed(app)
    await app.press("enter")
    await app.until(lambda: isinstance(app.app.screen, StudyScreen))
    screen = app.app.screen
    assert isinstance(screen, StudyScreen)
    await app.until(lambda: screen.pane.rows)
    return screen


@SIZES
async def test_studies_are_listed_and_opened_at_every_size(size: tuple[int, int]) -> None:
    study = recorded()
    async with opened(model=NO_MODEL, size=size) as app:
        screen = await listed(app)
        assert "Trace by role and block: residual" in widget_text(screen.list)
        assert screen.list.study == study
        await app.press("enter")
        await app.until(lambda: isinstance(app.app.screen, StudyScreen))
        assert isinstance(app.app.screen, StudyScreen)
        await app.until(lambda: "No cell is named" in widget_text(app.app.screen.pane))
        await app.press("escape")
        assert app.app.screen is screen
        await app.press("escape")
        assert app.app.screen is app.browse


async def test_the_line_below_the_map_is_about_the_cell_under_the_cursor() -> None:
    recorded()
    async with opened(model=NO_MODEL) as app:
        pane = (await shown(app)).pane
        await app.press("j")
        await app.until(lambda: "+2.000 nats [1.25, 2.75]" in widget_text(pane))
        text = widget_text(pane)
        assert "control +0.250 (n 1)" in text
        assert "adjusted p .040" in text
        assert "[" in next(line for line in text.splitlines() if "breakpoint (2)" in line)
        await app.press("l")
        await app.until(lambda: "the answer is read there" in widget_text(pane))


async def test_a_study_in_which_no_item_counts_says_so_and_has_no_cell() -> None:
    nothing: list[Any] = []
    names = (
        *("items", "roles", "n_by_row", "n_control", "effect", "interval", "control", "difference"),
        *("difference_interval", "p", "split"),
    )
    recorded(n=0, of=0, clusters=0, excluded={}, **dict.fromkeys(names, nothing))
    async with opened(model=NO_MODEL) as app:
        screen = await shown(app)
        await app.until(lambda: "No item of 0 has a valid pair" in widget_text(screen.pane))
        await app.press("j", "l", "n", "enter", "escape")
        await app.until(lambda: isinstance(app.app.screen, StudiesScreen))


async def test_a_cell_lists_its_items_and_opens_one() -> None:
    recorded()
    async with opened(model=NO_MODEL) as app:
        screen = await shown(app)
        await app.press("j", "enter")
        await app.until(lambda: "2 items, effect" in widget_text(screen.pane))
        lines = [line.split() for line in widget_text(screen.pane).splitlines() if "-O0" in line]
        assert [line[:3] for line in lines] == [
            ["+2.50", "–", "1-O0"],
            ["+1.50", "+0.25", "0-O0"],
        ]
        await app.press("escape")
        await app.until(lambda: "2 items, effect" not in widget_text(screen.pane))
        assert app.app.screen is screen
        await app.press("enter", "j", "enter")
        await app.until(lambda: app.app.screen is app.browse)
        await app.until(lambda: app.browse.state is not None and app.browse.state.item.id == "0-O0")


@SIZES
async def test_a_row_of_a_probe_lists_its_questions_and_opens_one(size: tuple[int, int]) -> None:
    recorded_probe(
        [
            probed("0-O0", 1, 2.0, 0.5, 3.0), probed("1-O0", 0, 0.5, 0.5, -1.0),
            probed("2-O0", 1, 1.0, 0.5, -0.25),
        ]
    )  # fmt: skip
    async with opened(model=NO_MODEL, size=size) as app:
        screen = await shown(app)
        await app.press("j", "enter")
        await app.until(lambda: "Probe of block 1: 3 questions" in widget_text(screen.pane))
        lines = [line for line in widget_text(screen.pane).splitlines() if "-O0" in line]
        assert [line.split()[:7] for line in lines] == [
            ["-1.00", "+0.50", "1-O0", "probe", "✓", "model", "✗"],
            ["-0.25", "+1.00", "2-O0", "probe", "✗", "model", "✓"],
            ["+3.00", "+2.00", "0-O0", "probe", "✓", "model", "✓"],
        ]
        await app.press("escape")
        await app.until(lambda: "Probe of block" not in widget_text(screen.pane))
        # The cursor stands on the row that was listed.
        await app.press("k", "enter")
        await app.until(lambda: "Probe of block 0: 3 questions" in widget_text(screen.pane))
        # Last stands the one that probe and model are both wrong about.
        await app.press("G", "enter")
        await app.until(lambda: app.app.screen is app.browse)
        await app.until(lambda: app.browse.state is not None and app.browse.state.item.id == "1-O0")


async def test_a_row_of_a_direction_lists_its_questions_by_their_effect() -> None:
    recorded_direction()
    async with opened(model=NO_MODEL) as app:
        screen = await shown(app)
        await app.press("j", "enter")
        await app.until(lambda: "Direction of block 1: 2 questions" in widget_text(screen.pane))
        lines = [line.split() for line in widget_text(screen.pane).splitlines() if "-O0" in line]
        assert lines == [
            ["+1.50", "–", "1-O0", "right:", "true"],
            ["-0.50", "–", "0-O0", "right:", "true"],
        ]
        await app.press("enter")
        await app.until(lambda: app.app.screen is app.browse)
        await app.until(lambda: app.browse.state is not None and app.browse.state.item.id == "1-O0")


@SIZES
async def test_a_side_effect_lists_its_questions_and_opens_one_of_another_benchmark(
    size: tuple[int, int],
) -> None:
    recorded_direction()
    async with opened(model=NO_MODEL, size=size) as app:
        screen = await shown(app)
        await app.press("j", "j", "j", "enter")
        await app.until(lambda: "com2 · link-1: 2 questions" in widget_text(screen.pane))
        lines = [line.split() for line in widget_text(screen.pane).splitlines() if "→" in line]
        assert lines == [
            ["-0.75", "+0.00", "attic-fan:direct", "✓", "→", "✗"],
            ["-1.00", "+0.00", "barn-owl:direct", "✗", "→", "✗"],
        ]
        await app.press("escape", "enter", "j", "enter")
        await app.until(lambda: app.app.screen is app.browse)
        await app.until(lambda: app.browse.benchmark.name == "com2")
        await app.until(
            lambda: app.browse.state is not None and app.browse.state.item.id == "barn-owl:direct"
        )


@pytest.mark.parametrize(
    ("items", "said"),
    [(None, "before figures were kept for each question"), ([{"item": 7}], "is damaged")],
    ids=["old", "damaged"],
)
async def test_a_study_without_its_questions_shows_its_table_and_says_why_none_is_listed(
    items: list[dict[str, Any]] | None, said: str
) -> None:
    recorded_probe(items)
    async with opened(model=NO_MODEL) as app:
        screen = await shown(app)
        assert "0.750  0.625  0.875" in widget_text(screen.pane)
        await app.press("enter")
        await app.until(lambda: said in widget_text(screen.pane))
        await app.press("enter")
        assert app.app.screen is screen
        await app.press("escape")
        await app.until(lambda: "0.750" in widget_text(screen.pane))


async def test_the_next_key_shows_one_group_of_pairs_after_the_other() -> None:
    recorded()
    async with opened(model=NO_MODEL) as app:
        screen = await shown(app)
        await app.press("j", "v")
        await app.until(lambda: "one group: right in every layer" in widget_text(screen.pane))
        await app.press("v")
        await app.until(lambda: "one group: wrong here" in widget_text(screen.pane))
        assert "breakpoint (1) · block 0: -1.000 nats" in widget_text(screen.pane)
        await app.press("enter")
        await app.until(lambda: "1 item, effect" in widget_text(screen.pane))
        assert "2-O0" in widget_text(screen.pane)
        await app.press("escape", "v")
        await app.until(lambda: "+2.000 nats" in widget_text(screen.pane))


async def test_a_study_is_begun_stopped_and_kept() -> None:
    async with opened() as app:
        await app.until(lambda: app.app.model_state.ready)
        screen = await listed(app)
        assert "No study is recorded yet" in widget_text(screen.list)
        await app.press("n")
        await app.until(lambda: isinstance(app.app.screen, PickOne))
        lines = app.app.screen.query_one(OptionList)
        assert str(lines.options[0].prompt) == "Trace by role and block: residual"
        await app.press("enter")
        await app.until(lambda: isinstance(app.app.screen, ChooseStudy))
        await app.press("enter")
        detail = screen.query_one("#detail", Static)
        await app.until(lambda: "pairs: " in str(detail.visual) and " of 300" in str(detail.visual))
        await app.press("n")
        assert app.app.screen is screen
        await app.press("s")
        await app.until(lambda: "Stopped" in str(detail.visual))
        await app.until(lambda: screen.list.study is not None)

        def kept() -> Study:
            with StudyStore(paths.runs()) as store:
                [study] = store.studies()
            return study

        # It stops once what it is just measuring is measured.
        await app.until(lambda: kept().state is RunState.PAUSED)
        study = kept()
        assert (study.plan.kind, study.plan.benchmark) == ("trace", "gita")
        await app.press("enter")
        await app.until(lambda: "no result yet" in str(detail.visual))


async def test_what_a_study_asks_and_what_a_layer_lacks_is_told_before_one_begins() -> None:
    async with opened() as app:
        await app.until(lambda: app.app.model_state.ready)
        await listed(app)
        await app.press("n")
        await app.until(lambda: isinstance(app.app.screen, PickOne))
        about = app.app.screen.query_one(".about", Static)
        await app.until(lambda: "Which part of the prompt carries" in str(about.visual))
        await app.press("j", "j", "j", "j")
        await app.until(lambda: "and not say it? A linear probe" in str(about.visual))
        await app.press("enter")
        await app.until(lambda: isinstance(app.app.screen, ChooseStudy))
        about = app.app.screen.query_one(".about", Static)
        await app.until(lambda: "A linear probe reads" in str(about.visual))
        # The last layer's options are not in its prompts.
        await app.press("left")
        await app.until(lambda: "This collection cannot have it" in str(about.visual))
        assert "physical_state" in str(about.visual)


@SIZES
async def test_what_was_chosen_before_a_study_is_what_it_measures(size: tuple[int, int]) -> None:
    async with opened(size=size) as app:
        await app.until(lambda: app.app.model_state.ready)
        screen = await listed(app)
        await app.press("n")
        await app.until(lambda: isinstance(app.app.screen, PickOne))
        await app.press("j", "j", "j", "j", "enter")
        await app.until(lambda: isinstance(app.app.screen, ChooseStudy))
        dialogue = app.app.screen
        assert isinstance(dialogue, ChooseStudy)
        await app.press("right", "j", "l", "j", "right", "right", "left")
        lines = [line.value for line in dialogue.form.lines()]
        assert lines[0].endswith("(story_class)")
        assert lines[1:] == ["the first 10", "1"]
        await app.press("enter")
        # Ten stories have too few families, which is told as soon as the study begins.
        detail = screen.query_one("#detail", Static)
        await app.until(lambda: "a probe needs 10" in str(detail.visual))
        assert "There are 4 groups" in str(detail.visual)
        await app.press("n")
        await app.until(lambda: isinstance(app.app.screen, PickOne))
        await app.press("enter")
        await app.until(lambda: isinstance(app.app.screen, ChooseStudy))
        await app.press("enter")
        await app.until(lambda: " of 10;" in str(detail.visual))
        await app.press("s")
        await app.until(lambda: screen.list.study is not None)
        with StudyStore(paths.runs()) as store:
            [study] = store.studies()
        plan = study.plan
        assert (plan.layer, plan.limit, plan.seed, plan.setting) == ("story_class", 10, 1, ())


def test_a_setting_is_offered_where_the_item_screen_has_changed_one() -> None:
    accord = registry.load("accord")
    opened_one = OpenCollection(
        accord, accord.samples(), accord.open(accord.samples()), {"hops": "3"}
    )
    form = StudyForm(accord.layers, len(opened_one.collection), opened_one.setting)
    [*_others, line] = form.lines()
    assert (line.label, line.value) == ("Setting", "items as they are")
    assert opened_one.source(form.choices).values == {}
    form.change(len(_others), 1)
    assert form.lines()[-1].value == "as on the screen: hops 3"
    source = opened_one.source(form.choices)
    question = source.question(0, task_layer(source, "answer"))
    assert question is not None
    assert question.tags["hops"] == "3"
    assert len(StudyForm(accord.layers, 5, {}).lines()) == 3


async def test_without_a_model_no_study_begins() -> None:
    async with opened(model=NO_MODEL) as app:
        screen = await listed(app)
        await app.until(lambda: not app.app.model_state.is_pending)
        await app.press("n")
        detail = screen.query_one("#detail", Static)
        await app.until(lambda: "No model is loaded" in str(detail.visual))


async def test_a_study_is_deleted_after_a_question() -> None:
    recorded()
    async with opened(model=NO_MODEL) as app:
        screen = await listed(app)
        await app.press("d")
        await app.until(lambda: isinstance(app.app.screen, PickOne))
        await app.press("k", "enter")
        await app.until(lambda: "No study is recorded yet" in widget_text(screen.list))


HEAD = (2, 3)
"""A block of the demonstration model, and one of its heads."""


def recorded_heads(benchmark: str, layer: str, items: Sequence[str], fingerprint: str) -> None:
    """Record a head study in which one head does something to some items."""
    blocks, heads = range(6), range(5)

    def cells(value: Any, other: Any) -> list[list[Any]]:
        return [[value if (b, h) == HEAD else other for h in heads] for b in blocks]

    result = {
        "n": len(items), "of": len(items), "clusters": len(items), "excluded": {},
        "blocks": list(blocks), "heads": list(heads), "top": [],
        "n_by_row": [len(items)] * 6, "n_control": [0] * 6,
        "effect": cells(1.5, 0.0), "interval": cells([1.0, 2.0], None),
        "control": cells(None, None), "difference": cells(None, None),
        "difference_interval": cells(None, None), "p": cells(None, None),
        "items": [
            {"item": name, "cluster": name, "group": "right in every layer", "valid": True,
             "margins": [1.0, -1.0], "control": None,
             "effects": {str(b): [1.5 if (b, h) == HEAD else 0.0 for h in heads] for b in blocks}}
            for name in items
        ],
    }  # fmt: skip
    record("heads", result, benchmark=benchmark, layer=layer, fingerprint=fingerprint)


async def head_opened(app: Opened, item: str) -> XrayPane:
    """Open an item behind the head."""
    screen = await shown(app)
    block, head = HEAD
    await app.press(*["j"] * block, *["l"] * head, "enter")
    await app.until(lambda: "with the attention of this" in widget_text(screen.pane))
    await app.press("enter")
    await app.until(lambda: app.app.screen is app.browse)
    await app.until(lambda: app.browse.state is not None and app.browse.state.is_open)
    await app.until(lambda: app.browse.state is not None and app.browse.state.item.id == item)
    await app.until(lambda: bool(app.browse.query(XrayPane)))
    pane = app.browse.query_one(XrayPane)
    await app.until(lambda: pane.xray is not None and not pane.waiting)
    return pane


@mostly_slow(
    ("benchmark", "layer", "item", "size"),
    [
        ("gita", "story_class", "1-C0", (80, 24)),
        ("gita", "story_class", "1-C0", (140, 40)),
        ("accord", "hop-2", "", (140, 40)),
        ("com2", "link-1", "barn-owl:direct", (140, 40)),
    ],
)
async def test_an_item_behind_a_head_opens_with_the_attention_of_that_head_drawn(
    benchmark: str, layer: str, item: str, size: tuple[int, int]
) -> None:
    async with opened(size=size) as app:
        await app.until(lambda: app.app.model_state.ready)
        model = app.app.model_state.model
        assert model is not None
        loaded = registry.load(benchmark)
        item = item or loaded.open(loaded.samples()).entry(0).id
        recorded_heads(benchmark, layer, [item], model.info.fingerprint)
        pane = await head_opened(app, item)
        assert (pane.position.face, pane.position.block, pane.position.head) == (Face.HEADS, *HEAD)
        said = " ".join(widget_text(pane).split())
        assert "Attention of head 3 in block 2 from the answer position" in said
        assert app.browse.ladder.cursor == layer
        attended = pane.xray.attended[2] if pane.xray else None
        assert attended is not None
        state = app.browse.state
        assert state is not None
        if benchmark == "gita":
            weights = attended.by_part(3, state.view())
            [drawn] = [
                section
                for section in pane.with_attention(state.view()).sections
                if isinstance(section, Statements)
            ]
            shares = {one.id: one.weight for one in drawn.statements}
            assert shares == {name: percent(weight) for name, weight in weights.items()}
            if size[0] == 140:
                await app.until(lambda: max(shares.values()) in app.story)
        else:
            wanted = attended.by_link(3, state.view())
            assert wanted
            await app.until(lambda: lines_of(app) == pytest.approx(wanted))


async def test_a_head_of_another_model_is_not_drawn_and_the_message_says_why() -> None:
    recorded_heads("gita", "story_class", ["1-C0"], "f" * 64)
    async with opened(model=NO_MODEL) as app:
        await shown(app)
        await app.press("enter", "enter")
        await app.until(lambda: app.app.screen is app.browse)
        await app.until(lambda: app.browse.state is not None and app.browse.state.item.id == "1-C0")
        [message] = notices(app.app)
        assert message.startswith("Head 0 of block 0 is one of org/Sure 7B.")
        assert not app.browse.query(XrayPane)
