"""How often each letter was chosen, beside how often the right answer stood there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.position_bias import letter_counts
from core.runs.repeats import repeated_figures, with_repeats
from core.runs.store import Store
from core.runs.summaries import summarise
from tests.runs.models import HashingModel
from tests.runs.repeats import WRITER, AlwaysA, ask


def verdict(answer: int | None, gold: int | None, order: tuple[int, ...] = ()) -> Verdict:
    return Verdict(
        "i", "answer", Setting(), ("red", "green", "blue"), (), answer, gold, Status.OK,
        Scoring.GENERATED, order=order,
    )  # fmt: skip


def test_letters_are_those_that_stood_beside_the_options() -> None:
    verdicts = [
        verdict(0, 1),  # A chosen, B right
        verdict(0, 1, (2, 0, 1)),  # blue, red, green: B chosen, C right
        verdict(None, 2, (2, 0, 1)),  # nothing chosen, A right
        verdict(1, None),  # not counted: nobody knows the right answer
    ]
    counts = letter_counts(verdicts, ["answer"])
    assert (counts.questions, counts.unanswered) == (3, 1)
    assert counts.chosen == Counter(A=1, B=1)
    assert counts.right == Counter(A=1, B=1, C=1)
    assert letter_counts(verdicts, ["another"]).questions == 0
    # Elsewhere a verdict may have other options than the question: "incorrect" and "correct".
    assert letter_counts(verdicts, ["answer"], imported=True).questions == 0


async def test_a_model_that_always_says_a_is_biased_and_right_as_often_as_chance(
    tmp_path: Path,
) -> None:
    """Each of four options stands at A in 6 of 24 orders, so a quarter of the answers is right."""
    with Store(tmp_path / "runs.sqlite") as store:
        first, *_others = await ask(
            store, AlwaysA(WRITER), "com2", orders=range(24), limit=3, scoring=Scoring.GENERATED
        )
        (repeated,) = repeated_figures(store, first.run, "paper")
        assert repeated.repeats.orders == 24
        single = [n for n in repeated.spreads if n in {"main direct", "main intervention"}]
        assert single
        for name in single:
            assert repeated.spreads[name].mean == pytest.approx(0.25)
        letters = repeated.letters
        assert letters.questions == 3 * 24
        assert letters.chosen == Counter(A=72)
        assert letters.right == dict.fromkeys("ABCD", 18)
        summary = with_repeats(summarise(store, store.run(first.run.id)), [repeated])
        table = next(t for t in summary.tables if t.title.startswith("Letters over 24 orders"))
        assert [[cell.text for cell in row] for row in table.rows] == [
            ["A", "1.00  72/72", ".250  18/72"],
            *([letter, ".000  0/72", ".250  18/72"] for letter in "BCD"),
        ]


async def test_a_plain_run_has_a_table_of_letters_where_its_prompts_show_some(
    tmp_path: Path,
) -> None:
    with Store(tmp_path / "runs.sqlite") as store:
        for name in ("accord", "com2", "gita"):
            [evaluation] = await ask(
                store, HashingModel(), name, limit=4, scoring=Scoring.LOGLIKELIHOOD
            )
            tables = [
                t
                for t in summarise(store, store.run(evaluation.run.id)).tables
                if t.title == "Letters"
            ]
            assert len(tables) == (name in {"accord", "com2"})
            if tables:
                lettered = [v for v in store.verdicts(evaluation.run.id) if v.order]
                assert f"Over {len(lettered)} questions" in tables[0].note


async def test_the_best_letter_is_a_letter_that_was_shown(tmp_path: Path) -> None:
    """Its share is that of a model that always answers it, in this order."""
    with Store(tmp_path / "runs.sqlite") as store:
        for name, layer in (("accord", "bare"), ("com2", "answer")):
            [evaluation] = await ask(
                store, HashingModel(), name, orders=(1,), limit=6, scoring=Scoring.LOGLIKELIHOOD
            )
            asked = [v for v in store.verdicts(evaluation.run.id) if v.layer == layer]
            by_figure = {
                "accord": ("bare question", asked),
                "com2": ("main direct", [v for v in asked if v.tags.get("scenario") == "direct"]),
            }
            figure_name, counted = by_figure[name]
            figure = next(
                f
                for f in summarise(store, store.run(evaluation.run.id)).figures
                if f.name == figure_name
            )
            places = Counter(v.place(v.right_options[0]) for v in counted)
            best = figure.baselines["best letter"]
            assert best.value == pytest.approx(max(places.values()) / len(counted))
            assert places["ABCDE".index(best.answers[-1])] == max(places.values())
