"""How many threads compute a model is measured once a machine, and changes no bit of a score."""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path

import pytest

from core.files import paths
from core.models.llama import threads
from core.models.llama.client import LlamaModel, has_matrix_tiles
from core.models.llama.completion import score_options
from core.models.llama.engine import Engine
from core.models.llama.log import Log
from core.models.protocol import Threaded
from tests.gguf_files import Tiny, write

_QUIET = Log(lambda line: None)
"""llama.cpp's log, for as long as this process lives."""
PROMPT = "the cup was open. the cup was closed. perché il cibo?\n" * 4
OPTIONS = [" yes", " no", " the cup was open"]
STATE = "threads.json"


@pytest.fixture(scope="session")
def middling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of more than 50 million parameters."""
    spec = Tiny(width=512, heads=8, hidden=1024, vocabulary=50_000, precision="q8_0")
    return write(tmp_path_factory.mktemp("models") / "middling.gguf", spec)


def test_scores_are_the_same_to_the_bit_with_any_number_of_threads(middling: Path) -> None:
    found = []
    for count in (1, 2, 3, 5):
        engine = Engine(
            str(middling),
            512,
            extra_buffers=not has_matrix_tiles(),
            progress=lambda _: None,
            cancelled=lambda: False,
            threads=count,
        )
        assert engine.threads == count
        prompt = [place * 7 % engine.tokens for place in range(150)]
        found.append(score_options(engine, 150, [[*prompt, 3, 1], [*prompt, 2, 5, 9]]))
    assert found == found[:1] * 4


def test_measuring_takes_less_than_a_second_and_changes_no_score(middling: Path) -> None:
    engine = Engine(
        str(middling),
        512,
        extra_buffers=not has_matrix_tiles(),
        progress=lambda _: None,
        cancelled=lambda: False,
    )
    prompt = [place * 7 % engine.tokens for place in range(150)]
    asked = 150, [[*prompt, 3, 1], [*prompt, 2, 5, 9]]
    before = score_options(engine, *asked)
    started = time.process_time()
    seconds = engine.choose_threads()
    assert time.process_time() - started < 1.0 * threads.cores() + 0.5
    assert threads.cores() in seconds
    assert seconds.keys() <= set(threads.tried_threads())
    assert engine.threads == threads.fastest(seconds)
    assert score_options(engine, *asked) == before


async def test_the_choice_is_measured_once_kept_privately_and_used_again(middling: Path) -> None:
    model = await LlamaModel.load(middling)
    assert isinstance(model, Threaded)
    usual = threads.described(threads.cores())
    assert model.info.computed_by == usual
    before = await model.score(PROMPT, OPTIONS)
    await model.choose_threads()
    assert await model.score(PROMPT, OPTIONS) == before
    await model.close()
    file = paths.state() / STATE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (choice,) = threads.choices().values()
    assert choice.threads == threads.fastest(choice.seconds)
    assert model.info.computed_by == threads.described(choice.threads)
    # Another number than was found, to see that it is read.
    kept = json.loads(file.read_text())
    kept[threads.machine()]["below 0.5 billion parameters"]["threads"] = 3
    file.write_text(json.dumps(kept))
    again = await LlamaModel.load(middling)
    assert again.info.computed_by == threads.described(3)
    await again.choose_threads()
    assert again.info.computed_by == threads.described(3)
    assert json.loads(file.read_text()) == kept
    assert await again.score(PROMPT, OPTIONS) == before
    await again.close()


async def test_a_number_that_a_person_names_is_used_and_nothing_is_measured(
    middling: Path,
) -> None:
    model = await LlamaModel.load(middling, thread_count=2)
    await model.choose_threads()
    assert model.info.computed_by == threads.described(2)
    await model.close()
    assert not (paths.state() / STATE).exists()


async def test_small_models_take_one_thread_without_measuring(tiny: Path) -> None:
    model = await LlamaModel.load(tiny)
    await model.choose_threads()
    assert model.info.computed_by == threads.described(1)
    await model.close()
    assert not (paths.state() / STATE).exists()


def test_fewer_threads_are_taken_where_they_are_nearly_as_fast() -> None:
    assert threads.fastest({4: 1.0, 2: 1.04, 1: 2.0}) == 2
    assert threads.fastest({4: 1.0, 2: 1.06, 1: 2.0}) == 4
    assert threads.fastest({2: 1.0}) == 2


def test_sizes_of_models() -> None:
    assert threads.size_of(7_000_000) == ""
    assert threads.size_of(50_000_000) == threads.size_of(499_999_999)
    assert threads.size_of(500_000_000) != threads.size_of(499_999_999)
    assert threads.size_of(70_000_000_000) == ""


def test_a_choice_holds_for_the_machine_it_was_made_on(monkeypatch: pytest.MonkeyPatch) -> None:
    threads.keep("below 2 billion parameters", threads.ThreadChoice(2, {2: 0.1, 1: 0.2}))
    here = threads.choices()
    with monkeypatch.context() as another:
        another.setattr(threads, "cores", lambda: 1000)
        assert threads.choices() == {}
        threads.keep("below 2 billion parameters", threads.ThreadChoice(500, {500: 0.1}))
    assert threads.choices() == here


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"a": {"b": {"threads": "x"}}}', "[" * 5000, "x" * 70_000]
)
def test_a_file_that_is_no_such_file_is_measured_anew(content: str) -> None:
    file = paths.state() / STATE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    assert threads.choices() == {}
    choice = threads.ThreadChoice(2, {2: 0.1})
    threads.keep("below 2 billion parameters", choice)
    assert threads.choices() == {"below 2 billion parameters": choice}


@pytest.mark.timeout(20)
def test_a_pipe_or_device_in_the_place_of_the_file_is_not_read() -> None:
    """Reading either would never end."""
    file = paths.state() / STATE
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file)
    assert threads.choices() == {}
    file.unlink()
    file.symlink_to("/dev/zero")
    assert threads.choices() == {}


def test_a_number_of_threads_that_llama_cpp_cannot_take_is_not_read() -> None:
    threads.keep("below 2 billion parameters", threads.ThreadChoice(2, {2: 0.1}))
    file = paths.state() / STATE
    for number in ("0", "-1", "100000"):
        file.write_text(file.read_text().replace('"threads": 2', f'"threads": {number}'))
        assert threads.choices() == {}
