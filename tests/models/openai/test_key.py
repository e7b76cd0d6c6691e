"""The key of a server against a server on loopback that says back what it was sent."""

from __future__ import annotations

import os
from contextlib import aclosing
from pathlib import Path
from traceback import format_exception

import pytest

from core.contract import registry
from core.contract.question import Form, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE, MARK, Key
from core.models.openai.requests import Limits
from core.models.openai.stream import model_names
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from core.text.errors import ModelError
from tests.models.openai.echoing import KEY, echoing_server, holds_key

QUICK = Limits(tries=2, first_wait=0.01, timeout=60.0)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


async def written(model: OpenAIModel) -> list[str]:
    return [token.text async for token in model.generate("Why?", max_tokens=50)]


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize("shape", ["json", "nested", "object", "text", "long"])
async def test_a_refusal_says_back_no_key(status: int, shape: str) -> None:
    with echoing_server(status=status, shape=shape) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        with pytest.raises(ModelError) as caught:
            await written(model)
        await model.close()
    assert not holds_key("".join(format_exception(caught.value)))
    assert "(the k" in str(caught.value)


@pytest.mark.parametrize("shape", ["broken", "event"])
async def test_a_failure_half_way_says_back_no_key(shape: str) -> None:
    with echoing_server(shape=shape) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        with pytest.raises(ModelError) as caught:
            await written(model)
        await model.close()
    assert not holds_key("".join(format_exception(caught.value)))


async def test_the_name_of_a_model_holds_no_key() -> None:
    with echoing_server() as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        await model.close()
        with pytest.raises(ModelError) as caught:
            await OpenAIModel.connect(f"{url}#other", limits=QUICK)
    assert model.info.name == f"tiny Bearer {MARK}"
    assert not holds_key(f"{model.info} {caught.value}")


@pytest.mark.parametrize("shape", ["whole", "halves", "letters"])
async def test_a_text_holds_no_key_however_it_is_cut_into_pieces(shape: str) -> None:
    with echoing_server(shape=shape, pieces=("I was sent HEADER, and ", "HEADER")) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert "".join(await written(model)) == f"I was sent Bearer {MARK}, and Bearer {MARK}"
        await model.close()


async def test_a_text_that_only_begins_like_the_key_comes_piece_by_piece() -> None:
    pieces = ("s", "k-47", " is", " s")
    with echoing_server(pieces=pieces) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert tuple(await written(model)) == pieces
        await model.close()


async def test_a_stand_in_for_a_key_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "EMPTY")
    with echoing_server(pieces=("It is EMPTY",)) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert await written(model) == ["It is EMPTY"]
        await model.close()


async def test_a_run_records_no_key_in_files_that_only_their_owner_reads(tmp_path: Path) -> None:
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    path = tmp_path / "runs.sqlite"
    before = os.umask(0)
    try:
        with echoing_server(shape="letters", pieces=("Answer: HEADER",)) as url:
            model = await OpenAIModel.connect(url, limits=QUICK)
            source = QuestionSource(gita, collection, limit=2)
            plan = plan_for(
                model, source, gita.samples(), form=Form.CHAT, scoring=Scoring.GENERATED
            )
            with Store(path) as store:
                evaluation = Evaluation(store, plan, model, source)
                async with aclosing(evaluation.steps()) as steps:
                    async for _ in steps:
                        files = sorted(tmp_path.iterdir())
                        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
                        assert any(file.name.endswith(".lock") for file in files)
                        assert any(file.name.endswith("-wal") for file in files)
                        for file in files:
                            assert not holds_key(file.read_bytes().decode("latin-1"))
                recorded = store.verdicts(evaluation.run.id)
            await model.close()
    finally:
        os.umask(before)
    assert recorded
    assert all(MARK in verdict.text for verdict in recorded)


def test_the_name_of_a_model_breaks_no_line() -> None:
    body = b'{"data": [{"id": "two\\nlines"}, {"id": "my model.gguf"}]}'
    assert model_names(body, Key(), "here") == ["two lines", "my model.gguf"]


@pytest.mark.parametrize(
    "spelled",
    [
        "".join(f"&#{ord(letter)};" for letter in KEY),
        "".join(f"&#x{ord(letter):X};" for letter in KEY),
        "".join(f"%25{ord(letter):02x}" for letter in KEY),
        "".join(f"\\x{ord(letter):02x}" for letter in KEY),
        "".join(f"&#{ord(letter)};" if letter in "+/=-" else letter for letter in KEY),
    ],
)
def test_a_key_that_is_spelled_for_a_page_or_twice_for_an_address_is_found(spelled: str) -> None:
    hidden = Key().hide(f"sent {spelled}, and no more")
    assert hidden.replace("\\", "") == f"sent {MARK}, and no more"
