"""A server on this machine that lies, dawdles, floods and repeats the key that it was sent."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import time
from random import Random
from typing import Any

from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE
from core.models.openai.requests import Limits
from core.text.errors import CommonsenseError
from tools.attack.attempts import MOST_SECONDS, Tally, note
from tools.attack.mutators import TEXTS, hostile_value

TRIES = 300
KEY = "sk-attack-4711-do-not-tell"
_LIMITS = Limits(tries=2, first_wait=0.01, timeout=3.0, deadline=1.5)
_MOST_SENT = 64 * 2**20
_PIECE = 2**16
_PATIENCE = 30.0
_STATUS = (
    200,
    200,
    200,
    200,
    200,
    201,
    204,
    206,
    301,
    307,
    400,
    401,
    404,
    408,
    418,
    429,
    500,
    503,
    999,
)
_HEADERS = (
    "Content-Type: text/event-stream", "Content-Type: application/json", "Content-Type: text/html",
    "Content-Encoding: gzip", "Content-Encoding: identity, br", "Content-Length: 5",
    "Content-Length: 99999999999", "Content-Length: -1", "Transfer-Encoding: chunked",
    # A longer wait is cut to a minute, which is longer than this attack has.
    "Retry-After: 1", "Retry-After: nonsense", "Location: http://127.0.0.1:1/",
    "X: " + "x" * 9_000,
    "Set-Cookie: a=b; Path=/", "Connection: keep-alive", "broken header", "X-Key: " + KEY,
)  # fmt: skip


def reply(random: Random) -> dict[str, Any]:
    """An answer of the API, right but for one place, or not at all."""
    text = random.choice((*TEXTS[:8], f"the key is {KEY}", "yes", " no", "x" * 5_000))
    choice = {
        "index": 0,
        "text": text,
        "delta": {"role": "assistant", "content": text},
        "message": {"role": "assistant", "content": text},
        "finish_reason": random.choice(("stop", "length", None, "tool_calls")),
        "logprobs": {"tokens": [text], "token_logprobs": [-1.0], "top_logprobs": [{text: -1.0}],
                     "text_offset": [0], "content": [{"token": text, "logprob": -1.0}]},
    }  # fmt: skip
    document: dict[str, Any] = {"id": "1", "object": "chat.completion", "choices": [choice]}
    document["usage"] = {"prompt_tokens": 3, "completion_tokens": 1}
    if random.random() < 0.6:
        place: Any = random.choice((document, choice, choice["logprobs"], document["usage"]))
        place[random.choice(list(place))] = hostile_value(random)
    return document


def _json(value: object) -> bytes:
    try:
        return json.dumps(value).encode()
    except (RecursionError, ValueError):
        return b"[" * 100_000


def body(random: Random) -> bytes:
    """What is sent after the headers; at times with a byte in it that is not UTF-8."""
    sent = _body(random)
    place = random.randrange(len(sent) + 1)
    return sent if random.random() < 0.9 else sent[:place] + b"\xff" + sent[place:]


def _body(random: Random) -> bytes:
    match random.randrange(9):
        case 0 | 1 | 2:
            events = b"".join(b"data: %s\n\n" % _json(reply(random)) for _ in range(3))
            return events + random.choice((b"data: [DONE]\n\n", b"", b"data: [DON"))
        case 3 | 4:
            return _json(reply(random))
        case 5:
            return _json(hostile_value(random))
        case 6:
            return gzip.compress(bytes(2**22))
        case 7:
            return random.choice((b"", b"\0" * 5_000, b"[" * 200_000, b"data: " + b"x" * 300_000))
        case _:
            return random.choice(TEXTS).encode("utf-8", "surrogatepass") * 3


class Liar:
    """A server whose answers follow from a seed."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._good_list = random.random() < 0.8

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, as badly as can be."""
        random = self._random
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET") and self._good_list:
                listed = b'{"data": [{"id": "model"}]}'
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(listed))
                writer.write(listed)
                await writer.drain()
                return
            await self._lie(writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            if random.random() < 0.1:
                writer.transport.abort()
            writer.close()

    async def _lie(self, writer: asyncio.StreamWriter) -> None:
        random = self._random
        way = random.randrange(12)
        if way == 0:
            return
        if way == 1:
            await asyncio.sleep(2)
            return
        lines = [f"HTTP/1.1 {random.choice(_STATUS)} {random.choice(('OK', '', KEY))}"]
        lines += random.sample(_HEADERS, random.randrange(4))
        writer.write("\r\n".join((*lines, "", "")).encode() if way > 2 else b"nonsense\r\n\r\n")
        content = body(random)
        if way == 3:
            # In large pieces, so that the time is the program's and not this server's.
            piece = (content or b"x") * (_PIECE // (len(content) or 1) + 1)
            for _ in range(_MOST_SENT // len(piece) + 1):
                writer.write(piece)
                await writer.drain()
        elif way == 4:
            for at in range(min(len(content), 200)):
                writer.write(content[at : at + 1])
                await writer.drain()
                await asyncio.sleep(0.02)
        elif way == 5:
            writer.write(content[: len(content) // 2])
        else:
            writer.write(content)
        await writer.drain()


async def _asked(url: str) -> str:
    """What a person would be shown of the model at an address."""
    model = await OpenAIModel.connect(url, limits=_LIMITS)
    shown = [model.info.name]
    try:
        try:
            written = model.generate("Why?", max_tokens=30)
            shown += [token.text async for token in written]
        except CommonsenseError as error:
            shown.append(str(error))
        shown += [repr(each) for each in await model.score("Is it?", [" yes", " no"])]
    finally:
        await model.close()
    return "".join(shown)


async def _attacked(tally: Tally, tries: int, seed: int) -> None:
    for number in range(tries):
        note(f"server {number:,} of {tries:,}, failed {len(tally.failures)}")
        liar = Liar(Random(f"{seed} {number}"))
        serving = await asyncio.start_server(liar.serve, "127.0.0.1", 0, limit=2**20)
        url = f"http://127.0.0.1:{serving.sockets[0].getsockname()[1]}"
        name, shown, started = f"behaviour {number}", "", time.monotonic()
        try:
            with tally.attempt(name):
                try:
                    async with asyncio.timeout(_PATIENCE):
                        shown = await _asked(url)
                except CommonsenseError as error:
                    shown = str(error)
                    raise
        finally:
            serving.close()
        if KEY in shown:
            tally.fail(name, "the key is shown")
        if time.monotonic() - started > 4 * MOST_SECONDS:
            tally.fail(name, f"took {time.monotonic() - started:.0f} s")


def attack(tries: int, seed: int) -> Tally:
    """Ask so many servers, each with behaviours of its own."""
    tally = Tally("server")
    before = os.environ.get(KEY_VARIABLE)
    os.environ[KEY_VARIABLE] = KEY
    try:
        asyncio.run(_attacked(tally, tries, seed))
    finally:
        del os.environ[KEY_VARIABLE]
        if before is not None:
            os.environ[KEY_VARIABLE] = before
    return tally


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    return attack(tries, seed)
