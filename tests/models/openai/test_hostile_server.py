"""The client against servers on loopback that send too much, for ever, or compressed."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from traceback import format_exception
from urllib.parse import quote

import pytest

from core.answers.scoring import score_answer
from core.contract.question import Answer as Written
from core.contract.question import Question, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE, MARK
from core.models.openai.requests import Limits
from core.models.openai.response import LONGEST_LINE, MOST_BYTES, STREAM_BYTES
from core.models.openai.stream import LONGEST_NAME
from core.models.protocol import InterruptedAnswerError, Token
from core.text.errors import ModelError
from tests.models.openai.faulty import END

QUICK = Limits(tries=2, first_wait=0.01, timeout=60.0, deadline=60.0)
MODELS = b'{"data": [{"id": "tiny"}]}'
KEY = "sk-4711/Ab+cd_ef"
PACKED = gzip.compress(bytes(20_000_000))
Answer = Callable[[asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """A whole reply, which ends with the connection."""
    return (
        "\r\n".join((f"HTTP/1.1 {status}", "Connection: close", *headers, "\r\n")).encode() + body
    )


def events(*pieces: str, end: str = END) -> bytes:
    return "".join(f"data: {event(piece)}\n\n" for piece in pieces).encode() + end.encode()


def event(text: str) -> str:
    return json.dumps({"choices": [{"delta": {"content": text}}]})


@asynccontextmanager
async def server(answer: bytes | Answer, models: bytes | Answer = b"") -> AsyncIterator[str]:
    """Serve on a free port of this machine: `models` to GET, `answer` to POST."""
    listed = models or reply(MODELS)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert "accept-encoding: identity" in head
            said = listed if head.startswith("get") else answer
            if isinstance(said, bytes):
                writer.write(said)
            else:
                await said(writer)
            await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    serving = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}"
    finally:
        serving.close()


async def asked(
    answer: bytes | Answer, *, limits: Limits = QUICK, max_tokens: int = 50
) -> list[Token]:
    async with server(answer) as url:
        model = await OpenAIModel.connect(url, limits=limits)
        try:
            return [token async for token in model.generate("Why?", max_tokens=max_tokens)]
        finally:
            await model.close()


async def text(answer: bytes | Answer) -> str:
    return "".join(token.text for token in await asked(answer))


def without_end(chunk: bytes) -> Answer:
    """Send the same for ever, or until the other side has had enough."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b""))
        while True:
            writer.write(chunk)
            await writer.drain()

    return answer


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "GZIP, identity"])
@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
async def test_what_is_compressed_is_not_expanded(encoding: str, status: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=r"compresses|400"):
            await asked(reply(PACKED, f"Content-Encoding: {encoding}", status=status))
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("chunk", "words"),
    [
        (b"data: " + b"x" * 60_000, "event without end"),
        (b": nothing yet " * 4000 + b"\n\n", f"more than {STREAM_BYTES:,} bytes"),
        (events("", end="") * 100, f"more than {STREAM_BYTES:,} bytes"),
        (events("and ", end=""), "on and on"),
        (b'{"choices": [' + b" \n" * 500 + b" " * 60_000, f"more than {STREAM_BYTES:,} bytes"),
        (b"<html>" * 10_000, "event without end"),
    ],
)
async def test_a_stream_without_end_is_ended(chunk: bytes, words: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=words):
            await asked(without_end(chunk))
        assert tracemalloc.get_traced_memory()[1] < 4 * STREAM_BYTES
    finally:
        tracemalloc.stop()


async def test_four_pieces_a_token_are_read_and_no_more() -> None:
    assert len(await asked(reply(events(*"abcdefgh")), max_tokens=2)) == 8
    with pytest.raises(ModelError, match="on and on"):
        await asked(reply(events(*"abcdefghi")), max_tokens=2)


async def test_a_line_of_the_greatest_length_is_read_and_no_longer_one() -> None:
    spare = LONGEST_LINE - len(f"data: {event('')}")
    assert len(await text(reply(events("x" * spare)))) == spare
    with pytest.raises(ModelError, match="event without end"):
        await text(reply(events("x" * (spare + 1))))


async def test_an_error_without_end_is_shown_in_its_first_characters() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"", status="400 Bad Request"))
        while True:
            writer.write(b"no " * 20_000)
            await writer.drain()

    with pytest.raises(ModelError, match=r"refused \(400\)") as caught:
        await asked(answer)
    shown = caught.value.what.partition(": ")[2]
    assert shown == ("no " * 100).rstrip() + "."


@pytest.mark.parametrize(
    "models", [without_end(b" " * 60_000), reply(b'{"data": [' + b" " * MOST_BYTES + b"]}")]
)
async def test_a_list_of_models_without_end_is_refused(models: bytes | Answer) -> None:
    async with server(b"", models) as url:
        with pytest.raises(ModelError, match=f"more than {MOST_BYTES:,} bytes"):
            await OpenAIModel.connect(url, limits=QUICK)


async def test_a_model_s_name_of_the_greatest_length_is_taken_and_no_longer_one() -> None:
    def named(length: int) -> bytes:
        return reply(json.dumps({"data": [{"id": "m" * length}]}).encode())

    async with server(b"", named(LONGEST_NAME)) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert model.info.name == "m" * LONGEST_NAME
        await model.close()
    for length in (LONGEST_NAME + 1, 900_000):
        async with server(b"", named(length)) as url:
            with pytest.raises(ModelError, match=f"{length:,} characters") as caught:
                await OpenAIModel.connect(url, limits=QUICK)
        assert len(str(caught.value)) < 300


@pytest.mark.parametrize("body", [b'"\xff\xfe"', b'{"error": {"message": "\xff"}}'])
async def test_a_refusal_with_bytes_that_are_no_text_is_told(body: bytes) -> None:
    with pytest.raises(ModelError, match="�"):
        await asked(reply(body, status="400 Bad Request"))
    async with server(b"", reply(body, status="500 Internal Server Error")) as url:
        with pytest.raises(ModelError, match="�"):
            await OpenAIModel.connect(url, limits=QUICK)


async def test_an_answer_and_a_list_with_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ModelError, match="not a completion"):
        await asked(reply(b'data: {"choices": [{"delta": {"content": "\xff"}}]}\n\n'))
    async with server(b"", reply(b'{"data": [{"id": "\xff"}]}')) as url:
        with pytest.raises(ModelError, match="OpenAI-compatible"):
            await OpenAIModel.connect(url, limits=QUICK)


@pytest.mark.parametrize("headers", [True, False])
async def test_a_server_that_dawdles_is_left_at_the_deadline(headers: bool) -> None:
    """It sends a byte now and then, so that no wait for a byte is ever too long."""

    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"") if headers else b"HTTP/1.1 200 OK\r\nX-Long: ")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.02)

    started = asyncio.get_running_loop().time()
    with pytest.raises(ModelError, match=r"did not finish within 0.3 s"):
        await asked(answer, limits=Limits(tries=2, first_wait=0.01, deadline=0.3))
    assert 0.6 <= asyncio.get_running_loop().time() - started < 10


async def test_an_answer_that_dawdles_is_not_asked_again() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        tries.append(1)
        writer.write(reply(events("half", end="")))
        await asyncio.sleep(60)

    tries: list[int] = []
    with pytest.raises(ModelError, match="did not finish") as caught:
        await asked(answer, limits=Limits(tries=2, first_wait=0.01, deadline=0.3))
    assert not isinstance(caught.value, InterruptedAnswerError)
    assert tries == [1]


async def test_what_follows_the_end_of_an_answer_is_not_waited_for() -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(reply(events("done")))
        await asyncio.sleep(60)

    async with asyncio.timeout(30):
        assert await text(answer) == "done"
        assert await text(without_end(events("done") + b"x" * 60_000)) == "done"


@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
async def test_a_chunk_of_a_wrong_form_ends_the_wait_for_it(status: str) -> None:
    async def answer(writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for letter in b"data:":
            await writer.drain()
            await asyncio.sleep(0.02)
            writer.write(bytes([letter]))

    async with asyncio.timeout(30):
        with pytest.raises(ModelError, match=r"does not answer|broke off"):
            await asked(answer)


@pytest.mark.parametrize("wait", ["1e9", "inf", "-5", "nan", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_no_server_makes_a_request_wait_for_long(
    wait: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    sleep = asyncio.sleep

    async def slept(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr("core.models.openai.requests.stamina._core._smart_sleep", slept)
    with pytest.raises(ModelError, match="429"):
        await asked(reply(b"", f"Retry-After: {wait}", status="429 Too Many Requests"))
    assert len(waits) == 1
    assert waits[0] <= 60


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]},
        {"choices": [{"text": "whole", "finish_reason": "stop"}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
async def test_an_answer_that_is_not_streamed_is_read_all_the_same(
    body: object, indent: int | None
) -> None:
    said = json.dumps(body, indent=indent).encode()
    assert await text(reply(b"\n" + said, "Content-Type: application/json")) == "whole"
    assert await text(reply(said)) == "whole"


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_thinking_that_comes_apart_stands_before_the_answer(name: str) -> None:
    deltas: list[dict[str, object]] = [
        {"role": "assistant", "content": None},
        {name: "Stones "},
        {name: "sink.", "content": None},
        {"content": "No"},
        {"content": "."},
    ]
    streamed = "".join(f"data: {json.dumps({'choices': [{'delta': d}]})}\n\n" for d in deltas)
    assert await text(reply((streamed + END).encode())) == ("<think>Stones sink.</think>\nNo.")
    whole = {"choices": [{"message": {name: "Stones sink.", "content": "No."}}]}
    assert await text(reply(json.dumps(whole).encode())) == "<think>Stones sink.</think>\nNo."


@pytest.mark.parametrize(("reason", "status"), [("length", "truncated"), ("stop", "no_answer")])
async def test_thinking_without_an_answer_is_none(reason: str, status: str) -> None:
    thought = {"delta": {"reasoning_content": "Yes or no? Yes"}, "finish_reason": reason}
    body = f"data: {json.dumps({'choices': [thought]})}\n\ndata: [DONE]\n\n"
    tokens = await asked(reply(body.encode()))
    written = "".join(token.text for token in tokens)
    question = Question("stone", "swims", "", "Can a stone swim?", ("yes", "no"), 1)
    answer = Written(
        text=written, scoring=Scoring.GENERATED, complete=not any(token.cut for token in tokens)
    )
    assert score_answer(question, answer).status == status


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 500}, 0.002),
        ({"prompt_tokens": 1000, "completion_tokens": None}, 0.001),
        ({"prompt_tokens": -3, "completion_tokens": 9}, None),
        ({"prompt_tokens": "many"}, None),
        ([1], None),
    ],
)
async def test_what_requests_cost_is_known_where_the_server_counts_tokens(
    usage: object, cost: float | None
) -> None:
    last = json.dumps({"choices": [], "usage": usage})
    async with server(reply(events("yes", end=f"data: {last}\n\n{END}"))) as url:
        model = await OpenAIModel.connect(url, limits=QUICK, prices=(1.0, 2.0))
        written = [token.text async for token in model.generate("Why?", max_tokens=9)]
        await model.close()
    assert "".join(written) == "yes"
    assert model.traffic.cost == (cost if cost is None else pytest.approx(cost))


async def test_an_error_in_place_of_an_answer_is_one() -> None:
    with pytest.raises(ModelError, match="stopped: out of memory"):
        await asked(reply(b'{"error": {"message": "out of memory"}}'))


@pytest.mark.parametrize("body", [b"", b"<html>\n<p>Welcome</p>\n</html>", b"event: ping\n\n"])
async def test_a_page_is_not_taken_for_an_empty_answer(body: bytes) -> None:
    with pytest.raises(ModelError, match="OpenAI-compatible"):
        await asked(reply(body))


async def test_a_server_that_ends_streams_early_is_asked_for_whole_answers() -> None:
    """As llama-cpp-python's server does when another request comes."""
    heard: list[bool] = []

    async def answer(writer: asyncio.StreamWriter) -> None:
        heard.append(True)
        if len(heard) == 1:
            writer.write(reply(events("Answ", end="data: [DONE]\n\n")))
        else:
            whole = {"choices": [{"message": {"content": "Answer: yes"}}]}
            writer.write(reply(json.dumps(whole).encode()))

    async with server(answer) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        with pytest.raises(InterruptedAnswerError, match="broke off"):
            [token async for token in model.generate("Why?", max_tokens=9)]
        again = [token.text async for token in model.generate("Why?", max_tokens=9)]
        await model.close()
    assert again == ["Answer: yes"]
    assert len(heard) == 2


async def test_an_answer_without_its_end_is_not_taken_for_whole() -> None:
    with pytest.raises(InterruptedAnswerError, match="broke off"):
        await asked(reply(events("half", end="")))


@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_an_answer_that_a_limit_cut_says_so(reason: str) -> None:
    last = json.dumps({"choices": [{"delta": {}, "finish_reason": reason}]})
    tokens = await asked(reply(events("half", end=f"data: {last}\n\n")))
    assert tokens[-1].cut is (reason == "length")


def json_escaped(key: str) -> str:
    return "".join(f"\\u{ord(letter):04X}" for letter in key)


def percent_escaped(key: str) -> str:
    return "".join(f"%{ord(letter):02x}" for letter in key)


DISGUISES: list[Callable[[str], str]] = [
    lambda key: key,
    lambda key: quote(key, safe=""),
    percent_escaped,
    json_escaped,
    lambda key: json.dumps(json.dumps(key)).replace("/", "\\/"),
    lambda key: b64encode(key.encode()).decode(),
    lambda key: b64encode(f"a:{key}".encode()).decode(),
    lambda key: b64encode(f"Bearer {key} and more".encode()).decode(),
    lambda key: quote(b64encode(key.encode()).decode(), safe=""),
    lambda key: b64encode(f"ab{key}".encode()).decode().replace("+", "-").replace("/", "_"),
]


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("size", [1, 7])
async def test_the_key_is_hidden_in_any_disguise_and_any_pieces(
    disguise: Callable[[str], str], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    secret = disguise(KEY)
    said = f"It is {secret} I think."
    pieces = [said[at : at + size] for at in range(0, len(said), size)]
    written = await text(reply(events(*pieces)))
    assert MARK in written
    assert written.startswith("It is ")
    assert written.endswith(" I think.")
    assert not any(secret[at : at + 10] in written for at in range(7, len(secret) - 16))


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("shape", ["{}", '{{"error": {{"message": {}}}}}', '{{"detail": [{}]}}'])
async def test_no_refusal_shows_the_key_in_any_disguise(
    disguise: Callable[[str], str], shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    secret = disguise(KEY)
    body = shape.format(json.dumps(f"bad key {secret} here"))
    with pytest.raises(ModelError) as caught:
        await asked(reply(body.encode(), status="401 Unauthorized"))
    shown = "".join(format_exception(caught.value))
    assert MARK in shown
    assert not any(secret[at : at + 10] in shown for at in range(7, len(secret) - 16))
