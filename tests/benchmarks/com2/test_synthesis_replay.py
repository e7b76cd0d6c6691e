"""Recorded sessions with real models, replayed: the same answers meet the same verdicts.

`recorded/README.md` says which models they are and how another session is recorded.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import pytest

from core.benchmarks.com2.collection import open_items
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import JOURNAL, Synthesis, synthesise
from core.benchmarks.com2.synthesis.provenance import Attempt, Journal, Outcome, Plan
from core.benchmarks.com2.synthesis.reply_reader import ACTIONS
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make, Stage, stage_wording
from core.benchmarks.generation.rejection import Reason
from core.contract.question import Form, OptionScore, Prompt
from core.models.protocol import Ability, ModelInfo, Token

RECORDED = Path(__file__).parent / "recorded"
SESSIONS = sorted(RECORDED.glob("*.jsonl"))


class Recorded:
    """A model that says again, in order, what a real one said. Fulfils `Model`."""

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        self._answers = iter(attempts)
        self.info = ModelInfo("recorded", "recorded", "recorded", frozenset({Ability.GENERATE}))

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        raise NotImplementedError

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        answer = next(self._answers)
        yield Token(answer.output, cut=not answer.complete)

    async def close(self) -> None:
        pass


def session(path: Path) -> tuple[Plan, list[Attempt], list[Outcome]]:
    journal = Journal(path)
    assert journal.plan is not None
    return journal.plan, list(journal.attempts()), list(journal.outcomes())


async def replay(path: Path, folder: Path) -> list[Outcome]:
    """What becomes of a session's answers in the stages as they are now."""
    plan, attempts, outcomes = session(path)
    make = Make(plan.kind)
    work = Synthesis(
        Recorded(attempts),
        folder,
        Request(make, len(outcomes), plan.seed, plan.tries, plan.thinking),
        read_shots(RECORDED / "events.txt", make),
        Form(plan.form),
        lambda: "",
    )
    again: list[Outcome] = []
    await synthesise(work, again.append)
    return again


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
async def test_the_same_answers_get_the_same_verdicts(path: Path, tmp_path: Path) -> None:
    plan, attempts, outcomes = session(path)
    again = await replay(path, tmp_path)
    replayed = list(Journal(tmp_path / JOURNAL).attempts())
    assert [(a.item, a.stage, a.number, a.reason, a.detail) for a in replayed] == [
        (a.item, a.stage, a.number, a.reason, a.detail) for a in attempts
    ]
    assert [(o.item, o.accepted, o.stage, o.reason) for o in again] == [
        (o.item, o.accepted, o.stage, o.reason) for o in outcomes
    ]
    # Where nobody has edited a wording since, the prompts are the very same, too.
    unedited = [
        s for s, digest in plan.wordings.items() if stage_wording(Stage(s)).digest == digest
    ]
    for old, new in zip(attempts, replayed, strict=True):
        assert old.stage not in unedited or old.prompt == new.prompt


async def test_accepted_items_open_as_a_collection_and_derive_their_answers(
    tmp_path: Path,
) -> None:
    opened = 0
    for path in SESSIONS:
        plan, attempts, _ = session(path)
        accepted = [o for o in await replay(path, tmp_path / path.stem) if o.accepted]
        if not accepted:
            assert not list((tmp_path / path.stem).glob("*.yaml"))
            continue
        collection = open_items(tmp_path / path.stem)
        assert len(collection) == len(accepted)
        for index, outcome in enumerate(accepted):
            item = collection.item(index)
            file = tmp_path / path.stem / f"{outcome.item}.yaml"
            assert sha256(file.read_bytes()).hexdigest() == outcome.sha256
            (task,) = item.tasks
            (right,) = derive(item, task).gold or ()
            # Question and thinking, the last answers of an item, end with the option.
            (*_, last) = (a for a in attempts if a.item == outcome.item)
            assert last.output.rstrip().endswith(f"Answer: {'ABCDEF'[right]}")
            assert task.options[right].event == task.path[-1]
            assert len(task.path) == 5
            assert bool(task.thinking) is plan.thinking
            assert all(f"{action}: " in task.thinking for action in ACTIONS if plan.thinking)
            opened += 1
    assert opened >= 1


def test_at_least_twenty_items_are_rejected_for_several_reasons() -> None:
    outcomes = [outcome for path in SESSIONS for outcome in session(path)[2]]
    rejected = [outcome for outcome in outcomes if not outcome.accepted]
    assert len(rejected) >= 20
    assert len({Reason(outcome.reason) for outcome in rejected}) >= 4
    assert all(outcome.detail and Stage(outcome.stage) for outcome in rejected)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_the_provenance_is_complete(path: Path) -> None:
    plan, attempts, outcomes = session(path)
    assert plan.model
    assert plan.source
    assert plan.fingerprint
    assert plan.parameters > 0
    assert set(plan.wordings) == {stage.value for stage in Make(plan.kind).stages}
    for digest in (*plan.wordings.values(), plan.shots, *(a.prompt for a in attempts)):
        assert re.fullmatch("[0-9a-f]{64}", digest)
    for (_, stage), group in groupby(attempts, lambda a: (a.item, a.stage)):
        tries = list(group)
        assert [a.number for a in tries] == list(range(1, len(tries) + 1))
        assert len(tries) <= plan.tries
        assert Stage(stage) in Make(plan.kind).stages
        # Everything before the last try was rejected, for a reason that is told.
        assert all(Reason(a.reason) and a.detail for a in tries[:-1])
    for line in (*attempts, *outcomes):
        assert datetime.fromisoformat(line.time).tzinfo is not None
