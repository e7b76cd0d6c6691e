"""Detective cases: the criminal of a story, and a puzzle that only one clue solves."""

from __future__ import annotations

from dataclasses import replace

from core.benchmarks.com2.graph import CausalEventGraph, Kind, Rule
from core.benchmarks.com2.item import Case, Com2Item, Option, Scenario, Task
from core.benchmarks.com2.synthesis.item_builder import Draft
from core.benchmarks.com2.synthesis.reply_values import Puzzle
from core.benchmarks.com2.synthesis.requirements import (
    LONGEST_EVENT,
    SINGLE,
    check_distinct,
    check_text,
)
from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Reason, Rejected

QUESTION = "Who is (are) the criminal(s)?"
_LONGEST_NAME = 60
_LONGEST_STORY = 4000
_LONGEST_CRIME = 600
_LEAST_WORDS = 40
_FACTS = range(2, 13)


def read_story(text: str) -> str:
    """Read a story as one paragraph that is long enough to hold facts."""
    story = " ".join(text.split())
    check_text(story, _LONGEST_STORY, "The story")
    if len(story.split()) < _LEAST_WORDS:
        raise Rejected(Reason.TEXT, f"The story has fewer than {_LEAST_WORDS} words.")
    return story


def read_criminal(text: str, story: str) -> str:
    """Read the name of the criminal, which must occur in the story."""
    name = text.strip().rstrip(".")
    check_text(name, _LONGEST_NAME, "The name")
    if normalise(name) not in normalise(story):
        raise Rejected(Reason.CRIMINAL, f"“{name}” is not in the story.")
    return name


def check_puzzle(puzzle: Puzzle, criminal: str) -> None:
    """Require facts without the clue, distinct suspects, and an innocent one suspected first."""
    check_text(puzzle.crime, _LONGEST_CRIME, "The crime")
    check_text(puzzle.clue, LONGEST_EVENT, "The clue")
    for what, texts, allowed in (
        ("fact", puzzle.facts, _FACTS),
        ("suspect", puzzle.suspects, SINGLE),
    ):
        if len(texts) not in allowed:
            raise Rejected(
                Reason.OPTIONS,
                f"There are {len(texts)} {what}s; there must be {allowed[0]} to {allowed[-1]}.",
            )
        for text in texts:
            check_text(text, LONGEST_EVENT, f"A {what}")
        check_distinct(texts, f"The {what}")
    for known in (*puzzle.facts, puzzle.crime):
        if normalise(puzzle.clue) in normalise(known) or normalise(known) in normalise(puzzle.clue):
            raise Rejected(Reason.CLUE, f"The clue must not stand among the facts: “{known}”.")
    if sum(normalise(name) == normalise(criminal) for name in puzzle.suspects) != 1:
        raise Rejected(Reason.CRIMINAL, f"“{criminal}” must be one of the suspects.")
    suspected = ord(puzzle.suspected[:1] or "?") - ord("A")
    if len(puzzle.suspected) != 1 or suspected not in range(len(puzzle.suspects)):
        raise Rejected(Reason.UNREADABLE, "The one suspected first is none of the suspects.")
    if normalise(puzzle.suspects[suspected]) == normalise(criminal):
        raise Rejected(Reason.MISTAKE, "Without the clue somebody innocent must be suspected.")
    if puzzle.because not in range(1, len(puzzle.facts) + 1):
        raise Rejected(Reason.LINK, f"There is no fact {puzzle.because} to suspect them by.")


def build_case(item_id: str, puzzle: Puzzle, criminal: str) -> Com2Item:
    """Build a case: the clue leads to the criminal, its absence to the one suspected first."""
    draft = Draft(Kind.CONCRETE)
    facts = [draft.event(f"f{i}", fact, 1.0) for i, fact in enumerate(puzzle.facts, 1)]
    clue = draft.event("clue", puzzle.clue)
    suspects = [draft.event(f"s{i}", f"{n} did it") for i, n in enumerate(puzzle.suspects, 1)]
    guilty = [normalise(name) for name in puzzle.suspects].index(normalise(criminal))
    blamed = ord(puzzle.suspected) - ord("A")
    fact = facts[puzzle.because - 1]
    draft.link(clue, suspects[guilty])
    draft.link(fact, suspects[blamed])
    draft.link(clue, suspects[blamed])
    draft.group(suspects[blamed], Rule.INHIBITOR, clue)
    task = Task(
        Scenario.INTERVENTION,
        f"It is found that: {puzzle.clue.rstrip('.')}. {QUESTION}",
        tuple(
            Option(name, event=event) for name, event in zip(puzzle.suspects, suspects, strict=True)
        ),
        path=(clue, suspects[guilty]),
        distractors=((fact, suspects[blamed]),),
        do={clue: True},
    )
    case = Case(puzzle.crime, tuple(facts), tuple(suspects), clue)
    return Com2Item(
        item_id, draft.graph(), (task,), title=puzzle.clue, language="en", case=case, hard=True
    )


def join_case(intervention: Com2Item, decision: Com2Item, counterfactual: Com2Item) -> Com2Item:
    """The case with the two other tasks of the hard set, whose course of events it takes over.

    The decision's events are those of the counterfactual's first chain, under the same ids.
    """
    puzzle, course = intervention.graph, counterfactual.graph
    graph = CausalEventGraph(
        (*puzzle.events, *course.events),
        (*puzzle.links, *course.links),
        (*puzzle.groups, *course.groups),
    )
    tasks = (*decision.tasks, *intervention.tasks, *counterfactual.tasks)
    return replace(intervention, graph=graph, tasks=tasks)
