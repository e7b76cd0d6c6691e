"""`get model` against a server that says what no Hugging Face server says."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from core.hub import cache, catalogue, models, record, repository_answer
from core.text.errors import HubError, NotFoundError
from tests.cli.support import Ran, in_process_of_its_own, ok, run
from tests.hub.conftest import TOKEN
from tests.hub.hub_server import COMMIT, Fault, Published, sha256
from tui.browse.model_fetching import fetch_model
from tui.shell.model_choices import Entry, Kind

REPOSITORY = "models/owner/repo"
NAME = "hf:owner/repo:Q8_0"
CONTENT = b"GGUF" * 500
FILE = "m-Q8_0.gguf"


@pytest.fixture(autouse=True)
def _model(published: Published) -> None:
    published.files[REPOSITORY] = {FILE: CONTENT}


def outside(folder: Path) -> list[str]:
    """What is in a folder, with the content of files."""
    return sorted(
        f"{path.relative_to(folder)} {path.read_bytes()!r}" if path.is_file() else str(path)
        for path in folder.rglob("*")
    )


def refused(ran: Ran) -> None:
    """Expect that a command ended with a message of ours."""
    assert ran.code in (1, 2), ran.err
    assert "Traceback" not in ran.err
    assert "to do:" in ran.err


def with_file(**changes: object) -> Callable[[dict[str, Any]], object]:
    """Change what the listing says of its file."""

    def spoil(info: dict[str, Any]) -> object:
        info["siblings"][0] |= changes
        return info

    return spoil


def with_checksum(value: object) -> Callable[[dict[str, Any]], object]:
    return with_file(lfs={"size": len(CONTENT), "sha256": value, "pointerSize": 130})


def with_field(name: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda info: {**info, name: value}


def as_text(old: str, new: str) -> Callable[[dict[str, Any]], object]:
    """Change the text of the listing."""
    return lambda info: json.dumps(info).replace(old, new).encode()


def instead(answer: object) -> Callable[[dict[str, Any]], object]:
    return lambda _info: answer


@pytest.mark.parametrize("place", ["{folder}/mine", "../../../../../../../../..{folder}/sub/mine"])
def test_a_checksum_is_no_path(published: Published, tmp_path: Path, place: str) -> None:
    folder = tmp_path / "someone"
    folder.mkdir()
    (folder / "mine.part").write_bytes(b"precious" * 1000)
    before = outside(folder)
    published.spoil = with_checksum(place.format(folder=folder))

    refused(run("get", "model", NAME, "--yes"))

    assert outside(folder) == before


@pytest.mark.parametrize(
    "spoil",
    [
        *(with_checksum(value) for value in (5, ["a"], "a\0b", "A" * 64, "a" * 64 + "\n", "")),
        *(with_file(size=size) for size in ("12", -1, {}, 1e300, 10**30)),
        *(with_file(rfilename=name) for name in (5, None, f"/{FILE}", f"../{FILE}", f"a\0{FILE}")),
        *(with_file(rfilename=name) for name in ("", ".", f"a/../{FILE}", f"a\\{FILE}")),
        *(with_file(lfs=value) for value in ("x", {}, 5)),
        *(with_field("siblings", value) for value in (5, [5], {"a": 1}, None)),
        *(with_field("cardData", value) for value in ("x", ["x"])),
        *(with_field("tags", value) for value in ([5], "license:x")),
        *(with_field("sha", value) for value in (None, 5, "main", "../" * 13 + "a", COMMIT + "\n")),
        *(instead(answer) for answer in ([1], None, "x", {}, b"", b"<html>", b"[" * 200_000)),
        *(instead(answer) for answer in (b'{"id":"\xff\xfe"}', b'{"x":' + b"[" * 200_000)),
        as_text('"size": ', '"size": 1' + "0" * 4000),
        as_text('"size": ', '"size": 1' + "0" * 6000),
        as_text('"size": ', '"size": NaN, "x": '),
        as_text("m-Q8", "\\ud800-Q8"),
    ],
)
def test_an_answer_that_is_none_is_told(
    published: Published, spoil: Callable[[dict[str, Any]], object]
) -> None:
    published.spoil = spoil

    refused(run("get", "model", NAME, "--yes"))

    assert published.transfers() == []
    assert not cache.folder().exists()


@pytest.mark.parametrize(
    "name",
    ["id", "lastModified", "createdAt", "gated", "safetensors", "transformersInfo", "config"],
)
def test_what_is_not_used_may_be_anything(published: Published, name: str) -> None:
    published.spoil = with_field(name, {"a": [5]})

    ok("get", "model", NAME, "--yes")


@pytest.mark.parametrize(
    ("card", "tags", "licence"),
    [
        ({"license": ["mit", 5, "x"]}, None, "mit, x"),
        ({"license": {"a": 1}}, ["license:mit", "gguf"], "mit"),
        ({"license": "other", "license_name": "own"}, None, "own"),
        (None, [], ""),
    ],
)
def test_the_licence_is_what_the_card_or_the_tags_name(
    published: Published, card: object, tags: object, licence: str
) -> None:
    published.spoil = lambda info: {**info, "cardData": card, "tags": tags}

    assert models.look_up(NAME).listing.licence == licence


def spellings(token: str) -> list[str]:
    """A token as it is, and as a server may spell it."""
    return [
        token,
        b64encode(b"of " + token.encode()).decode(),
        token.replace("_", "%5F"),
        token.replace("_", "&#95;"),
        f"{token[:9]}/{token[9:]}",
    ]


def held(text: str) -> list[Path]:
    """The files of the program and the cache whose name or content holds a text."""
    return [
        path
        for path in Path.home().rglob("*")
        if text in str(path) or (path.is_file() and text.encode() in path.read_bytes())
    ]


@pytest.mark.parametrize("spelling", spellings(TOKEN))
def test_a_licence_that_holds_the_token_is_neither_shown_nor_recorded(
    published: Published, monkeypatch: pytest.MonkeyPatch, spelling: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    published.card = {"license": f"mit {spelling}"}

    ran = ok("get", "model", NAME, "--yes")

    assert "licence  (the token)" in ran.err
    assert record.read()[0].licence == "(the token)"
    assert spelling not in ran.out + ran.err
    assert held(spelling) == []


@pytest.mark.parametrize("spelling", spellings(TOKEN))
@pytest.mark.parametrize("kind", ["model", "data"])
def test_a_file_whose_name_holds_the_token_is_refused(
    published: Published, monkeypatch: pytest.MonkeyPatch, spelling: str, kind: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    published.files = {
        REPOSITORY: {f"{spelling}-Q8_0.gguf": CONTENT},
        "datasets/owner/repo": {f"{spelling}.json": b"[]"},
    }
    known = replace(catalogue.datasets()[0], name="com2", repository="owner/repo", by_hand="")
    monkeypatch.setattr(catalogue, "datasets", lambda: [known])

    ran = run("get", kind, NAME if kind == "model" else "com2", "--yes")

    refused(ran)
    assert "repeats the token" in ran.err
    assert spelling not in ran.out + ran.err
    assert published.transfers() == []
    assert held(spelling) == []


@pytest.mark.parametrize("name", ["sha", "sha256"])
def test_a_token_in_the_place_of_a_commit_or_checksum_is_refused(
    published: Published, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    token = "0123456789abcdef" * 4 if name == "sha256" else "0123456789" * 4
    monkeypatch.setenv("HF_TOKEN", token)
    published.spoil = with_checksum(token) if name == "sha256" else with_field(name, token)

    ran = run("get", "model", NAME, "--yes")

    refused(ran)
    assert token not in ran.out + ran.err
    assert held(token) == []


def test_a_short_token_may_be_in_any_name(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "m-Q8")

    ok("get", "model", NAME, "--yes")


@pytest.mark.parametrize(
    "headers",
    [{"X-Repo-Commit": "../../../../../evil"}, {"X-Linked-Etag": '"../../../evil"'}],
)
def test_the_answer_for_the_content_names_no_path(
    published: Published, headers: dict[str, str]
) -> None:
    published.content_headers = headers

    path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])

    repo = cache.folder() / "models--owner--repo"
    assert path == repo / "snapshots" / COMMIT / FILE
    assert path.resolve() == repo / "blobs" / sha256(CONTENT)
    assert path.read_bytes() == CONTENT
    assert list(cache.folder().parent.rglob("*evil*")) == []


@pytest.mark.parametrize(
    ("status", "headers", "said"),
    [
        (200, {}, f"more than {repository_answer.MOST_BYTES:,} bytes"),
        (500, {}, "error (500)"),
        (302, {"Location": "/api/models/owner/repo"}, "cannot be reached"),
        (302, {}, f"more than {repository_answer.MOST_BYTES:,} bytes"),
    ],
)
def test_a_listing_without_end_is_refused(
    published: Published, status: int, headers: dict[str, str], said: str
) -> None:
    published.listing_endless = True
    published.listing_status, published.listing_headers = status, headers

    with pytest.raises(HubError) as caught:
        models.look_up(NAME)

    assert said in str(caught.value)


def test_a_redirection_without_end_is_followed_all_the_same(published: Published) -> None:
    published.redirection_endless = True

    path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])

    assert path.read_bytes() == CONTENT


def test_a_listing_is_not_unpacked(published: Published) -> None:
    published.listing_headers = {"Content-Encoding": "gzip"}
    published.spoil = lambda info: gzip.compress(json.dumps(info).encode())

    with pytest.raises(HubError, match="packs what it sends"):
        models.look_up(NAME)


def test_no_server_learns_what_the_environment_holds(published: Published) -> None:
    telemetry = dict.fromkeys(
        ("HF_HUB_DISABLE_TELEMETRY", "DISABLE_TELEMETRY", "DO_NOT_TRACK"), "0"
    )

    # Of its own: the library reads these names once.
    ran = in_process_of_its_own("get", "model", NAME, "--yes", env={**telemetry, "AI_AGENT": "it"})

    assert ran.code == 0, ran.err
    # The library would ask which variables tell what program called this one.
    assert not any("agent-harnesses" in path for _method, path, _headers in published.requests)
    said = {headers["user-agent"] for _method, _path, headers in published.requests}
    assert said == {f"commonsense-tui/{version('commonsense-tui')}"}


def test_a_repository_that_was_renamed_is_followed(published: Published) -> None:
    published.files["models/new/name"] = published.files.pop(REPOSITORY)
    published.moved = {REPOSITORY: "models/new/name"}

    assert [file.name for file in models.look_up(NAME).files] == [FILE]


@pytest.mark.parametrize("drips", ["headers", "body"])
def test_a_listing_that_never_ends_is_left_at_the_deadline(
    published: Published, monkeypatch: pytest.MonkeyPatch, drips: str
) -> None:
    published.listing_drips = drips
    monkeypatch.setattr(repository_answer, "SECONDS", 0.5)
    began = time.monotonic()

    with pytest.raises(HubError, match=r"did not finish its answer within 0\.5 s"):
        models.look_up(NAME)

    assert time.monotonic() - began < 10


@pytest.mark.parametrize("part", ["listing", "content"])
def test_a_list_that_is_left_waits_for_no_server(published: Published, part: str) -> None:
    if part == "listing":
        published.listing_drips = "body"
    else:
        published.faults = [Fault(drips=True)]
    entry = Entry(NAME, Kind.PUBLISHED, NAME, licence="apache-2.0")
    left = threading.Event()
    before = set(threading.enumerate())
    came: list[object] = []
    watched = threading.Thread(
        target=lambda: came.append(fetch_model(entry, lambda _text: None, left.is_set)),
        daemon=True,
    )
    watched.start()
    wanted = "/api/" if part == "listing" else "/content/"
    deadline = time.monotonic() + 20
    while not any(path.startswith(wanted) for _method, path, _h in published.requests):
        assert time.monotonic() < deadline
        time.sleep(0.01)

    left.set()
    watched.join(10)

    assert came == [None]
    # What still waits keeps the program from no end.
    of_servers = "process_request_thread"
    others = [t for t in set(threading.enumerate()) - before if of_servers not in t.name]
    assert all(thread.daemon for thread in others)


@pytest.mark.parametrize("kind", ["pipe", "device", "long", "folder"])
def test_a_reference_of_the_cache_that_is_no_small_file_is_passed_over(kind: str) -> None:
    repo = cache.folder() / "models--owner--repo"
    snapshot = repo / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / FILE).write_bytes(CONTENT)
    reference = repo / "refs" / "main"
    reference.parent.mkdir()
    reference.write_text(f"{COMMIT}\n")
    assert models.find_model(NAME) == snapshot / FILE
    reference.unlink()
    if kind == "pipe":
        os.mkfifo(reference)
    elif kind == "device":
        reference.symlink_to("/dev/zero")
    elif kind == "long":
        reference.write_text(COMMIT + " " * 1000)
    else:
        reference.mkdir()

    with pytest.raises(NotFoundError):
        models.find_model(NAME)
