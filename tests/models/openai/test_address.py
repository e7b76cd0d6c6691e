"""What a person types for a server's address, and what of it is none."""

from __future__ import annotations

import subprocess
from pathlib import Path
from traceback import format_exception

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.files import paths
from core.models.openai.client import OpenAIModel, _base
from core.models.openai.key import KEY_VARIABLE
from core.models.openai.requests import Limits
from core.models.resolver import load_model, shown_name
from core.text.errors import ModelError
from tests.models.openai.faulty import faulty_server
from tests.terminals import COMMAND
from tui.shell.model_choices import typed_entry

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
    assert shown_name(name) == name
    assert shown_name("http://127.0.0.1:8080#llama@q4") == "http://127.0.0.1:8080#llama@q4"


SECRETIVE = [
    "http://user:SECRET@127.0.0.1/v1",
    "http://user:a?SECRET@h",
    "http://user:a#SECRET@h",
    "user:a/SECRET@host",
    "http//user:SECRET@host",
    "http;//user:SECRET@host",
    "http:\\\\user:SECRET@host",
    "htp:/user:SECRET@host/v1",
    "hTTps:user:SECRET@host",
    " http://user:SECRET@host",
    "http://127.0.0.1:x/v1?api-key=SECRET",
    "http://127.0.0.1:1/v1?api-key=a@SECRET",
    "HTTP://127.0.0.1:x/v1?api-key=SECRET",
    " HtTp://[::1/v1?SECRET",
    "127.0.0.1:8080/v1?api-key=SECRET",
    "http//127.0.0.1/v1?k=SECRET#m",
    "http://127.0.0.1:x/v1?k=SE#SECRET",
    "http://127.0.0.1:x/#m?api-key=SECRET",
    "http://127.0.0.1:1/#m?api-key=SECRET",
    "ftp://host/?SECRET",
]


async def chosen(address: str) -> None:
    """Type an address into the list of models, and load it from there."""
    entry = typed_entry(address)
    assert "SECRET" not in entry.name
    await OpenAIModel.connect(entry.source, limits=Limits(tries=1))


@pytest.mark.parametrize("address", SECRETIVE)
async def test_no_secret_of_a_mistyped_address_is_shown(address: str) -> None:
    assert "SECRET" not in shown_name(address)
    with pytest.raises(ModelError) as refused:
        await load_model(address)
    assert "SECRET" not in "".join(format_exception(refused.value))
    with pytest.raises(ModelError) as refused:
        await chosen(address)
    assert "SECRET" not in "".join(format_exception(refused.value))


@given(st.text(min_size=1, max_size=20), st.sampled_from(["http", "HTTPS", "ws", " http"]))
def test_of_any_address_neither_a_password_nor_a_query_is_shown(secret: str, scheme: str) -> None:
    marked = f"\ue000{secret}\ue001"
    assert "\ue000" not in shown_name(f"{scheme}://u:{marked}@host/v1")
    assert "\ue001" not in shown_name(f"{scheme}://u:{marked}@host/v1")
    assert "\ue000" not in shown_name(f"{scheme}://host/v1?k={marked}")
    assert "\ue001" not in shown_name(f"{scheme}://host/v1?k={marked}")


@pytest.mark.parametrize(
    "name",
    [
        "models//a@b.gguf",
        "a b?.gguf",
        "~/m@x.gguf",
        "/x:y/a@b.gguf",
        "http_model@q4.gguf",
        "http://[fe80::1%eth0]:8000#m@x",
    ],
)
def test_the_name_of_a_file_is_shown_whole(name: str) -> None:
    assert shown_name(name) == name


@pytest.mark.parametrize("name", ["models:v1@q8.gguf", "a=b?c=d.gguf", "c:d@e.gguf"])
def test_the_name_of_a_file_that_is_there_is_shown_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shown_name(name) != name
    Path(name).touch()
    assert shown_name(name) == name


async def test_a_scheme_in_capitals_and_a_space_before_it_are_those_of_a_server() -> None:
    with faulty_server() as server:
        model = await load_model(f" {server.url.replace('http', 'HTTP')}/v1?api-key=SECRET")
        assert model.info.source == f"{server.url}/v1#tiny"
        await model.close()


def test_the_configuration_is_shown_without_the_secrets_of_an_address() -> None:
    file = paths.config()
    file.parent.mkdir(parents=True, exist_ok=True)
    for address in ("http://u:SECRET99@127.0.0.1", "http://127.0.0.1:1/v1?k=SECRET99"):
        file.write_text(f"model: {address}\n")
        for arguments in (["config", "show"], ["config", "show", "--json"]):
            ran = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True)
            assert "127.0.0.1" in ran.stdout
            assert "SECRET99" not in ran.stdout + ran.stderr
