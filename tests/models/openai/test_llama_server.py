"""The client against llama-cpp-python's own server, with small models of random weights."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Form, Message, Question, Scoring, Verdict
from core.models.llama.client import LlamaModel
from core.models.openai.client import OpenAIModel
from core.models.protocol import Model
from core.runs.asking import prepared
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Run
from core.runs.replay import conditions
from core.runs.store import Store
from core.text.errors import ModelError
from tests.asked import ask
from tests.fifth.support import installed_shapes, towers
from tests.gguf_files import Tiny, write

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("uvicorn") is None,
    reason="needs uvicorn: make install-tests",
)

BOUND = 1e-3
"""Most nats by which its figures differ from those of the same file that is loaded here."""
PROMPTS = ("Was the cup open? Answer:", "Il cibo era \n", "no no no yes")
OPTIONS = (" yes", " no", " implausible", " perché così", " 不会")


@contextmanager
def served(file: Path) -> Iterator[str]:
    """The address of a server of its own for a file."""
    said = file.with_suffix(".txt")
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(file)]
    command += ["--host", "127.0.0.1", "--port", "0", "--n_ctx", "512", "--n_threads", "1"]
    command += ["--model_alias", "tiny", "--chat_format", "chatml"]
    with (
        said.open("wb") as stderr,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as server,
    ):
        try:
            # It says so once it listens, at the free port that it was given.
            while not (
                running := re.search(r"running on (http://127\.0\.0\.1:\d+)", said.read_text())
            ):
                assert server.poll() is None, said.read_text()
                time.sleep(0.05)
            yield running[1]
        finally:
            server.kill()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("served") / "tiny.gguf")


@pytest.fixture(scope="module")
def address(file: Path) -> Iterator[str]:
    with served(file) as address:
        yield address


async def test_a_real_server_writes_on(address: str) -> None:
    model = await OpenAIModel.connect(address)
    assert model.info.name == "tiny"
    story = "Maria apre la porta."
    plain = [token.text async for token in model.generate(story, max_tokens=6)]
    turns = [token.text async for token in model.generate((Message("user", story),), max_tokens=6)]
    await model.close()
    assert plain
    assert turns


async def test_answers_written_side_by_side_are_those_written_singly(address: str) -> None:
    """This server ends a stream when another request comes."""
    with installed_shapes():
        shapes = registry.load("shapes")
    model = await OpenAIModel.connect(address)
    questions = [
        replace(question, text=f"{number} {question.text}", answer_limit=12)
        for number in range(8)
        for question in [Question("cup", "open", "", "Was the cup open?", ("yes", "no"), 0)]
    ]

    async def answer(question: Question) -> str:
        asked = ask(model, shapes, question, Form.CHAT, scoring=Scoring.GENERATED)
        # Its streams lack some characters that take several tokens, which is not our subject.
        return "".join(filter(str.isascii, (await asked).text))

    together = await asyncio.gather(*map(answer, questions))
    singly = [await answer(question) for question in questions]
    await model.close()
    assert together == singly


async def evaluated(model: Model, store: Path) -> tuple[Run, list[Verdict]]:
    """A run over the first towers by log-likelihood."""
    with installed_shapes():
        shapes = registry.load("shapes")
    data = store.with_suffix(".json")
    data.write_text(json.dumps(towers(3)))
    source = QuestionSource(shapes, shapes.open(data))
    form, scoring = await prepared(model, Form.BASE, Scoring.LOGLIKELIHOOD)
    plan = plan_for(model, source, data, form=form, scoring=scoring)
    with Store(store) as opened:
        evaluation = Evaluation(opened, plan, model, source)
        async for _progress in evaluation.steps():
            pass
        return opened.run(evaluation.run.id), opened.verdicts(evaluation.run.id)


async def test_options_score_as_they_do_where_the_file_is_loaded(address: str, file: Path) -> None:
    local = await LlamaModel.load(file)
    server = await OpenAIModel.connect(address)
    try:
        for prompt in PROMPTS:
            there = await server.score(prompt, OPTIONS)
            for score, same in zip(there, await local.score(prompt, OPTIONS), strict=True):
                assert (score.tokens, score.bytes) == (same.tokens, same.bytes)
                assert score.logprob == pytest.approx(same.logprob, abs=BOUND)
    finally:
        await server.close()
        await local.close()


async def test_a_server_that_scores_the_next_token_is_refused(tmp_path: Path) -> None:
    """This server does so where a model has no token that begins a text."""
    with served(write(tmp_path / "tiny.gguf", Tiny(add_bos=False))) as address:
        server = await OpenAIModel.connect(address)
        with pytest.raises(ModelError, match="otherwise in a prompt than when it is written"):
            await server.prove_likelihoods()
        await server.close()


async def test_a_run_scored_on_a_server_is_that_of_the_file_itself(
    address: str, file: Path, tmp_path: Path
) -> None:
    local = await LlamaModel.load(file)
    server = await OpenAIModel.connect(address)
    try:
        here, expected = await evaluated(local, tmp_path / "local.sqlite")
        there, verdicts = await evaluated(server, tmp_path / "server.sqlite")
    finally:
        await server.close()
        await local.close()
    assert expected
    assert [v.answer for v in verdicts] == [v.answer for v in expected]
    for verdict, right in zip(verdicts, expected, strict=True):
        assert (verdict.item, verdict.layer) == (right.item, right.layer)
        for score, same in zip(verdict.scores, right.scores, strict=True):
            assert (score.tokens, score.bytes) == (same.tokens, same.bytes)
            assert score.logprob == pytest.approx(same.logprob, abs=BOUND)
    assert here.plan.likelihoods == ""
    assert re.fullmatch(r"(exact|approximate to 0\.000\d+ nats) \(echo\)", there.plan.likelihoods)
    assert there.scorings == (Scoring.LOGLIKELIHOOD,)
    assert f"log-likelihoods {there.plan.likelihoods}" in conditions(there.plan)
