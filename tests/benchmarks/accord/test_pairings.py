"""Pairing templates: what is refused, their files, suggestions, and what a person decides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.sources.pairing_decisions import (
    Choice,
    Decision,
    Decisions,
    decisions_file,
)
from core.benchmarks.accord.sources.pairing_files import read_pairings
from core.benchmarks.accord.sources.pairing_suggestions import suggestion
from core.benchmarks.accord.sources.pairings import (
    PairingError,
    PairingTemplate,
    check_pairings,
    variant,
)
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import Questions
from core.benchmarks.accord.sources.relations import Ballot, Reason, Vote
from core.benchmarks.accord.sources.reviews import Reviews, written
from core.benchmarks.accord.trees.skills import End, Skill, Skills
from core.contract.review import Review
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

SKILLS = Skills.shipped()
SURFACE = "Suppose that {} [[does|does not]] appear near {}"
LANTERN = PairingTemplate("spatial", End.SOURCE, "lantern", SURFACE)
CHOICES = (("A", "kettle"), ("B", "harbour"))
QUESTION = QuestionItem("q", "Where is a lantern hung?", CHOICES, "B", "lantern", (LANTERN,))
HEADER = "placement,term,type_,description,surface_form"


def test_a_surface_has_two_variants() -> None:
    assert LANTERN.positive == "Suppose that {} does appear near {}"
    assert LANTERN.negative == "Suppose that {} does not appear near {}"


def test_a_variant_may_be_empty_and_the_first_may_deny() -> None:
    assert variant("{} can [[|not ]]be {}", affirmed=True) == "{} can be {}"
    assert variant("{} can [[|not ]]be {}", affirmed=False) == "{} can not be {}"
    assert variant("{} [[is not|is]] dull in {}", affirmed=True) == "{} is not dull in {}"


@pytest.mark.parametrize(
    ("surface", "said"),
    [
        ("{} is near {}", "exactly one"),
        ("{} [[is|is not]] [[near|far from]] {}", "exactly one"),
        ("{} [[is|is not]] near {} [[", "exactly one"),
        ("{} [[is]] near {}", "exactly one"),
        ("{} [[is|was|is not]] near {}", "exactly one"),
        ("[[{} is|{} is not]] near {}", "exactly one"),
        ("{} [[is| is ]] near {}", "the same"),
        ("{} [[is|is not]] near", "exactly two"),
        ("{} [[is|is not]] near {} and {}", "exactly two"),
        ("{} [[is|is not]] near {0}", "exactly two"),
        ("{} [[is|is not]] near {}}", "exactly two"),
        ("{} [[is|is not]]\nnear {}", "line break"),
        ("{} [[is|is not]] \x1b[31mnear {}", "control character"),
        ("", "exactly one"),
        ("{} [[is|is not]] near {}" + "x" * 1000, "too long"),
    ],
)
def test_a_malformed_surface_is_refused(surface: str, said: str) -> None:
    with pytest.raises(PairingError, match=said):
        replace(LANTERN, surface=surface)


def test_a_template_without_a_term_is_refused() -> None:
    with pytest.raises(PairingError, match="no term"):
        replace(LANTERN, term=" ")


@pytest.mark.parametrize("term", ["a\n- b", "a\x00", "a\u202eb"])
def test_a_term_that_would_break_its_statement_is_refused(term: str) -> None:
    with pytest.raises(PairingError, match="control character"):
        replace(LANTERN, term=term)


@pytest.mark.parametrize(
    ("pairings", "said"),
    [
        ([replace(LANTERN, skill="spacial")], "no skill “spacial”"),
        ([replace(LANTERN, term="  KETTLE ")], "answer choice"),
        ([LANTERN, replace(LANTERN, term="Lantern")], "twice"),
        ([replace(LANTERN, term=f"lantern {n}") for n in range(4)], "at most 3"),
    ],
)
def test_templates_that_do_not_fit_the_question_are_refused(
    pairings: list[PairingTemplate], said: str
) -> None:
    with pytest.raises(PairingError, match=said):
        check_pairings(pairings, QUESTION.texts, SKILLS)


def test_three_templates_can_share_a_term() -> None:
    pairings = [
        LANTERN,
        replace(LANTERN, end=End.TARGET),
        replace(LANTERN, skill="causal"),
    ]
    check_pairings(pairings, QUESTION.texts, SKILLS)


def csv_file(folder: Path, *rows: str, name: str = "q.csv", header: str = HEADER) -> Path:
    path = folder / name
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return path


ROW = f"SOURCE,lantern,spatial,spatial,{SURFACE}"


def test_the_authors_csv_opens(tmp_path: Path) -> None:
    quoted = f'TARGET,"tea, hot",causal,,"{SURFACE}"'
    found, errors = read_pairings(csv_file(tmp_path, ROW, "", quoted))
    assert errors == []
    assert found == {
        "q": (LANTERN, PairingTemplate("causal", End.TARGET, "tea, hot", SURFACE)),
    }


@pytest.mark.parametrize("term", ["null", "None", "NA", "nan"])
def test_terms_such_as_null_are_texts(tmp_path: Path, term: str) -> None:
    found, _ = read_pairings(csv_file(tmp_path, ROW.replace("lantern", term)))
    assert found["q"][0].term == term


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("MIDDLE,lantern,spatial,spatial," + SURFACE, "no end"),
        ("SOURCE,,spatial,spatial," + SURFACE, "no term"),
        ("SOURCE,lantern,spatial,spatial,{} near {}", "exactly one"),
        ("SOURCE,lantern,spatial,spatial", "4 cells"),
        ("SOURCE,lantern,spatial,spatial,a,b", "6 cells"),
        ('SOURCE,"lan"tern,spatial,spatial,x', "not CSV"),
    ],
)
def test_a_faulty_row_is_reported_with_its_line(tmp_path: Path, row: str, said: str) -> None:
    path = csv_file(tmp_path, ROW, row)
    with pytest.raises(DataError, match=said) as refused:
        read_pairings(path)
    assert refused.value.where == f"{path}:3"


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("placement,term,type_,surface", "“surface” is not known"),
        ("placement,term,type_", "no column surface_form"),
        ("term,placement,term,type_,surface_form", "twice"),
    ],
)
def test_a_faulty_header_is_reported(tmp_path: Path, header: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_pairings(csv_file(tmp_path, ROW, header=header))


def test_a_folder_of_csv_opens_without_its_faulty_files(tmp_path: Path) -> None:
    csv_file(tmp_path, ROW, name="good.csv")
    csv_file(tmp_path, "x", name="bad.csv")
    (tmp_path / "latin.csv").write_bytes(b"\xe9")
    csv_file(tmp_path, name="none.csv")
    found, errors = read_pairings(tmp_path)
    assert list(found) == ["good"]
    assert sorted(Path(e.where.partition(":")[0]).name for e in errors) == [
        "bad.csv",
        "latin.csv",
        "none.csv",
    ]


def test_pairings_in_yaml_open(tmp_path: Path) -> None:
    path = tmp_path / "pairings.yaml"
    path.write_text(
        "pairings:\n"
        f"  q: [{{skill: spatial, end: source, term: lantern, surface: '{SURFACE}'}}]\n"
        "  other:\n"
        f"    - {{skill: spatial, end: up, term: lantern, surface: '{SURFACE}'}}\n",
        encoding="utf-8",
    )
    found, errors = read_pairings(path)
    assert found == {"q": (LANTERN,)}
    assert [error.where for error in errors] == [f"{path}:4"]


def test_given_templates_replace_those_of_the_question() -> None:
    other = replace(QUESTION, id="other")
    questions = Questions((QUESTION, other), (), "")
    causal = replace(LANTERN, skill="causal")
    wrong = replace(LANTERN, term="kettle")
    paired = questions.paired({"q": [causal], "other": [wrong], "lost": [causal]}, SKILLS)
    assert [item.pairings for item in paired.items] == [(causal,), (LANTERN,)]
    one, two = (error.what for error in paired.errors)
    assert "“other”" in one
    assert "answer choice" in one
    assert "“lost”" in two


# Suggestions


def ballot(relation: str = "AtLocation", end: End = End.SOURCE, **changed: str) -> Ballot:
    """A question with one vote, for its right choice."""
    item = replace(QUESTION, pairings=(), **changed)
    return Ballot(item, (Vote(relation, end, item.answer),), relation)


@pytest.mark.parametrize("skill", SKILLS.values(), ids=lambda skill: skill.name)
@pytest.mark.parametrize("end", End)
def test_a_suggestion_has_the_wording_of_the_skill_and_its_negation(skill: Skill, end: End) -> None:
    made = suggestion(ballot(skill.concept_net, end), SKILLS)
    assert isinstance(made, PairingTemplate)
    assert (made.skill, made.end, made.term, made.reviewed) == (skill.name, end, "lantern", False)
    assert made.positive == skill.surface
    assert " not " in made.negative


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (ballot("CapableOf"), Reason.NO_SKILL),
        (ballot(language="it"), Reason.NOT_ENGLISH),
        (ballot(question="Where is a lantern NOT hung?"), Reason.NEGATED),
        (ballot(question="Where isn’t a lantern hung?"), Reason.NEGATED),
        (ballot(concept="Harbour"), Reason.TERM_IS_CHOICE),
    ],
)
def test_no_template_is_suggested_where_it_would_imply_the_wrong_choice(
    asked: Ballot, reason: Reason
) -> None:
    assert suggestion(asked, SKILLS) == reason


# Decisions

DRAFT = replace(LANTERN, reviewed=False)
SECOND = replace(DRAFT, skill="causal")
DRAFTED = replace(QUESTION, pairings=(DRAFT, SECOND))
CONFIRMED = Decision(Choice.CONFIRMED, replace(DRAFT, reviewed=True))
REJECTED = Decision(Choice.REJECTED)


def test_templates_without_a_decision_are_unchanged() -> None:
    assert Decisions().applied(DRAFTED, SKILLS) == DRAFTED


def test_a_template_is_confirmed_edited_and_rejected() -> None:
    wording = replace(LANTERN, surface="{} [[hangs|does not hang]] at {}")
    decisions = Decisions().changed(DRAFTED, DRAFT, CONFIRMED)
    assert decisions.applied(DRAFTED, SKILLS).pairings == (LANTERN, SECOND)
    edited = Decision(Choice.EDITED, wording)
    decisions = decisions.changed(DRAFTED, DRAFT, edited).changed(DRAFTED, SECOND, REJECTED)
    assert decisions.applied(DRAFTED, SKILLS).pairings == (wording,)
    assert [d.choice for d in map(decisions.of, [DRAFTED] * 2, [DRAFT, SECOND]) if d] == [
        Choice.EDITED,
        Choice.REJECTED,
    ]
    undone = decisions.changed(DRAFTED, SECOND, None)
    assert undone.applied(DRAFTED, SKILLS).pairings[1] == SECOND


def test_an_invalid_edit_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    reviews = Reviews(tmp_path / "pairings.jsonl")
    for invalid, why in ((replace(DRAFT, term="kettle"), "answer choice"), (SECOND, "twice")):
        with pytest.raises(PairingError, match=why):
            reviews.review(DRAFTED, 0, Review.EDIT, written(invalid), SKILLS)
    assert len(reviews.decisions) == 0
    assert not reviews.path.exists()


def test_a_decision_is_lost_when_the_question_changes() -> None:
    decisions = Decisions().changed(DRAFTED, DRAFT, REJECTED)
    reworded = replace(DRAFTED, question="Where does a lantern burn?")
    assert decisions.of(DRAFTED, DRAFT) is not None
    assert decisions.of(reworded, DRAFT) is None
    assert decisions.applied(reworded, SKILLS) == reworded


def test_decisions_survive_saving(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "pairings.jsonl"
    assert len(Decisions.read(path)) == 0
    wording = replace(DRAFT, surface="{} [[pend|ne pend pas]] à {}")
    edited = Decision(Choice.EDITED, replace(wording, reviewed=True))
    decisions = Decisions().changed(DRAFTED, DRAFT, edited).changed(DRAFTED, SECOND, REJECTED)
    decisions.save(path)
    assert Decisions.read(path) == decisions


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
TERMS = WORDS.filter(lambda text: escape_control_characters(text) == text)


@given(WORDS, TERMS, WORDS)
def test_any_texts_survive_saving(
    tmp_path_factory: pytest.TempPathFactory, item_id: str, term: str, asked: str
) -> None:
    path = tmp_path_factory.mktemp("decisions") / "pairings.jsonl"
    draft = replace(DRAFT, term=term)
    item = QuestionItem(item_id, asked, CHOICES, "A", pairings=(draft,))
    confirmed = Decision(Choice.CONFIRMED, replace(draft, reviewed=True))
    Decisions().changed(item, draft, confirmed).save(path)
    decision = Decisions.read(path).of(item, draft)
    assert decision is not None
    assert decision.pairing == replace(draft, reviewed=True)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"question": "q"}',
        '{"question": "q", "digest": "", "suggested": {"skill": "s", "end": "up", "term": "t"}, '
        '"choice": "rejected"}',
        '{"question": "q", "digest": "", "suggested": {"skill": "s", "end": "source", "term": "t"},'
        ' "choice": "confirmed"}',
        '{"question": "q", "digest": "", "suggested": {"skill": "s", "end": "source", "term": "t"},'
        ' "choice": "edited", "pairing": {"skill": "s", "end": "source", "term": "t", '
        '"surface": "x"}}',
    ],
)
def test_a_malformed_decision_is_reported_and_not_lost(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairings.jsonl"
    Decisions().changed(DRAFTED, DRAFT, REJECTED).save(path)
    path.write_text(path.read_text() + line + "\n", encoding="utf-8")
    with pytest.raises(DataError) as refused:
        Decisions.read(path)
    assert refused.value.where == f"{path}:2"


def test_an_unwritable_folder_leaves_the_decisions_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "pairings.jsonl"
    decisions = Decisions().changed(DRAFTED, DRAFT, REJECTED)
    decisions.save(path)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be saved"):
        decisions.save(tmp_path / "file" / "pairings.jsonl")
    assert Decisions.read(path) == decisions
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "pairings.jsonl"]


def test_decisions_are_stored_apart_from_the_questions() -> None:
    assert decisions_file().parent.name == "decisions"
    assert Path.home() in decisions_file().parents
