"""What a person types for a server's address, and what of it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.openai.client import OpenAIModel, _base
from core.models.openai.requests import Limits
from core.models.resolver import load_model
from core.text.errors import ModelError

WRONG = [
    "http://",
    "http://[",
    "http://[::1",
    "http://127.0.0.1:abc",
    "http://xn--/",
    "http://999.1.1.1/",
    "http://\x00/",
    "http://127.0.0.1:1/\x01",
    "http://ß.\u200b/",
    "http://\ud800/",
    "http://127.0.0.1:1/#\ud800",
]


@pytest.mark.parametrize("url", WRONG)
async def test_what_is_no_address_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(ModelError, match="not the address of a server"):
        await load_model(url)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_an_address_or_refused(typed: str) -> None:
    try:
        base, _model = _base(f"http://{typed}")
    except ModelError:
        return
    assert base.startswith("http://")
    assert base.endswith("/v1/")


async def test_an_address_that_nobody_answers_is_no_wrong_one() -> None:
    with pytest.raises(ModelError, match="does not answer"):
        await OpenAIModel.connect("http://127.0.0.1:1", limits=Limits(tries=1))
