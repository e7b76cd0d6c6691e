"""Every released shape of a story file is read without loss, and bad input is a typed error."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.benchmarks.gita.collection import EXPECTED, SINGLE_KEYS, open_stories
from core.benchmarks.gita.item import Story
from core.benchmarks.gita.story_reader import MOST_CHANGES, glosses
from core.contract.about import read_about as about
from core.files.row_file import rows
from core.text.errors import DataError
from core.text.language import speak

CHECKOUT = Path(__file__).resolve().parents[3]
SAMPLES = CHECKOUT / "samples" / "gita"
REAL = CHECKOUT.parent / "shared" / "data"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)

REPAIRED = {
    119: ("39-O0", "39-C0"),
    125: ("41-O0", "41-C0"),
    176: ("58", "58-O0"),
    186: ("60-O0", "60-C0"),
    250: ("82-C0", "81-C0"),
    264: ("86-C0", "86-O0"),
    300: ("98", "98-O0"),
}
"""Position in the release: the id as released, and the key of the same story in GITA v1."""


def document(**fields: Any) -> dict[str, Any]:
    """A story in the released schema."""
    return {
        "story_id": 0,
        "worker_id": "me",
        "type": None,
        "idx": None,
        "aug": False,
        "actor": "Ada",
        "location": "cucina",
        "objects": "tazza, latte",
        "sentences": ["Uno.", "Due.", "Tre.", "Quattro.", "Cinque."],
        "length": 5,
        "example_id": "0",
        "plausible": True,
        "breakpoint": -1,
        "confl_sents": [],
        "confl_pairs": [],
        "states": "open",
    } | fields


def read(path: Path) -> list[Story]:
    collection = open_stories(path)
    return [collection.item(i).story for i in range(len(collection))]


def write(folder: Path, value: object, name: str = "x.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def lines(*values: object) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


@needs_real
@pytest.mark.parametrize(
    "where",
    ["gita4calamita/gita_docs.jsonl", "gita4calamita/logs/gemma-2-9b", "gita4calamita/gita.json"],
)
def test_released_ids_get_the_keys_of_gita_v1(where: str) -> None:
    collection = open_stories(REAL / where)
    with (REAL / "gita4calamita" / "gita.json").open(encoding="utf-8") as handle:
        keys = list(json.load(handle))
    stories = [collection.item(i).story for i in range(len(collection))]
    assert [story.key for story in stories] == keys
    wrong = {i: (s.example_id, s.key) for i, s in enumerate(stories) if s.example_id != s.key}
    assert wrong == REPAIRED
    assert len(collection.repairs) == 7
    assert not collection.errors
    assert [sum(s.kind == kind for s in stories) for kind in ("plausible", "cloze", "order")] == [
        117,
        117,
        122,
    ]


@needs_real
def test_documents_of_the_release_are_kept_as_they_are() -> None:
    path = REAL / "gita4calamita" / "gita_docs.jsonl"
    with path.open(encoding="utf-8") as handle:
        documents = [json.loads(line) for line in handle]
    stories = read(path)
    assert [dict(story.raw) for story in stories] == documents
    for story, known in zip(stories, documents, strict=True):
        assert list(story.sentences) == known["sentences"]
        assert story.plausible is known["plausible"]
        assert story.state == known["states"]
        assert [story.conflict] == (known["confl_sents"] or [None])
        assert story.breakpoint == (None if known["breakpoint"] == -1 else known["breakpoint"])


@needs_real
def test_a_repair_names_the_line_and_the_change() -> None:
    collection = open_stories(REAL / "gita4calamita" / "gita_docs.jsonl")
    first = collection.repairs[0]
    assert first.where.endswith("gita_docs.jsonl:120")
    assert first.what == "id 39-O0 is used twice; this cloze story is listed as 39-C0"


@needs_real
def test_gita_v1_is_read_whole_despite_its_repeated_key() -> None:
    collection = open_stories(REAL / "gita_v1" / "GITA_test.json")
    later = open_stories(REAL / "gita4calamita" / "gita_docs.jsonl")
    assert len(collection) == 356
    assert [collection.entry(i).id for i in range(356)] == [later.entry(i).id for i in range(356)]
    assert not collection.errors
    empty = collection.item(collection.find("69")).story
    assert empty.sentences == ("",)
    # 1,781 annotated sentences in all: 356 stories of five, and one annotated sentence more.
    annotated = {
        (i, change.sentence) for i in range(356) for change in collection.item(i).story.changes
    }
    assert len(annotated) == 1781
    assert collection.about.licence == "CC BY-NC-SA 4.0"
    assert collection.about.title == "GITA v1"


@needs_real
def test_a_survivors_log_holds_only_implausible_stories() -> None:
    folder = REAL / "gita4calamita" / "logs" / "gemma-2-9b"
    (log,) = folder.rglob("samples_conflict_detec_*.jsonl")
    stories = read(log)
    assert len(stories) == 187  # this model's right answers in the first layer
    assert not any(story.plausible for story in stories)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda a, b: {"0": a, "0-C0": b}, id="by key"),
        pytest.param(lambda a, b: {"test": {"0": a, "0-C0": b}}, id="GITA v1"),
        pytest.param(lambda a, b: {"train": {"0": a}, "dev": {}, "test": {"0-C0": b}}, id="TRIP"),
        pytest.param(lambda a, b: {"train": [a], "test": [b]}, id="splits of lists"),
        pytest.param(lambda a, b: [a, b], id="list"),
        pytest.param(lambda a, b: [{"doc_id": 0, "doc": a}, {"doc_id": 1, "doc": b}], id="log"),
        pytest.param(lambda a, b: lines(a, b), id="lines"),
        pytest.param(lambda a, b: "\n" + lines(a) + "\n\n" + lines(b), id="blank lines"),
        pytest.param(
            lambda a, b: lines({"doc_id": 0, "doc": a}, {"doc_id": 1, "doc": b}), id="samples"
        ),
        pytest.param(lambda a, b: "\ufeff" + json.dumps({"0": a, "0-C0": b}), id="byte order mark"),
        pytest.param(lambda a, b: "\ufeff" + lines(a, b), id="lines with byte order mark"),
    ],
)
def test_every_file_format_is_read(tmp_path: Path, shape: Any) -> None:
    plausible = document()
    cloze = document(
        example_id="0-C0",
        type="cloze",
        plausible=False,
        sentences=["Uno.", "Due.", "Altro è.", "Quattro.", "Cinque."],
        breakpoint=3,
        confl_sents=[2],
    )
    stories = read(write(tmp_path, shape(plausible, cloze)))
    assert [dict(story.raw) for story in stories] == [plausible, cloze]
    assert [story.key for story in stories] == ["0", "0-C0"]
    assert (stories[1].conflict, stories[1].breakpoint, stories[1].state) == (2, 3, "open")


def test_a_single_story(tmp_path: Path) -> None:
    (story,) = read(write(tmp_path, json.dumps(document(), indent=2)))
    assert story.key == "0"
    (story,) = read(write(tmp_path, json.dumps(document(), indent=2), "x.jsonl"))
    assert story.key == "0"
    (story,) = read(write(tmp_path, lines({"doc_id": 7, "doc": document()})))
    assert story.sentences[0] == "Uno."


def test_a_document_written_once_for_each_filter_is_one_story(tmp_path: Path) -> None:
    sample = {"doc_id": 0, "doc": document(), "filter": "none", "acc": float("nan")}
    path = write(tmp_path, lines(sample, sample | {"filter": "strict"}), "samples_x.jsonl")
    assert len(read(path)) == 1


@pytest.mark.parametrize(
    ("fields", "conflict", "breakpoint_", "state"),
    [
        ({"confl_sents": [[[2]]], "breakpoint": 3}, 2, 3, "open"),
        ({"confl_sents": [[]], "breakpoint": 3}, None, 3, "open"),
        ({"confl_sents": [1, 2], "breakpoint": 4}, 1, 4, "open"),
        ({"confl_sents": [1], "confl_pairs": [[[]], [-1]], "breakpoint": 4}, 1, 4, "open"),
        ({"confl_sents": [], "confl_pairs": [[0], [1]], "breakpoint": 1}, None, 1, "open"),
        ({"states": ["wet", "open"]}, None, None, "wet"),
        ({"states": None}, None, None, ""),
    ],
)
def test_nested_fields(
    tmp_path: Path, fields: Any, conflict: int, breakpoint_: int, state: str
) -> None:
    (story,) = read(write(tmp_path, [document(**fields)]))
    assert (story.conflict, story.breakpoint, story.state) == (conflict, breakpoint_, state)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"breakpoint": 5}, "breakpoint"),
        ({"breakpoint": -2}, "breakpoint"),
        ({"confl_sents": [5]}, "confl_sents"),
        ({"confl_sents": ["x"]}, "confl_sents"),
        ({"sentences": []}, "sentences"),
        ({"sentences": ["x"] * 13}, "sentences"),
        ({"sentences": "x"}, "sentences"),
        ({"plausible": "TRUE"}, "plausible"),
        ({"story_id": 10**30}, "story_id"),
        ({"story_id": float("nan")}, "story_id"),
        ({"states": [{"open": [["frigo", 9]]}]}, "states"),
    ],
)
def test_a_bad_story_is_reported_and_the_others_are_read(
    tmp_path: Path, fields: Any, word: str
) -> None:
    bad = document(example_id="0-C0") | fields
    text = json.dumps({"0": document(), "0-C0": bad, "0-O0": document()}, indent=1)
    path = write(tmp_path, text)
    collection = open_stories(path)
    assert [collection.entry(i).id for i in range(2)] == ["0", "0-O0"]
    (error,) = collection.errors
    line = 1 + text[: text.index('"0-C0": {')].count("\n")
    assert error.where == f"{path}:{line}"
    assert word in error.what
    assert error.hint


def test_a_syntax_error_is_reported_with_its_line_and_the_others_are_read(tmp_path: Path) -> None:
    text = json.dumps({str(i): document(story_id=i) for i in range(4)}, indent=1)
    rows = text.split("\n")
    at = next(i for i, row in enumerate(rows) if row.startswith(' "2"')) + 3
    rows[at] = rows[at].replace('": ', '" ', 1)
    path = write(tmp_path, "\n".join(rows))
    collection = open_stories(path)
    assert [collection.entry(i).id for i in range(3)] == ["0", "1", "3"]
    (error,) = collection.errors
    assert error.where == f"{path}:{at + 1}"


def test_a_truncated_file_keeps_what_came_before(tmp_path: Path) -> None:
    text = json.dumps({str(i): document(story_id=i) for i in range(4)}, indent=1)
    collection = open_stories(write(tmp_path, text[: text.index(' "3"') + 40]))
    assert len(collection) == 3
    assert collection.errors


@pytest.mark.parametrize(
    "bad",
    [
        b"no json",
        b"[1, 2]",
        b"{}",
        b'{"story_id": 1}',
        b'{"sentences": ["a"], "plausible": true}',
        b"[" * 100_000,
        b'{"story_id": 1, "plausible": true, "sentences": ["\xff"]}',
        b'{"story_id": 1, "plausible": true, "sentences": ["\\ud800"]}',
        b'{"story_id": 1, "plausible": true, "sentences": ["a\x00"]}',
        b'{"story_id": ' + b"9" * 5000 + b', "plausible": true, "sentences": ["a"]}',
        b'{"story_id": 1, "plausible": true, "sentences": ["' + b"a" * 1_000_000,
    ],
)
def test_a_bad_line_is_reported_and_the_others_are_read(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "stories.jsonl"
    good = json.dumps(document()).encode()
    path.write_bytes(good + b"\n" + bad + b"\n" + good.replace(b'"0"', b'"0-C0"') + b"\n")
    collection = open_stories(path)
    assert [collection.entry(i).id for i in range(len(collection))] == ["0", "0-C0"]
    (error,) = collection.errors
    assert error.where == f"{path}:2"


def test_a_sentence_of_a_million_letters_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, lines(document(sentences=["a" * 1_000_000])), "x.jsonl")
    assert len(read(path)[0].sentences[0]) == 1_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n ",
        b"\xff\xfe{\x00}\x00",
        b"{}",
        b"[]",
        b"null",
        b"PK\x03\x04",
        b"{" * 5000,
        b'{"a":' * 200_000,
        b'[{"a":' * 200_000,
        b"[" + b"9" * 5000 + b"]",
        b'{"test": 5}',
        b'{"test": [',
    ],
)
def test_nothing_to_read_is_a_typed_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        open_stories(path)
    assert str(path) in caught.value.where


@pytest.mark.parametrize("name", ["absent.json", "\0", "a" * 5000])
def test_a_path_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError):
        open_stories(tmp_path / name)


def test_a_device_is_refused() -> None:
    with pytest.raises(DataError):
        open_stories(Path("/dev/zero"))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=400))
@example(b'{"test": {"0": ')
@example(b'{"story_id": 1, "sentences": ["a"], "plausible": true, "confl_sents": [[[[]]]]}')
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    for name in ("x.json", "x.jsonl"):
        path = tmp_path / name
        path.write_bytes(content)
        try:
            stories = read(path)
        except DataError:
            continue
        assert stories


GOOD = (SAMPLES / "stories.json").read_bytes()[:2600]


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(GOOD)), st.integers(0, 30), st.binary(max_size=8))
def test_a_damaged_file_is_read_or_refused(tmp_path: Path, at: int, cut: int, new: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(GOOD[:at] + new + GOOD[at + cut :])
    try:
        collection = open_stories(path)
        for i in range(len(collection)):
            collection.item(i)
    except DataError:
        return
    assert len(collection) + len(collection.errors) >= 1


def test_about_and_glosses_beside_the_stories(tmp_path: Path) -> None:
    write(tmp_path, {"0": document(), "0-C0": document()}, "stories.json")
    english = {"0": {"sentences": list("abcde"), "why": "w"}, "0-C0": {"sentences": ["a"]}}
    write(tmp_path, english, "gloss.json")
    write(tmp_path, "title: T\nlicence: L\ncitation: [a, b]\nlanguage: it\n", "ABOUT.yaml")
    collection = open_stories(tmp_path)
    assert collection.about.title == "T"
    assert collection.about.citation == ("a", "b")
    story, other = (collection.item(i).story for i in range(2))
    assert (story.gloss, story.why) == (tuple("abcde"), "w")
    assert other.gloss == ()  # it does not have as many sentences as the story


def test_an_explanation_without_a_translation_is_shown_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"0": document(), "0-C0": document()}, "stories.json")
    glosses = {"0": {"why": "w"}, "0-C0": {"why": "w", "whys": {"it": "p"}}}
    write(tmp_path, glosses, "gloss.json")
    speak("it")
    collection = open_stories(tmp_path)
    assert [collection.item(i).story.shown_why for i in range(2)] == ["w", "p"]


def test_explanations_that_are_no_texts_are_left_out_with_the_file(tmp_path: Path) -> None:
    write(tmp_path, {"0": document()}, "stories.json")
    write(tmp_path, {"0": {"why": "w", "whys": ["p"]}}, "gloss.json")
    collection = open_stories(tmp_path)
    assert collection.item(0).story.shown_why == ""
    assert "gloss.json" in str(collection.errors[0].where)


@pytest.mark.parametrize(
    "text",
    [
        "title: [1]",
        "title: 2001-99-99",
        "licence: x",
        "- 1",
        "title: !!python/object/apply:os.getcwd []",
        "a: " + "[" * 3000,
        "\x00",
        "title: &a [*a]",
        "",
        "title: !!bool x",
        "title: !!int ''",
        "title: !!float ''",
        "title: !!timestamp x",
        "title: T\ncitation: [!!null x]",
        "title: T\nnote: !!binary x",
        "title: T\n? !!int ''\n: x",
    ],
)
def test_a_bad_about_file_does_not_stop_the_stories(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"0": document()}, "stories.json")
    write(tmp_path, text, "ABOUT.yaml")
    write(tmp_path, '{"0": 5}', "gloss.json")
    collection = open_stories(tmp_path)
    assert collection.about.title == "stories.json"
    places = {Path(error.where).name.partition(":")[0] for error in collection.errors}
    assert places == {"ABOUT.yaml", "gloss.json"}
    assert all("is left out" in error.what and error.hint for error in collection.errors)


def test_a_tag_in_a_field_that_nobody_reads_does_no_harm(tmp_path: Path) -> None:
    write(tmp_path, [document()], "stories.json")
    write(tmp_path, "title: T\ncitation: one\nyear: !!int ''\n", "ABOUT.yaml")
    found = open_stories(tmp_path).about
    assert (found.title, found.licence, found.citation) == ("T", "unknown", ("one",))


@pytest.mark.timeout(90)
@pytest.mark.parametrize("name", ["ABOUT.yaml", "gloss.json"])
@pytest.mark.parametrize("target", [None, "/dev/zero"])
def test_an_irregular_file_beside_the_stories_is_reported(
    tmp_path: Path, name: str, target: str | None
) -> None:
    if target:
        (tmp_path / name).symlink_to(target)
    else:
        os.mkfifo(tmp_path / name)
    errors: list[DataError] = []
    assert about(tmp_path, errors) is None
    assert not glosses(tmp_path, errors)
    (error,) = errors
    assert error.where == str(tmp_path / name)


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("before", ["", "\n "])
@pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
def test_utf_16_is_refused_with_and_without_its_mark(
    tmp_path: Path, coding: str, before: str, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes((before + json.dumps({"0": document()})).encode(coding))
    with pytest.raises(DataError) as caught:
        open_stories(path)
    assert caught.value.what == "This text is in UTF-16."
    assert caught.value.where == f"{path}:1"


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000, "1e999999", "0." + "9" * 5000])
def test_a_long_number_in_an_unread_field_costs_nothing(
    tmp_path: Path, number: str, indent: int | None
) -> None:
    stories = {"0": document(aug="number"), "0-C0": document(example_id="0-C0")}
    text = json.dumps(stories, indent=indent).replace('"number"', number)
    lists = json.dumps([{"doc_id": 0, "doc": stories["0"]}]).replace('"number"', number)
    for path in (write(tmp_path, text), write(tmp_path, lists, "y.json")):
        collection = open_stories(path)
        assert not collection.errors
        assert collection.entry(0).id == "0"
        assert list(collection.item(0).story.sentences) == document()["sentences"]
    assert json.loads(json.dumps(collection.item(0).story.raw))["aug"] in {number, float(number)}


@pytest.mark.parametrize("field", ["story_id", "breakpoint", "example_id", "confl_sents"])
def test_a_long_number_in_a_field_that_is_read_is_an_error_of_the_story(
    tmp_path: Path, field: str
) -> None:
    for digits in (20, 4300, 5000):
        bad = json.dumps(document(story_id=1) | {field: "number"}).replace('"number"', "9" * digits)
        path = write(tmp_path, f'{{"0": {json.dumps(document())}, "1": {bad}}}')
        collection = open_stories(path)
        for i in range(len(collection)):
            collection.item(i)
        assert len(collection) + len(collection.errors) == 2


def test_a_name_of_a_file_cannot_forge_lines(tmp_path: Path) -> None:
    folder = tmp_path / "a\nError: forged"
    folder.mkdir()
    write(folder, [document()], "stories.json")
    write(folder, "title: [1]", "ABOUT.yaml")
    write(folder, "5", "gloss.json")
    errors = open_stories(folder).errors
    assert len(errors) == 2
    assert not any("\n" in str(error) for error in errors)
    for content in (b"\xff\xfe{\x00", b"", b"5", b"[5,"):
        with (folder / "x.json").open("w+b") as handle:
            handle.write(content)
            broken: list[DataError] = []
            try:
                list(rows(handle, str(folder / "x.json"), broken, EXPECTED, SINGLE_KEYS))
            except DataError as error:
                broken.append(error)
        assert broken
        assert not any("\n" in str(error) for error in broken)


def test_repeated_ids_get_free_numbers(tmp_path: Path) -> None:
    cloze = document(type="cloze", plausible=False, breakpoint=1, confl_sents=[0])
    rows = [
        document(),
        document(),
        document(),
        cloze | {"example_id": "0-C0"},
        cloze | {"example_id": "0-C0"},
        cloze | {"example_id": "0-C1"},
        document(type="order"),
    ]
    collection = open_stories(write(tmp_path, rows))
    keys = [collection.entry(i).id for i in range(len(collection))]
    assert keys == ["0", "0-P1", "0-P2", "0-C0", "0-C2", "0-C1", "0-P3"]


def test_the_sentences_decide_between_two_families(tmp_path: Path) -> None:
    other = [f"{word}." for word in ("Sei", "Sette", "Otto", "Nove", "Dieci")]
    cloze = {"type": "cloze", "plausible": False, "breakpoint": 1, "confl_sents": [0]}
    rows = [
        document(),
        document(story_id=1, example_id="1", sentences=other),
        # The id is right and story_id is wrong, then the other way round.
        document(story_id=0, example_id="1-C0", sentences=["X.", *other[1:]], **cloze),
        document(
            story_id=0, example_id="1-C1", sentences=["X.", *document()["sentences"][1:]], **cloze
        ),
    ]
    collection = open_stories(write(tmp_path, rows))
    entries = [collection.entry(i) for i in range(4)]
    assert [(e.id, e.group) for e in entries[2:]] == [("1-C0", "1"), ("0-C0", "0")]
    assert len(collection.repairs) == 2


def test_a_story_with_thousands_of_changes_is_left_out(tmp_path: Path) -> None:
    many = [{"open": [[f"door {number}", 4] for number in range(MOST_CHANGES)]}]
    rows = [document(states=[*many, {"wet": [["cup", 4]]}]), document(states=many)]
    collection = open_stories(write(tmp_path, rows))
    assert len(collection) == 1
    assert [error.what for error in collection.errors] == [
        "The states of this story have 2,001 changes; 2,000 are the most."
    ]
