"""Counts by the lens less its mean over the run: what it takes off, and when there are none."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import commonsense_tui as ct
from core.blocks.calibration import Withheld
from core.contract import registry
from core.contract.question import Answer, Form, OptionScore, Question, Verdict, score_by_likelihood
from core.models.blocks import BlockReading, Trajectory
from core.models.resolver import load_model
from core.runs.block_tables import with_blocks
from core.runs.blocks import BlockTable, LensCounts, TaskLayerBlocks, block_table, recorded_blocks
from core.runs.evaluation import Evaluation
from core.runs.mean_centred import LEAST_QUESTIONS, NotCentred
from core.runs.option_order import blocks_in_own_order, in_own_order, option_order
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import RecordedBlocks
from core.runs.store import Store
from core.runs.summaries import blocks_of, plain_summary, summarise

Rows = Sequence[Sequence[float]]
Read = tuple[Verdict, RecordedBlocks]


def read(
    number: int,
    rows: Rows,
    gold: int | None,
    *,
    options: tuple[str, ...] = ("no", "maybe", "yes"),
    order: tuple[int, ...] = (),
) -> Read:
    """A question with scores of the options as they are shown, asked as a run does."""
    names = options[: len(rows[0])]
    meanings = ("never", "perhaps", "always")[: len(names)] if names[0] == "A" else ()
    question = Question(
        str(number), "layer", "", "Is it?", names, gold, order=order, meanings=meanings
    )
    reading = BlockReading(tuple(tuple(map(OptionScore, row)) for row in rows), (), 0.0)
    blocks = recorded_blocks(registry.load("gita"), question, reading)
    verdict = score_by_likelihood(question, Answer(reading.scores[-1]))
    return in_own_order(verdict, question), blocks_in_own_order(blocks, order or range(len(names)))


def counted(answers: Sequence[Read]) -> TaskLayerBlocks:
    [layer] = block_table(len(answers[0][1].answers), answers).layers
    return layer


def centred(answers: Sequence[Read]) -> LensCounts:
    counts = counted(answers).centred
    assert isinstance(counts, LensCounts)
    return counts


# -- an independent count --------------------------------------------------------------------------

STORIES = 14


async def asked(store: Store) -> BlockTable:
    """The table of a run over the first bundled stories with the demonstration model."""
    benchmark = registry.load("gita")
    path = benchmark.samples()
    source = QuestionSource(benchmark, benchmark.open(path), limit=STORIES)
    model = await load_model("demo")
    try:
        plan = plan_for(model, source, path, form=Form.BASE, blocks=model.info.blocks)
        evaluation = Evaluation(store, plan, model, source)
        async for _ in evaluation.steps():
            pass
    finally:
        await model.close()
    table = evaluation.block_table()
    assert table is not None
    assert table == blocks_of(store, evaluation.run)
    return table


def told(scores: np.ndarray, golds: list[int]) -> Counter[tuple[bool, object]]:
    """By right and wrong: the settling block or the reason why not, and the way of failing.

    `scores` are (questions, blocks, options), without anything of the program.
    """
    beyond = scores - scores.mean(axis=0)
    found: Counter[tuple[bool, object]] = Counter()
    for own, raw, gold in zip(beyond, scores, golds, strict=True):
        right = int(raw[-1].argmax()) == gold
        gap = [np.diff(np.sort(row)[-2:])[0] for row in own]
        lead = [int(row.argmax()) if g >= 0.1 else None for row, g in zip(own, gap, strict=True)]
        if np.diff(np.sort(raw[-1])[-2:])[0] < 0.1 or lead[-1] is None:
            found[right, "near tie"] += 1
        elif lead[-1] != int(raw[-1].argmax()):
            found[right, "prior decides"] += 1
        else:
            found[right, max((b + 1 for b in range(6) if lead[b] != lead[-1]), default=0)] += 1
            found[right, "led, then lost" if gold in lead else "never led"] += not right
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_counts_of_a_run_are_those_of_its_questions_read_one_by_one(tmp_path: Path) -> None:
    with Store(tmp_path / "runs.sqlite") as store:
        table = asyncio.run(asked(store))
        [run] = store.runs()
        verdicts = store.placed(run.id)
        recorded = store.blocks(run, verdicts)
        titles = [grid.title for grid in summarise(store, store.run(run.id)).tables]
    with ct.load_model("demo") as model:
        stories = [story for story, _ in zip(ct.open("gita"), range(STORIES), strict=False)]
        readings = [model.blocks(story, "story_class") for story in stories]
    scores = np.array([reading.scores for reading in readings])
    layer = table.layers[0]
    assert layer.layer == "story_class"
    kept = [recorded[seq].scores for seq, v in verdicts.items() if v.layer == layer.layer]
    assert np.abs(np.array(kept) - scores).max() <= 0.51e-4
    expected = told(np.array(kept), [reading.gold or 0 for reading in readings])
    counts = layer.centred
    assert isinstance(counts, LensCounts)
    for right, depths in ((True, counts.right), (False, counts.wrong)):
        assert list(depths.at) == [expected[right, block] for block in range(6)]
        assert depths.unsettled == {
            Withheld.NEAR_TIE: expected[right, "near tie"],
            Withheld.PRIOR_DECIDES: expected[right, "prior decides"],
        }
    assert counts.classes == {
        kind: expected[False, kind.value] for kind in (Trajectory.NEVER, Trajectory.LOST)
    }
    assert counts.right.n + counts.wrong.n == STORIES
    # Fewer were asked the other layers, which says so and is counted by the raw lens alone.
    assert {each.centred for each in table.layers[2:]} == {NotCentred.FEW}
    assert sum(title.startswith("Mean-centred lens: ") for title in titles) <= 3
    assert sum(title.startswith("Raw lens: ") for title in titles) == 3


# -- what is taken off -----------------------------------------------------------------------------

QUESTIONS = 16
"""Of so many scores in eighths the mean is exact."""


def drawn(seed: int) -> list[list[tuple[float, ...]]]:
    """Scores of three options after four blocks, (questions, blocks, options)."""
    scores = np.random.default_rng(seed).integers(-64, 1, (QUESTIONS, 4, 3)) / 8
    return [[tuple(row) for row in rows] for rows in scores.tolist()]


SEEDS = st.integers(0, 2**32)


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 2))
def test_a_prior_of_early_blocks_changes_the_raw_counts_alone(seed: int, favoured: int) -> None:
    contents = [(rows, (0, 1, 2, None)[i % 4]) for i, rows in enumerate(drawn(seed))]
    plain = [read(i, rows, gold) for i, (rows, gold) in enumerate(contents)]
    planted = [
        read(i, [*(add(row, favoured, 100.0) for row in rows[:-1]), rows[-1]], gold)
        for i, (rows, gold) in enumerate(contents)
    ]
    assert centred(planted) == centred(plain)
    raw = counted(planted).raw
    settled = np.array([counts.at for counts in (raw.right, raw.wrong, raw.without_gold)])
    ends = [blocks.answers[-1] for _, blocks in plain]
    # The favoured option leads from the first block on, any other only at the end.
    assert list(settled.sum(axis=0)) == [
        ends.count((favoured,)), 0, 0, sum(len(end) == 1 and end != (favoured,) for end in ends)
    ]  # fmt: skip


def add(row: Sequence[float], option: int, nats: float) -> tuple[float, ...]:
    return tuple(score + nats * (index == option) for index, score in enumerate(row))


def test_a_lead_that_all_questions_share_is_none_of_theirs() -> None:
    """Ten questions that differ at the last block only, where the prior has no say."""
    early = (-1.0, -4.0)
    ends = [(-1.0, -3.0)] * 5 + [(-3.0, -1.0)] * 5
    answers = [read(i, [early, end], 1) for i, end in enumerate(ends)]
    layer = counted(answers)
    assert layer.raw.wrong.at == (5, 0)
    assert layer.raw.classes[Trajectory.NEVER] == 5
    assert centred(answers).wrong.at == centred(answers).right.at == (0, 5)
    assert centred(answers).classes == {Trajectory.NEVER: 5, Trajectory.LOST: 0}


def test_what_is_not_told_is_counted_by_its_reason() -> None:
    """By how far “no” is ahead: on average 6.31 nats, which the last question has too."""
    ahead = [8.0] * 10 + [0.05, 1.0, 1.0, 82.05 / 13]
    golds = [0] * 10 + [1, 1, None, 1]
    rows = [[(-1.0, -1.0 - nats)] for nats in ahead]
    answers = [read(i, *each) for i, each in enumerate(zip(rows, golds, strict=True))]
    counts = centred(answers)
    assert counts.right.unsettled == {Withheld.NEAR_TIE: 0, Withheld.PRIOR_DECIDES: 0}
    assert counts.right.at == (10,)
    assert counts.wrong.unsettled == {Withheld.NEAR_TIE: 2, Withheld.PRIOR_DECIDES: 1}
    assert counts.without_gold.unsettled == {Withheld.NEAR_TIE: 0, Withheld.PRIOR_DECIDES: 1}
    assert sum(counts.classes.values()) == 0
    shown = with_blocks(plain_summary([]), BlockTable(1, (counted(answers),)), {})
    failed = next(grid for grid in shown.tables if "right answer did" in grid.title)
    assert failed.columns[2:] == ("never led", "led, then lost", "near tie", "prior")
    assert [cell.text for cell in failed.rows[0]] == ["layer", "3", "0/0", "0/0", "2/3", "1/3"]


# -- options in other orders -----------------------------------------------------------------------


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 5), st.sampled_from([("A", "B", "C"), ("no", "maybe", "yes")]))
def test_a_prior_is_that_of_the_text_which_was_scored(
    seed: int, number: int, names: tuple[str, ...]
) -> None:
    """Of a letter at its place, whatever option stands there; of a text wherever it is shown."""
    letters = names[0] == "A"

    def answers(nats: float) -> list[Read]:
        made = []
        for i, rows in enumerate(drawn(seed)):
            order = option_order(str(i), "layer", 3, number)
            favoured = 1 if letters else order.index(1)
            shown = names if letters else tuple(names[option] for option in order)
            early = [add(row, favoured, nats) for row in rows[:-1]]
            made.append(read(i, [*early, rows[-1]], i % 3, options=shown, order=order))
        return made

    for verdict, blocks in answers(0.0):
        assert verdict.options == names
        assert blocks.scores[-1] == tuple(score.logprob for score in verdict.scores)
    assert centred(answers(50.0)) == centred(answers(0.0))


# -- where there are none --------------------------------------------------------------------------

YES = [(-1.0, -2.0), (-1.0, -3.0)]


def without_scores(answer: Read) -> Read:
    return answer[0], RecordedBlocks(answer[1].answers)


def test_the_reason_is_said_where_questions_are_not_compared_with_their_mean() -> None:
    ten = [read(i, YES, 0) for i in range(LEAST_QUESTIONS)]
    assert isinstance(counted(ten).centred, LensCounts)
    infinite = read(10, [(-math.inf, -1.0), (-1.0, -3.0)], 0)
    several = ten[0][0]._replace(multiple=True, answer=None, gold=None, answers=(0,), golds=(0, 1))
    other = ten[0][0]._replace(answer=1)
    cases = {
        NotCentred.FEW: [ten[1:], [*ten[1:], infinite], []],
        NotCentred.NOT_RECORDED: [[*ten, without_scores(read(10, YES, 0))]],
        NotCentred.OPTIONS_DIFFER: [
            [*ten, read(10, YES, 0, options=("no", "never"))],
            [*ten, read(10, [(-1.0, -2.0, -3.0)] * 2, 0)],
            [without_scores(each) for each in [*ten, read(10, YES, 0, options=("no", "never"))]],
        ],
        NotCentred.MULTIPLE: [[(several, ten[0][1]), *ten[1:]]],
        NotCentred.OTHER_SCORING: [[(other, ten[0][1]), *ten[1:]]],
    }
    assert set(cases) == set(NotCentred)
    for why, examples in cases.items():
        for answers in examples:
            layers = block_table(2, answers).layers
            assert [layer.centred for layer in layers] == [why] * bool(answers)
            shown = with_blocks(plain_summary([]), BlockTable(2, layers), {"layer": "Is it so?"})
            assert all(grid.title.startswith("Raw lens: ") for grid in shown.tables)
            expected = f"By the raw lens only, because {why}: Is it so?."
            assert (expected in shown.notes) == bool(answers)
            assert not any(note.startswith("Mean-centred") for note in shown.notes)


def test_a_question_with_an_infinite_score_is_counted_and_changes_no_mean() -> None:
    ten = [read(i, [(-1.0, -2.0 - i), (-2.0 - i, -1.0)], 0) for i in range(LEAST_QUESTIONS)]
    before = centred(ten)
    after = centred([*ten, read(10, [(-1.0, -1.0), (-1.0, -math.inf)], 0)])
    assert after.wrong == before.wrong
    assert (after.right.n, after.right.at) == (1, (0, 1))
