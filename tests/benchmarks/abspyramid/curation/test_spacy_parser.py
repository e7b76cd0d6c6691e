"""Relations of spaCy's English models become those of Universal Dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from core.benchmarks.abspyramid.curation.cleaner import Rule, broken_rule
from core.benchmarks.abspyramid.curation.head_events import head_event
from core.benchmarks.abspyramid.curation.instances import instances
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.people import replace_people
from core.benchmarks.abspyramid.curation.spacy_parser import convert_tokens, parse_events, parser
from core.text.errors import DataError, NotFoundError


@dataclass
class Token:
    """A token as spaCy's look."""

    i: int
    text: str
    lemma_: str
    pos_: str
    tag_: str
    dep_: str
    whitespace_: str = " "
    governor: Token | None = None

    @property
    def head(self) -> Token:
        assert self.governor is not None
        return self.governor


def tokens_of(*words: str) -> list[Token]:
    """Tokens of "text/lemma/pos/tag/dep/governor", governors from 1; a root governs itself."""
    rows = [word.split("/") for word in words]
    tokens = [Token(i, *row[:5]) for i, row in enumerate(rows)]
    for token, row in zip(tokens, rows, strict=True):
        token.governor = tokens[int(row[5]) - 1]
    return tokens


def parsed(*words: str) -> Parse:
    return convert_tokens(tokens_of(*words), "test")


def found(made: Parse) -> list[str]:
    head = head_event(replace_people(made))
    return [head.text[i.start : i.end] for i in instances(head)]


def test_transparent_nouns_are_skipped() -> None:
    made = parsed(
        "I/I/PRON/PRP/nsubj/2",
        "have/have/VERB/VBP/ROOT/2",
        "a/a/DET/DT/det/4",
        "lot/lot/NOUN/NN/dobj/2",
        "of/of/ADP/IN/prep/4",
        "food/food/NOUN/NN/pobj/5",
    )
    assert [(w.governor, w.relation) for w in made.words[3:]] == [
        (1, "obj"), (5, "case"), (3, "nmod"),
    ]  # fmt: skip
    assert found(made) == ["have", "food", "PersonX have a lot of food"]


def test_going_to_is_read_as_an_auxiliary() -> None:
    made = parsed(
        "I/I/PRON/PRP/nsubj/3",
        "am/be/AUX/VBP/aux/3",
        "going/go/VERB/VBG/ROOT/3",
        "to/to/PART/TO/aux/5",
        "sleep/sleep/VERB/VB/xcomp/3",
    )
    assert found(made) == ["sleep", "PersonX am going to sleep"]


def test_possessors_particles_and_places_are_found() -> None:
    made = parsed(
        "he/he/PRON/PRP/nsubjpass/3",
        "was/be/AUX/VBD/auxpass/3",
        "gunned/gun/VERB/VBN/ROOT/3",
        "down/down/ADP/RP/prt/3",
        "in/in/ADP/IN/prep/3",
        "her/her/PRON/PRP$/poss/7",
        "car/car/NOUN/NN/pobj/5",
    )
    assert found(made) == ["gunned", "car", "PersonX was gunned down in PersonY's car"]
    assert instances(head_event(made))[0].particle == "down"
    assert made.words[6].relation == "obl"


def test_nested_prepositions_are_handled() -> None:
    """“from under the bed”: spaCy hangs one preposition on the other."""
    made = parsed(
        "cats/cat/NOUN/NNS/nsubj/2",
        "came/come/VERB/VBD/ROOT/2",
        "from/from/ADP/IN/prep/2",
        "under/under/ADP/IN/prep/3",
        "the/the/DET/DT/det/6",
        "bed/bed/NOUN/NN/pobj/4",
    )
    assert found(made) == ["cats", "came", "bed", "cats came from under the bed"]


def test_the_rules_also_work_on_spacy_relations() -> None:
    made = parsed("they/they/PRON/PRP/nsubj/3", "n't/not/PART/RB/neg/3", "do/do/VERB/VBP/ROOT/3")
    assert broken_rule(made, None) is Rule.LIGHT_VERB
    passive = parsed("cheese/cheese/NOUN/NN/nsubjpass/2", "made/make/VERB/VBN/ROOT/2")
    assert broken_rule(passive, None) is None


def test_two_sentences_are_not_an_event() -> None:
    with pytest.raises(DataError, match="one root, not 2"):
        parsed("go/go/VERB/VB/ROOT/1", "run/run/VERB/VB/ROOT/2")


class Pipeline:
    """A pipeline of spaCy's that knows two texts."""

    known = (
        ("dogs bark", ("dogs/dog/NOUN/NNS/nsubj/2", "bark/bark/VERB/VBP/ROOT/2")),
        ("go run", ("go/go/VERB/VB/ROOT/1", "run/run/VERB/VB/ROOT/2")),
    )

    def pipe(self, texts: Iterable[str]) -> Iterator[list[Token]]:
        return (tokens_of(*dict(self.known)[text]) for text in texts)


def test_events_of_several_trees_are_left_out() -> None:
    (made,) = parse_events(Pipeline(), "spacy:x", ["go run", " dogs \t bark"])
    assert [word.form for word in made.words] == ["dogs", "bark"]
    assert made.origin == "spacy:x: dogs bark"


@pytest.mark.parametrize("name", ["stanza", "spacy", "spacy:"])
def test_an_unknown_parser_is_refused(name: str) -> None:
    with pytest.raises(NotFoundError, match="no parser"):
        parser(name)


@pytest.mark.parametrize("name", ["spacy:no_such_model", "spacy:/etc", "spacy:../models"])
def test_a_missing_spacy_model_is_reported(name: str) -> None:
    with pytest.raises(NotFoundError) as error:
        parser(name)
    assert "--parses" in error.value.hint
