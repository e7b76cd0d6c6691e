"""`get data` against a server on this machine, with all that goes wrong."""

from __future__ import annotations

import json
import os
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.contract import registry
from core.files import paths
from core.files.lock_file import held
from core.hub import catalogue, datasets
from core.hub.catalogue import KnownData, KnownFile
from core.text.errors import CommonsenseError
from tests.cli.support import ok, run
from tests.hub.conftest import known
from tests.hub.hub_server import COMMIT, Fault, Published
from tui.shell.collection_choices import offered_collections

ROWS = b'{"causal_relation": {"cause": {"concept": "rain"}, "effect": {"concept": "mud"}}}'
CAUSES = b"[" + ROWS + b"]"


@pytest.fixture
def listed(published: Published, monkeypatch: pytest.MonkeyPatch) -> list[KnownData]:
    """The list of data sets, one of which this server publishes."""
    published.files["plain"] = {"causes.json": CAUSES}
    rows = [known(files=(KnownFile(f"{published.url}/plain/causes.json", 0.001),))]
    monkeypatch.setattr(catalogue, "datasets", lambda: rows)
    return rows


def test_data_are_fetched_as_released_and_offered_for_opening(listed: list[KnownData]) -> None:
    ran = ok("get", "data", "causes", "--yes", "--json")

    path = Path(ran.json["path"])
    assert path.is_relative_to(paths.data())
    assert path.read_bytes() == CAUSES
    for shown in ("CC BY 4.0", "A. Author (2020)", "https://example.org/causes"):
        assert shown in ran.err
    com2 = registry.load("com2")
    offered = {place.path: place.label for place in offered_collections([com2])}
    assert "Causes" in offered[path]
    collection = registry.open_collection(com2, path)
    assert len(collection) > 0


def test_data_are_not_fetched_without_the_persons_word(
    listed: list[KnownData], published: Published
) -> None:
    ran = run("get", "data", "causes")

    assert ran.code == 2
    assert "CC BY 4.0" in ran.err
    assert published.requests == []


def test_data_that_are_there_are_not_fetched_again(
    listed: list[KnownData], published: Published
) -> None:
    ok("get", "data", "causes", "--yes")
    published.requests.clear()

    assert "as it came" in ok("get", "data", "causes").err
    assert published.requests == []


def test_data_that_changed_since_the_first_time_are_refused(
    listed: list[KnownData], published: Published
) -> None:
    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])
    path.write_bytes(b"edited here")
    published.files["plain"]["causes.json"] = b"[]"

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert "came before" in ran.err
    assert path.read_bytes() == b"edited here"


def test_a_file_that_was_edited_comes_again_as_it_was(listed: list[KnownData]) -> None:
    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])
    path.write_bytes(b"edited here")

    ok("get", "data", "causes", "--yes")

    assert path.read_bytes() == CAUSES


@pytest.mark.parametrize(
    "fault", [Fault(cut=20), Fault(status=429, retry_after="0"), Fault(status=503, retry_after="0")]
)
def test_a_passing_failure_is_tried_again(
    listed: list[KnownData], published: Published, fault: Fault
) -> None:
    published.faults = [fault]

    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])

    assert path.read_bytes() == CAUSES


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault(status=429, retry_after="86400"), "too many requests"),
        (Fault(status=401), "refuses access"),
        (Fault(status=404), "error (404)"),
        (Fault(endless=True), "more than it announced"),
    ],
)
def test_a_lasting_failure_leaves_nothing_behind(
    listed: list[KnownData], published: Published, fault: Fault, said: str
) -> None:
    published.faults = [fault]

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert said in ran.err
    folder = paths.datasets() / "causes"
    assert not folder.exists() or list(folder.iterdir()) == []


def test_data_that_are_not_what_was_published_are_refused(
    listed: list[KnownData], published: Published
) -> None:
    file = msgspec.structs.replace(listed[0].files[0], sha256="0" * 64)
    listed[0] = msgspec.structs.replace(listed[0], files=(file,))

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert "not what was published" in ran.err


def test_a_full_disk_is_told_first(
    listed: list[KnownData], published: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(10**9, 10**9, 0))

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert "on the disk" in ran.err
    assert "XDG_DATA_HOME" in ran.err
    assert "HF_HOME" not in ran.err
    assert published.requests == []


def test_a_repository_gives_its_json_and_no_path_outside(
    listed: list[KnownData], published: Published
) -> None:
    listed[0] = known(repository="owner/data")
    published.files["datasets/owner/data"] = {
        "Detection/test.json": b"{}",
        "Generation/test.json": b"[]",
        "../escaped.json": b"{}",
        ".hidden.json": b"{}",
        "README.md": b"#",
        "test.parquet": b"PAR1",
    }

    ran = ok("get", "data", "causes", "--yes", "--json")

    folder = Path(ran.json["path"])
    found = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.json"))
    assert found == ["Detection/test.json", "Generation/test.json"]
    assert ran.json["revision"] == COMMIT
    assert not (folder.parent / "escaped.json").exists()


def test_a_redirection_without_end_is_followed_all_the_same(
    listed: list[KnownData], published: Published
) -> None:
    listed[0] = known(repository="owner/data")
    published.files["datasets/owner/data"] = {"test.json": CAUSES}
    published.redirection_endless = True

    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])

    assert path.read_bytes() == CAUSES


@pytest.mark.parametrize("fault", [Fault(status=404), Fault(endless=True)])
def test_data_of_an_older_revision_stay_until_the_newer_ones_have_come(
    listed: list[KnownData], published: Published, fault: Fault
) -> None:
    listed[0] = known(repository="owner/data")
    files = published.files["datasets/owner/data"] = {"test.json": CAUSES}
    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])
    published.commit, files["test.json"] = "f" * 40, b"[]"
    published.large = False
    path.write_bytes(b"edited here")
    published.faults = [fault]

    assert run("get", "data", "causes", "--yes").code == 1

    assert path.read_bytes() == b"edited here"
    ok("get", "data", "causes", "--yes")
    assert path.read_bytes() == b"[]"
    assert sorted(one.name for one in path.parent.iterdir()) == ["ABOUT.yaml", "test.json"]


@pytest.mark.parametrize(
    ("more", "said"), [(5, "did not arrive whole"), (-5, "more than it announced")]
)
@pytest.mark.parametrize("large", [True, False])
def test_a_file_that_has_not_the_size_that_was_listed_is_refused(
    listed: list[KnownData], published: Published, more: int, said: str, large: bool
) -> None:
    listed[0] = known(repository="owner/data")
    published.files["datasets/owner/data"] = {"test.json": CAUSES}
    published.large = large

    def spoil(info: dict[str, Any]) -> object:
        info["siblings"][0]["size"] += more
        return info

    published.spoil = spoil

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert said in ran.err
    assert [path for path in paths.datasets().rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
@pytest.mark.parametrize("large", [True, False])
def test_what_is_no_file_where_the_data_belong_holds_nothing_up(
    listed: list[KnownData], published: Published, kind: str, large: bool
) -> None:
    listed[0] = known(repository="owner/data")
    published.files["datasets/owner/data"] = {"test.json": CAUSES}
    published.large = large
    path = paths.datasets() / "causes" / "test.json"
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()

    ran = run("get", "data", "causes", "--yes")

    if large or kind == "folder":
        assert ran.code == 1
        assert f"where: {path}\n" in ran.err
        assert list(path.parent.iterdir()) == [path]
    else:
        # Without a checksum nothing is read that is there: it makes way for what came.
        assert path.read_bytes() == CAUSES
        assert not path.is_symlink()


@pytest.mark.parametrize("name", ["causes.json", ".causes.json.new"])
def test_no_link_is_written_through(listed: list[KnownData], tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    link = paths.datasets() / "causes" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(other)

    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])

    assert path.read_bytes() == CAUSES
    assert other.read_bytes() == b"precious"


def test_two_programs_do_not_fetch_the_same_data_at_once(listed: list[KnownData]) -> None:
    folder = paths.datasets() / "causes"
    folder.mkdir(parents=True)
    with held(folder / ".lock"):
        ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert "Another program is fetching this data set" in ran.err
    ok("get", "data", "causes", "--yes")
    assert sorted(path.name for path in folder.iterdir()) == ["ABOUT.yaml", "causes.json"]


def test_what_a_killed_program_left_goes_when_the_data_come(listed: list[KnownData]) -> None:
    folder = paths.datasets() / "causes"
    offer = datasets.look_up(listed[0])
    left: set[str] = set()
    datasets.get(offer, lambda _bytes: left.update(path.name for path in folder.iterdir()))
    for path in folder.iterdir():
        path.unlink()
    for name in left:
        (folder / name).write_bytes(b"[")

    ok("get", "data", "causes", "--yes")

    assert len(left) > 1
    assert sorted(path.name for path in folder.iterdir()) == ["ABOUT.yaml", "causes.json"]


def test_the_bytes_that_came_are_told_whatever_the_server_says_of_them(
    listed: list[KnownData], published: Published
) -> None:
    published.faults = [Fault(length="-5")]
    told: list[int] = []

    datasets.get(datasets.look_up(listed[0]), told.append)

    assert told == [len(CAUSES)]


def test_a_repository_without_json_says_where_to_go(
    listed: list[KnownData], published: Published
) -> None:
    listed[0] = known(repository="owner/data")
    published.files["datasets/owner/data"] = {"test.parquet": b"PAR1"}

    ran = run("get", "data", "causes", "--yes")

    assert ran.code == 1
    assert "https://huggingface.co/datasets/owner/data" in ran.err


def test_what_is_given_by_hand_only_says_where_to_go(published: Published) -> None:
    ran = run("get", "data", "accord", "--yes")

    assert ran.code == 1
    assert "https://www.codabench.org/competitions/3160/" in ran.err
    assert published.requests == []


def test_an_unknown_data_set_names_the_known_ones() -> None:
    ran = run("get", "data", "gitta", "--yes")

    assert ran.code == 2
    assert "Did you mean “gita”?" in ran.err


def test_the_list_names_source_licence_and_citation() -> None:
    rows = ok("get", "data", "--json").json["data"]

    wanted = {"gita", "accord", "com2", "abspyramid", "commonsenseqa", "conceptnet", "causenet"}
    assert wanted <= {row["name"] for row in rows}
    for row in rows:
        assert row["page"].startswith("https://")
        assert row["licence"]
        assert row["citation"]
        assert bool(row["by_hand"]) != bool(row["files"] or row["repository"])
        assert not row["benchmark"] or registry.load(row["benchmark"])


def test_a_fetched_collection_says_its_licence_and_citation(listed: list[KnownData]) -> None:
    path = Path(ok("get", "data", "causes", "--yes", "--json").json["path"])

    about = json.loads((path.parent / "ABOUT.yaml").read_text())

    assert about["licence"] == "CC BY 4.0"
    try:
        collection = registry.open_collection(registry.load("com2"), path)
    except CommonsenseError as error:
        pytest.fail(str(error))
    assert collection.about.citation == ("A. Author (2020). Causes.",)
