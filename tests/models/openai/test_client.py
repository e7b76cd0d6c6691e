"""The client against a server that fails on purpose."""

from __future__ import annotations

import asyncio
import logging

import pytest

from core.contract.question import Form, Message, Question, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE
from core.models.openai.requests import Limits
from core.models.protocol import InterruptedAnswerError
from core.models.resolver import load_model
from core.runs.asking import given_answer
from core.text.errors import ModelError
from tests.models.openai.faulty import Reply, faulty_server

QUICK = Limits(tries=3, first_wait=0.01, timeout=60.0)
QUESTION = Question("x", "stands", "", "Which?", ("no", "yes"), 0)
TURNS = (Message("system", "Be brief."), Message("user", "Why?"))


async def written(model: OpenAIModel, prompt: object = TURNS) -> str:
    pieces = [token.text async for token in model.generate(prompt, max_tokens=9, stop=("\n\n",))]
    return "".join(pieces)


async def test_pieces_come_in_order_and_turns_are_sent_as_they_are() -> None:
    with faulty_server(Reply(pieces=("Answer", ": ", "B)"))) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        assert await written(model) == "Answer: B)"
        await model.close()
    assert server.heard == [
        {
            "path": "/v1/chat/completions",
            "model": "tiny",
            "max_tokens": 9,
            "temperature": 0,
            "stream": True,
            "stop": ["\n\n"],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Why?"},
            ],
        }
    ]


async def test_plain_text_goes_to_plain_completions() -> None:
    with faulty_server(
        Reply(raw='data: {"choices":[{"text":" yes","finish_reason":"stop"}]}\n\ndata: [DONE]\n')
    ) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        assert await written(model, "Is it?") == " yes"
        await model.close()
    assert server.heard[0]["path"] == "/v1/completions"
    assert server.heard[0]["prompt"] == "Is it?"


@pytest.mark.parametrize("status", [429, 500, 501, 503])
async def test_what_may_pass_is_tried_again(status: int) -> None:
    with faulty_server(
        Reply(status, "busy"), Reply(status, "busy"), Reply(pieces=("ok",))
    ) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        assert await written(model) == "ok"
        await model.close()
    assert len(server.heard) == 3


async def test_it_gives_up_after_the_last_try() -> None:
    with faulty_server(Reply(503, '{"error": {"message": "overloaded"}}')) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError, match=r"refused \(503\): overloaded"):
            await written(model)
        await model.close()
    assert len(server.heard) == QUICK.tries


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 422])
async def test_what_is_wrong_is_not_tried_again(status: int) -> None:
    with faulty_server(Reply(status, '{"detail": "no"}')) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError, match=rf"refused \({status}\): no"):
            await written(model)
        await model.close()
    assert len(server.heard) == 1


async def test_the_server_may_ask_for_a_wait() -> None:
    busy = Reply(429, "slow down", headers={"Retry-After": "0.3"})
    with faulty_server(busy, Reply(pieces=("ok",))) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        started = asyncio.get_running_loop().time()
        assert await written(model) == "ok"
        assert asyncio.get_running_loop().time() - started >= 0.3
        await model.close()


async def test_an_answer_that_breaks_off_is_an_error_and_not_said_twice() -> None:
    with faulty_server(Reply(pieces=("half",), breaks_off=True)) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        pieces = model.generate(TURNS, max_tokens=9)
        assert (await anext(pieces)).text == "half"
        with pytest.raises(InterruptedAnswerError, match="does not answer"):
            await anext(pieces)
        await model.close()
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    "raw",
    [
        "data: {not json\n\n",
        "data: 7\n\n",
        'data: {"choices": 3}\n\n',
        'data: {"error": {"message": "out of memory"}}\n\n',
        "data: " + "x" * 1_100_000 + "\n\n",
        "data: " + "[" * 100_000 + "\n\n",
    ],
)
async def test_garbage_is_an_error_with_words(raw: str) -> None:
    with faulty_server(Reply(raw=raw)) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError, match="server"):
            await written(model)
        await model.close()


async def test_requests_run_side_by_side() -> None:
    with faulty_server(Reply(pieces=("ok",), company=9)) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        assert await asyncio.gather(*(written(model) for _ in range(9))) == ["ok"] * 9
        await model.close()
    assert server.most_at_once == 9


async def test_a_cancelled_request_ends_as_cancelled() -> None:
    with faulty_server(Reply(delay=60), Reply(pieces=("ok",))) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        waiting = asyncio.create_task(written(model))
        while not server.heard:
            await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await written(model) == "ok"
        await model.close()


async def test_a_request_that_waits_for_another_try_is_counted() -> None:
    busy = Reply(429, "slow down", headers={"Retry-After": "0.3"})
    with faulty_server(busy, Reply(pieces=("ok",))) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        asked = asyncio.create_task(written(model))
        while not model.traffic.waiting:
            await asyncio.sleep(0.01)
        await asked
        await model.close()
    assert (model.traffic.waiting, model.traffic.failures) == (0, 1)


async def test_the_key_comes_from_the_environment_and_stays_there(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(KEY_VARIABLE, "secret-4711")
    with faulty_server(Reply(401, "bad key Bearer secret-4711")) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError) as caught:
            await written(model)
        await model.close()
    assert server.keys == ["Bearer secret-4711"]
    assert "secret-4711" not in f"{caught.value} {model.info} {vars(model)} {caplog.text}"


async def test_a_redirection_is_not_followed() -> None:
    with (
        faulty_server(Reply(pieces=("stolen",))) as other,
        faulty_server(Reply(307, "", headers={"Location": other.url})) as server,
    ):
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError, match="307"):
            await written(model)
        await model.close()
    assert not other.heard


async def test_one_of_several_models_has_to_be_named_and_the_only_one_need_not() -> None:
    with faulty_server() as server:
        assert (await load_model(server.url)).info.name == "tiny"
    with faulty_server(models=("one", "two")) as server:
        with pytest.raises(ModelError, match=r"2 models.*/v1#one\. It has: one, two\."):
            await load_model(server.url)
        assert (await load_model(f"{server.url}/v1#two")).info.name == "two"
        with pytest.raises(ModelError, match="no model “three”"):
            await load_model(f"{server.url}#three")


@pytest.mark.parametrize("url", ["http://", "http://127.0.0.1:1", "http://me:pw@127.0.0.1:1/"])
async def test_an_address_that_leads_nowhere_is_said_at_once(url: str) -> None:
    with pytest.raises(ModelError) as caught:
        await asyncio.wait_for(load_model(url), 30)
    assert "pw" not in str(caught.value)


async def test_an_answer_that_broke_off_is_counted_and_told_as_a_try_that_is_repeated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    half, whole = Reply(pieces=("half",), breaks_off=True), Reply(pieces=("Answer: A",))
    with faulty_server(half, Reply(503, "busy"), whole) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        answer = await given_answer(model, QUESTION, Form.CHAT, scoring=Scoring.GENERATED)
        await model.close()
    assert answer.text == "Answer: A"
    assert model.traffic.failures == 2
    told = [text for text in caplog.messages if text.startswith("A try failed and is repeated: ")]
    assert len(told) == 2
