"""A probe of options finds what was planted at the options and nothing else."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="probes need scikit-learn")

from core.contract import registry
from core.contract.question import Question
from core.models.resolver import demo_file
from core.runs.questions import QuestionSource
from core.studies.items_behind import Place
from core.studies.kinds import items_behind, report_of
from core.studies.option_states import lacks_probed_options, option_ranges
from core.studies.plan import Study
from core.studies.probe import ProbeVerdict, probe
from core.studies.probe_fits import held_out
from core.studies.probe_words import option_words
from core.studies.ranking import area, draws, ranked_options
from core.studies.study_store import StudyStore
from tests.cli.support import ok, run
from tests.studies.planted_options import option_states
from tests.studies.planted_states import states


def asked(text: str, *options: str, gold: int = 0) -> Question:
    return Question("item", "layer", "", text, options, gold)


def test_a_right_option_that_stands_in_a_block_and_not_in_the_scores_is_found_there() -> None:
    finding = probe(option_states(0, planted=1.5))
    assert finding.verdict is ProbeVerdict.ENCODED_NOT_USED
    assert set(finding.chosen) == {1}
    assert finding.probe.value > 0.9
    assert finding.accuracy > 0.7
    assert (finding.questions, finding.clusters) == (80, 40)
    for block in (finding.blocks[0], finding.blocks[2]):
        assert abs(block.auc.value - 0.5) < 0.12
        assert abs(block.shuffled - 0.5) < 0.12


def test_what_the_models_scores_say_too_is_no_finding() -> None:
    finding = probe(option_states(0, planted=1.5, said=2.5))
    assert finding.verdict is ProbeVerdict.NOT_MORE_THAN_SAID


def test_what_the_words_of_the_options_say_too_is_not_the_models_work() -> None:
    finding = probe(option_states(0, planted=1.5, in_words=True))
    assert finding.verdict is ProbeVerdict.IN_THE_WORDS


def test_a_place_that_is_often_right_is_no_knowledge() -> None:
    task = option_states(0, groups=60, favourite=0.6)
    finding = probe(task)
    assert finding.base_rate > 0.6
    # Without taking the place away a probe would find it, for the states have it.
    features, labels = task.blocks[0], task.labels
    naive = task.ranking(held_out(features, labels, finding.folds), finding.folds)
    assert area(naive, draws(60)).low > 0.6
    assert finding.surfaces["place"].low > 0.6
    assert finding.verdict is ProbeVerdict.NOT_ENCODED
    assert finding.probe.value < 0.6


def test_nothing_is_found_where_nothing_is_planted_at_options() -> None:
    # performance/probe_false_findings.py tries 200 seeds.
    assert probe(option_states(1)).verdict is not ProbeVerdict.ENCODED_NOT_USED


def test_options_are_ranked_inside_their_question_only() -> None:
    generator = np.random.default_rng(3)
    questions = np.repeat([0, 1, 2], [3, 5, 4])
    labels = np.zeros(12, dtype=np.int64)
    labels[[1, 4, 11]] = 1
    scores = generator.integers(0, 4, 12).astype(float)
    shares = []
    for _number, rows in groupby(range(12), key=lambda row: questions[row]):
        of = list(rows)
        [right] = [row for row in of if labels[row]]
        wrong = [row for row in of if not labels[row]]
        beaten = [
            1.0 if scores[right] > scores[row] else 0.5 if scores[right] == scores[row] else 0.0
            for row in wrong
        ]
        shares.append(sum(beaten) / len(beaten))
    folds = np.zeros(12, dtype=np.int64)
    found = ranked_options(scores, labels, questions, np.zeros(12, dtype=np.int64), folds)
    assert found.whole == pytest.approx(np.mean(shares))
    # What is added to all options of a question changes nothing.
    moved = ranked_options(
        scores + 10.0 * questions, labels, questions, np.zeros(12, dtype=np.int64), folds
    )
    assert moved.whole == found.whole


def test_the_area_of_two_answers_is_as_before_where_some_cases_are_left_out() -> None:
    task = states(0, planted=1.5)
    folds = np.arange(len(task.labels)) // 3 % 4 - 1
    within = folds >= 0
    alone = held_out(task.blocks[1][within], task.labels[within], folds[within])
    assert np.array_equal(task.held_out(task.blocks[1], folds)[within], alone)


def test_options_are_found_where_the_prompt_lists_them_and_not_where_it_names_them() -> None:
    text = "The boat is in the boat house. Where?\nA: boat    B: boat house    C: pier\nAnswer:"
    question = asked(text, "boat", "boat house", "pier")
    shown = [text[start:stop] for start, stop in option_ranges(question)]
    assert shown == ["boat", "boat house", "pier"]
    assert option_ranges(question)[0][0] == text.index("A: ") + 3
    assert option_ranges(asked("The boat is in.", "boat", "pier", "house")) == ()
    # Of letters without their texts nothing is read.
    assert option_ranges(asked("A) x B) y C) z", "A", "B", "C")) == ()


def test_a_lazy_reader_knows_the_sentences_that_name_an_option() -> None:
    text = "- [cup] is near [box]\n- [cup] is not near [hat]\nWhere?\nA: box    B: hat    C: key"
    features = option_words([asked(text, "box", "hat", "key")])
    # Sentences naming it, the share of its words that stands before, and its length.
    assert features[:, -3:].tolist() == [[1, 1, 3], [1, 1, 3], [0, 0, 3]]
    assert len(np.unique(features, axis=0)) == 3


@pytest.fixture(scope="module")
def probed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A probe study of the demonstration model, of some bundled questions with five options."""
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    store = tmp_path_factory.mktemp("options") / "runs.sqlite"
    words = ("study", "probe", "accord", "--limit", "12", "--model", "demo", "--store", store)
    ok(*words, "--quiet")
    with StudyStore(store) as opened:
        [study] = opened.studies()
    return study


def test_the_kept_scores_of_options_give_the_figures_of_the_table(probed: Study) -> None:
    result: dict[str, Any] = probed.result or {}
    assert (result["n"], result["groups"], result["numbers_of_options"]) == (12, 12, [5])
    assert result["chance"] == pytest.approx(0.2)
    questions = result["items"]

    def share(scores: list[float], gold: int) -> float:
        others = [score for index, score in enumerate(scores) if index != gold]
        won = [1.0 if scores[gold] > each else 0.5 * (scores[gold] == each) for each in others]
        return sum(won) / len(won)

    for number, block in enumerate(result["blocks"]):
        shares = [share(each["scores"][number], each["gold"]) for each in questions]
        assert np.mean(shares) == pytest.approx(block["auc"])
    nested = [
        share(each["scores"][result["chosen_blocks"][each["fold"]]], each["gold"])
        for each in questions
    ]
    assert np.mean(nested) == pytest.approx(result["auc"])
    assert np.mean([each["probe_right"] for each in questions]) == pytest.approx(result["accuracy"])
    own = [int(np.argmax(each["logprobs"])) == each["gold"] for each in questions]
    assert np.mean(own) == pytest.approx(result["own_accuracy"])


def test_accuracy_stands_beside_chance_and_the_best_constant_answer(
    probed: Study, tmp_path: Path
) -> None:
    report = report_of(probed)
    assert report.table.columns[-3:] == ("accuracy", "chance", "best constant answer")
    assert "Drawing an option is right about 20.0%" in report.method[0]
    behind = items_behind(probed, report, Place(2))
    assert len(behind.items) == 12
    assert all("right: " in item.note for item in behind.items)


def test_a_prompt_that_does_not_show_its_options_is_refused_with_what_to_do(tmp_path: Path) -> None:
    if not demo_file().is_file():
        pytest.skip("needs the bundled demo model")
    ran = run(
        "study", "probe", "gita", "--task-layer", "physical_state", "--limit", "20",
        "--model", "demo", "--store", tmp_path / "runs.sqlite",
    )  # fmt: skip
    assert ran.code == 2
    assert "do not show their options" in ran.err
    assert "Traceback" not in ran.err


def test_five_options_are_no_obstacle_to_a_probe() -> None:
    accord = registry.load("accord")
    assert lacks_probed_options(QuestionSource(accord, accord.open(accord.samples()))) == ""
