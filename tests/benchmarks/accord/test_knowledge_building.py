"""Building an index: whole or not at all; and files that are none, or were damaged."""

from __future__ import annotations

import random
import signal
import struct
import subprocess
import sys
import time
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.header import MAGIC
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError, NotFoundError
from tests.benchmarks.accord.knowledge import Row, built, write_dump
from tests.cli.support import ROOT, in_process_of_its_own, ok, run, spawn

ROWS = [
    Row("AtLocation", ("cat", ()), ("box", ())),
    Row("AtLocation", ("cat", ("n",)), ("house", ())),
    Row("Causes", ("fire", ()), ("smoke", ())),
    Row("AtLocation", ("gatto", ()), ("scatola", ()), "it"),
]
FOREVER = """
import sys
from pathlib import Path
from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
first, second, out = map(Path, sys.argv[1:])
print("ready", flush=True)
while True:
    for dump in (first, second):
        build(Reader(find_source(dump), Wanted()), out)
        print("built", flush=True)
"""


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return write_dump(tmp_path / "dump.csv", [row.line() for row in ROWS])


@pytest.fixture
def compiled(dump: Path) -> Path:
    built(dump, Wanted(("en", "it")))
    return dump.with_name("compiled.kb")


def large(path: Path, count: int, start: int = 0) -> Path:
    numbers = range(start, start + count)
    rows = (Row("IsA", (f"thing {n}", ()), (f"kind {n % 9}", ())) for n in numbers)
    return write_dump(path, [row.line() for row in rows])


def has_open(process: int, file: Path) -> bool:
    for number in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed in between
            if number.readlink() == file:
                return True
    return False


def test_a_killed_build_leaves_the_old_or_the_new_index(tmp_path: Path) -> None:
    dumps = [large(tmp_path / f"{n}.csv", 3000, n * 3000) for n in (0, 1)]
    out = tmp_path / "out.kb"
    sums = {built(dump).header.checksum for dump in dumps}
    assert len(sums) == 2
    rng = random.Random(3)
    command = [sys.executable, "-c", FOREVER, *dumps, out]
    for number in range(8):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(1 + number % 2):
                process.stdout.readline()
            time.sleep(rng.uniform(0, 0.3))
            process.kill()
        if out.exists():
            kb = open_knowledge(out)
            kb.verify()
            assert kb.header.checksum in sums
    assert out.exists()


def test_ctrl_c_leaves_everything_unchanged(tmp_path: Path, compiled: Path) -> None:
    before = compiled.read_bytes()
    dump = large(tmp_path / "large.csv", 200_000)
    folder = sorted(tmp_path.iterdir())
    with spawn("accord", "kb", "build", dump, "--out", compiled) as process:
        if not Path("/proc").is_dir():
            process.kill()
            pytest.skip("needs /proc to see when the dump is open")
        while not has_open(process.pid, dump):
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert compiled.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == folder


def test_an_interrupted_build_leaves_nothing(tmp_path: Path, dump: Path) -> None:
    def interrupt(done: int, lines: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(Reader(find_source(dump), Wanted(), interrupt), tmp_path / "out.kb")
    assert list(tmp_path.iterdir()) == [dump]


def test_another_file_is_never_replaced(tmp_path: Path, dump: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("Chapter 1")
    for out in (thesis, dump, tmp_path):
        with pytest.raises(DataError):
            build(Reader(find_source(dump), Wanted()), out)
    assert thesis.read_text() == "Chapter 1"


def test_an_unwritable_target_is_reported_before_building(dump: Path) -> None:
    def fail(done: int, lines: int) -> None:
        pytest.fail("The dump was read for nothing.")

    with pytest.raises(DataError, match="cannot be written"):
        build(Reader(find_source(dump), Wanted(), fail), dump / "below a file.kb")


def test_a_failed_write_is_reported_and_leaves_nothing(tmp_path: Path, dump: Path) -> None:
    if not Path("/proc").is_dir():
        pytest.skip("needs a folder in which nobody can make files")
    with pytest.raises(DataError, match="cannot be written"):
        build(Reader(find_source(dump), Wanted()), Path("/proc/out.kb"))


def test_a_read_only_file_opens(compiled: Path) -> None:
    compiled.chmod(0o444)
    open_knowledge(compiled).verify()


def test_every_truncation_is_detected(compiled: Path, tmp_path: Path) -> None:
    whole = compiled.read_bytes()
    for kept in range(len(whole)):
        (tmp_path / "cut.kb").write_bytes(whole[:kept])
        with pytest.raises(DataError):
            open_knowledge(tmp_path / "cut.kb")
    (tmp_path / "cut.kb").write_bytes(whole + b"\0")
    with pytest.raises(DataError, match="added to it"):
        open_knowledge(tmp_path / "cut.kb")


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_every_change_is_detected_and_none_breaks_a_lookup(
    compiled: Path, tmp_path: Path, data: st.DataObject
) -> None:
    whole = bytearray(compiled.read_bytes())
    places = st.integers(0, len(whole) - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=4, unique=True)):
        whole[place] ^= data.draw(st.integers(1, 255))
    (tmp_path / "changed.kb").write_bytes(whole)
    try:
        kb = open_knowledge(tmp_path / "changed.kb")
    except DataError:
        return
    with pytest.raises(DataError, match="damaged"):
        kb.verify()
    for relation in kb.relations:
        for end in End:
            for ask in (
                lambda: kb.facts(relation, end, "cat"),  # noqa: B023
                lambda: kb.holds(relation, "cat", "box"),  # noqa: B023
                lambda: list(kb.draw(relation, end, random.Random(1))),  # noqa: B023
            ):
                try:
                    ask()
                except DataError:
                    continue


def test_a_header_of_many_brackets_is_reported(tmp_path: Path) -> None:
    header = b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    deep = tmp_path / "deep.kb"
    fixed = struct.pack("<III", 1, len(header), zlib.crc32(header))
    deep.write_bytes(MAGIC + fixed + header)
    with pytest.raises(DataError, match="header of the knowledge base is damaged"):
        open_knowledge(deep)


def test_another_version_and_another_file_are_reported(compiled: Path, tmp_path: Path) -> None:
    whole = compiled.read_bytes()
    other = tmp_path / "other.kb"
    other.write_bytes(whole[:8] + (9).to_bytes(4, "little") + whole[12:])
    with pytest.raises(DataError, match="format 9") as caught:
        open_knowledge(other)
    assert "accord kb build" in caught.value.hint
    for content in (b"", MAGIC, b"\0" * 100, random.Random(1).randbytes(5000), b"SQLite format 3"):
        other.write_bytes(content)
        with pytest.raises(DataError):
            open_knowledge(other)
    with pytest.raises(DataError, match="no such file"):
        open_knowledge(tmp_path / "absent.kb")
    with pytest.raises(NotFoundError, match="language “de”") as missing:
        open_knowledge(compiled, "de")
    assert "en, it" in missing.value.hint


def test_the_commands(dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out.kb"
    words = ("accord", "kb", "build", dump, "--out", out, "--languages", "en,it")
    made = ok(*words, "--relations", "AtLocation,Cuases")
    assert made.out.splitlines() == [
        "en: 2 assertions, 4 terms, 1 relation",
        "it: 1 assertion, 2 terms, 1 relation",
        str(out),
    ]
    assert "no relation “Cuases”" in made.err
    told = ok("accord", "kb", "info", out, "--json").json
    assert told["assertions"] == 3
    assert told["languages"]["en"]["relations"] == {
        "AtLocation": {"assertions": 2, "sources": 2, "targets": 2}
    }
    assert told["lines"]["other_relations"] == 1
    assert told["source"] == "dump.csv"
    assert ok(*words, "--json").json["assertions"] == 4
    assert "AtLocation: 2 sources, 2 targets" in ok("accord", "kb", "info", out).out


def test_the_commands_report_mistakes_in_one_message(dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.kb"
    for words in (
        ("info", tmp_path / "absent.kb"),
        ("info", dump),
        ("build", tmp_path / "absent.csv", "--out", out),
        ("build", dump, "--out", dump),
        ("build", dump, "--out", out, "--languages", "en,,it"),
        ("build", dump, "--out", out, "--languages", "de"),
    ):
        ran = run("accord", "kb", *words)
        assert (ran.code, ran.out) == (2, "")
        assert "to do:" in ran.err
    assert not out.exists()


def test_a_file_name_that_is_not_utf_8_is_shown(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "d\udcffump.csv", [ROWS[0].line(), "wrong"])
    header = built(dump).header
    assert header.source == "d\ufffdump.csv"
    assert header.tally.malformed == 1


def test_control_characters_in_names_are_escaped(tmp_path: Path) -> None:
    wrong = "a\t/r/Is\x1b[2JA\t/c/en/cat\t/c/en/animal\t{}"
    dump = write_dump(tmp_path / "d\x1b[2Jump.csv", [ROWS[0].line(), wrong])
    out = tmp_path / "out.kb"
    made = in_process_of_its_own("accord", "kb", "build", dump, "--out", out)
    told = in_process_of_its_own("accord", "kb", "info", out)
    assert (made.code, told.code) == (0, 0)
    assert "malformed" in made.err
    assert "\x1b" not in made.out + made.err + told.out + told.err
