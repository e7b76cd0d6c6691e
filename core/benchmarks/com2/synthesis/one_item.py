"""One item, made with a model stage by stage."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from core.benchmarks.com2.item import Com2Item, letter
from core.benchmarks.com2.synthesis.attempts import Asker
from core.benchmarks.com2.synthesis.cases import (
    build_case,
    check_puzzle,
    join_case,
    read_criminal,
    read_story,
)
from core.benchmarks.com2.synthesis.formatting import lettered, numbered, question_values
from core.benchmarks.com2.synthesis.item_builder import build, right_options
from core.benchmarks.com2.synthesis.provenance import Outcome
from core.benchmarks.com2.synthesis.reply_reader import (
    read_asked,
    read_chains,
    read_puzzle,
    read_thinking,
)
from core.benchmarks.com2.synthesis.reply_values import Chains
from core.benchmarks.com2.synthesis.requirements import (
    check_about,
    check_asked,
    check_chains,
    check_thinking,
)
from core.benchmarks.com2.synthesis.stages import CHAIN_NAMES, Make, Stage
from core.benchmarks.com2.writer import write_item
from core.benchmarks.generation.rejection import Rejected

COPIED = 0.5
"""Largest share of the lines of slow thinking that may be copied from a worked example."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request for items."""

    make: Make
    count: int
    """Number of items to try, including those that will be rejected."""
    seed: int = 0
    tries: int = 3
    """Most replies for one stage of an item."""
    thinking: bool = True
    """Whether slow thinking is made too; a small model seldom gets that far."""


async def keep_item(
    making: Awaitable[Com2Item], asker: Asker, item_id: str, folder: Path
) -> Outcome:
    """Write an item as a YAML file of a folder, and record its outcome: kept or rejected."""
    try:
        item = await making
    except Rejected as error:
        outcome = Outcome(item_id, False, asker.now(), asker.asked, error.reason, error.what)
    else:
        digest = write_item(folder / f"{item_id}.yaml", item)
        outcome = Outcome(item_id, True, asker.now(), sha256=digest)
    asker.section.add(outcome)
    return outcome


async def make_scenario(
    asker: Asker, item_id: str, request: Request, root: str, rng: Random
) -> Com2Item:
    """Chains, graph, question and thinking for an event."""
    make = request.make

    def read_proposal(text: str) -> Chains:
        chains = read_chains(text, CHAIN_NAMES[make])
        check_chains(chains, make, root)
        return chains

    chains = await asker.ask(item_id, Stage(f"chain-{make}"), {"root": root}, read_proposal)

    return await _asked(asker, item_id, request, make, chains, rng)


async def make_case(
    asker: Asker, item_id: str, request: Request, root: str, rng: Random
) -> Com2Item:
    """Story, criminal, puzzle and thinking."""
    story = await asker.ask(item_id, Stage.STORY, {"event": root}, read_story)
    return await _puzzle(asker, item_id, request, story, rng)


async def make_own_case(
    asker: Asker, item_id: str, request: Request, story: str, rng: Random
) -> Com2Item:
    """The three tasks of the hard set for a person's own story."""
    intervention = await _puzzle(asker, item_id, request, story, rng)

    def read_course(text: str) -> Chains:
        chains = read_chains(text, CHAIN_NAMES[Make.COUNTERFACTUAL])
        check_chains(chains, Make.COUNTERFACTUAL, chains.chains[0].events[0])
        return chains

    course = await asker.ask(item_id, Stage.CASE_COURSE, {"story": story}, read_course)
    crime = Chains(course.chains[:1])
    decision = await _asked(asker, item_id, request, Make.DECISION, crime, rng)
    counterfactual = await _asked(asker, item_id, request, Make.COUNTERFACTUAL, course, rng)
    return join_case(intervention, decision, counterfactual)


async def _puzzle(
    asker: Asker, item_id: str, request: Request, story: str, rng: Random
) -> Com2Item:
    """Criminal, puzzle and thinking."""
    criminal = await asker.ask(
        item_id, Stage.CRIMINAL, {"story": story}, lambda text: read_criminal(text, story)
    )

    def read_case(text: str) -> Com2Item:
        puzzle = read_puzzle(text)
        check_puzzle(puzzle, criminal)
        return build_case(item_id, puzzle, criminal)

    values = {"story": story, "criminal": criminal}
    item = await asker.ask(item_id, Stage.PUZZLE, values, read_case)
    if not request.thinking:
        return item
    assert item.case is not None
    texts = {event.id: event.text for event in item.graph.events}
    more = {
        "crime": item.case.crime,
        "facts": numbered([texts[fact] for fact in item.case.facts]),
        "clue": texts[item.case.clue],
    }
    return await _think(asker, item, Stage.CASE_THINKING, more, rng)


async def _asked(
    asker: Asker, item_id: str, request: Request, make: Make, chains: Chains, rng: Random
) -> Com2Item:
    """Graph, question and thinking for given chains."""

    def read_question(text: str) -> Com2Item:
        asked = read_asked(text)
        check_asked(asked, make, chains)
        return build(item_id, make, chains, asked)

    values = question_values(chains, make)
    item = await asker.ask(item_id, Stage(f"question-{make}"), values, read_question)
    if not request.thinking:
        return item
    return await _think(asker, item, Stage.THINKING, {"chains": values["chains"]}, rng)


async def _think(
    asker: Asker, item: Com2Item, stage: Stage, more: dict[str, str], rng: Random
) -> Com2Item:
    """Add slow thinking that makes a mistake first.

    The mistake is an option that is misleading in the graph, where there is one.
    """
    (task,) = item.tasks
    right = right_options(item)
    options = [option.text for option in task.options]
    wrong = [i for i in range(len(options)) if i not in right]
    misleading = [i for i in wrong if task.options[i].event or task.options[i].prevents]
    blamed = {chain[-1] for chain in task.distractors}
    misleading = [i for i in misleading if task.options[i].event in blamed] or misleading
    values = {
        "question": task.question,
        "options": lettered(options),
        "answer": ", ".join(letter(i) for i in sorted(right)),
        "wrong": letter(rng.choice(misleading or wrong)),
        **more,
    }

    def read(text: str) -> str:
        thinking = read_thinking(text)
        check_thinking(thinking, options, right)
        if stage is Stage.THINKING:
            check_about(thinking, item.graph.event(item.graph.roots[0]).text)
        return "\n".join(f"{step.action}: {step.text}" for step in thinking.steps)

    thinking = await asker.ask(item.id, stage, values, read, copied=COPIED)
    return replace(item, tasks=(replace(task, thinking=thinking),))
