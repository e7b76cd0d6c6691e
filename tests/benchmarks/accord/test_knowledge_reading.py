"""Reading the formats that knowledge bases come in, and what is wrong with some lines."""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import MOST_LINE, Layout, find_source
from core.benchmarks.accord.trees.skills import End
from core.files.unreadable import MOST_FAILURES
from core.text.errors import DataError
from tests.benchmarks.accord.knowledge import Row, built, write_dump, write_pairs

CAT = Row("AtLocation", ("cat", ()), ("cat box", ()))
LINES = [
    CAT.line(),
    Row("Causes", ("fire", ("n",)), ("smoke", ())).line(),
    Row("AtLocation", ("gatto", ()), ("scatola", ()), "it").line(),
    Row("AtLocation", ("cat", ()), ("scatola", ()), "en", "it").line(),
    "/a/x\t/r/ExternalURL\t/c/en/cat\thttp://example.org/cat\t{}",
    CAT.line(),
]
BROKEN = {
    "one column": "It has 1 column, not 5.",
    "a\t/r/IsA\t/c/en/cat\t/c/en/animal": "It has 4 columns, not 5.",
    "a\tIsA\t/c/en/cat\t/c/en/animal\t{}": "The second column is no relation.",
    "a\t/r/Is A\t/c/en/cat\t/c/en/animal\t{}": "“Is A” is no relation.",
    "a\t/r/IsA\t/c/en/\t/c/en/animal\t{}": "A term is empty.",
    "a\t/r/IsA\t\t/c/en/animal\t{}": "A term is empty.",
    "a\t/r/IsA\t/c/en/cat\x1b[2J\t/c/en/animal\t{}": "A term holds a control character.",
    f"a\t/r/IsA\t/c/en/{'a' * 501}\t/c/en/animal\t{{}}": "A term is longer than 500 bytes.",
}


@pytest.mark.parametrize("name", ["conceptnet-assertions-5.7.0.csv", "dump.csv.gz", "dump.tsv"])
def test_a_dump_opens_compressed_or_not(tmp_path: Path, name: str) -> None:
    dump = write_dump(tmp_path / name, LINES)
    kb = built(dump)
    assert kb.relations == ("AtLocation", "Causes")
    assert kb.facts("AtLocation", End.TARGET, "cat") == ("cat box",)
    assert kb.facts("Causes", End.SOURCE, "smoke") == ("fire/n",)
    tally = kb.header.tally
    assert (tally.lines, tally.elsewhere, tally.repeated, tally.malformed) == (6, 3, 1, 0)
    assert kb.header.layout == Layout.DUMP
    assert kb.header.source == name
    assert kb.header.sha256 == hashlib.sha256(dump.read_bytes()).hexdigest()


def test_a_file_of_several_compressed_parts_is_read_to_its_end(tmp_path: Path) -> None:
    dump = tmp_path / "dump.csv.gz"
    dump.write_bytes(b"".join(gzip.compress(f"{line}\n".encode()) for line in LINES))
    assert built(dump).header.tally.lines == 6


def test_languages_are_kept_apart(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.csv", LINES)
    both = Wanted(("en", "it"))
    english, italian = built(dump, both), built(dump, both, "it")
    assert english.language == "en"
    assert english.column_size("AtLocation", End.SOURCE) == 1
    assert italian.facts("AtLocation", End.TARGET, "gatto") == ("scatola",)
    assert not italian.holds("AtLocation", "cat", "scatola")
    assert english.header.tally.elsewhere == 2
    assert built(dump, Wanted(("it", "en"))).language == "it"


def test_only_wanted_relations_are_read(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.csv", LINES)
    kb = built(dump, Wanted(relations=frozenset({"Causes", "PartOf"})))
    assert kb.relations == ("Causes",)
    assert kb.header.tally.unwanted == 2


def test_malformed_lines_are_counted_and_the_first_reported(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.csv", [LINES[0], "", *BROKEN, LINES[1]])
    tally = built(dump).header.tally
    assert tally.malformed == len(BROKEN)
    assert tally.lines == len(BROKEN) + 2
    expected = [f"{dump}:{n}: {what}" for n, what in enumerate(BROKEN.values(), start=3)]
    assert tally.reports == expected[:5]


@pytest.mark.parametrize(("line", "what"), BROKEN.items(), ids=BROKEN.values())
def test_faults_of_a_dump_line_are_named(tmp_path: Path, line: str, what: str) -> None:
    dump = write_dump(tmp_path / "dump.csv", [LINES[0], line])
    assert built(dump).header.tally.reports == [f"{dump}:2: {what}"]


def test_invalid_utf_8_is_malformed(tmp_path: Path) -> None:
    dump = tmp_path / "dump.csv"
    wrong = b"a\t/r/IsA\t/c/en/c\xfft\t/c/en/animal\t{}\n"
    dump.write_bytes(LINES[0].encode() + b"\r\n" + wrong)
    kb = built(dump)
    assert kb.header.tally.reports == [f"{dump}:2: It is not UTF-8."]
    assert kb.header.languages[0].terms == 2


def test_a_source_without_a_readable_line_is_an_error(tmp_path: Path) -> None:
    for number, lines in enumerate((list(BROKEN)[1:], [""], ["no, such\tthing"], [])):
        dump = write_dump(tmp_path / f"{number}.txt", lines)
        with pytest.raises(DataError):
            built(dump)
    with pytest.raises(DataError, match="no such file"):
        built(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="folder"):
        built(tmp_path)


def test_a_source_without_wanted_lines_is_an_error_that_says_why(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.csv", LINES)
    with pytest.raises(DataError) as caught:
        built(dump, Wanted(("de",)))
    assert "6 lines are of other languages" in caught.value.hint


@pytest.mark.parametrize("kept", [1, 8, 12, 60, 100])
def test_a_truncated_compressed_file_is_reported(tmp_path: Path, kept: int) -> None:
    dump = write_dump(tmp_path / "dump.csv.gz", LINES)
    assert len(dump.read_bytes()) > kept
    dump.write_bytes(dump.read_bytes()[:kept])
    with pytest.raises(DataError):
        built(dump)
    assert not (tmp_path / "compiled.kb").exists()


def test_an_endless_line_takes_no_memory(tmp_path: Path) -> None:
    dump = tmp_path / "dump.csv.gz"
    with gzip.open(dump, "wb", compresslevel=1) as handle:
        handle.write(LINES[0].encode() + b"\n")
        for _ in range(40):
            handle.write(b"x" * MOST_LINE)
        handle.write(b"\n" + LINES[1].encode())
    tally = built(dump).header.tally
    assert (tally.lines, tally.reports) == (3, [f"{dump}:2: It has 1 column, not 5."])


def test_reading_stops_after_many_malformed_lines(tmp_path: Path) -> None:
    path = tmp_path / "garbage.tsv"
    sound = "AtLocation\tcat\tmat\n"
    path.write_text("a\tb\tc\n" * (MOST_FAILURES - 1) + sound, encoding="utf-8")
    assert built(path).header.tally.malformed == MOST_FAILURES - 1
    path.write_text("a\tb\tc\n" * MOST_FAILURES + sound, encoding="utf-8")
    with pytest.raises(DataError, match="Nothing could be read as triples") as told:
        built(path)
    assert "The first of three columns is a relation" in told.value.hint


def test_another_table_with_five_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("a\tb\tc\td\te\n", encoding="utf-8")
    with pytest.raises(DataError, match="This is no knowledge base"):
        find_source(path)


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="not a regular file"):
        built(tmp_path / "pipe.csv")


def test_csv_files_of_plain_text(tmp_path: Path) -> None:
    folder = write_pairs(
        tmp_path / "kb",
        AtLocation=[("source", "target"), ("Guinea pig", '"hutch, large"'), ("cat", " box ")],
        Causes=[("/c/en/fire/n", "/c/en/black_smoke"), ("fuoco", "/c/it/fumo")],
    )
    (folder / "PartOf.csv").write_bytes(b"\xef\xbb\xbfsource,target\r\nwheel,car\r\n")
    (folder / "notes.txt").write_text("not read")
    kb = open_knowledge(folder)
    assert kb.holds("AtLocation", "guinea pig", "hutch, large")
    assert kb.facts("AtLocation", End.TARGET, "cat") == ("box",)
    assert kb.facts("Causes", End.SOURCE, "black smoke") == ("fire/n",)
    assert kb.facts("PartOf", End.TARGET, "wheel") == ("car",)
    tally = kb.header.tally
    assert (tally.lines, tally.malformed, tally.elsewhere) == (5, 0, 1)


def test_malformed_csv_lines_are_counted(tmp_path: Path) -> None:
    pairs = [("cat", "box"), ("a", "b,c"), ('"open', "b"), ("", "box"), ("source", "target")]
    folder = write_pairs(tmp_path / "kb", AtLocation=pairs)
    tally = open_knowledge(folder).header.tally
    what = ["It has 3 columns, not 2.", "It is no CSV: unexpected end of data.", "A term is empty."]
    assert tally.reports == [
        f"{folder / 'AtLocation.csv'}:{number}: {each}" for number, each in enumerate(what, start=2)
    ]
    assert tally.lines == 5


def test_triples_with_swapped_columns_are_reported(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("cat\tIsA\tanimal\n")
    with pytest.raises(DataError) as caught:
        built(tmp_path / "train.txt")
    assert "first of three columns" in caught.value.hint


def test_a_dump_must_be_compiled(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        open_knowledge(write_dump(tmp_path / "dump.csv", LINES))
    assert "accord kb build" in caught.value.hint


def test_conceptnet_100k_opens(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "conceptnet100k"
    if not folder.is_dir():
        pytest.skip("needs the real data: ConceptNet-100K in shared/data/")
    kb = open_knowledge(folder)
    pairs: dict[str, set[tuple[str, ...]]] = {}
    for name in ("train.txt", "valid.txt", "test.txt"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            relation, *ends = line.split("\t")
            pairs.setdefault(relation, set()).add(tuple(" ".join(end.split()) for end in ends))
    assert list(kb.relations) == sorted(pairs)
    found = {columns.name: columns.assertions for columns in kb.header.languages[0].relations}
    assert found == {relation: len(each) for relation, each in pairs.items()}
    assert kb.header.tally.malformed == 0
    boxes = {source for source, target in pairs["AtLocation"] if target == "box"}
    assert boxes <= set(kb.facts("AtLocation", End.SOURCE, "box"))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=300), st.sampled_from(["x.csv", "x.csv.gz", "x.txt"]))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(data)
    try:
        source = find_source(tmp_path / name)
        reader = Reader(source, Wanted())
        reader.assertions(lambda assertion: None)
    except DataError:
        return
    assert reader.tally.malformed < reader.tally.lines
