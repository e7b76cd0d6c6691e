"""The bundled questions and their knowledge base: enough, different, and true to each other."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest

from core.benchmarks.accord.collection import open_collection
from core.benchmarks.accord.skill_names import size_in_words
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.suites.sweep import open_sweep
from core.benchmarks.accord.trees.skills import End, Skills
from core.files.shipped import samples

FOLDER = samples() / "accord"
FILES = sorted((FOLDER / "knowledge").glob("*.csv"))
SKILLS = Skills.shipped()
QUESTIONS = open_collection(FOLDER).questions.items
FUNCTION_WORDS = """
a an the this that these those its his her their our my your it he she they we you one ones who whom
whose what which where when why how in on at of for to from by with without into onto under over
before after until up out off as is are was were be been being do does did done has have had having
will would can could must should may might not no nor and or but if then than so there here most
more some any nobody somebody everybody everyone nothing something everything us them him me all
both each every other another only again once now
"""


def pairs(file: Path) -> list[tuple[str, str]]:
    with file.open(encoding="utf-8", newline="") as handle:
        return [(source, target) for source, target in csv.reader(handle)]


def test_the_samples_have_enough_questions_and_assertions() -> None:
    assert {file.stem for file in FILES} == {skill.concept_net for skill in SKILLS.values()}
    assert sum(len(pairs(file)) for file in FILES) >= 1500
    assert len(QUESTIONS) >= 24
    skills = Counter(p.skill for question in QUESTIONS for p in question.pairings)
    assert all(skills[name] >= 4 for name in SKILLS)
    assert all(1 <= len(question.pairings) <= 3 for question in QUESTIONS)
    assert all(pairing.reviewed for question in QUESTIONS for pairing in question.pairings)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_relation_is_clean(file: Path) -> None:
    found = pairs(file)
    assert len(found) == len(set(found)) >= 250
    assert found == sorted(found)
    for place in range(2):
        assert len({pair[place] for pair in found}) >= 120
    for term in {term for pair in found for term in pair}:
        assert re.fullmatch(r"[a-z0-9][a-z0-9 '\-]*[a-z0-9]", term), term
    assert not any(source == target for source, target in found)


@pytest.mark.parametrize("relation", ["PartOf", "IsA"])
def test_parts_and_kinds_have_no_cycles(relation: str) -> None:
    graph = nx.DiGraph(pairs(FOLDER / "knowledge" / f"{relation}.csv"))
    assert nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.id)
def test_only_the_default_answer_is_a_fact(question: QuestionItem) -> None:
    knowledge = open_collection(FOLDER).grounds.knowledge
    for pairing in question.pairings:
        relation = SKILLS[pairing.skill].concept_net
        for label, text in question.choices:
            ends = (pairing.term, text) if pairing.end is End.SOURCE else (text, pairing.term)
            assert knowledge.holds(relation, *ends) is (label == question.answer), (label, text)


def frame(question: str) -> str:
    """What is asked, with a gap for every run of words that mean something of their own."""
    *_, asked = re.split(r"(?<=[.!?]) ", question)
    words = re.findall(r"[a-z']+", re.sub(r"\b(are|was|were)\b", "is", asked.lower()))
    kept = set(FUNCTION_WORDS.split())
    return re.sub(r"_( _)+", "_", " ".join(word if word in kept else "_" for word in words))


def test_no_two_questions_share_a_frame() -> None:
    frames = Counter(frame(question.question) for question in QUESTIONS)
    assert {text for text, count in frames.items() if count > 1} == set()


def test_a_frame_keeps_what_is_asked_and_not_of_what() -> None:
    assert frame("It is red. What is the corkscrew for?") == "what is the _ for"
    assert frame("What are the old boots for?") == "what is the _ for"


def test_no_two_questions_share_half_of_their_words() -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"[a-z]+", text.lower()))

    for one, other in combinations(QUESTIONS, 2):
        a, b = words(one.question), words(other.question)
        assert len(a & b) / len(a | b) < 0.5, (one.id, other.id)


def test_the_sweep_has_items_in_every_cell_of_both_variants() -> None:
    sweep = open_sweep(FOLDER / "sweep.yaml")
    cells = Counter(sweep.entry(place).detail.rpartition(", ")[0] for place in range(len(sweep)))
    for size in range(1, 5):
        for hops in range(1, size + 1):
            for variant in ("factual", "anti-factual"):
                assert cells[f"{variant}, {size_in_words(hops, size - hops)}"] >= 20
    entries = [entry for place in range(len(sweep)) if (entry := sweep.entry(place)).short]
    told_apart = {(entry.group, entry.detail) for entry in entries}
    in_short = {(e.group, e.detail.rpartition(", ")[2], e.short) for e in entries}
    assert len(in_short) == len(told_apart) > 2000
    assert max(len(entry.short) for entry in entries) <= 20
