"""Figures of a run while it goes: of one label alone, and of concepts that nothing orders."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid import wordnet
from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.prediction_rows import verdict_rows
from core.benchmarks.abspyramid.questions import YES
from core.benchmarks.abspyramid.task_layers import CONCEPT, FALSE, GENERATION
from core.contract.question import Answer, OptionScore, Question, Verdict, shares
from core.contract.setting import Setting
from core.contract.summary import Figure
from core.runs.listing import list_runs
from core.runs.records import Plan
from core.runs.store import Store
from core.statistics.cluster_interval import mean_interval

BENCH = AbsPyramid()
LIKELY, UNLIKELY = OptionScore(-1.0), OptionScore(-2.0)


@cache
def questions(begin: str) -> tuple[Question, ...]:
    """What the layers ask about every third of the bundled items whose name begins so."""
    collection = BENCH.open(BENCH.samples())
    items = [collection.item(index) for index in range(0, len(collection), 3)]
    layers = [layer.id for layer in BENCH.layers if layer.id.startswith(begin)]
    asked = (BENCH.question(item, Setting(), layer) for layer in layers for item in items)
    return tuple(question for question in asked if question)


def yes(question: Question) -> Verdict:
    return BENCH.score(question, Answer((LIKELY, UNLIKELY)))


def figures(verdicts: list[Verdict]) -> dict[str, Figure]:
    return {figure.name: figure for figure in BENCH.summarise(verdicts, "paper").figures}


@given(st.floats(), st.floats())
def test_the_probability_of_yes_is_the_share_of_its_option(first: float, second: float) -> None:
    scores = (OptionScore(first), OptionScore(second))
    verdict = yes(questions(CONCEPT)[0])._replace(scores=scores)
    (row,) = verdict_rows([verdict])
    assert row["p_yes"] == shares(scores)[YES]


def test_a_single_label_has_an_accuracy_with_a_note_and_no_precision() -> None:
    valid, invalid = map(yes, questions(CONCEPT)), map(yes, questions(FALSE))
    of_valid = list(valid)
    for verdicts, said in ((of_valid, "always yes is always right"), (list(invalid), "always no")):
        found = figures(verdicts)
        assert [name for name in found if "level" not in name] == ["accuracy"]
        assert said in found["accuracy"].note
        assert not BENCH.summarise(verdicts, "paper").tables
    assert figures(of_valid)["accuracy"].value == 1


def test_both_labels_have_all_figures() -> None:
    verdicts = [*map(yes, questions(CONCEPT)), *map(yes, questions(FALSE))]
    found = figures(verdicts)
    for name in ("macro-F1", "ROC-AUC of P(yes)", "precision of “valid”", "F1 of “valid”"):
        assert name in found
    assert found["precision of “valid”"].value < 1
    assert not found["accuracy"].note


def test_a_list_of_runs_shows_the_accuracy_over_valid_and_invalid_concepts(tmp_path: Path) -> None:
    verdicts = [*map(yes, questions(CONCEPT)), *map(yes, questions(FALSE))]
    with Store(tmp_path / "runs.sqlite") as store:
        store.add(Plan("always yes", "a", BENCH.name, "bundled", ""), verdicts, {})
        [listed] = list_runs(store)
    assert listed.headline is not None
    accuracy = figures(verdicts)["accuracy"]
    assert (listed.headline.right, listed.headline.n) == (accuracy.right, accuracy.n)
    assert listed.headline.right < listed.headline.n == len(verdicts)


def test_every_concept_upward_is_believed_at_its_rung_or_without_one() -> None:
    asked = list(questions(CONCEPT))
    verdicts = list(map(yes, asked))
    found = figures(verdicts)
    counted = {name: found[name].n for name in found if name.startswith("believed")}
    assert sum(counted.values()) == len(asked)
    unordered = [question for question in asked if not question.tags["rung"]]
    assert counted["believed without a level"] == len(unordered) > 0
    assert list(counted)[-1] == "believed without a level"
    # What the layers count and what the levels count is not the same, and that is said.
    assert counted["believed at level 1"] != sum(q.layer == f"{CONCEPT}1" for q in asked)
    (note,) = [n for n in BENCH.summarise(verdicts, "paper").notes if "k-th concept" in n]
    assert f"{len(unordered)} concepts that nothing orders have none" in note


def test_concepts_of_one_head_event_are_one_case_at_a_level_too() -> None:
    asked = questions(CONCEPT)
    heads = sorted({question.tags["head"] for question in asked})
    # A model that believes all of a head event or nothing of it.
    believed = set(heads[::2])
    verdicts = [
        BENCH.score(
            question,
            Answer((LIKELY, UNLIKELY) if question.tags["head"] in believed else (UNLIKELY, LIKELY)),
        )
        for question in asked
    ]
    found = figures(verdicts)
    for name, tag in (("level 1", "1"), ("level 2", "2")):
        of = [verdict for verdict in verdicts if verdict.tags["rung"] == tag]
        assert len({verdict.tags["head"] for verdict in of}) < len(of)
        outcomes = [(verdict.tags["head"], float(verdict.right or 0)) for verdict in of]
        assert found[f"believed at {name}"].interval == mean_interval(outcomes)


def test_where_every_concept_has_a_rung_nothing_is_said_of_it() -> None:
    verdicts = [yes(question) for question in questions(CONCEPT) if question.tags["rung"]]
    assert "believed without a level" not in figures(verdicts)
    assert not any("k-th" in note for note in BENCH.summarise(verdicts, "paper").notes)


def test_without_wordnet_meteor_says_why_it_is_missing_and_comes_when_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdicts = [
        BENCH.score(question, Answer(text=question.options[0]))
        for question in questions(GENERATION)
    ]
    with monkeypatch.context() as removed:
        removed.setattr(wordnet, "FOLDERS", ())
        removed.delenv("WNSEARCHDIR", raising=False)
        removed.delenv("WNHOME", raising=False)
        without = figures(verdicts)
    for name in ("generation: meteor", "generation, noun: meteor"):
        assert without[name].value is None
        assert "WordNet is not installed" in without[name].note
    if wordnet.find_wordnet() is None:
        pytest.skip("needs WordNet: apt install wordnet-base")
    # A reference of one word is a fragment, which the score halves.
    assert 0.5 <= figures(verdicts)["generation, noun: meteor"].value < 1
