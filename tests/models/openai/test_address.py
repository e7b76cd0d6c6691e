"""What a person types for a server's address, and what of it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.openai.client import OpenAIModel, _base
from core.models.openai.key import KEY_VARIABLE
from core.models.openai.requests import Limits
from core.models.resolver import load_model, without_password
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
    "http://a..b/v1",
    "http://.local/v1",
    f"http://{'a' * 64}.example/v1",
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


async def test_a_proxy_with_an_impossible_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://a..b:80")
    with pytest.raises(ModelError, match="The proxy for this server"):
        await OpenAIModel.connect("http://example.invalid/v1", limits=Limits(tries=1))


async def test_an_address_that_nobody_answers_is_no_wrong_one() -> None:
    with pytest.raises(ModelError, match="does not answer"):
        await OpenAIModel.connect("http://127.0.0.1:1", limits=Limits(tries=1))


@pytest.mark.parametrize(
    "address",
    [
        "http://user:urlsecret99@127.0.0.1/v1",
        "http://user:urlsecret99@127.0.0.1:99999/v1",
        "http://user:urlsecret99@[::1",
        "http://user:urlsecret99 @host/v1",
        "http:/user:urlsecret99@host/v1",
        "HTTP://user:urlsecret99@host/v1",
        "https://user:urlsecret99@/v1",
        "http://user:urlsecret99@host:80:80",
        "http://user:urlsecret99@ho\0st",
        "http://user:urlsec/ret99@host",
        "ftp://user:urlsecret99@host",
        "user:urlsecret99@host",
    ],
)
async def test_no_password_of_an_address_is_shown_well_formed_or_not(address: str) -> None:
    with pytest.raises(ModelError) as refused:
        await load_model(address)
    assert "urlsec" not in str(refused.value)


async def test_an_address_that_holds_the_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk-a-secret-key")
    with pytest.raises(ModelError, match="with the key in it") as refused:
        await load_model("http://127.0.0.1:9/sk-a-secret-key/v1")
    assert "sk-a-secret-key" not in str(refused.value)


@pytest.mark.parametrize("name", ["hf:a/b@main:Q8_0", "replay:x:y@z", "models/a@b.gguf", "demo"])
def test_other_names_of_models_are_shown_as_they_are(name: str) -> None:
    assert without_password(name) == name
    assert without_password("http://127.0.0.1:8080#llama@q4") == "http://127.0.0.1:8080#llama@q4"
