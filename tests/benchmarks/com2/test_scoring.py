"""The figures of Com²: soft scores, macro averages, and how answers were read."""

from __future__ import annotations

import math
from itertools import combinations

import pytest

from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.questions import PROFILES
from core.benchmarks.com2.scoring import PARTS, macro, summarise
from core.contract.question import Answer, Question, Scoring, Status, Verdict, verdict_on
from core.contract.summary import Baseline, Figure, Summary
from core.statistics.proportion import proportion_interval, wilson
from core.text.errors import NotFoundError

TABLE_2 = {
    # Xiong et al. (2025), Table 2: Dir. Dec. Trans. Inter. Counter., Avg., Dec. Inter. Counter.,
    # Avg., overall.
    "Qwen2-7B": ((80.2, 59.25, 47.6, 34.0, 69.6), 58.13, (28.13, 57.76, 78.23), 54.71, 56.42),
    "Qwen2.5-7B": ((83.4, 67.83, 49.8, 32.8, 73.4), 61.42, (31.13, 51.07, 74.88), 52.36, 56.89),
    "Qwen2.5-14B": ((80.4, 66.95, 48.2, 31.8, 72.0), 59.84, (34.94, 51.79, 75.84), 54.19, 57.02),
    "Qwen2.5-32B": ((83.6, 65.16, 48.8, 33.8, 72.4), 60.73, (30.21, 54.89, 79.19), 54.8, 57.77),
    "LLaMA-3.1-8B": ((83.2, 58.04, 47.0, 30.4, 71.4), 58.01, (37.62, 48.93, 74.16), 53.56, 55.79),
    "LLaMA-3.2-1B": ((68.2, 27.16, 35.6, 24.2, 47.2), 40.52, (3.14, 27.92, 28.95), 20.01, 30.27),
    "LLaMA-3.2-3B": ((81.2, 58.04, 40.2, 29.2, 72.4), 56.2, (21.22, 48.45, 62.2), 43.96, 50.08),
    "Gemma2-9B": ((78.2, 11.99, 45.2, 26.4, 68.4), 46.16, (43.2, 53.46, 77.75), 58.13, 52.15),
    "Gemma2-27B": ((77.4, 60.29, 49.2, 28.4, 69.6), 56.97, (45.73, 49.64, 75.36), 56.9, 56.94),
    "GPT-4o-mini": ((83.2, 62.54, 49.2, 31.4, 71.2), 59.5, (33.46, 53.46, 78.95), 55.29, 57.4),
    "GPT-4o": ((80.6, 66.43, 48.4, 32.2, 68.8), 59.26, (45.1, 56.09, 77.99), 59.72, 59.49),
    "Open-O1": ((75.6, 41.67, 43.8, 30.4, 60.0), 50.29, (62.47, 52.03, 71.05), 61.84, 56.07),
    "Marco-o1": ((77.6, 41.77, 43.6, 31.8, 65.8), 52.11, (62.64, 53.94, 71.77), 62.78, 57.45),
    "R1-distilled": ((75.2, 56.51, 43.4, 30.0, 68.2), 54.65, (60.22, 54.24, 73.64), 62.7, 58.68),
    "QwQ-32B": ((79.8, 59.82, 47.4, 32.0, 64.6), 56.7, (41.81, 44.39, 69.86), 52.01, 54.36),
    "o1-mini": ((80.0, 32.64, 47.8, 30.0, 66.6), 51.48, (43.44, 51.79, 74.4), 56.54, 54.01),
}
PRINTED_OTHERWISE = {
    ("Qwen2.5-7B", "main"),
    ("Qwen2.5-14B", "main"),
    ("Qwen2.5-32B", "main"),
    ("Qwen2.5-32B", "hard"),
    ("LLaMA-3.2-1B", "main"),
    ("Gemma2-9B", "main"),
    ("GPT-4o", "main"),
    ("QwQ-32B", "main"),
    ("o1-mini", "main"),
}
"""Averages in print that differ by more than rounding from the mean of the scores beside them."""
ROUNDED = 0.0151
"""What rounding the scores and their average to two digits may add up to, and a hair."""


@pytest.mark.parametrize("model", TABLE_2)
def test_the_averages_are_those_of_the_paper(model: str) -> None:
    main, main_average, hard, hard_average, _ = TABLE_2[model]
    for part, scores, average in (("main", main, main_average), ("hard", hard, hard_average)):
        off = abs(macro(scores) - average)
        if (model, part) in PRINTED_OTHERWISE:
            assert ROUNDED < off < 0.13
        else:
            assert off < ROUNDED


@pytest.mark.parametrize("model", TABLE_2)
def test_the_overall_score_is_the_mean_of_the_averages(model: str) -> None:
    _, main_average, _, hard_average, overall = TABLE_2[model]
    assert macro([main_average, hard_average]) == pytest.approx(overall, abs=0.0051)


def single(
    scenario: str,
    right: bool,
    *,
    part: str = "main",
    status: Status = Status.OK,
    options: int = 4,
    tokens: int = 0,
    layer: str = "answer",
    gold: int = 0,
) -> Verdict:
    names = tuple(f"option {i}" for i in range(options))
    tags = {"scenario": scenario, "part": part}
    asked = Question("i", layer, "", "", names, gold, tags=tags)
    answer = Answer(text="x", scoring=Scoring.GENERATED, tokens=tokens)
    picked = () if status is not Status.OK else (gold if right else 1 - gold,)
    return verdict_on(asked, answer, status, picked)


def several(
    picked: tuple[int, ...], golds: tuple[int, ...], *, part: str = "main", options: int = 5
) -> Verdict:
    names = tuple(f"option {i}" for i in range(options))
    tags = {"scenario": "decision", "part": part}
    asked = Question("i", "answer", "", "", names, None, golds=golds, multiple=True, tags=tags)
    status = Status.OK if picked else Status.NO_ANSWER
    return verdict_on(asked, Answer(text="x", scoring=Scoring.GENERATED), status, picked)


def figure(summary: Summary, name: str) -> Figure:
    (found,) = [figure for figure in summary.figures if figure.name == name]
    return found


def reached(figure: Figure) -> dict[str, float]:
    return {name: baseline.value for name, baseline in figure.baselines.items()}


def names(summary: Summary) -> list[str]:
    return [figure.name for figure in summary.figures]


def test_single_choice_is_a_proportion_with_its_wilson_interval() -> None:
    found = figure(summarise([single("direct", i < 3) for i in range(8)], "paper"), "main direct")
    assert (found.right, found.n, found.value) == (3, 8, 0.375)
    assert found.interval == wilson(3, 8)
    assert found.baselines["chance"].value == 0.25
    assert found.baselines["best letter"] == Baseline(1.0, "always A")


@pytest.mark.parametrize(
    ("picked", "credit"),
    [((0, 1, 2), 1.0), ((0, 2), 2 / 3), ((1,), 1 / 3), ((0, 1, 2, 3), 0.0), ((4,), 0.0), ((), 0.0)],
)
def test_multiple_select_has_the_soft_score_of_the_paper(
    picked: tuple[int, ...], credit: float
) -> None:
    found = figure(summarise([several(picked, (0, 1, 2))], "paper"), "main decision")
    assert found.value == pytest.approx(credit)
    assert found.right == int(credit == 1.0)


def test_a_soft_mean_has_the_interval_of_as_many_right_or_wrong_answers() -> None:
    verdicts = [several((0,), (0, 1)), several((0, 1), (0, 1)), several((2,), (0, 1))]
    found = figure(summarise(verdicts, "paper"), "main decision")
    assert found.value == pytest.approx(0.5)
    # With Student's t, three scores of .5, 1 and 0 tell less than three right or wrong answers.
    assert found.interval == pytest.approx(wilson(1.5, 3))
    equal = [several((0,), (0, 1))] * 9
    same = figure(summarise(equal, "paper"), "main decision")
    assert same.interval == pytest.approx(wilson(4.5, 9))
    alone = figure(summarise(verdicts[:1], "paper"), "main decision")
    assert alone.interval is None


@pytest.mark.parametrize(("options", "right"), [(2, 1), (5, 3), (6, 2), (4, 4)])
def test_chance_in_multiple_select_is_that_of_every_set_of_options(
    options: int, right: int
) -> None:
    golds = tuple(range(right))
    sets = [
        chosen for size in range(1, options + 1) for chosen in combinations(range(options), size)
    ]
    expected = sum(several(chosen, golds, options=options).credit or 0.0 for chosen in sets)
    found = figure(summarise([several((0,), golds, options=options)], "paper"), "main decision")
    assert found.baselines["chance"].value == pytest.approx(expected / len(sets))


def test_the_best_letter_is_that_which_scores_most_when_it_is_always_picked() -> None:
    golds = [(0, 1), (1,), (2, 3, 4), (1, 2), (0,)]
    found = figure(summarise([several((0,), each) for each in golds], "paper"), "main decision")
    tried = {
        letter: summarise([several((letter,), each) for each in golds], "paper").figures[0].value
        for letter in range(5)
    }
    assert found.baselines["best letter"].value == pytest.approx(max(map(float, tried.values())))
    assert found.baselines["best letter"].answers == "always B"
    assert "set" in found.baselines["chance"].answers


def test_baselines_of_averages_are_the_averages_of_baselines() -> None:
    verdicts = [single("direct", True, options=2), *(single("transition", True),) * 9]
    verdicts += [single("transition", True, gold=1)] * 3
    average = figure(summarise(verdicts, "paper"), "main average")
    assert reached(average) == pytest.approx(
        {"chance": (1 / 2 + 1 / 4) / 2, "best letter": (1 + 9 / 12) / 2}
    )


def test_averages_weigh_scenarios_equally() -> None:
    verdicts = [single("direct", True)] * 9 + [single("transition", False)]
    summary = summarise(verdicts, "paper")
    average = figure(summary, "main average")
    assert average.value == 0.5
    assert average.n == 10
    assert average.right is None
    for absent in ("main decision", "main intervention", "main counterfactual"):
        assert absent in average.note
    assert "overall" not in names(summary)


def test_overall_is_the_mean_of_main_and_hard() -> None:
    verdicts = [
        *(single(s, s is Scenario.DIRECT) for s in Scenario if s is not Scenario.DECISION),
        several((0,), (0, 1)),
        *(single(s, True, part="hard") for s in ("intervention", "counterfactual")),
        several((3,), (0, 1), part="hard"),
    ]
    summary = summarise(verdicts, "paper")
    assert figure(summary, "main average").value == pytest.approx((1 + 0.5) / 5)
    assert figure(summary, "hard average").value == pytest.approx(2 / 3)
    overall = figure(summary, "overall")
    assert overall.value == pytest.approx((0.3 + 2 / 3) / 2)
    assert overall.n == 8
    assert "without" not in overall.note
    assert figure(summary, "hard average").n == 3
    assert [n for n in names(summary) if " average" not in n] == [
        *(f"main {s.value}" for s in PARTS["main"]),
        *(f"hard {s.value}" for s in PARTS["hard"]),
        "overall",
    ]


def test_unparsed_answers_are_wrong_or_left_out() -> None:
    unread = (Status.NO_ANSWER, Status.AMBIGUOUS, Status.TRUNCATED, Status.OUT_OF_RANGE)
    verdicts = [
        single("direct", True),
        single("direct", False),
        *(single("direct", False, status=status) for status in unread),
    ]
    every, parsed = (summarise(verdicts, profile) for profile in PROFILES)
    assert (figure(every, "main direct").right, figure(every, "main direct").n) == (1, 6)
    assert (figure(parsed, "main direct").right, figure(parsed, "main direct").n) == (1, 2)
    assert every.counts == parsed.counts
    assert every.counts["status ok"] == 2
    assert all(every.counts[f"status {status}"] == 1 for status in unread)


@pytest.mark.parametrize(("layer", "name"), [("link-1", "links"), ("broken", "broken links")])
def test_unparsed_answers_to_links_are_wrong_or_left_out_too(layer: str, name: str) -> None:
    verdicts = [
        single("direct", True, layer=layer, options=2),
        single("direct", False, layer=layer, options=2),
        single("direct", False, layer=layer, options=2, status=Status.NO_ANSWER),
    ]
    every, parsed = (summarise(verdicts, profile) for profile in PROFILES)
    assert (figure(every, name).right, figure(every, name).n) == (1, 3)
    assert (figure(parsed, name).right, figure(parsed, name).n) == (1, 2)


def test_links_are_scored_apart() -> None:
    links = [single("direct", i < 2, layer=f"link-{i + 1}", options=2) for i in range(3)]
    summary = summarise(links, "paper")
    assert names(summary) == ["links"]
    assert (figure(summary, "links").right, figure(summary, "links").n) == (2, 3)
    assert reached(figure(summary, "links")) == {"chance": 0.5, "always yes": 1.0, "always no": 0.0}
    both = summarise([*links, single("direct", True)], "paper")
    assert figure(both, "main direct").n == 1


def test_broken_links_are_scored_apart_from_sound_ones() -> None:
    kept = [single("direct", True, layer=f"link-{i}", options=2) for i in (1, 2)]
    fooled = [single("intervention", False, layer="broken", options=2, gold=1)]
    summary = summarise([*kept, *fooled], "paper")
    assert names(summary) == ["links", "broken links"]
    assert (figure(summary, "links").right, figure(summary, "links").n) == (2, 2)
    assert (figure(summary, "broken links").right, figure(summary, "broken links").n) == (0, 1)
    assert reached(figure(summary, "broken links")) == {
        "chance": 0.5,
        "always yes": 0.0,
        "always no": 1.0,
    }


def test_output_tokens_stand_beside_the_score() -> None:
    verdicts = [single("direct", True, tokens=100), single("direct", True, tokens=200)]
    summary = summarise(verdicts, "paper")
    assert summary.counts["output tokens"] == 300
    assert "150 output tokens" in figure(summary, "main direct").note
    assert "output tokens" not in summarise([single("direct", True)], "paper").counts


def test_answers_without_gold_are_counted_and_left_out() -> None:
    summary = summarise([several((0,), ()), several((0,), (0,))], "paper")
    assert figure(summary, "main decision").n == 1
    assert summary.counts["without gold"] == 1


def test_without_questions_there_is_no_figure() -> None:
    assert summarise([], "paper").figures == ()


def test_an_unknown_profile_is_a_typed_error() -> None:
    with pytest.raises(NotFoundError):
        summarise([], "generous")


def test_the_interval_of_an_average_comes_from_its_scenarios() -> None:
    verdicts = [
        *(single("direct", i < 5) for i in range(8)),
        *(single("transition", i < 2) for i in range(12)),
        *(single("counterfactual", i < 9, part="hard") for i in range(9)),
    ]
    summary = summarise(verdicts, "paper")
    main, hard, overall = (
        figure(summary, name) for name in ("main average", "hard average", "overall")
    )
    below = math.hypot(5 / 8 - wilson(5, 8)[0], 2 / 12 - proportion_interval(2, 12)[0]) / 2
    above = math.hypot(wilson(5, 8)[1] - 5 / 8, wilson(2, 12)[1] - 2 / 12) / 2
    mean = (5 / 8 + 2 / 12) / 2
    assert main.interval == pytest.approx((mean - below, mean + above))
    assert "its interval from theirs" in main.note
    # All of one scenario right: still not certain.
    assert hard.interval == pytest.approx(wilson(9, 9))
    hard_below = 1 - wilson(9, 9)[0]
    assert overall.interval == pytest.approx(
        ((mean + 1) / 2 - math.hypot(below, hard_below) / 2, (mean + 1) / 2 + above / 2)
    )


def test_an_average_over_a_scenario_without_an_interval_has_none() -> None:
    summary = summarise(
        [*(single("direct", True) for _ in range(4)), several((0,), (0, 1))], "paper"
    )
    average = figure(summary, "main average")
    assert average.interval is None
    assert average.n == 5
    assert "interval" not in average.note
