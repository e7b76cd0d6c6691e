"""Which relation a question is about: the vote, its ties, and the balanced subsample."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.accord.knowledge.base import KnowledgeBase
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.sources.pairing_suggestions import suggested
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.sources.relations import (
    Ballot,
    Reason,
    Vote,
    balanced,
    vote,
    votes,
)
from core.benchmarks.accord.trees.skills import End, Skills

SKILLS = Skills.shipped()
Triples = Iterable[tuple[str, str, str]]


def question(**changed: str) -> QuestionItem:
    choices = (("A", "kettle"), ("B", "harbour"), ("C", "Wet_moss"))
    return replace(QuestionItem("q", "Where is it?", choices, "B", "lantern"), **changed)


def knowledge(folder: Path, *triples: tuple[str, str, str]) -> KnowledgeBase:
    """A real knowledge base of a few assertions, one CSV file for each relation."""
    for relation, source, target in triples:
        with (folder / f"{relation}.csv").open("a", encoding="utf-8") as handle:
            handle.write(f"{source},{target}\n")
    return open_knowledge(folder)


def outcomes(
    items: Iterable[QuestionItem], base: KnowledgeBase
) -> tuple[tuple[Ballot, ...], tuple[Reason, ...]]:
    """The questions that got a relation, and those that did not."""
    voted = [vote(item, base) for item in items]
    return (
        tuple(outcome for outcome in voted if isinstance(outcome, Ballot)),
        tuple(outcome for outcome in voted if isinstance(outcome, Reason)),
    )


def votes_of(ballot: Ballot) -> Counter[str]:
    """Votes by relation."""
    return Counter(vote.relation for vote in ballot.votes)


def test_links_in_either_direction_vote(tmp_path: Path) -> None:
    base = knowledge(
        tmp_path,
        ("AtLocation", "lantern", "harbour"),
        ("AtLocation", "lantern", "cave"),
        ("UsedFor", "kettle", "lantern"),
        ("UsedFor", "rope", "harbour"),
    )
    assert votes(question(), base) == (
        Vote("AtLocation", End.SOURCE, "B"),
        Vote("UsedFor", End.TARGET, "A"),
    )


def test_terms_match_whatever_their_case_blanks_and_senses(tmp_path: Path) -> None:
    base = knowledge(
        tmp_path,
        ("AtLocation", "/c/en/lantern/n", "/c/en/wet_moss"),
        ("AtLocation", "/c/en/lantern", "/c/en/wet_moss/n/wn/plant"),
        ("IsA", "/c/en/harbour/n", "/c/en/lantern"),
    )
    # The first two are one link: they differ in senses alone.
    assert votes(question(concept=" Lantern"), base) == (
        Vote("AtLocation", End.SOURCE, "C"),
        Vote("IsA", End.TARGET, "B"),
    )


def test_most_votes_win(tmp_path: Path) -> None:
    base = knowledge(
        tmp_path,
        ("Antonym", "lantern", "harbour"),
        ("AtLocation", "lantern", "kettle"),
        ("AtLocation", "lantern", "wet moss"),
    )
    ballot = vote(question(), base)
    assert isinstance(ballot, Ballot)
    assert ballot.relation == "AtLocation"
    assert votes_of(ballot).most_common() == [("AtLocation", 2), ("Antonym", 1)]


@pytest.mark.parametrize(
    ("triples", "relation", "end"),
    [
        # Of as many votes, the relation that links the right choice.
        (
            [("AtLocation", "lantern", "kettle"), ("Causes", "lantern", "harbour")],
            "Causes",
            "source",
        ),
        # Of those, the first by name.
        ([("UsedFor", "lantern", "kettle"), ("IsA", "lantern", "kettle")], "IsA", "source"),
        # The end with most votes; then the one that faces the right choice; then the source.
        ([("IsA", "kettle", "lantern"), ("IsA", "wet moss", "lantern")], "IsA", "target"),
        ([("IsA", "harbour", "lantern"), ("IsA", "lantern", "kettle")], "IsA", "target"),
        ([("IsA", "kettle", "lantern"), ("IsA", "lantern", "kettle")], "IsA", "source"),
    ],
)
def test_ties_are_broken(tmp_path: Path, triples: Triples, relation: str, end: str) -> None:
    ballot = vote(question(), knowledge(tmp_path, *triples))
    assert isinstance(ballot, Ballot)
    assert (ballot.relation, ballot.end) == (relation, end)


def test_only_the_given_relations_have_votes(tmp_path: Path) -> None:
    base = knowledge(tmp_path, ("AtLocation", "lantern", "harbour"), ("IsA", "lantern", "kettle"))
    ballot = vote(question(), base, {"IsA", "PartOf"})
    assert isinstance(ballot, Ballot)
    assert ballot.relation == "IsA"


def test_questions_without_a_vote_are_listed_with_the_reason(tmp_path: Path) -> None:
    base = knowledge(tmp_path, ("AtLocation", "lantern", "harbour"))
    items = [question(), question(concept=""), question(concept="kite")]
    ballots, failures = outcomes(items, base)
    assert [ballot.item for ballot in ballots] == items[:1]
    assert failures == (Reason.NO_CONCEPT, Reason.NO_VOTES)


def ballots(sizes: dict[str, int]) -> list[Ballot]:
    """So many questions of each relation."""
    return [
        Ballot(question(id=f"{relation}{n}"), (Vote(relation, End.SOURCE, "B"),), relation)
        for relation, size in sizes.items()
        for n in range(size)
    ]


SIZES = st.dictionaries(st.sampled_from(["IsA", "Causes", "PartOf"]), st.integers(0, 30))


@given(SIZES, st.integers(), st.integers(0, 20), st.randoms())
def test_a_subsample_is_balanced_whatever_the_order(
    sizes: dict[str, int], seed: int, most: int, rng: Random
) -> None:
    came = ballots(sizes)
    kept = balanced(came, seed, most)
    assert Counter(ballot.relation for ballot in kept) == Counter(
        {relation: min(size, most) for relation, size in sizes.items()}
    )
    assert [ballot for ballot in came if ballot in kept] == list(kept)
    mixed = rng.sample(came, len(came))
    assert {ballot.item.id for ballot in balanced(mixed, seed, most)} == {
        ballot.item.id for ballot in kept
    }


@given(SIZES.filter(lambda sizes: sum(sizes.values()) > 0), st.integers(), st.data())
def test_removing_a_question_changes_at_most_one_selection(
    sizes: dict[str, int], seed: int, data: st.DataObject
) -> None:
    came = ballots(sizes)
    gone = data.draw(st.sampled_from(came))
    before = {ballot.item.id for ballot in balanced(came, seed)}
    after = {b.item.id for b in balanced([b for b in came if b is not gone], seed)}
    assert len(before - after) <= 1
    assert before - after <= {gone.item.id}


def test_another_seed_draws_other_questions() -> None:
    came = ballots({"IsA": 100})
    drawn = {tuple(ballot.item.id for ballot in balanced(came, seed)) for seed in range(5)}
    assert len(drawn) == 5
    assert all(len(ids) == 13 for ids in drawn)


def test_suggestions_account_for_every_question(tmp_path: Path) -> None:
    places = [("AtLocation", f"thing {n}", "harbour") for n in range(5)]
    base = knowledge(tmp_path, *places, ("CapableOf", "lantern", "harbour"))
    items = [question(id=f"q{n}", concept=f"thing {n}") for n in range(5)]
    items += [question(), question(id="not", concept="thing 1", question="What is not so?")]
    made = suggested(items, base, SKILLS, seed=1, per_relation=3)
    assert [item.pairings[0].term for item in made.items] == [item.concept for item in made.items]
    assert len(made.items) == 3
    assert made.left_over == 2
    assert made.failures == (Reason.NO_VOTES, Reason.NEGATED)


# Real data


def assertions(folder: Path) -> set[tuple[str, str, str]]:
    """The triples of ConceptNet-100K as they stand in its files."""
    return {
        tuple(line.split("\t")[:3])  # type: ignore[misc]
        for name in ("train", "valid", "test")
        for line in (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    }


def counted(
    concept: str, choices: list[str], triples: set[tuple[str, str, str]], relations: set[str]
) -> Counter[str]:
    """Votes by relation, by going through all pairs: the oracle."""
    return Counter(
        relation
        for relation in relations
        for choice in choices
        for triple in ((relation, concept, choice), (relation, choice, concept))
        if triple in triples
    )


def test_votes_on_the_real_split_agree_with_a_plain_count(shared_data: Path) -> None:
    triples = assertions(shared_data / "conceptnet100k")
    base = open_knowledge(shared_data / "conceptnet100k")
    path = shared_data / "commonsenseqa" / "dev_rand_split.hf_schema.jsonl"
    items = open_questions(path, SKILLS).items
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    relations = {relation for relation, _, _ in triples}
    expected = {
        row["id"]: counted(row["question_concept"], row["choices"]["text"], triples, relations)
        for row in rows
    }
    # Of all 1,221, those with repeated choices included.
    assert sum(1 for votes in expected.values() if votes) == 638
    voted, failures = outcomes(items, base)
    assert (len(voted), len(failures)) == (629, 568)
    for ballot in voted:
        assert votes_of(ballot) == expected[ballot.item.id]
        assert max(votes_of(ballot).values()) == expected[ballot.item.id][ballot.relation]
    assert {item.id for item in items if expected[item.id]} == {each.item.id for each in voted}
    assert Counter(ballot.relation for ballot in voted).most_common(1) == [("AtLocation", 466)]


def test_the_real_split_yields_balanced_pairings(shared_data: Path) -> None:
    base = open_knowledge(shared_data / "conceptnet100k")
    path = shared_data / "commonsenseqa" / "dev_rand_split.hf_schema.jsonl"
    items = open_questions(path, SKILLS).items
    made = suggested(items, base, SKILLS, seed=0)
    assert len(made.items) + len(made.failures) + made.left_over == 1197
    assert Counter(item.pairings[0].skill for item in made.items) == {
        "spatial": 13,
        "requires": 13,
        "causal": 11,
        "used_for": 11,
        "type_of": 7,
        "part_of": 5,
    }
    assert not any(pairing.reviewed for item in made.items for pairing in item.pairings)
