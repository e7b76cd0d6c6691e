"""A model that repeats recorded answers and can answer no other questions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence

from core.contract.question import Answer, OptionScore, Prompt, Question
from core.models.protocol import Ability, ModelInfo, Token
from core.text.errors import ModelError
from core.text.language import _

Key = tuple[str, str, tuple[str, ...]]
"""Digest, layer and options of a question; ids alone may be the same in another file."""
Record = Mapping[Key, Answer]
REPLAY_PREFIX = "replay:"
"""What the name of a recorded run begins with where a model is named."""


class ReplayModel:
    """A recorded run in place of a model."""

    def __init__(
        self,
        name: str,
        record: Record,
        *,
        source: str = "",
        fingerprint: str = "",
        recorded: str = "",
        demo: bool = False,
        awaits: str = "",
    ) -> None:
        """`record` maps questions to their answers; `recorded` says how they were asked.

        `awaits` is what the model that it stands in for waits for.
        """
        self._record = record
        self.info = ModelInfo(
            name=name,
            source=source or f"{REPLAY_PREFIX}{name}",
            fingerprint=fingerprint or f"{REPLAY_PREFIX}{name}",
            abilities=frozenset({Ability.SCORE}),
            recorded=recorded or name,
            demo=demo,
            awaits=awaits,
        )

    def recorded(self, question: Question) -> Answer | None:
        """The recorded answer to a question; None if it was not asked."""
        return self._record.get((question.digest(), question.layer, question.options))

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Raise `ModelError`: a record knows questions, not prompts."""
        raise self._not_recorded()

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Raise `ModelError`: a record knows questions, not prompts."""
        raise self._not_recorded()

    async def close(self) -> None:
        """Do nothing."""

    def _not_recorded(self) -> ModelError:
        return ModelError(
            _("This is not recorded."),
            where=self.info.source,
            hint=not_recorded_hint(self.info),
        )


def not_recorded_hint(info: ModelInfo) -> str:
    """What to do where a record has no answer."""
    if info.awaits:
        return _("{awaits}. This can be asked once it is there.", awaits=info.awaits)
    return _("A record answers only what was asked then; choose a model that is loaded.")
