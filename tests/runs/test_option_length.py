"""Log-likelihoods by sum, per token and per byte beside each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.contract.question import (
    Answer,
    OptionScore,
    Question,
    Scoring,
    Verdict,
    score_by_likelihood,
    verdict_on,
)
from core.contract.summary import Summary
from core.runs.option_length import accuracies, with_option_length
from core.statistics.proportion import wilson

OPTIONS = ("a", "a bit more", "more than the others")


def scored(
    item: str,
    gold: int,
    logprobs: tuple[float, ...],
    tokens: tuple[int, ...] = (1, 3, 4),
    options: tuple[str, ...] = OPTIONS,
    family: str = "",
) -> Verdict:
    question = Question(item, "answer", "", "", options, gold, tags={"family": family})
    scores = [
        OptionScore(*each, len(option.encode()))
        for *each, option in zip(logprobs, tokens, options, strict=True)
    ]
    return score_by_likelihood(question, Answer(tuple(scores)))


def rights(verdicts: list[Verdict]) -> dict[str, int | None]:
    return {each.rule: each.right for each in accuracies(verdicts)["answer"]}


def test_a_mean_may_choose_otherwise_than_the_sum() -> None:
    # Sums: the first. Per token -2, -1, -1.25: the second. Per byte -2, -.3, -.25: the third.
    logprobs = (-2.0, -3.0, -5.0)
    by_gold = [rights([scored("1", gold, logprobs)]) for gold in range(3)]
    names = list(by_gold[0])
    assert [[found[name] for name in names] for found in by_gold] == [
        [1, 0, 0, None, 1, 0],
        [0, 1, 0, None, 0, 0],
        [0, 0, 1, None, 0, 1],
    ]
    assert names == [
        "by sum",
        "per token",
        "per byte",
        "against the prior",
        "always the shortest option",
        "always the longest option",
    ]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.tuples(*[st.floats(-50, 0)] * 3),
            st.tuples(*[st.integers(1, 5)] * 3),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_sum_is_the_run_s_own_accuracy_and_the_others_are_those_of_numpy(drawn) -> None:
    import numpy as np

    verdicts = [scored(str(i), *each) for i, each in enumerate(drawn)]
    found = rights(verdicts)
    assert found["by sum"] == sum(bool(v.right) for v in verdicts)
    sums = np.array([each[1] for each in drawn])
    tokens = np.array([each[2] for each in drawn])
    golds = np.array([each[0] for each in drawn])
    sizes = np.array([len(option) for option in OPTIONS])
    assert found["per token"] == int(((sums / tokens).argmax(axis=1) == golds).sum())
    assert found["per byte"] == int(((sums / sizes).argmax(axis=1) == golds).sum())
    assert found["always the shortest option"] == int((golds == 0).sum())
    assert found["always the longest option"] == int((golds == 2).sum())


def test_options_of_one_length_have_no_table() -> None:
    same = scored("1", 0, (-1.0, -2.0), (1, 1), ("yes", "noo"))
    summary = Summary("plain", ())
    assert with_option_length(summary, [same], {}) is summary
    assert with_option_length(summary, [], {}) is summary
    tokens_differ = scored("1", 0, (-1.0, -2.0), (1, 2), ("yes", "noo"))
    assert with_option_length(summary, [tokens_differ], {}).tables


def test_lengths_that_are_not_recorded_are_said_to_be_missing() -> None:
    verdicts = [scored("1", 0, (-1.0, -2.0, -3.0)), scored("2", 0, (-1.0, -2.0, -3.0), (0, 0, 0))]
    found = rights(verdicts)
    assert found["per token"] is None
    assert found["per byte"] is not None
    (table,) = with_option_length(Summary("plain", ()), verdicts, {"answer": "Answer"}).tables
    assert [cell.text for cell in table.rows[0]][:2] == ["Answer", "2"]
    assert table.rows[0][3].text == "not recorded"


def test_alike_questions_widen_the_interval() -> None:
    alike = [scored(str(i), i // 5 % 2, (-1.0, -2.0, -9.0), family=str(i // 5)) for i in range(20)]
    apart, together = (accuracies(alike, tag)["answer"][0] for tag in ("", "family"))
    assert apart.interval == wilson(10, 20)
    assert together.interval[0] < wilson(2, 4)[0]
    assert together.interval[1] > wilson(2, 4)[1]


def test_only_single_choice_by_log_likelihood_with_a_known_answer_is_counted() -> None:
    question = Question("1", "answer", "", "", OPTIONS, 0)
    written = verdict_on(question, Answer(text="a", scoring=Scoring.GENERATED), "ok", (0,))
    several = Question("1", "answer", "", "", OPTIONS, None, golds=(0,), multiple=True)
    scores = tuple(OptionScore(-1.0, n, n) for n in (1, 2, 3))
    goldless = Question("1", "answer", "", "", OPTIONS, None)
    verdicts = [written, *(score_by_likelihood(q, Answer(scores)) for q in (several, goldless))]
    assert accuracies(verdicts) == {}


def test_a_share_without_an_interval_is_shown() -> None:
    alike = [scored(str(i), i, (-1.0, -2.0, -9.0), family="one") for i in range(2)]
    (table,) = with_option_length(Summary("plain", ()), alike, {}, "family").tables
    assert table.rows[0][2].text == ".500, no interval"
