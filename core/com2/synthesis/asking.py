"""Asks the model for one stage until its answer meets every requirement, or the tries are spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from typing import TypeVar

import msgspec

from core.com2.synthesis.provenance import Attempt, Journal
from core.com2.synthesis.rejection import Reason, Rejected
from core.com2.synthesis.stages import Stage, stage_wording
from core.com2.synthesis.wording import END, Example
from core.models.protocol import Model
from core.question import Form, Prompt

DRAWN = 1
"""Most worked examples that a prompt has besides those of its wording."""
_T = TypeVar("_T")
_LONGEST = 20_000
"""Most characters of an answer that are read."""


@dataclass(frozen=True, slots=True)
class Written:
    """What the model wrote after a prompt."""

    text: str
    tokens: int
    complete: bool


@dataclass(slots=True)
class Asker:
    """A model with the journal that everything it says goes into."""

    model: Model
    form: Form
    journal: Journal
    now: Callable[[], str]
    """The time, as it is written down."""
    tries: int = 3
    seed: int = 0
    examples: Mapping[Stage, Sequence[Example]] = field(default_factory=dict)
    """What worked examples are drawn from, besides those of the wording."""
    _known: dict[str, Written] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for line in self.journal.attempts():
            self._known[line.prompt] = Written(line.output, line.tokens, line.complete)
        self._noted = {(a.item, a.stage, a.number, a.prompt) for a in self.journal.attempts()}

    _noted: set[tuple[str, str, int, str]] = field(default_factory=set)

    async def ask(
        self,
        item: str,
        stage: Stage,
        values: Mapping[str, str],
        read: Callable[[str], _T],
        *,
        open_end: bool = False,
    ) -> _T:
        """What `read` makes of the first answer that it accepts.

        `read` raises `Rejected` for an answer that does not meet a requirement; the model is told
        why and asked again. An answer that a limit cut is rejected, but with `open_end`, of a list
        without an end, its whole lines are read. Raises the last `Rejected` when the tries are
        spent, and `ModelError`.
        """
        wording = stage_wording(stage)
        rejected = Rejected(Reason.UNREADABLE, "It was never asked.")
        reason = ""
        for number in range(1, self.tries + 1):
            drawn = self._drawn(item, stage, number)
            prompt = wording.prompt(values, self.form, reason, drawn)
            digest = prompt_digest(prompt)
            written = await self._written(digest, prompt, wording.tokens)
            lead = wording.lead(values) if self.form is Form.BASE else ""
            try:
                read_as = read(lead + _whole(written, open_end))
            except Rejected as error:
                rejected, reason = error, error.what
                self._note(item, stage, number, digest, written, error)
                continue
            self._note(item, stage, number, digest, written, None)
            return read_as
        raise rejected

    def _drawn(self, item: str, stage: Stage, number: int) -> list[Example]:
        """Other examples in every try: a greedy model would only say the same again."""
        pool = list(self.examples.get(stage, ()))
        return Random(f"{self.seed}:{item}:{stage}:{number}").sample(pool, min(DRAWN, len(pool)))

    async def _written(self, digest: str, prompt: Prompt, most: int) -> Written:
        """What the model writes, or wrote when it was asked the same before."""
        if digest not in self._known:
            pieces: list[str] = []
            complete = True
            writing = self.model.generate(prompt, max_tokens=most, stop=(f"\n{END}",))
            async with aclosing(writing) as tokens:
                async for token in tokens:
                    pieces.append(token.text)
                    complete = not token.cut
            self._known[digest] = Written("".join(pieces), len(pieces), complete)
        return self._known[digest]

    def _note(
        self,
        item: str,
        stage: Stage,
        number: int,
        digest: str,
        written: Written,
        error: Rejected | None,
    ) -> None:
        if (item, stage, number, digest) in self._noted:
            return
        self._noted.add((item, stage, number, digest))
        self.journal.add(
            Attempt(
                item,
                stage,
                number,
                digest,
                written.text,
                written.tokens,
                written.complete,
                self.now(),
                error.reason if error else "",
                error.what if error else "",
            )
        )


def _whole(written: Written, open_end: bool) -> str:
    text = written.text
    if not written.complete and open_end:
        text = text[: text.rfind("\n") + 1]
    elif not written.complete or len(text) > _LONGEST:
        raise Rejected(Reason.TRUNCATED, "It is too long and was cut.")
    return text.partition(f"\n{END}")[0]


def prompt_digest(prompt: Prompt) -> str:
    """SHA-256 of a prompt as the model gets it, turns as JSON."""
    turns = prompt if isinstance(prompt, str) else [[turn.role, turn.content] for turn in prompt]
    return sha256(msgspec.json.encode(turns)).hexdigest()
