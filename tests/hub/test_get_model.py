"""`get model` against a server that speaks as Hugging Face does, with all that goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from core.files import paths
from core.files.lock_file import held
from core.hub import cache, catalogue, models, record
from core.hub.cache import origin_of
from core.models.resolver import demo_file
from core.text.errors import HubError, NotFoundError
from tests.cli.support import in_process_of_its_own, ok, run
from tests.hub.conftest import TOKEN
from tests.hub.hub_server import COMMIT, Fault, Published, sha256
from tui.cli.doctor import fetched_checks
from tui.shell.model_choices import typed_entry

REPOSITORY = "models/owner/repo"
NAME = "hf:owner/repo:Q8_0"
CONTENT = bytes(range(256)) * 4000


@pytest.fixture(autouse=True)
def _model(published: Published) -> None:
    published.files[REPOSITORY] = {"README.md": b"#", "m-Q4_K_M.gguf": b"4", "m-Q8_0.gguf": CONTENT}


def leave_part(size: int) -> Path:
    """The beginning of the file, as a transfer that was stopped leaves it."""
    part = cache.folder() / "models--owner--repo" / "blobs" / f"{sha256(CONTENT)}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[:size])
    return part


def test_a_model_is_fetched_recorded_and_found(published: Published) -> None:
    ran = ok("get", "model", NAME, "--yes", "--json")

    path = Path(ran.json["path"])
    assert path.read_bytes() == CONTENT
    assert path.is_relative_to(cache.folder())
    assert ran.json["bytes"] == len(CONTENT)
    assert ran.json["sha256"] == sha256(CONTENT)
    assert ran.json["revision"] == COMMIT
    assert "apache-2.0" in ran.err
    assert models.find_model(NAME) == path
    assert str(origin_of(path)) == f"hf:owner/repo/m-Q8_0.gguf@{COMMIT}"
    # A second time nothing is moved.
    before = len(published.requests)
    assert ok("get", "model", NAME, "--yes", "--json").json["path"] == str(path)
    assert len(published.requests) == before


def test_nothing_is_fetched_without_the_persons_word(published: Published) -> None:
    ran = run("get", "model", NAME)

    assert ran.code == 2
    assert "--yes" in ran.err
    assert published.transfers() == []
    assert record.read() == []


def test_all_parts_of_a_split_model_are_fetched(published: Published) -> None:
    parts = {f"s-0000{n}-of-00003.gguf": bytes([n]) * 1000 for n in (1, 2, 3)}
    published.files[REPOSITORY] = dict(parts)

    ran = ok("get", "model", "hf:owner/repo", "--yes", "--json")

    first = Path(ran.json["path"])
    assert {path.name: path.read_bytes() for path in first.parent.iterdir()} == parts
    assert [each["sha256"] for each in ran.json["files"]] == [sha256(c) for c in parts.values()]


def test_a_transfer_that_breaks_goes_on_where_it_broke(published: Published) -> None:
    published.faults = [Fault(cut=300_000)]

    path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])

    assert path.read_bytes() == CONTENT
    assert published.ranges() == ["bytes=300000-"]


def test_a_transfer_of_an_earlier_program_goes_on(published: Published) -> None:
    part = leave_part(500_000)

    path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])

    assert path.read_bytes() == CONTENT
    assert published.ranges() == ["bytes=500000-"]
    assert not part.exists()


def test_a_stopped_transfer_keeps_what_came(published: Published) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int) -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        models.get(models.look_up(NAME), stop)
    part = next((cache.folder() / "models--owner--repo" / "blobs").glob("*.part"))
    assert part.read_bytes() == CONTENT[:100_000]
    with pytest.raises(NotFoundError):
        models.find_model(NAME)


@pytest.mark.parametrize("kind", ["pipe", "device", "link", "folder"])
def test_a_beginning_that_is_no_file_is_told_at_once(
    published: Published, tmp_path: Path, kind: str
) -> None:
    part = leave_part(10)
    part.unlink()
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    if kind == "pipe":
        os.mkfifo(part)
    elif kind == "folder":
        part.mkdir()
    else:
        part.symlink_to(other if kind == "link" else "/dev/zero")

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert str(part) in ran.err
    assert other.read_bytes() == b"precious"


def test_a_pipe_in_the_place_of_the_content_is_told_at_once(published: Published) -> None:
    blob = leave_part(10).with_suffix("")
    os.mkfifo(blob)

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "it is not a regular file" in ran.err


def test_what_a_link_in_the_cache_leads_to_is_never_removed(
    published: Published, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    leave_part(10).with_suffix("").symlink_to(other)

    assert "checksum is wrong" in run("get", "model", NAME, "--yes").err

    assert other.read_bytes() == b"precious"
    ok("get", "model", NAME, "--yes")
    assert other.read_bytes() == b"precious"


def test_wrong_content_is_removed_and_named(published: Published) -> None:
    published.faults = [Fault(wrong=True)]

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "checksum" in ran.err
    blobs = cache.folder() / "models--owner--repo" / "blobs"
    assert list(blobs.iterdir()) == []
    assert record.read() == []
    ok("get", "model", NAME, "--yes")
    assert [path.name for path in blobs.iterdir()] == [sha256(CONTENT)]


def test_two_programs_do_not_fetch_the_same_file_at_once(published: Published) -> None:
    part = leave_part(10)
    with held(Path(f"{part}.lock")):
        ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "Another program is fetching this file" in ran.err
    assert part.read_bytes() == CONTENT[:10]


def test_no_record_is_lost_where_several_programs_record_at_once(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    ok("get", "model", NAME, "--yes")
    (known,) = record.read()
    names = [f"hf:owner/repo{number}" for number in range(8)]

    def slowly() -> list[record.Fetched]:
        rows = read()
        time.sleep(0.05)
        return rows

    read = record.read
    monkeypatch.setattr(record, "read", slowly)

    with ThreadPoolExecutor(len(names)) as programs:
        list(programs.map(lambda name: record.remember(replace(known, name=name)), names))

    assert {each.name for each in read()} == {NAME, *names}
    assert [path.name for path in record.place().parent.iterdir()] == [record.place().name]


def test_a_server_that_asks_to_wait_is_asked_again(published: Published) -> None:
    published.faults = [Fault(status=429, retry_after="0")]

    ok("get", "model", NAME, "--yes")

    assert len(published.transfers()) > 1


@pytest.mark.parametrize(
    ("status", "code", "said", "exit_code"),
    [
        (401, "", "HF_TOKEN", 1),
        (403, "GatedRepo", "agree to their terms", 1),
        (403, "", "refuses access", 1),
        (404, "RepoNotFound", "no such repository", 2),
        (500, "", "error (500)", 1),
    ],
)
def test_a_refusal_says_what_to_do(
    published: Published, status: int, code: str, said: str, exit_code: int
) -> None:
    published.refuses[REPOSITORY] = (status, code)

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == exit_code, ran.err
    assert said in ran.err
    assert "evil" not in ran.err


def test_a_server_that_is_not_there_is_named(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "cannot be reached" in ran.err


def test_an_address_of_a_server_that_is_none_is_told() -> None:
    ran = in_process_of_its_own("get", "model", NAME, "--yes", env={"HF_ENDPOINT": "http://[::1"})

    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert "HF_ENDPOINT" in ran.err


def test_a_full_disk_is_told_before_anything_is_moved(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(10**9, 10**9, 10_000))

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "10 kB are free" in ran.err
    assert "HF_HOME" in ran.err
    assert published.transfers() == []


def test_a_file_that_is_too_large_to_be_sent_says_so(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.MAX_HTTP_DOWNLOAD_SIZE", 1_000_000)

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "more than 1.0 MB are not sent in one" in ran.err
    assert published.transfers() == []


def test_a_model_that_memory_cannot_hold_says_so(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.get.available_memory", lambda: 1000)

    assert "cannot be loaded on this machine now" in ok("get", "model", NAME, "--yes").err


def test_the_token_goes_to_its_server_alone_and_is_shown_nowhere(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    published.token = TOKEN
    assert run("get", "model", NAME, "--yes").code == 2
    monkeypatch.setenv("HF_TOKEN", TOKEN)

    ran = ok("get", "model", NAME, "--yes", "--json")

    assert TOKEN not in ran.out + ran.err
    for _method, path, headers in published.requests:
        if path.startswith("/content/"):
            assert "authorization" not in headers
    home = Path.home()
    held = [
        path for path in home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()
    ]
    assert held == []


def test_without_the_network_nothing_is_asked(
    published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    ran = run("get", "model", NAME, "--yes")

    assert ran.code == 1
    assert "HF_HUB_OFFLINE" in ran.err
    assert published.requests == []


def test_the_cache_that_the_environment_names_is_used(
    published: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))

    path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])

    assert path.is_relative_to(tmp_path / "hf" / "hub")


def test_what_another_program_fetched_is_found(tmp_path: Path) -> None:
    repo = cache.folder() / "models--owner--repo"
    (repo / "snapshots" / COMMIT).mkdir(parents=True)
    (repo / "refs").mkdir()
    (repo / "refs" / "main").write_text(COMMIT)
    file = repo / "snapshots" / COMMIT / "m-Q8_0.gguf"
    file.write_bytes(CONTENT)

    assert models.find_model("hf:owner/repo") == file


def test_a_model_that_is_not_there_is_not_fetched_by_asking(published: Published) -> None:
    ran = run("ask", "gita", "0-O0", "--model", NAME)

    assert ran.code == 2
    assert f"commonsense-tui get model {NAME}" in ran.err
    assert published.requests == []


def test_a_run_records_repository_file_and_revision(published: Published) -> None:
    published.files[REPOSITORY] = {"demo-Q8_0.gguf": demo_file().read_bytes()}
    ok("get", "model", NAME, "--yes")

    done = ok("evaluate", "gita", "--limit", "1", "--model", NAME, "--json").json

    origin = f"hf:owner/repo/demo-Q8_0.gguf@{COMMIT}"
    shown = ok("runs", "show", done["run"], "--json").json
    assert shown["origin"] == origin
    assert origin in ok("runs", "show", done["run"]).out
    with sqlite3.connect(paths.runs()) as db:
        assert db.execute("SELECT origin FROM runs").fetchall() == [(origin,)]


def test_doctor_and_the_list_of_models_know_what_was_fetched(published: Published) -> None:
    with pytest.raises(NotFoundError) as error:
        typed_entry(NAME)
    assert error.value.hint == f"commonsense-tui get model {NAME}"
    path = ok("get", "model", NAME, "--yes", "--json").json["path"]

    checks = {check.name: check for check in fetched_checks()}

    assert NAME in checks["models fetched"].detail
    assert checks["data fetched"].detail == "none"
    assert "online" in checks["get"].detail
    assert typed_entry(NAME).source == path


def test_a_damaged_record_is_an_error_and_no_traceback(published: Published) -> None:
    record.place().parent.mkdir(parents=True)
    record.place().write_text(json.dumps([{"kind": "model", "name": 3}]))

    with pytest.raises(HubError, match="damaged"):
        record.read()
    assert run("get", "model", NAME, "--yes").code == 1


def test_the_list_names_models_with_size_and_licence() -> None:
    listed = ok("get", "model", "--json").json["models"]

    assert len(listed) >= 10
    assert {row["tuning"] for row in listed} == {"base", "instruct"}
    for row in listed:
        assert row["name"].startswith("hf:")
        assert 100 < row["megabytes"] < 8_000
        assert row["licence"]
        assert not row["fetched"]


@pytest.mark.parametrize("mask", [0o000, 0o277])
def test_only_its_owner_may_read_what_a_model_leaves_in_the_cache(
    published: Published, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mask: int
) -> None:
    home = tmp_path / "shared"
    home.mkdir()
    home.chmod(0o755)
    monkeypatch.setenv("HF_HOME", str(home))
    before = os.umask(mask)
    try:
        path = Path(ok("get", "model", NAME, "--yes", "--json").json["path"])
    finally:
        os.umask(before)

    made = {each: each.stat().st_mode & 0o777 for each in home.rglob("*")}
    assert path in made
    assert {mode for each, mode in made.items() if each.is_dir()} == {0o700}
    assert {mode for each, mode in made.items() if each.is_file()} == {0o600}
    # What was there stays as it was.
    assert home.stat().st_mode & 0o777 == 0o755


def test_only_its_owner_may_read_what_came_of_a_model(published: Published) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int) -> None:
        raise StoppedError

    before = os.umask(0)
    try:
        with pytest.raises(StoppedError):
            models.get(models.look_up(NAME), stop)
    finally:
        os.umask(before)

    part = next((cache.folder() / "models--owner--repo" / "blobs").glob("*.part"))
    assert part.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "before_host", ["http://user:urlsecret99@", "http://urlsecret99@", "user:urlsecret99@"]
)
@pytest.mark.parametrize("what", [("model", NAME), ("data", "com2")])
def test_an_address_of_a_server_with_a_password_is_refused_and_not_shown(
    published: Published,
    monkeypatch: pytest.MonkeyPatch,
    before_host: str,
    what: tuple[str, str],
) -> None:
    published.files["datasets/owner/data"] = {"test.json": b"[]"}
    known = replace(catalogue.datasets()[0], name="com2", repository="owner/data", by_hand="")
    monkeypatch.setattr(catalogue, "datasets", lambda: [known])
    host = published.url.removeprefix("http://")
    monkeypatch.setenv("HF_ENDPOINT", f"{before_host}{host}")

    ran = run("get", *what, "--yes")

    assert ran.code == 1
    assert "HF_ENDPOINT" in ran.err
    assert "urlsecret99" not in ran.out + ran.err
    assert published.requests == []
