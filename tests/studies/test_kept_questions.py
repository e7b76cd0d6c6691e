"""What a study keeps of every question gives the figures of its table again."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import numpy as np
import pytest

pytest.importorskip("sklearn", reason="probes need scikit-learn")

from core.contract import registry
from core.contract.setting import Setting
from core.models.resolver import demo_file
from core.runs.questions import QuestionSource
from core.studies import probed_questions
from core.studies.direction import FEWEST as FEWEST_IN_HALF
from core.studies.direction import HALVES
from core.studies.items_behind import Place
from core.studies.kinds import KINDS, items_behind, report_of
from core.studies.plan import Study
from core.studies.probe import FEWEST, ProbeVerdict, probe
from core.studies.probed_questions import ProbedQuestion
from core.studies.state_capture import AnswerStates, lacks_two_options
from core.studies.study_store import StudyStore
from core.studies.subject import Case
from tests.cli.support import ok
from tests.studies.planted_model import Doors, DoorsBenchmark
from tests.studies.planted_states import states


def area(questions: list[dict[str, Any]], scores: list[float]) -> float:
    """The AUC by the rule of the documents: pairs of one fold, a tie is half a pair."""
    won = compared = 0.0
    for (one, high), (other, low) in product(zip(questions, scores, strict=True), repeat=2):
        if (one["fold"], one["gold"], other["gold"]) == (other["fold"], 1, 0):
            compared += 1
            won += 1.0 if high > low else 0.5 if high == low else 0.0
    return won / compared


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A probe study of the demonstration model, of ten families of bundled stories."""
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    store = tmp_path_factory.mktemp("probe") / "runs.sqlite"
    ok("study", "probe", "gita", "--limit", "30", "--model", "demo", "--store", store, "--quiet")
    with StudyStore(store) as opened:
        [study] = opened.studies()
    return study


def test_the_kept_scores_of_a_probe_give_the_figures_of_its_table(probed: Study) -> None:
    result = probed.result
    assert result is not None
    questions = result["items"]
    assert len(questions) == result["n"] == 30
    for number, block in enumerate(result["blocks"]):
        scores = [question["scores"][number] for question in questions]
        assert area(questions, scores) == pytest.approx(block["auc"], abs=1e-12)
        right = [
            (score > 0) == (question["gold"] == 1)
            for score, question in zip(scores, questions, strict=True)
        ]
        assert np.mean(right) == pytest.approx(block["accuracy"])
    nested = [question["score"] for question in questions]
    assert nested == [
        question["scores"][result["chosen_blocks"][question["fold"]]] for question in questions
    ]
    assert area(questions, nested) == pytest.approx(result["auc"], abs=1e-12)
    for name, figure in (("probe_right", "accuracy"), ("model_right", "own_accuracy")):
        assert np.mean([question[name] for question in questions]) == pytest.approx(result[figure])


def test_questions_behind_a_block_begin_with_those_that_only_the_probe_is_right_about(
    probed: Study,
) -> None:
    assert probed.result is not None
    behind = items_behind(probed, report_of(probed), Place(3))
    kept = {question["item"]: question for question in probed.result["items"]}
    assert {item.item for item in behind.items} == set(kept)
    ranks = []
    for item in behind.items:
        question, score = kept[item.item], kept[item.item]["scores"][3]
        assert item.figures == (score, question["margin"])
        right = (score > 0) == (question["gold"] == 1)
        ranks.append((right == question["model_right"], not right, -abs(score)))
    assert ranks == sorted(ranks)
    assert "probe ✓ model ✗" in behind.items[0].note


@pytest.mark.parametrize(
    ("nearest", "named"),
    [("bag_of_words", "a bag of words"), ("embedding", "the embeddings at the answer position")],
)
def test_no_work_is_shown_beside_the_control_that_does_as_well(
    probed: Study, nearest: str, named: str
) -> None:
    assert probed.result is not None
    figures = {"bag_of_words": (0.2, [0.1, 0.3]), "embedding": (0.2, [0.1, 0.3])}
    figures[nearest] = (0.05, [-0.02, 0.12])
    result = dict(probed.result) | {"verdict": ProbeVerdict.IN_THE_WORDS.value}
    for name, (difference, interval) in figures.items():
        result |= {f"over_{name}": difference, f"over_{name}_interval": interval}
    finding = report_of(msgspec.structs.replace(probed, result=result)).findings[0]
    assert f"is not shown to do worse: {named}." in finding
    assert ".050 [-.020, .120]" in finding


def test_of_very_many_questions_a_draw_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = states(0, planted=1.5)
    finding = probe(cases)
    layer = DoorsBenchmark.layers[0]
    doors = QuestionSource(DoorsBenchmark(), Doors(60))
    read = AnswerStates(
        tuple(
            Case(doors.collection.item(place), Setting(), question, question.text, "family")
            for place, question in doors.questions(layer, None)
        ),
        cases.labels, cases.margins, np.stack(cases.blocks, axis=1).astype(np.float32), None, 0,
    )  # fmt: skip
    everything = probed_questions.probed_questions(read, finding, seed=0)
    assert len(everything) == len(cases.labels)
    monkeypatch.setattr(probed_questions, "MOST_SCORES", 90)
    kept = probed_questions.probed_questions(read, finding, seed=0)
    assert len(kept) == 30
    assert [question for question in everything if question in kept] == kept
    assert kept[-1] != everything[29]
    assert len(msgspec.json.encode(kept[0])) < 300
    assert msgspec.convert(msgspec.to_builtins(kept), list[ProbedQuestion]) == kept


def test_a_collection_without_two_options_is_told_before_a_study_begins() -> None:
    assert lacks_two_options(QuestionSource(DoorsBenchmark(), Doors(3))) == ""
    accord = registry.load("accord")
    source = QuestionSource(accord, accord.open(accord.samples()))
    assert "none has a question with two options in layer hop-1" in lacks_two_options(source)


def test_what_a_kind_is_said_to_need_is_what_it_asks_for() -> None:
    assert f"{FEWEST} groups" in KINDS["probe"].needs
    assert f"{HALVES * FEWEST_IN_HALF} groups" in KINDS["direction"].needs
