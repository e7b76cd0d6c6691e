"""A model in a notebook: it is asked while the notebook's own event loop runs."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import commonsense_tui as ct
from commonsense_tui.event_loop import EventLoopThread
from tests.cli.support import run


async def test_a_model_is_asked_while_an_event_loop_runs() -> None:
    assert asyncio.get_running_loop().is_running()
    with ct.load_model("demo") as model:
        ladder = model.ask(ct.open("gita")["1-C0"])
    assert len(ladder.verdicts) == 3


def test_the_ladder_is_that_of_the_command_ask(model: ct.LoadedModel) -> None:
    printed = run("ask", "gita", "1-O0", "--model", "demo", "--json").json
    ladder = model.ask(ct.open("gita")["1-O0"])
    assert ladder.first_failure == printed["first_failure"]
    for rung, verdict, expected in zip(
        ladder.rungs, ladder.verdicts, printed["verdicts"], strict=True
    ):
        assert rung.verdict is verdict
        assert verdict.layer == expected["layer"]
        assert [score.logprob for score in verdict.scores] == expected["scores"]
        assert rung.counted == expected["counted"]
    assert "demonstration" in str(ladder)
    assert "First failure" in ladder._repr_html_()


def test_a_setting_is_asked_about(model: ct.LoadedModel) -> None:
    story = ct.open("gita")["1-C0"]
    turned = story.with_setting({"order": "1,0,2,3,4"})
    asked = [model.ask(each).verdicts[0] for each in (story, turned)]
    assert dict(asked[1].setting) == {"order": "1,0,2,3,4"}
    assert asked[0].scores != asked[1].scores


def test_blocks_are_an_array_whose_last_row_is_the_model_s_own_answer(
    model: ct.LoadedModel,
) -> None:
    story = ct.open("gita")["1-C0"]
    blocks = model.blocks(story, "conflict_detec")
    (verdict,) = (v for v in model.ask(story).verdicts if v.layer == "conflict_detec")
    assert blocks.scores.shape == (model.info.blocks, len(blocks.options))
    assert blocks.scores.dtype == np.float64
    assert blocks.scores[-1].tolist() == [score.logprob for score in verdict.scores]
    weights = np.exp(blocks.scores)
    np.testing.assert_allclose(blocks.shares, weights / weights.sum(axis=1, keepdims=True))
    assert blocks.options[blocks.gold or 0] == "0 and 1"
    leading = blocks.scores.argmax(axis=1)
    depth = blocks.prediction_depth
    assert depth is not None
    assert set(leading[depth:]) == {leading[-1]}
    assert depth == 0 or leading[depth - 1] != leading[-1]
    printed = run("blocks", "gita", "1-C0", "--task-layer", "conflict_detec", "--json").json
    assert blocks.scores.tolist() == printed["blocks"]


def test_an_unknown_form_and_a_missing_file_are_typed_errors(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    story = ct.open("gita")["1-C0"]
    with pytest.raises(ct.NotFoundError, match="base"):
        model.ask(story, form="bass")
    with pytest.raises(ct.CommonsenseError):
        ct.load_model(tmp_path / "nothing.gguf")


def test_a_closed_model_says_so_and_leaves_no_thread() -> None:
    before = threading.active_count()
    model = ct.load_model("demo")
    assert threading.active_count() > before
    model.close()
    model.close()
    # The thread that waited for the model's process ends a moment after it.
    end = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    assert threading.active_count() == before
    with pytest.raises(ct.ModelError, match="closed"):
        model.ask(ct.open("gita")["1-C0"])


def test_a_file_that_does_not_load_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ct.ModelError):
        ct.load_model(broken)
    assert threading.active_count() == before


def test_a_recorded_run_answers_in_the_place_of_a_model(
    pair: tuple[ct.RecordedRun, ct.RecordedRun],
) -> None:
    first = pair[0].verdicts()[0]
    with ct.load_model(f"replay:{pair[0].id}", store=pair[0].store) as model:
        verdict = model.ask(ct.open("gita")[first["item"]]).verdicts[0]
    assert [score.logprob for score in verdict.scores] == first["scores"]


def test_work_is_cancelled_with_what_still_runs_when_the_loop_is_closed() -> None:
    ended: list[str] = []
    loop = EventLoopThread()

    async def forever() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            ended.append("cancelled")

    async def begin() -> None:
        tasks.append(asyncio.create_task(forever()))
        await asyncio.sleep(0)

    tasks: list[asyncio.Task[None]] = []
    loop.run(begin())
    loop.close()
    assert ended == ["cancelled"]


def test_an_interrupt_cancels_the_work_that_is_waited_for() -> None:
    ended = threading.Event()
    loop = EventLoopThread()

    async def work() -> None:
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    async def interrupted() -> None:
        await asyncio.sleep(0.05)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        await asyncio.sleep(600)

    async def both() -> None:
        await asyncio.gather(work(), interrupted())

    with pytest.raises(KeyboardInterrupt):
        loop.run(both())
    assert ended.wait(30)
    loop.close()


def test_records_are_plain_values(pair: tuple[ct.RecordedRun, ct.RecordedRun]) -> None:
    assert json.loads(json.dumps(pair[0].verdicts())) == pair[0].verdicts()
