"""Questions from every form of data set: what opens, what is refused, and where it stands."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionError, QuestionItem
from core.benchmarks.accord.sources.qa_schemas import question_item
from core.benchmarks.accord.sources.qa_source import Questions, open_questions
from core.benchmarks.accord.trees.skills import End, Skills
from core.text.errors import DataError

SKILLS = Skills.shipped()
SURFACE = "Suppose that {} [[does|does not]] appear near {}"
CHOICES = {"A": "kettle", "B": "harbour", "C": "moss"}
STEM = "Where is a lantern hung?"

ORIGINAL = {
    "answerKey": "B",
    "id": "q",
    "question": {
        "question_concept": "lantern",
        "choices": [{"label": label, "text": text} for label, text in CHOICES.items()],
        "stem": STEM,
    },
}
HUB = {
    "id": "q",
    "question": STEM,
    "question_concept": "lantern",
    "choices": {"label": list(CHOICES), "text": list(CHOICES.values())},
    "answerKey": "B",
}
OPEN_BOOK = {
    "id": "q",
    "question": {"stem": STEM, "choices": ORIGINAL["question"]["choices"]},  # type: ignore[index]
    "answerKey": "B",
}
OPEN_BOOK_HUB = {
    "id": "q",
    "question_stem": STEM,
    "choices": HUB["choices"],
    "answerKey": "B",
}
AUTHORS = {
    "identifier": "q",
    "question": STEM,
    "correct_answer_label": "B",
    "answer_choices": CHOICES,
    "pairing_templates": [
        {
            "source": {"identifier": "pairing_source", "term": "lantern"},
            "relation": {"type_": "spatial", "description": "spatial", "surface_form": SURFACE},
            "target": {"identifier": "pairing_target", "term": None},
        }
    ],
    "kwargs": {"concept_net_relation_type": "AtLocation", "csqa_question_concept": "lantern"},
}
LANTERN = QuestionItem("q", STEM, tuple(CHOICES.items()), "B", "lantern")


def written(folder: Path, *rows: object, name: str = "some.jsonl") -> Path:
    """A file of JSON lines; a text stands as it is."""
    path = folder / name
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def opened(folder: Path, *rows: object) -> Questions:
    return open_questions(written(folder, *rows), SKILLS)


def plain(**changed: Any) -> dict[str, Any]:
    """A record of the plain form."""
    return {"id": "q", "question": STEM, "choices": CHOICES, "answer": "B"} | changed


@pytest.mark.parametrize("record", [ORIGINAL, HUB], ids=["released", "hub"])
def test_commonsenseqa_opens_in_both_schemas(tmp_path: Path, record: object) -> None:
    assert opened(tmp_path, record).items == (LANTERN,)


@pytest.mark.parametrize("record", [OPEN_BOOK, OPEN_BOOK_HUB], ids=["released", "hub"])
def test_openbookqa_opens_in_both_schemas_without_a_concept(tmp_path: Path, record: object) -> None:
    (item,) = opened(tmp_path, record).items
    assert (item.question, item.choices, item.answer) == (STEM, LANTERN.choices, "B")
    assert item.concept == ""


def test_questions_of_the_authors_have_their_pairing_templates(tmp_path: Path) -> None:
    (item,) = opened(tmp_path, AUTHORS).items
    assert item.concept == "lantern"
    assert item.pairings == (PairingTemplate("spatial", End.SOURCE, "lantern", SURFACE),)


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ((None, None), "Exactly one end"),
        (("lantern", "rope"), "Exactly one end"),
        ((3, None), "got `int` - at `$.source.term`"),
        ((None, "moss"), "is an answer choice"),
    ],
)
def test_a_pairing_of_the_authors_has_one_term(
    tmp_path: Path, terms: tuple[object, object], said: str
) -> None:
    relation = {"type_": "spatial", "surface_form": SURFACE}
    template = {"source": {"term": terms[0]}, "relation": relation, "target": {"term": terms[1]}}
    questions = opened(tmp_path, {**AUTHORS, "pairing_templates": [template]})
    assert questions.items[0].pairings == ()
    (error,) = questions.errors
    assert said in error.what
    assert error.where.endswith("some.jsonl:1")


@pytest.mark.parametrize(
    ("choices", "answer"),
    [
        (["kettle", "harbour", "moss"], "B"),
        (["kettle", "harbour", "moss"], "harbour"),
        (["kettle", "harbour", "moss"], 1),
        (CHOICES, "B"),
        (CHOICES, " harbour "),
        (CHOICES, 1),
        ({"label": ["A", "B", "C"], "text": list(CHOICES.values())}, "B"),
        ([{"text": text} for text in CHOICES.values()], "B"),
    ],
)
def test_plain_questions_name_the_answer_by_label_text_or_position(
    tmp_path: Path, choices: object, answer: object
) -> None:
    (item,) = opened(tmp_path, plain(choices=choices, answer=answer)).items
    assert (item.choices, item.answer) == (LANTERN.choices, "B")


@pytest.mark.parametrize(
    ("choices", "answer"),
    [
        ({"1": "kettle", "2": "harbour", "3": "moss"}, 1),
        ({"A": "B", "B": "kettle"}, "B"),
        ([2, 1, 0], 0),
    ],
)
def test_an_ambiguous_answer_is_refused(tmp_path: Path, choices: object, answer: object) -> None:
    with pytest.raises(DataError, match="several of the choices") as refused:
        opened(tmp_path, plain(choices=choices, answer=answer))
    assert refused.value.where.endswith("some.jsonl:1")


def test_a_quoted_label_is_not_a_position(tmp_path: Path) -> None:
    choices = {"1": "kettle", "2": "harbour"}
    (item,) = opened(tmp_path, plain(choices=choices, answer="1")).items
    assert item.answer == "1"


def test_words_such_as_null_are_texts(tmp_path: Path) -> None:
    choices = {"A": "null", "B": "None", "C": "NA", "D": "nan"}
    (item,) = opened(tmp_path, plain(choices=choices, answer="NA")).items
    assert item.choices == tuple(choices.items())
    assert item.answer == "C"


def test_numbers_are_read_as_texts_and_blanks_around_texts_are_dropped(tmp_path: Path) -> None:
    row = plain(id=7, choices=[" two  halves ", 5, 1.5], answer="B", question=f"  {STEM}\n")
    (item,) = opened(tmp_path, row).items
    assert (item.id, item.question, item.texts) == ("7", STEM, ("two halves", "5", "1.5"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "not JSON"),
        ("[1", "not JSON"),
        ('"text"', "no question"),
        ("[" * 100_000, "nested too deeply"),
        ({**plain(), "id": None}, "no id"),
        (plain(id=" "), "no id"),
        (plain(id=True), "no text"),
        (plain(question=""), "no text"),
        (plain(question=["a"]), "no text"),
        (plain(choices="ABC"), "neither a list nor an object"),
        (plain(choices=["one"]), "at least two"),
        (plain(choices=[]), "at least two"),
        (plain(choices=["x"] * 27), "more than 26"),
        (plain(choices={"A": None, "B": "b"}), "no text"),
        (plain(choices={"A": " ", "B": "b"}), "no text"),
        (plain(choices={" ": "a", "B": "b"}), "no label"),
        (plain(choices={"label": ["A"], "text": ["a", "b"]}), "as many labels"),
        (plain(choices=[{"label": "A", "text": "a"}, {"label": "A", "text": "b"}]), "label “A”"),
        (plain(choices={"A": "Moss", "B": "  moss"}), "read “moss”"),
        (plain(choices={"A": "caf\u00e9", "B": "cafe\u0301"}), "read “café”"),
        (plain(choices={"A": "tea_pot", "B": "tea pot"}), "read “tea pot”"),
        (plain(answer="D"), "none of the choices"),
        (plain(answer=3), "none of the choices"),
        (plain(answer=-1), "none of the choices"),
        (plain(answer=True), "no text"),
        (plain(answer=None), "no answer"),
        ({**HUB, "answerKey": ""}, "no answer"),
        ({**HUB, "answerKey": "F"}, "none of the choices"),
        ({**AUTHORS, "correct_answer_label": None}, "no correct_answer_label"),
    ],
)
def test_a_bad_row_is_reported_with_its_line_and_the_others_open(
    tmp_path: Path, row: object, said: str
) -> None:
    questions = opened(tmp_path, plain(id="before"), "", row, plain(id="after"))
    assert [item.id for item in questions.items] == ["before", "after"]
    (error,) = questions.errors
    assert said in error.what
    assert error.where == f"{tmp_path / 'some.jsonl'}:3"


def test_a_repeated_id_is_reported_with_both_lines(tmp_path: Path) -> None:
    questions = opened(tmp_path, plain(), plain(question="Another?"))
    assert [item.question for item in questions.items] == [STEM]
    (error,) = questions.errors
    assert error.where.endswith(":2")
    assert ":1" in error.hint


def test_an_array_over_several_lines_keeps_its_lines(tmp_path: Path) -> None:
    rows = [plain(id="one"), plain(id="two", answer="Z"), plain(id="three")]
    path = tmp_path / "all.json"
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    questions = open_questions(path, SKILLS)
    assert [item.id for item in questions.items] == ["one", "three"]
    starts = [n for n, line in enumerate(path.read_text().split("\n"), 1) if line == " {"]
    assert [item.origin for item in questions.items] == [
        f"{path}:{starts[0]}",
        f"{path}:{starts[2]}",
    ]
    assert questions.errors[0].where == f"{path}:{starts[1]}"


def test_a_byte_order_mark_and_a_folder_are_accepted(tmp_path: Path) -> None:
    written(tmp_path, plain(id="one"), name="a.jsonl")
    marked = tmp_path / "b.jsonl"
    marked.write_bytes(b"\xef\xbb\xbf" + json.dumps(plain(id="two")).encode() + b"\r\n")
    assert [item.id for item in open_questions(tmp_path, SKILLS).items] == ["one", "two"]


@pytest.mark.parametrize("name", ["absent.jsonl", "empty.jsonl", "folder", "nul\0.jsonl"])
def test_a_source_without_questions_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError):
        open_questions(tmp_path / name, SKILLS)


def test_the_hash_depends_on_the_opened_files(tmp_path: Path) -> None:
    one = opened(tmp_path, plain()).content_hash
    assert opened(tmp_path, plain()).content_hash == one
    assert opened(tmp_path, plain(answer="A")).content_hash != one


def test_a_digest_depends_on_the_text_of_the_question() -> None:
    other_id = QuestionItem("other", *(LANTERN.question, LANTERN.choices, "B"))
    assert other_id.digest == LANTERN.digest
    shifted = QuestionItem("q", STEM, (("A", "kettleB"), ("B", "harbour")), "B")
    split = QuestionItem("q", STEM, (("A", "kettle"), ("BB", "harbour")), "A")
    assert len({LANTERN.digest, shifted.digest, split.digest}) == 3


YAML = """\
questions:
  - id: lantern
    question: Where is a lantern hung?
    choices: {A: kettle, B: harbour, C: moss}
    answer: B
    concept: lantern
    pairings:
      - {skill: spatial, term: lantern, end: source, surface: "Suppose {} [[is|is not]] near {}"}
  - id: quiet
    question: What is quiet?
    choices: {A: moss, B: thunder}
    answer: A
"""


def yaml_questions(folder: Path, text: str) -> Questions:
    path = folder / "questions.yaml"
    path.write_text(text, encoding="utf-8")
    return open_questions(folder, SKILLS)


def test_questions_in_yaml_open(tmp_path: Path) -> None:
    questions = yaml_questions(tmp_path, YAML)
    assert questions.errors == ()
    lantern, quiet = questions.items
    assert (lantern.concept, lantern.answer, lantern.language) == ("lantern", "B", "en")
    assert lantern.pairings[0].end is End.SOURCE
    assert lantern.origin.endswith("questions.yaml:2")
    assert quiet.pairings == ()


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("answer: B", "answer: D", 2, "none of the choices"),
        ("C: moss}\n    answer: B", "C: Harbour}\n    answer: B", 2, "read “harbour”"),
        ("C: moss}\n    answer: B", "C: null}\n    answer: B", 4, "must be a text"),
        ("concept: lantern", "conzept: lantern", 6, "has no “conzept”"),
        ("    answer: B\n", "", 2, "lacks answer"),
    ],
)
def test_a_faulty_question_in_yaml_is_reported_and_the_other_opens(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    questions = yaml_questions(tmp_path, YAML.replace(old, new, 1))
    assert [item.id for item in questions.items] == ["quiet"]
    (error,) = questions.errors
    assert said in error.what
    assert error.where == f"{tmp_path / 'questions.yaml'}:{line}"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("skill: spatial", "skill: spacial", "no skill “spacial”"),
        ("term: lantern", "term: Harbour", "is an answer choice"),
        ("end: source", "end: left", "no end of a template"),
        ("[[is|is not]]", "is", "exactly one"),
        ("near {}", "near it", "exactly two {}"),
    ],
)
def test_a_question_with_a_faulty_pairing_opens_without_it(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    questions = yaml_questions(tmp_path, YAML.replace(old, new, 1))
    assert [(item.id, item.pairings) for item in questions.items] == [
        ("lantern", ()),
        ("quiet", ()),
    ]
    (error,) = questions.errors
    assert said in error.what
    assert error.where.endswith("questions.yaml:8")


@pytest.mark.parametrize("text", ["", "- a", "questions: 3", "question: []", "a: &a [*a]", "\x07"])
def test_yaml_of_another_kind_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError):
        yaml_questions(tmp_path, text)


TEMPLATE = {"skill": "spatial", "end": "source", "term": "lantern", "surface": SURFACE}
KEYS = sorted({*ORIGINAL, *HUB, *OPEN_BOOK_HUB, *AUTHORS, *plain(), *TEMPLATE, "stem", "pairings"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=8)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_any_json_is_a_valid_question_or_refused(value: Any) -> None:
    try:
        item, errors = question_item(value, SKILLS, origin="here:1")
    except QuestionError:
        return
    assert item.answer in item.labels
    assert all(error.where == "here:1" for error in errors)


@given(
    st.sampled_from([ORIGINAL, HUB, OPEN_BOOK_HUB, AUTHORS, plain(pairings=[TEMPLATE])]),
    st.data(),
)
def test_any_spoilt_field_of_a_schema_is_refused_or_harmless(
    record: dict[str, Any], data: st.DataObject
) -> None:
    spoilt = json.loads(json.dumps(record))
    place: Any = spoilt
    while True:
        key = data.draw(
            st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))
        )
        inner = place[key]
        if not inner or not isinstance(inner, dict | list) or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(VALUES)
    try:
        item, _ = question_item(spoilt, SKILLS)
    except QuestionError:
        return
    assert item.answer in item.labels


@given(st.binary(max_size=300))
def test_any_bytes_open_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for name in ("a.jsonl", "a.yaml"):
        path = folder / name
        path.write_bytes(raw)
        with pytest.raises(DataError):
            open_questions(path, SKILLS)


def test_twelve_thousand_questions_open_quickly(tmp_path: Path) -> None:
    choices = [f"a place of some kind, number {n}" for n in range(5)]
    rows = [plain(id=f"q{n}", question=STEM * 3, choices=choices) for n in range(12_000)]
    path = written(tmp_path, *rows)
    spent = []
    for _ in range(3):
        began = time.process_time()
        assert len(open_questions(path, SKILLS).items) == 12_000
        spent.append(time.process_time() - began)
    # Ten times the budget of 0.5 s, because test machines are slow and shared.
    assert min(spent) < 5.0


@pytest.mark.parametrize("schema", ["hf_schema", "original_schema"])
def test_the_real_development_split_opens(shared_data: Path, schema: str) -> None:
    path = shared_data / "commonsenseqa" / f"dev_rand_split.{schema}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 1221
    counts = Counter(row["answerKey"] for row in rows)
    assert counts == {"A": 239, "B": 255, "C": 241, "D": 251, "E": 235}
    questions = open_questions(path, SKILLS)
    # 24 of its questions have two choices that read the same.
    assert (len(questions.items), len(questions.errors)) == (1197, 24)
    assert all("Two choices read" in error.what for error in questions.errors)
    keys = {row["id"]: row["answerKey"] for row in rows}
    assert all(item.answer == keys[item.id] for item in questions.items)
    assert all(item.concept and len(item.choices) == 5 for item in questions.items)


def test_both_schemas_of_the_real_split_give_the_same_questions(shared_data: Path) -> None:
    folder = shared_data / "commonsenseqa"
    one, two = (
        open_questions(folder / f"dev_rand_split.{schema}.jsonl", SKILLS)
        for schema in ("hf_schema", "original_schema")
    )
    assert one.items == two.items
