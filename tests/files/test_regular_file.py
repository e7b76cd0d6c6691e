"""Only regular files are opened, and none of the others is waited for."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.benchmarks.gita.collection import open_stories
from core.files.regular_file import open_own, open_regular_file, read_regular
from core.files.shipped import samples
from core.text.errors import DataError, RunError


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


NO_FILES: dict[str, Callable[[Path], None]] = {
    "pipe": pipe,
    "device": device,
    "listener": listener,
    "folder": Path.mkdir,
}


@pytest.fixture
def no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of every kind in the working directory, as the path of a socket must be short."""
    monkeypatch.chdir(tmp_path)
    for name, make in NO_FILES.items():
        make(Path(name))


@pytest.mark.usefixtures("no_files")
def test_what_is_no_file_is_told_at_once() -> None:
    lines = printed(
        "from pathlib import Path\n"
        "from core.text.errors import RunError\n"
        "from core.files.regular_file import read_regular\n"
        f"for name in {list(NO_FILES)}:\n"
        "    try:\n"
        "        read_regular(Path(name), 10, RunError, name='The log', hint='Name another.')\n"
        "    except RunError as error:\n"
        "        print(error)\n"
    ).splitlines()
    assert len(lines) == len(NO_FILES)
    for name, line in zip(NO_FILES, lines, strict=True):
        assert line.startswith(f"{name}: The log cannot be read: ")
        assert line.endswith(". Name another.")


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * 3_000_000)
    assert read_regular(path, 3_000_000, DataError) == b"a" * 3_000_000
    with pytest.raises(DataError, match="larger than 2,999,999 bytes") as caught:
        read_regular(path, 2_999_999, DataError)
    assert caught.value.where == str(path)


@pytest.mark.parametrize("name", ["status", "pagemap", "mem"])
def test_a_file_that_the_system_computes_is_refused(name: str) -> None:
    path = Path("/proc/self", name)
    if not path.exists():
        pytest.skip("needs /proc, whose files say that they are empty")
    with pytest.raises(DataError, match=r"it has no size|cannot be read"):
        open_regular_file(path, DataError)


def test_a_file_that_grows_is_read_as_far_as_it_went_when_it_was_opened(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"0123456789")
    with open_regular_file(path, DataError) as handle:
        with path.open("ab") as more:
            more.write(b"0123456789")
        assert handle.read() == b"0123456789"
        handle.seek(0)
        assert handle.readline() == b"0123456789"
        assert handle.read(5) == b""
    with pytest.raises(DataError, match="larger than 10 bytes"):
        read_regular(path, 10, DataError)


def test_a_disk_that_fails_while_a_file_is_read_is_an_error_of_the_caller(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"a")
    with open_regular_file(path, DataError) as handle:
        # Reading a folder fails as a disk does.
        folder = os.open(tmp_path, os.O_RDONLY)
        os.dup2(folder, handle.fileno())
        os.close(folder)
        with pytest.raises(DataError, match="cannot be read: Is a directory"):
            handle.read()
        with pytest.raises(DataError, match="cannot be read: Is a directory"):
            handle.readline()


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("x")
    with open_regular_file(tmp_path / "link", DataError) as handle:
        assert handle.read() == b"abc"


@pytest.mark.parametrize("name", ["absent", "absent/x", "file/x"])
def test_a_file_that_is_not_there_is_left_to_the_caller(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / name, 10, DataError)


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_a_name_that_cannot_be_one(tmp_path: Path, name: str) -> None:
    with pytest.raises(RunError, match="This file cannot be read"):
        open_regular_file(tmp_path / name, RunError)


def test_a_name_cannot_forge_lines(tmp_path: Path) -> None:
    path = tmp_path / "a\nError: forged\x1b[2J\udcff"
    path.mkdir()
    with pytest.raises(DataError) as caught:
        open_regular_file(path, DataError)
    assert caught.value.where == f"{tmp_path}/a␊Error: forged␛[2J\ufffd"


DOORS = {
    "configuration": "from core.files import config; config.read(path)",
    "theme": "from tui.shell import themes; themes.load_theme(path)",
    "model": "from core.models.gguf_header import read_header; read_header(path)",
    "stories": "from core.files.pinned_file import PinnedFile; PinnedFile(path)",
    "log": "from core.exchange.importers.lm_eval_logs import read_samples; "
    "list(read_samples(path))",
    "draft": "from tui.authoring import drafts; drafts.read(path)",
}


@pytest.mark.usefixtures("no_files")
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_no_part_of_the_program_waits_for_one(door: str) -> None:
    program = (
        "from pathlib import Path\n"
        "from core.text.errors import CommonsenseError\n"
        f"for path in map(Path, {list(NO_FILES)}):\n"
        f"    try:\n        {door}\n"
        "    except CommonsenseError as error:\n        print(path, 'told', error)\n"
    )
    told = printed(program)
    for name in NO_FILES:
        assert f"{name} told " in told
    assert told.count("cannot be read: ") == len(NO_FILES)


@pytest.mark.parametrize("name", ["ABOUT.yaml", "gloss.json"])
def test_what_lies_beside_stories_is_left_out_and_told(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, make in NO_FILES.items():
        Path(f"beside-{kind}").mkdir()
        shutil.copy(samples() / "gita" / "stories.json", f"beside-{kind}/stories.json")
        make(Path(f"beside-{kind}") / name)
    program = (
        "from pathlib import Path\n"
        "from core.benchmarks.gita.collection import open_stories\n"
        f"for kind in {list(NO_FILES)}:\n"
        "    found = open_stories(Path(f'beside-{kind}/stories.json'))\n"
        "    print(len(found), len(found.content_hash), *map(ascii, map(str, found.errors)))\n"
    )
    lines = printed(program).splitlines()
    assert len(lines) == len(NO_FILES)
    stories = len(open_stories(samples() / "gita" / "stories.json"))
    for line in lines:
        assert line.startswith(f"{stories} 64 ")
        assert name in line


def printed(program: str) -> str:
    """What a program says, in another process, since one that waits cannot be told to stop."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        capture_output=True,
        text=True,
        timeout=150,
        check=True,
    )
    return done.stdout


def test_only_a_large_file_of_gaps_is_refused_as_sparse(tmp_path: Path) -> None:
    for name, written, size in (
        ("small", 0, 2**24),
        ("dense", 2**25, 2**25),
        ("a gap", 2**25, 2**25 + 2**24),
    ):
        path = tmp_path / name
        path.write_bytes(bytes(written))
        os.truncate(path, size)
        open_regular_file(path, DataError).close()
    os.truncate(tmp_path / "small", 2**24 + 1)
    with pytest.raises(DataError, match="sparse file"):
        open_regular_file(tmp_path / "small", DataError)


@pytest.mark.usefixtures("no_files")
@pytest.mark.parametrize("private", [False, True])
def test_a_file_of_its_own_is_opened_through_no_link_and_is_regular(private: bool) -> None:
    precious = Path("precious")
    precious.write_text("A precious text")
    Path("link").symlink_to(precious)
    Path("link to nothing").symlink_to("nothing")
    for name in ("link", "link to nothing", "pipe", "device", "listener"):
        with pytest.raises(OSError, match="it is not a regular file"):
            open_own(Path(name), private=private)
    assert precious.read_text() == "A precious text"
    assert not Path("nothing").exists()


@pytest.mark.parametrize("private", [False, True])
def test_a_file_of_its_own_is_made_and_keeps_what_it_holds(tmp_path: Path, private: bool) -> None:
    for line in (b"one\n", b"two\n"):
        with open_own(tmp_path / "own", private=private) as file:
            file.seek(0, os.SEEK_END)
            file.write(line)
    assert (tmp_path / "own").read_bytes() == b"one\ntwo\n"
    assert ((tmp_path / "own").stat().st_mode & 0o077 == 0) is private
