"""Instances as items: every tuple asked once, contexts, what a concept covers, what is toggled."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.collection import open_collection
from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.task_layers import CONCEPT, FALSE, GENERATION, LAYERS
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Answer, OptionScore, Question, Scoring, Status
from core.contract.setting import Setting
from core.contract.view import Graph, Grid, Role, Statements
from core.models.person import PersonModel
from core.runs.refusals import refusal
from core.text.errors import NotFoundError

BENCH = AbsPyramid()
SAMPLES = BENCH.samples()
ROWS = (
    ("PersonX peels <an apple>", "fruit", 1, "noun"),
    ("PersonX peels <an apple>", "food", 1, "noun"),
    ("PersonX peels <an apple>", "company", 0, "noun"),
    ("PersonX <peels> an apple", "removes", 1, "verb"),
    ("<PersonX peels an apple>", "preparing a snack", 1, "event"),
    ("PersonY sells <an apple> share", "company", 1, "noun"),
    ("<Fruit> rots quickly", "food", 1, "noun"),
)


def write(folder: Path, rows: object, name: str = "Detection/merged_dataset/test.json") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))  # type: ignore[attr-defined]
    return folder


def made(*rows: tuple[str, object, int, str]) -> list[dict[str, object]]:
    return [dict(zip(("event", "concept", "label", "type"), row, strict=True)) for row in rows]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Levels must not depend on what is installed here.
    monkeypatch.setattr("core.benchmarks.abspyramid.wordnet.find_wordnet", lambda: None)
    return write(tmp_path, made(*ROWS))


def asked(item: AbsItem, setting: Setting | None = None) -> list[Question]:
    found = (BENCH.question(item, setting or Setting(), layer.id) for layer in LAYERS)
    return [question for question in found if question is not None]


def test_the_bundled_tuples_are_all_asked_about_exactly_once() -> None:
    collection = open_collection(SAMPLES)
    file = SAMPLES / "Detection" / "merged_dataset" / "test.json"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    given = Counter((r["event"].replace("<", "").replace(">", ""), r["type"]) for r in rows)
    found: Counter[tuple[str, str]] = Counter()
    valid = 0
    for index in range(len(collection)):
        for question in asked(collection.item(index)):
            if question.layer != GENERATION:
                found[question.tags["head"], question.tags["relation"]] += 1
                valid += question.gold == 0
                assert question.layer.startswith(CONCEPT if question.gold == 0 else FALSE)
    assert found == given
    assert valid == sum(row["label"] for row in rows)


def test_ids_are_unique_and_found_again() -> None:
    collection = open_collection(SAMPLES)
    ids = [collection.entry(index).id for index in range(len(collection))]
    assert len(set(ids)) == len(ids)
    for index, item_id in enumerate(ids):
        assert collection.find(item_id) == index
        assert collection.item(index).id == item_id
    group, _, _ = ids[5].partition(":")
    assert collection.entry(collection.find(group)).group == group
    with pytest.raises(NotFoundError, match="no item"):
        collection.find(f"{group}:noun-nothing")


def test_every_item_can_be_looked_at_under_every_component() -> None:
    collection = open_collection(SAMPLES)
    for index in range(len(collection)):
        item = collection.item(index)
        for switch in BENCH.switches(item):
            if switch.key == "component":
                for value in switch.values:  # type: ignore[union-attr]
                    view = BENCH.view(item, Setting().with_value(switch, value))
                    assert isinstance(view.sections[0], Graph)


def test_a_collection_has_the_title_that_is_written_beside_it(folder: Path) -> None:
    assert open_collection(SAMPLES).about.title.startswith("130 everyday head events")
    assert open_collection(folder).about.title == folder.name


def test_climbing_rewrites_the_head_event(folder: Path) -> None:
    item = open_collection(folder).item(0)
    assert [(level, c.text) for level, c in item.pyramid.upward] == [(1, "fruit"), (2, "food")]
    settings = [Setting.from_words(BENCH.switches(item), [f"climbed={n}"]) for n in range(3)]
    shown = []
    for setting in settings:
        climb = BENCH.view(item, setting).sections[1]
        assert isinstance(climb, Statements)
        shown += [row.text for row in climb.statements if row.role is Role.EVIDENCE]
    assert shown == ["PersonX peels an apple", "PersonX peels fruit", "PersonX peels food"]


def test_concepts_that_do_not_hold_are_cut_off_in_the_graph(folder: Path) -> None:
    graph = BENCH.view(open_collection(folder).item(0), Setting()).sections[0]
    assert isinstance(graph, Graph)
    (wrong,) = (node for node in graph.nodes if node.text == "company")
    assert wrong.role is Role.ABSENT
    assert [link.role for link in graph.links if link.source == wrong.id] == [Role.CUT]
    titles = {node.text for node in graph.nodes}
    assert {"removes", "preparing a snack", "the whole event"} <= titles


def test_another_context_asks_about_the_other_event(folder: Path) -> None:
    item = open_collection(folder).item(0)
    setting = Setting.from_words(BENCH.switches(item), ["context=1"])
    (question,) = asked(item, setting)
    assert "PersonY sells an apple share" in question.text
    assert (question.about, question.gold) == ("company", 0)
    view = BENCH.view(item, setting)
    assert "another context" in [badge.text for badge in view.badges]
    grids = [block for block in view.sections if isinstance(block, Grid)]
    assert [row[0].text for row in grids[0].rows] == [
        "PersonX peels an apple",
        "PersonY sells an apple share",
    ]


def test_a_concept_lists_what_it_covers_elsewhere(folder: Path) -> None:
    item = open_collection(folder).item(0)
    setting = Setting.from_words(BENCH.switches(item), ["climbed=2"])
    grids = [block for block in BENCH.view(item, setting).sections if isinstance(block, Grid)]
    (covered,) = (grid for grid in grids if grid.title == "“food” covers also")
    assert [row[0].text for row in covered.rows] == ["Fruit"]


PROMPTS = {
    "abstraction": "In the sentence PersonX peels an apple, does the meaning of fruit encompass "
    "an apple?",
    "quoted": 'In the sentence "PersonX peels an apple," does the meaning of "fruit" encompass '
    '"an apple?"',
    "nli": "Given the premise PersonX peels an apple, can we know the hypothesis PersonX peels "
    "fruit?",
}


@pytest.mark.parametrize("prompt", PROMPTS)
def test_prompts_are_those_of_the_paper(folder: Path, prompt: str) -> None:
    item = open_collection(folder).item(0)
    setting = Setting.from_words(BENCH.switches(item), [f"prompt={prompt}"])
    question = asked(item, setting)[0]
    assert question.text == PROMPTS[prompt]
    assert question.base().endswith(f" {PROMPTS[prompt]}")
    assert "\n" not in question.base()
    assert question.continuations() == (" Yes", " No")


@pytest.mark.parametrize("prompt", ["abstraction-cot", "nli-cot"])
def test_prompts_with_thinking_are_scored_as_generated_text(folder: Path, prompt: str) -> None:
    item = open_collection(folder).item(0)
    setting = Setting.from_words(BENCH.switches(item), [f"prompt={prompt}"])
    question = asked(item, setting)[0]
    assert question.scoring is Scoring.GENERATED
    assert "Step 1" in question.text


def test_an_event_is_asked_about_as_a_whole(folder: Path) -> None:
    collection = open_collection(folder)
    item = next(
        item
        for item in map(collection.item, range(len(collection)))
        if item.pyramid.relation is Relation.EVENT
    )
    assert asked(item)[0].text == (
        "Can we consider preparing a snack as an abstract description of the sentence "
        "PersonX peels an apple?"
    )


def test_references_are_compared_with_what_a_model_names(folder: Path) -> None:
    rows = [{"event": "PersonX peels <an apple>", "concept": ["fruit", "food"], "type": "noun"}]
    write(folder, rows, "Generation/merged_dataset/test.json")
    item = open_collection(folder).item(0)
    assert len(item.pyramid.upward) == 2
    question = BENCH.question(item, Setting(), GENERATION)
    assert question is not None
    assert question.base() == 'In the sentence "PersonX peels an apple," an apple is an instance of'
    answer = Answer(text="\n The fruit\nof a tree", scoring=Scoring.GENERATED)
    verdict = BENCH.score(question, answer)
    assert (verdict.answer, verdict.status, verdict.right) == (0, Status.OK, None)
    assert BENCH.remark(verdict) == "It named “The fruit”, which is one of the references."
    near = BENCH.score(question, Answer(text="fruit salad", scoring=Scoring.GENERATED))
    assert "nearest is “fruit” (ROUGE-L" in BENCH.remark(near)
    other = BENCH.score(question, Answer(text=" ", scoring=Scoring.GENERATED))
    assert other.status is Status.NO_ANSWER
    figures = {f.name: f for f in BENCH.summarise([verdict, other], "paper").figures}
    assert figures["generation: rouge_l_f"].n == 2
    assert figures["generation: rouge_l_f"].value == pytest.approx((2 / 3) / 2)


def test_figures_agree_with_a_computation_by_hand(folder: Path) -> None:
    collection = open_collection(folder)
    verdicts = []
    for index in range(len(collection)):
        for question in asked(collection.item(index)):
            # Yes to everything but food.
            no = question.about == "food"
            scores = (OptionScore(-2.0 if no else -1.0), OptionScore(-1.0 if no else -2.0))
            verdicts.append(BENCH.score(question, Answer(scores)))
    summary = BENCH.summarise(verdicts, "paper")
    figures = {figure.name: figure for figure in summary.figures}
    assert (figures["accuracy"].right, figures["accuracy"].n) == (4, 7)
    assert figures["accuracy"].baselines["majority"].value == pytest.approx(6 / 7)
    assert (figures["noun: accuracy"].right, figures["noun: accuracy"].n) == (2, 5)
    assert (figures["believed at level 1"].right, figures["believed at level 1"].n) == (4, 5)
    assert (figures["believed at level 2"].right, figures["believed at level 2"].n) == (0, 1)
    believed = figures["believed at level 1"].baselines
    assert {name: each.value for name, each in believed.items()} == {
        "random": 0.5,
        "always yes": 1.0,
        "always no": 0.0,
    }
    assert "believed without a level" not in figures
    # Valid: four at .73 and two at .27; invalid: one at .73. Pairs won 0, tied 4, lost 2.
    assert figures["ROC-AUC of P(yes)"].value == pytest.approx(4 * 0.5 / 6)


def test_chat_turns_of_an_open_question_have_no_empty_instruction(folder: Path) -> None:
    rows = [{"event": "PersonX peels <an apple>", "concept": ["fruit"], "type": "noun"}]
    write(folder, rows, "Generation/merged_dataset/test.json")
    question = BENCH.question(open_collection(folder).item(0), Setting(), GENERATION)
    assert question is not None
    assert [turn.role for turn in question.chat(system=True)] == ["user"]


async def nobody(_question: Question) -> tuple[int, ...]:
    raise AssertionError("nothing is asked")


def test_a_person_is_not_asked_what_the_screen_shows(folder: Path) -> None:
    rows = [{"event": "PersonX peels <an apple>", "concept": ["fruit"], "type": "noun"}]
    write(folder, rows, "Generation/merged_dataset/test.json")
    questions = asked(open_collection(folder).item(0))
    assert any(question.open for question in questions)
    person = PersonModel("Anna", nobody)
    assert all((refusal(person, question) is not None) is question.open for question in questions)
