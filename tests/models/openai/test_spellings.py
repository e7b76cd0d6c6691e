"""Secrets in texts of which a server makes the most: long, and spelled in many ways."""

from __future__ import annotations

from base64 import b64encode
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE, MARK, Key
from core.models.openai.requests import Limits
from core.models.openai.spellings import Reading, Spellings
from core.text.errors import ModelError
from tests.models.openai.faulty import Reply, faulty_server

KEY = "sk-4711-do-not-tell"
LONG = "Bearer." + "eyJhbGciOiJIUzI1NiJ9" * 50
HALF = KEY[:-1]
SECONDS = 2.0
HOSTILE = [
    "%5c",
    "x5c",
    "u005c",
    "\\",
    "&#92;",
    "%2525252525252525255c",
    "&#00000092",
    "s",
    HALF,
    b64encode(HALF.encode()).decode(),
    f"s%5c{HALF}",
    "%25",
    "&#0",
    "石",
]
QUICK = Limits(tries=1, timeout=30.0, deadline=30.0)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def spent(text: str) -> float:
    """Seconds of the processor that it takes to hide the key in a text."""
    before = process_time()
    Key().hide(text)
    return process_time() - before


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_that_begins_like_the_key_holds_the_program_up(unit: str) -> None:
    assert spent("s" + unit * (60_000 // len(unit))) < SECONDS
    assert spent("s" + unit * (4_000_000 // len(unit))) < SECONDS


def test_a_long_key_is_hidden_as_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, LONG)
    nearly = "".join(f"{LONG[:length]}&#{ord(LONG[length])}?" for length in range(0, len(LONG), 9))
    assert spent(nearly * (1_000_000 // len(nearly))) < 4 * SECONDS
    assert Key().hide(f"{nearly}{LONG} end") == f"{nearly}{MARK} end"


@pytest.mark.parametrize("unit", ["%5c", "x5c", "u005c", "\\", "s", "&#92;"])
async def test_a_stream_that_begins_like_the_key_holds_nothing_up(unit: str) -> None:
    """Each piece is looked at once, however much waits for what comes after it."""
    pieces = ("s", *(unit * (100_000 // len(unit)),) * 10, *(unit,) * 5_000, " done")
    before = process_time()
    with faulty_server(Reply(pieces=pieces)) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        written = [token.text async for token in model.generate("Why?", max_tokens=2_000)]
        await model.close()
    assert tuple(written) == pieces
    assert process_time() - before < 2 * SECONDS


async def test_an_answer_that_is_refused_with_such_a_text_is_told_at_once() -> None:
    body = "s" + "%5c" * 300_000
    before = process_time()
    with faulty_server(Reply(status=400, body=body)) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        with pytest.raises(ModelError, match=r"refused \(400\)"):
            [token async for token in model.generate("Why?", max_tokens=9)]
        await model.close()
    assert process_time() - before < SECONDS


BACKSLASHES = ["\\", "%5c", "%255C", "x5c", "u005c", "&#92;", "&#0092", "&#x5C;"]


def spelled(letter: str, way: int) -> str:
    code = ord(letter)
    ways = (
        letter,
        f"%{code:02x}",
        f"%2525{code:02X}",
        f"\\x{code:02x}",
        f"\\u{code:04X}",
        f"&#{code};",
        f"&#0{code};",
        f"&#X{code:X};",
    )
    return ways[way % len(ways)]


@given(
    st.text("abcxu0592%&#;+/=-", min_size=8, max_size=12),
    st.lists(st.integers(0, 7), min_size=12, max_size=12),
    st.lists(st.lists(st.sampled_from(BACKSLASHES), max_size=3), min_size=12, max_size=12),
    st.text("abcxu0592%&#;+/=-", max_size=9),
    st.integers(1, 9),
)
def test_a_secret_is_found_in_any_spelling_behind_any_text_and_in_any_pieces(
    secret: str, ways: list[int], between: list[list[str]], before: str, size: int
) -> None:
    text = before
    for letter, way, backslashes in zip(secret, ways, between, strict=False):
        text += "".join(backslashes) + spelled(letter, way)
    reading, found = Reading(Spellings([secret])), []
    for at in range(0, len(text), size):
        found += reading.read(text[at : at + size])
    assert found
    whole = Reading(Spellings([secret])).read(text)
    assert [begin for begin, _ in found] == [begin for begin, _ in whole]
    assert found[0][0] <= len(before) + len("".join(between[0])) + 1
