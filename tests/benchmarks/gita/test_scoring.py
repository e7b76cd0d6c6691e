"""GITA's figures: gating, denominators, profiles, what is known and what is not.

The published figures themselves are reproduced in `tests/exchange/importers/test_lm_eval.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.profiles import PROFILES
from core.benchmarks.gita.questions import CONFLICT, STATE, STORY
from core.benchmarks.gita.scoring import summarise
from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Figure, Summary, Totals
from core.text.errors import NotFoundError

NAMES = [
    "Accuracy",
    "Consistency",
    "Verifiability",
    "Cloze Accuracy",
    "Order Accuracy",
    "Plausible Accuracy",
    "Cloze Consistency",
    "Order Consistency",
    "Cloze Verifiability",
    "Order Verifiability",
]
OPTIONS = {STORY: ("false", "true"), CONFLICT: ("0 and 1", "1 and 2"), STATE: ("open", "wet")}


@dataclass(frozen=True)
class Told:
    """A story as tags tell of it, and its answers: a letter for each layer it was asked in.

    "r" is right, "w" wrong, "-" not asked.
    """

    key: str
    answers: str
    example_id: str = ""
    type: str | None = None

    def verdicts(self) -> list[Verdict]:
        kind = "order" if "O" in self.key else "cloze" if "C" in self.key else ""
        plausible = not kind
        tags = {
            "key": self.key,
            "example_id": self.example_id or self.key,
            "story_id": self.key.partition("-")[0],
            "type": kind if self.type is None else self.type,
            "plausible": str(plausible).lower(),
            "pair": "" if plausible else "0 and 1",
            "state": "open",
        }
        golds = {STORY: int(plausible), CONFLICT: 0, STATE: 0}
        return [
            Verdict(
                item=self.key,
                layer=layer,
                setting=Setting(),
                options=OPTIONS[layer],
                scores=(),
                answer=golds[layer] if letter == "r" else 1 - golds[layer],
                gold=golds[layer],
                status=Status.OK,
                scoring=Scoring.LOGLIKELIHOOD,
                tags=tags,
            )
            for layer, letter in zip((STORY, CONFLICT, STATE), self.answers, strict=False)
            if letter != "-"
        ]


def run(*stories: Told) -> list[Verdict]:
    """Verdicts in run order: layer by layer."""
    verdicts = [verdict for story in stories for verdict in story.verdicts()]
    return sorted(verdicts, key=lambda verdict: [STORY, CONFLICT, STATE].index(verdict.layer))


def figure(summary: Summary, name: str) -> Figure:
    return {figure.name: figure for figure in summary.figures}[name]


def values(summary: Summary, name: str) -> dict[str, float]:
    return {key: baseline.value for key, baseline in figure(summary, name).baselines.items()}


def counted(summary: Summary, name: str) -> tuple[int | None, int]:
    result = figure(summary, name)
    return result.right, result.n


WHOLE = run(
    Told("1", "r"),
    Told("1-C0", "rrr"),
    Told("1-O0", "rrw"),
    Told("2", "w"),
    Told("2-C0", "rw"),
    Told("2-O0", "w"),
)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_whole_run(profile: str) -> None:
    summary = summarise(WHOLE, profile)
    assert [each.name for each in summary.figures] == NAMES
    assert [(each.right, each.n) for each in summary.figures] == [
        (4, 6),
        (2, 4),
        (1, 4),
        (2, 2),
        (1, 2),
        (1, 2),
        (1, 2),
        (1, 2),
        (1, 2),
        (0, 2),
    ]
    assert not summary.not_checkable
    assert summary.counts["conflict_detec asked"] == 3
    assert summary.counts["physical_state right"] == 1
    assert len(summary.notes) == 1


def test_no_survivors_are_zeros() -> None:
    summary = summarise(run(Told("1", "w"), Told("1-C0", "w"), Told("1-O0", "w")), "unified")
    assert [each.value for each in summary.figures] == [0.0] * 10
    assert not summary.not_checkable


def test_a_run_without_verdicts_has_no_figures() -> None:
    summary = summarise([], "unified")
    assert summary.not_checkable == tuple(NAMES)
    assert all(each.interval is None for each in summary.figures)


def test_a_run_whose_right_answers_are_unknown_says_so() -> None:
    [told] = Told("1", "w").verdicts()
    assert summarise([told._replace(gold=None)], "unified").figures[0].note == (
        "What is right in the first layer is not known."
    )
    assert summarise([], "unified").figures[0].note == (
        "The first layer's answers are not recorded."
    )


def test_a_layer_counts_only_after_right_answers() -> None:
    wrong_first = [*WHOLE, *Told("2-O0", "-rr").verdicts()]
    summary = summarise(wrong_first, "unified")
    before = summarise(WHOLE, "unified")
    assert [f.right for f in summary.figures] == [f.right for f in before.figures]
    assert any("1 answer to “Which sentences?” does not count" in note for note in summary.notes)


def test_before_a_layer_is_asked_its_figures_are_not_known() -> None:
    first = [verdict for verdict in WHOLE if verdict.layer == STORY]
    summary = summarise(first, "unified")
    assert counted(summary, "Accuracy") == (4, 6)
    assert summary.not_checkable == tuple(n for n in NAMES if "Accuracy" not in n)


def without(*asked: tuple[str, str]) -> list[Verdict]:
    """The whole run without some layers of some stories."""
    return [verdict for verdict in WHOLE if (verdict.layer, verdict.item) not in asked]


def test_figures_of_an_unfinished_layer_are_not_known() -> None:
    summary = summarise(without((CONFLICT, "1-O0"), (STATE, "1-O0")), "unified")
    unknown = ("Consistency", "Verifiability", "Order Consistency", "Order Verifiability")
    assert summary.not_checkable == unknown
    assert all(figure(summary, name).interval is None for name in unknown)
    assert counted(summary, "Consistency") == (None, 4)
    assert "Stories without an answer yet: 1 of 1." in figure(summary, "Order Consistency").note
    assert figure(summary, "Verifiability").note == "not asked yet"
    assert not figure(summary, "Cloze Consistency").note
    assert counted(summary, "Cloze Consistency") == (1, 2)
    missing = "Not every story that “Which sentences?” asks has an answer, so Consistency is not"
    assert any(missing in note for note in summary.notes)
    assert summary.counts["conflict_detec waiting"] == 1


def test_no_right_answer_so_far_is_no_zero() -> None:
    asked = without((CONFLICT, "1-C0"), (CONFLICT, "1-O0"), (STATE, "1-C0"), (STATE, "1-O0"))
    summary = summarise(asked, "unified")
    assert summary.counts["conflict_detec right"] == 0
    assert counted(summary, "Consistency") == (None, 4)
    assert counted(summary, "Verifiability") == (None, 4)


def test_an_answer_whose_gold_is_not_known_was_asked_about() -> None:
    edited = [v._replace(gold=None) if v.layer == STATE and v.item == "1-O0" else v for v in WHOLE]
    assert counted(summarise(edited, "unified"), "Verifiability") == (1, 4)


def test_totals_stand_in_for_a_layer_without_verdicts() -> None:
    first = [verdict for verdict in WHOLE if verdict.layer == STORY]
    summary = summarise(first, "unified", {CONFLICT: Totals(2, 3), STATE: Totals(1, 2)})
    assert counted(summary, "Consistency") == (2, 4)
    assert counted(summary, "Verifiability") == (1, 4)
    assert summary.not_checkable == tuple(NAMES[6:])
    assert summary.counts["conflict_detec asked"] == 3
    assert "total" in figure(summary, "Consistency").note


def test_a_total_over_other_stories_is_noted() -> None:
    first = [verdict for verdict in WHOLE if verdict.layer == STORY]
    summary = summarise(first, "unified", {CONFLICT: Totals(2, 9), STATE: Totals(1, 2)})
    assert any("over 9 stories; due: 3." in note for note in summary.notes)


def test_totals_of_the_first_layer_have_no_denominators_for_the_others() -> None:
    later = [verdict for verdict in WHOLE if verdict.layer != STORY]
    summary = summarise(later, "unified", {STORY: Totals(4, 6)})
    assert counted(summary, "Accuracy") == (4, 6)
    assert summary.not_checkable == tuple(NAMES[1:])


def test_totals_do_not_replace_verdicts() -> None:
    summary = summarise(WHOLE, "unified", {CONFLICT: Totals(9, 9)})
    assert counted(summary, "Consistency") == (2, 4)


def test_answers_without_gold_are_left_out() -> None:
    edited = [v._replace(gold=None) if v.item in {"2", "2-O0"} else v for v in WHOLE]
    summary = summarise(edited, "unified")
    assert counted(summary, "Accuracy") == (4, 4)
    assert counted(summary, "Consistency") == (2, 3)
    assert any(note.startswith("2 answers are left out") for note in summary.notes)


def test_inferred_answers_are_noted() -> None:
    inferred = [v._replace(scoring=Scoring.INFERRED) if v.layer == CONFLICT else v for v in WHOLE]
    summary = summarise(inferred, "unified")
    assert counted(summary, "Consistency") == (2, 4)
    assert "next layer" in figure(summary, "Consistency").note
    assert not figure(summary, "Verifiability").note


# The cloze story of family 3 carries the id of the order story, as 39-C0 does in the release.
TWINS = (Told("3", "r"), Told("3-O0", "rww"), Told("3-C0", "w", example_id="3-O0"))


def test_the_released_id_decides_the_kind_in_the_published_figures() -> None:
    verdicts = run(*TWINS)
    assert counted(summarise(verdicts, "unified"), "Order Accuracy") == (1, 2)
    assert counted(summarise(verdicts, "unified"), "Cloze Accuracy") == (0, 0)
    for profile in ("by-type", "repaired"):
        assert counted(summarise(verdicts, profile), "Order Accuracy") == (1, 1)
        assert counted(summarise(verdicts, profile), "Cloze Accuracy") == (0, 1)


def test_by_type_a_wrong_story_counts_if_another_with_its_id_was_right() -> None:
    leaking = run(*TWINS[:2], Told("3-C0", "wrr", example_id="3-O0"))
    assert counted(summarise(leaking, "by-type"), "Cloze Consistency") == (1, 1)
    assert counted(summarise(leaking, "repaired"), "Cloze Consistency") == (0, 1)
    waiting = summarise(run(*TWINS), "by-type")
    waits = "“Which sentences?”: stories without an answer, 1 of 2,"
    assert any(waits in note for note in waiting.notes)


def test_by_type_more_right_answers_than_typed_stories_have_no_value() -> None:
    untyped = run(Told("4-C0", "rrr", type=""), Told("5-C0", "rrr", type=""), Told("6-C0", "w"))
    result = figure(summarise(untyped, "by-type"), "Consistency")
    assert (result.right, result.n) == (None, 1)
    assert result.note


def test_baselines_have_the_denominators_of_their_figures() -> None:
    verdicts = [
        v._replace(tags={**v.tags, "pair": "1 and 2", "state": "wet"}) if v.item == "2-O0" else v
        for v in WHOLE
    ]
    summary = summarise(verdicts, "unified")
    assert values(summary, "Accuracy") == {"chance": 0.5, "always false": 4 / 6}
    assert values(summary, "Plausible Accuracy")["always false"] == 0.0
    assert values(summary, "Consistency") == {
        "chance": 0.25,
        "majority pair": 3 / 4,
        "best fixed answers": 3 / 4,
    }
    assert values(summary, "Order Consistency")["majority pair"] == 1 / 2
    assert values(summary, "Verifiability")["majority pair and state"] == 3 / 4


def test_without_questions_chance_is_that_of_the_released_options() -> None:
    first = [verdict for verdict in WHOLE if verdict.layer == STORY]
    summary = summarise(first, "unified")
    assert values(summary, "Consistency")["chance"] == pytest.approx(1 / 2 / 10)
    assert values(summary, "Verifiability")["chance"] == pytest.approx(1 / 2 / 10 / 14)


def test_an_unknown_profile_is_a_typed_error() -> None:
    with pytest.raises(NotFoundError, match="letters"):
        summarise(WHOLE, "letters")


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            st.sampled_from(("", "-C0", "-O0", "-O1")),
            st.text("rw", min_size=3, max_size=3),
        ),
        unique_by=lambda drawn: drawn[:2],
        max_size=12,
    ),
    st.sampled_from(tuple(PROFILES)),
)
def test_figures_of_any_run_add_up(drawn: list[tuple[int, str, str]], profile: str) -> None:
    stories = []
    for family, letter, answers in drawn:
        asked = answers if letter else answers[:1]
        stories.append(Told(f"{family}{letter}", asked[: (asked + "w").index("w") + 1]))
    summary = summarise(run(*stories), profile)
    for base, kinds in (
        ("Accuracy", ("Cloze", "Order", "Plausible")),
        ("Consistency", ("Cloze", "Order")),
        ("Verifiability", ("Cloze", "Order")),
    ):
        whole, parts = figure(summary, base), [figure(summary, f"{k} {base}") for k in kinds]
        if stories:
            assert whole.right == sum(part.right or 0 for part in parts)
            assert whole.n == sum(part.n for part in parts)
            assert all(0 <= (part.value or 0) <= 1 for part in parts)
    if stories:
        rights = [figure(summary, name).right or 0 for name in NAMES[:3]]
        assert rights[1] >= rights[2]
