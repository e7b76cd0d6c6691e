"""Asks the model for one stage until a reply meets every requirement or no attempt is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from core.benchmarks.com2.synthesis.prompts import END, Example
from core.benchmarks.com2.synthesis.provenance import Attempt, Journal, Section
from core.benchmarks.com2.synthesis.requirements import check_copied
from core.benchmarks.com2.synthesis.stages import Stage, stage_wording
from core.benchmarks.generation.rejection import Reason, Rejected
from core.benchmarks.generation.reply import Reply, generate, prompt_digest
from core.contract.question import Form
from core.models.protocol import Model

DRAWN = 1
"""Most worked examples of a prompt besides those of its own texts."""
_T = TypeVar("_T")
_LONGEST = 20_000
"""Most characters of a reply."""
AttemptKey = tuple[str, str, int, str]
"""Item, stage, number of the attempt and hash of the prompt."""


def known_replies(journal: Journal) -> dict[AttemptKey, Reply]:
    """The replies that a journal holds."""
    return {
        (line.item, line.stage, line.number, line.prompt): Reply(
            line.output, line.tokens, line.complete
        )
        for line in journal.attempts()
    }


@dataclass(slots=True)
class Asker:
    """A model with the section of the journal that records its replies."""

    model: Model
    form: Form
    section: Section
    now: Callable[[], str]
    """The time to record."""
    tries: int = 3
    seed: int = 0
    examples: Mapping[Stage, Sequence[Example]] = field(default_factory=dict)
    """The pool of further worked examples, by stage."""
    known: Mapping[AttemptKey, Reply] = field(default_factory=dict)
    """The replies that earlier runs of the same folder recorded."""
    asked: str = field(init=False, default="")
    """The stage that was asked last."""

    async def ask(
        self,
        item: str,
        stage: Stage,
        values: Mapping[str, str],
        read: Callable[[str], _T],
        *,
        open_end: bool = False,
        copied: float = 0.0,
    ) -> _T:
        """The value that `read` makes of the first reply that it accepts.

        `read` raises `Rejected` for a reply that does not meet a requirement; the model is told
        why and asked again. A truncated reply is rejected; with `open_end` its complete lines are
        read. `copied` is the largest share of lines that may be copied from the worked examples.
        Raises the last `Rejected` when no attempt is left, and `ModelError`.
        """
        self.asked = stage.value
        wording = stage_wording(stage)
        rejected = Rejected(Reason.UNREADABLE, "It was never asked.")
        reason = ""
        for number in range(1, self.tries + 1):
            drawn = self._drawn(item, stage, number)
            prompt = wording.prompt(values, self.form, reason, drawn)
            key = (item, stage.value, number, prompt_digest(prompt))
            known = self.known.get(key)
            written = known or await generate(
                self.model, prompt, max_tokens=wording.tokens, stop=(f"\n{END}",)
            )
            lead = wording.lead(values) if self.form is Form.BASE else ""
            try:
                text = lead + _whole(written, open_end)
                read_as = read(text)
                check_copied(text, (e.answer for e in (*wording.examples, *drawn)), copied)
            except Rejected as error:
                rejected, reason = error, error.what
                if known is None:
                    self._note(key, written, error)
                continue
            if known is None:
                self._note(key, written, None)
            return read_as
        raise rejected

    def _drawn(self, item: str, stage: Stage, number: int) -> list[Example]:
        """Other examples in every attempt, because a greedy model would repeat its reply."""
        pool = list(self.examples.get(stage, ()))
        return Random(f"{self.seed}:{item}:{stage}:{number}").sample(pool, min(DRAWN, len(pool)))

    def _note(self, key: AttemptKey, written: Reply, error: Rejected | None) -> None:
        self.section.add(
            Attempt(
                *key,
                written.text,
                written.tokens,
                written.complete,
                self.now(),
                error.reason if error else "",
                error.what if error else "",
            )
        )


def _whole(written: Reply, open_end: bool) -> str:
    text = written.text
    if not written.complete and open_end and len(text) <= _LONGEST:
        text = text[: text.rfind("\n") + 1]
    elif not written.complete or len(text) > _LONGEST:
        raise Rejected(Reason.TRUNCATED, "It is too long and was cut.")
    return text.partition(f"\n{END}")[0]
