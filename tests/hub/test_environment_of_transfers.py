"""What the environment says of proxies and passwords, and what servers learn of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import close_session
from msgspec.structs import replace

from core.hub import catalogue
from core.hub.catalogue import KnownFile
from tests.cli.support import in_process_of_its_own, ok, run
from tests.hub.conftest import TOKEN, known
from tests.hub.hub_server import COMMIT, Published

NAME = "hf:owner/repo:Q8_0"
WHAT = [("model", NAME), ("data", "causes")]


def offer(monkeypatch: pytest.MonkeyPatch, server: str) -> None:
    """Let a server publish the data set."""
    files = (KnownFile(f"{server}/datasets/owner/data/resolve/main/causes.json", 1),)
    monkeypatch.setattr(catalogue, "datasets", lambda: [known(files=files)])


@pytest.fixture(autouse=True)
def _offers(published: Published, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Publish a model and data, and forget the proxies of other tests before and after."""
    published.files["models/owner/repo"] = {"m-Q8_0.gguf": b"GGUF"}
    published.files["datasets/owner/data"] = {"causes.json": b"[]"}
    offer(monkeypatch, published.url)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    close_session()
    yield
    close_session()


@pytest.mark.parametrize("what", WHAT)
def test_no_password_of_netrc_is_sent(
    published: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: tuple[str, str]
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password netrcsecret99\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    ok("get", *what, "--yes")

    # The server leads to another, which has the content.
    assert any(path.startswith("/content/") for _method, path, _headers in published.requests)
    assert not any("authorization" in headers for _method, _path, headers in published.requests)


def test_the_token_for_data_goes_to_its_server_alone(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    # A file of another publisher, and one of a repository.
    ok("get", "data", "causes", "--yes")
    published.token = TOKEN
    (known,) = catalogue.datasets()
    known = replace(known, name="others", repository="owner/data", files=())
    monkeypatch.setattr(catalogue, "datasets", lambda: [known])
    assert not any("authorization" in headers for _method, _path, headers in published.requests)

    ok("get", "data", "others", "--yes")

    with_token = {path for _m, path, headers in published.requests if "authorization" in headers}
    assert with_token == {
        "/api/datasets/owner/data?blobs=true",
        f"/datasets/owner/data/resolve/{COMMIT}/causes.json",
    }


@pytest.mark.parametrize("what", WHAT)
def test_the_proxy_of_the_environment_is_used(
    published: Published, monkeypatch: pytest.MonkeyPatch, what: tuple[str, str]
) -> None:
    monkeypatch.setenv("http_proxy", published.url)
    monkeypatch.setenv("HF_ENDPOINT", "http://publisher.invalid")
    offer(monkeypatch, "http://publisher.invalid")

    run("get", *what, "--yes")

    asked = [path for _method, path, _headers in published.requests]
    assert asked
    assert all(path.startswith("http://publisher.invalid/") for path in asked)


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("variable", ["ALL_PROXY", "http_proxy", "https_proxy", "HTTPS_PROXY"])
@pytest.mark.parametrize(
    "address",
    [
        "socks5://me:proxysecret99@127.0.0.1:1",
        "socks4://me:proxysecret99@127.0.0.1:1",
        "http://me:proxysecret99@[::1",
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_address(
    published: Published,
    monkeypatch: pytest.MonkeyPatch,
    what: tuple[str, str],
    variable: str,
    address: str,
) -> None:
    monkeypatch.setenv(variable, address)

    ran = run("get", *what, "--yes")

    assert ran.code == 1
    assert "has to be an HTTP proxy" in ran.err
    assert f"where: {variable}\n" in ran.err
    assert "proxysecret99" not in ran.out + ran.err
    assert published.requests == []


def test_a_proxy_that_cannot_be_used_gives_no_traceback(published: Published) -> None:
    ran = in_process_of_its_own(
        "get", "model", NAME, "--yes", env={"ALL_PROXY": "socks5://127.0.0.1:1"}
    )

    assert ran.code == 1
    assert "where: ALL_PROXY\n" in ran.err
    assert "Traceback" not in ran.err
