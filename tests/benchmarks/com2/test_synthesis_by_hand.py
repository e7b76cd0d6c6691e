"""Slow thinking from end to end, with answers that were written by hand.

None of the models in `recorded` has written slow thinking that is accepted. That good thinking is
accepted, and where it came from is kept, is shown with a server that gives answers of our own.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import JOURNAL, Synthesis, synthesise
from core.benchmarks.com2.synthesis.provenance import Journal, Outcome
from core.benchmarks.com2.synthesis.reply_reader import ACTIONS
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make, stage_wording
from core.benchmarks.generation.rejection import Reason
from core.benchmarks.generation.reply import prompt_digest
from core.contract.question import Form, Message
from core.models.openai.client import OpenAIModel
from tests.benchmarks.com2.synthesised import ANSWERS
from tests.models.openai.faulty import FaultyServer, Reply, faulty_server

EVENTS = Path(__file__).parent / "recorded" / "events.txt"
KINDS = list(Make)


async def one_item(server: FaultyServer, folder: Path, make: Make) -> Outcome:
    model = await OpenAIModel.connect(server.url)
    outcomes: list[Outcome] = []
    try:
        work = Synthesis(
            model,
            folder,
            Request(make, 1),
            read_shots(EVENTS, make),
            Form.CHAT,
            lambda: "2026-01-01T00:00:00Z",
        )
        await synthesise(work, outcomes.append)
    finally:
        await model.close()
    (outcome,) = outcomes
    return outcome


@pytest.mark.parametrize("make", KINDS)
async def test_thinking_is_taken_after_a_copy_of_the_example_was_sent_back(
    make: Make, tmp_path: Path
) -> None:
    *before, thinking = ANSWERS[make]
    copy = stage_wording(make.stages[-1]).examples[0].answer
    with faulty_server(*(Reply(pieces=(text,)) for text in (*before, copy, thinking))) as server:
        outcome = await one_item(server, tmp_path, make)
    assert outcome.accepted, outcome
    refused, taken = list(Journal(tmp_path / JOURNAL).attempts())[-2:]
    assert refused.stage == taken.stage == make.stages[-1]
    assert (refused.output.strip(), taken.output.strip()) == (copy.strip(), thinking.strip())
    assert Reason(refused.reason)
    assert refused.detail in server.heard[-1]["messages"][-1]["content"]
    (task,) = read_item(tmp_path / f"{outcome.item}.yaml").tasks
    steps = [line for line in thinking.splitlines() if not line.startswith("Answer:")]
    assert task.thinking.splitlines() == steps
    assert all(f"{action}: " in task.thinking for action in ACTIONS)


@pytest.mark.parametrize("make", KINDS)
async def test_every_answer_and_the_file_are_in_the_provenance(make: Make, tmp_path: Path) -> None:
    with faulty_server(*(Reply(pieces=(text,)) for text in ANSWERS[make])) as server:
        outcome = await one_item(server, tmp_path, make)
    journal = Journal(tmp_path / JOURNAL)
    assert journal.plan is not None
    assert journal.plan.model == "tiny"
    assert journal.plan.thinking
    attempts = list(journal.attempts())
    assert [attempt.stage for attempt in attempts] == list(make.stages)
    assert [attempt.output for attempt in attempts] == list(ANSWERS[make])
    assert not any(attempt.reason for attempt in attempts)
    for attempt, heard, stage in zip(attempts, server.heard, make.stages, strict=True):
        turns = tuple(Message(turn["role"], turn["content"]) for turn in heard["messages"])
        assert attempt.prompt == prompt_digest(turns)
        assert journal.plan.wordings[attempt.stage] == stage_wording(stage).digest
    assert list(journal.outcomes()) == [outcome]
    written = (tmp_path / f"{outcome.item}.yaml").read_bytes()
    assert outcome.sha256 == sha256(written).hexdigest()
