"""Agreement of several answerers, against a published table."""

from __future__ import annotations

import pytest

from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.agreement import agreement

# Fleiss (1971) is usually shown with this table: 14 raters, 10 subjects, 5 categories, kappa .210.
COUNTS = (
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
)


def verdict(item: int, answer: int | None, gold: int | None = 0, digest: str = "q") -> Verdict:
    return Verdict(
        item=str(item),
        layer="answer",
        setting=Setting(),
        options=tuple("abcde"),
        scores=(),
        answer=answer,
        gold=gold,
        status=Status.OK,
        scoring=Scoring.GENERATED,
        digest=f"{digest}{item}",
    )


def test_kappa_is_the_published_one() -> None:
    raters = [[] for _ in range(14)]
    for subject, counts in enumerate(COUNTS):
        answers = [answer for answer, count in enumerate(counts) for _ in range(count)]
        for rater, answer in enumerate(answers):
            raters[rater].append(verdict(subject, answer))
    found = agreement(raters)
    assert found is not None
    assert found.ratings.items == 10
    assert found.ratings.observed == pytest.approx(0.378, abs=5e-4)
    assert found.ratings.expected == pytest.approx(0.213, abs=5e-4)
    assert found.ratings.kappa == pytest.approx(0.210, abs=5e-4)


def test_only_questions_that_all_were_asked_count() -> None:
    one = [verdict(0, 1), verdict(1, 1), verdict(2, 1)]
    other = [verdict(1, 1), verdict(2, 2), verdict(3, 1), verdict(0, 1, digest="another")]
    found = agreement([one, other])
    assert found is not None
    assert (found.ratings.items, found.ratings.observed) == (2, 0.5)
    assert agreement([one]) is None
    assert agreement([one, [verdict(9, 0)]]) is None


def test_the_majority_is_right_only_without_a_tie() -> None:
    runs = [[verdict(0, 0), verdict(1, 0)], [verdict(0, 0), verdict(1, 2)]]
    found = agreement(runs)
    assert found is not None
    assert (found.majority_right, found.with_gold) == (1, 2)
    same = agreement([[verdict(0, 3)], [verdict(0, 3)]])
    assert same is not None
    assert same.ratings.kappa is None
