"""Where answers settle: read with every question, recorded, counted, gone on with."""

from __future__ import annotations

import json
import math
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.lens import LensTable
from core.contract import registry
from core.contract.question import (
    Answer,
    Form,
    OptionScore,
    Prompt,
    Question,
    Scoring,
    Status,
    Verdict,
    score_by_likelihood,
)
from core.contract.setting import Setting
from core.models.blocks import BlockReading, Trajectory
from core.models.protocol import Ability, Sampling, Token
from core.models.resolver import load_model
from core.runs.blocks import FAILURES, LensCounts, recorded_blocks, verdict_depth
from core.runs.evaluation import Evaluation
from core.runs.mean_centred import NotCentred
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Plan, RecordedBlocks, RunState
from core.runs.store import Store
from core.runs.summaries import blocks_of, summarise
from core.text.errors import ModelError, RunError
from tests.fifth.support import INSTALLED
from tests.mostly_slow import mostly_slow
from tests.runs.models import BLOCKS, BlockModel, HashingModel
from tests.runs.tower_runs import begin
from tui.runs.running import Running

WORKER = [sys.executable, "-m", "tests.runs.worker"]
PLACE: dict[str, Any] = {
    "cwd": Path(__file__).parents[2],
    "env": os.environ | {"PYTHONPATH": str(INSTALLED)},
    "text": True,
}


@st.composite
def readings(draw: st.DrawFn) -> tuple[Question, BlockReading]:
    """A question with scores after every block; few values, so that ties and flips are common."""
    count = draw(st.integers(2, 4))
    row = st.tuples(*[st.sampled_from([-3.0, -2.0, -1.0])] * count)
    rows = draw(st.lists(row, min_size=1, max_size=7))
    multiple = draw(st.booleans())
    places = st.integers(0, count - 1)
    question = Question(
        "item",
        "layer",
        "",
        "Is it?",
        tuple("abcd"[:count]),
        None if multiple else draw(st.none() | places),
        multiple=multiple,
        golds=tuple(sorted(draw(st.sets(places)))) if multiple else (),
    )
    scores = tuple(tuple(OptionScore(value) for value in row) for row in rows)
    return question, BlockReading(scores, (), 0.0)


@given(readings())
def test_it_settles_where_the_final_answer_leads_from_there_on(
    read: tuple[Question, BlockReading],
) -> None:
    question, reading = read
    recorded = recorded_blocks(registry.load("gita"), question, reading)
    answers = recorded.answers
    assert len(answers) == len(reading.scores)
    assert recorded.scores == reading.logprobs
    verdict = score_by_likelihood(question, Answer(reading.scores[-1]))
    found = verdict_depth(verdict, answers)
    for block in range(len(answers)):
        leads_on = bool(answers[-1]) and all(one == answers[-1] for one in answers[block:])
        assert leads_on == (found.prediction_depth is not None and block >= found.prediction_depth)
    golds = question.golds if question.multiple else (question.gold,)
    if verdict.right is None:
        assert found.trajectory is None
        return
    led = [block for block, one in enumerate(answers) if one == golds]
    if not answers[-1]:
        assert found.trajectory is Trajectory.TIE
    elif verdict.right:
        assert found.trajectory is Trajectory.WINS
    else:
        assert found.trajectory is (Trajectory.LOST if led else Trajectory.NEVER)


@given(readings())
def test_one_answer_settles_as_the_table_of_its_blocks_says(
    read: tuple[Question, BlockReading],
) -> None:
    question, reading = read
    if question.multiple:
        question = replace(question, multiple=False, golds=(), gold=0)
    verdict = score_by_likelihood(question, Answer(reading.scores[-1]))
    found = verdict_depth(
        verdict, recorded_blocks(registry.load("gita"), question, reading).answers
    )
    table = LensTable(question, reading, reading.scores[-1])
    assert found.prediction_depth == table.prediction_depth
    assert found.trajectory == (None if table.trajectory is None else table.trajectory[0])


# -- a run -----------------------------------------------------------------------------------------


async def finish(evaluation: Evaluation) -> Evaluation:
    async for _ in evaluation.steps():
        pass
    return evaluation


async def test_every_verdict_carries_what_its_blocks_said(store: Store, data: Path) -> None:
    model = BlockModel()
    read = await finish(begin(store, data, model, blocks=BLOCKS))
    asked = len(model.asked)
    plain = await finish(begin(store, data, BlockModel()))
    assert read.run.id != plain.run.id
    verdicts = store.placed(read.run.id)
    # The same questions, in the same order, with the same scores; each was evaluated once.
    assert list(verdicts.values()) == store.verdicts(plain.run.id)
    assert asked == len(verdicts)
    answers = store.blocks(read.run, verdicts)
    assert set(answers) == set(verdicts)
    assert store.blocks(plain.run, verdicts) == {}
    with closing(sqlite3.connect(store.path)) as db:
        rows = db.execute(
            'SELECT seq, settles_at, class, "right" FROM verdicts WHERE run = ?', (read.run.id,)
        ).fetchall()
    for seq, prediction_depth, kind, right in rows:
        found = verdict_depth(verdicts[seq], answers[seq].answers)
        assert (prediction_depth, kind) == (found.prediction_depth, found.trajectory)
        assert kind in ({Trajectory.WINS, Trajectory.TIE} if right else FAILURES)


async def test_the_table_counts_every_answer_once(store: Store, data: Path) -> None:
    read = await finish(begin(store, data, BlockModel(), blocks=BLOCKS))
    table = blocks_of(store, read.run)
    assert table is not None
    assert table == read.block_table()
    for layer in table.layers:
        verdicts = [v for v in store.verdicts(read.run.id) if v.layer == layer.layer]
        lenses = [layer.raw]
        if not isinstance(layer.centred, NotCentred):
            lenses.append(layer.centred)
        for lens in lenses:
            assert lens.right.n == sum(v.right is True for v in verdicts)
            assert lens.wrong.n == sum(v.right is False for v in verdicts)
            assert lens.without_gold.n == layer.unread == 0
            assert len(lens.right.at) == BLOCKS
            told = sum(lens.classes.values())
            untold = sum(lens.wrong.unsettled.values()) if lens is not layer.raw else 0
            assert told + untold == lens.wrong.n
    assert {type(layer.centred) for layer in table.layers} == {LensCounts, NotCentred}
    summary = summarise(store, store.run(read.run.id))
    tables = [grid for grid in summary.tables if " lens: " in grid.title]
    titles = [grid.title for grid in tables]
    assert titles == sorted(titles, key=lambda title: title.startswith("Raw"))
    assert titles[0] == "Mean-centred lens: right answers by the block at which they settle"
    assert tables[0].columns == ("task layer", "n", *"0123", "near tie", "prior")
    [raw] = [grid for grid in tables if grid.title == titles[0].replace("Mean-centred", "Raw")]
    assert raw.columns == ("task layer", "n", *"0123", "tie")
    assert any("a projection, not a belief" in note for note in summary.notes)
    shown = Running(registry.load("shapes"), data, registry.load("shapes").open(data))
    shown.load(store.path, read.run.id)
    assert shown.summary == summary == read.summary()


async def test_blocks_of_a_large_model_go_on_in_another_table(store: Store, data: Path) -> None:
    read = await finish(begin(store, data, BlockModel(), blocks=BLOCKS, limit=4))
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE runs SET blocks = 30")
        db.execute(
            "UPDATE verdicts SET block_answers = ?, block_scores = NULL", (json.dumps([[0]] * 30),)
        )
    right = [
        grid
        for grid in summarise(store, store.run(read.run.id)).tables
        if "right answers" in grid.title
    ]
    assert [grid.columns[2] for grid in right] == ["0", "12", "24"]
    assert [grid.columns[-1] for grid in right] == ["11", "23", "tie"]


async def test_answers_that_are_written_have_no_blocks(store: Store, data: Path) -> None:
    written = await finish(
        begin(store, data, WritingModel(), blocks=BLOCKS, scoring=Scoring.GENERATED)
    )
    table = blocks_of(store, written.run)
    assert table is not None
    assert table.layers[0].unread == 40
    assert any(
        note.startswith("Not counted, because")
        for note in summarise(store, store.run(written.run.id)).notes
    )


async def test_written_answers_are_as_long_as_without_blocks(store: Store, data: Path) -> None:
    model = WritingModel()
    sampling = Sampling(max_tokens=3)
    asked = begin(
        store, data, model, blocks=BLOCKS, scoring=Scoring.GENERATED, sampling=sampling, limit=1
    )
    await finish(asked)
    assert set(model.limits) == {3}


class WritingModel(BlockModel):
    def __init__(self) -> None:
        super().__init__()
        self.limits: list[int] = []
        self.info = replace(
            self.info, abilities=frozenset({*self.info.abilities, Ability.GENERATE})
        )

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.limits.append(max_tokens)
        async for token in super().generate(prompt, max_tokens=max_tokens, stop=stop):
            yield token


async def test_a_model_without_blocks_is_refused(store: Store, data: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        await finish(begin(store, data, HashingModel(), blocks=BLOCKS))
    assert store.runs()[0].verdicts == 0


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(
            ("answers", text)
            for text in (
                "[[1", "[[0]]", "[[9],[0],[0],[0]]", "[[0,1],[0],[0],[0]]", "[0,0,0,0]", "7"
            )
        ),
        *(
            ("scores", text)
            for text in (
                "", "[]", "[[-1,-2]", "[[-1,-2]]", "[[-1,-2],[-1],[-1,-2],[-1,-2]]",
                "[[-1,-2],[-1,-2],[-1,-2],[-1,-2,-3]]", "[-1,-2,-3,-4]", '{"0":[-1,-2]}', "7",
                '[[-1,-2],[-1,-2],[-1,-2],[-1,"low"]]', "[[-1,-2],[-1,-2],[-1,-2],[-1,null]]",
                "[[-1,-2],[-1,-2],[-1,-2],[-1,1e999]]", "[" * 100_000, b"\xff",
            )
        ),
    ],
)  # fmt: skip
async def test_what_somebody_changed_is_told(
    store: Store, data: Path, column: str, text: object
) -> None:
    read = await finish(begin(store, data, BlockModel(), blocks=BLOCKS, limit=2))
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute(f"UPDATE verdicts SET block_{column} = ?", (text,))
    with pytest.raises(RunError, match="What the blocks said of item"):
        blocks_of(store, read.run)


def test_scores_that_are_no_finite_numbers_are_recorded_too(store: Store) -> None:
    verdict = Verdict(
        "arch", "stands", Setting(), ("no", "yes"), (OptionScore(-1.0), OptionScore(-2.0)), 0, 1,
        Status.OK, Scoring.LOGLIKELIHOOD,
    )  # fmt: skip
    run = store.start(Plan("m", "f" * 64, "shapes", "towers.json", "c" * 64, blocks=2))
    recorded = RecordedBlocks(((), (0,)), ((math.nan, -math.inf), (-1.0, -2.0)))
    store.record(run.id, 0, verdict, "", 0.0, recorded)
    [read] = store.blocks(run, store.placed(run.id)).values()
    assert str(read) == str(recorded)


def test_a_killed_run_goes_on_with_its_blocks(data: Path, tmp_path: Path) -> None:
    killed, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    words = [str(data), "0.01", str(BLOCKS)]
    process = subprocess.Popen([*WORKER, killed, *words], stdout=subprocess.PIPE, **PLACE)
    assert process.stdout is not None
    for _ in range(12):
        process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    # Without blocks it is another run: nothing of the first is taken over.
    plain = subprocess.run([*WORKER, killed, *words[:2]], capture_output=True, check=True, **PLACE)
    resumed = subprocess.run([*WORKER, killed, *words], capture_output=True, check=True, **PLACE)
    subprocess.run([*WORKER, whole, *words], capture_output=True, check=True, **PLACE)
    asked = [int(ran.stdout.split()[-1]) for ran in (plain, resumed)]
    assert asked[1] <= asked[0] - 12
    with Store(killed) as one, Store(whole) as other:
        first, second = one.runs()
        assert (first.plan.blocks, second.plan.blocks) == (BLOCKS, 0)
        assert {first.state, second.state} == {RunState.DONE}
        [uncut] = other.runs()
        verdicts = one.placed(first.id)
        assert verdicts == other.placed(uncut.id)
        assert one.blocks(first, verdicts) == other.blocks(uncut, verdicts)
        assert len(one.blocks(first, verdicts)) == len(verdicts)


# -- the bundled model -----------------------------------------------------------------------------


@mostly_slow(
    ("name", "shots"),
    [("gita", 2), ("com2", 0), ("gita", 0), ("accord", 0), ("abspyramid", 0)],
    quick=2,
)
async def test_the_last_block_is_the_answer_bit_for_bit(
    store: Store, name: str, shots: int, demo_model: None
) -> None:
    """So a question that is read at every block need not be scored as well."""
    benchmark = registry.load(name)
    path = benchmark.samples()
    collection = benchmark.open(path)
    model = await load_model("demo")
    runs = []
    try:
        for blocks in (model.info.blocks, 0):
            source = QuestionSource(benchmark, collection, limit=2)
            plan = plan_for(
                model, source, path, form=Form.BASE, shots=shots,
                scoring=Scoring.LOGLIKELIHOOD, blocks=blocks,
            )  # fmt: skip
            runs.append(await finish(Evaluation(store, plan, model, source)))
    finally:
        await model.close()
    read, plain = (store.verdicts(one.run.id) for one in runs)
    assert read == plain
    assert any(verdict.scores for verdict in read)
    table = blocks_of(store, runs[0].run)
    assert table is not None
    scored = [verdict for verdict in read if verdict.scoring is Scoring.LOGLIKELIHOOD]
    assert sum(
        one.raw.right.n + one.raw.wrong.n + one.raw.without_gold.n for one in table.layers
    ) == len(scored)
