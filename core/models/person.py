"""A person in place of a model, whose answers are scored and recorded in the same way.

Xiong et al. (2025) report human performance on Com²; `core.runs.agreement` compares several
people's runs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from string import ascii_uppercase

from core.answers.scoring import shows_letters
from core.contract.question import Answer, OptionScore, Prompt, Question, Scoring
from core.models.protocol import ModelInfo, Token
from core.text.errors import ModelError
from core.text.language import _
from core.text.person_name import LONGEST, shown_name

PERSON_PREFIX = "person:"
Ask = Callable[[Question], Awaitable[tuple[int, ...]]]
"""Shows a question to the person and waits for the indices of the options they pick."""


class PersonModel:
    """Answers what a person picks. Fulfils `core.models.protocol.Answering`."""

    def __init__(self, name: str, ask: Ask) -> None:
        """Raises `ModelError` for a name that is empty, too long or not printable."""
        shown = shown_name(name)
        if not shown:
            raise ModelError(
                _("A person who answers needs a name."),
                where=PERSON_PREFIX,
                hint=_(
                    "Write {prefix}NAME, with at most {most} letters.",
                    prefix=PERSON_PREFIX,
                    most=LONGEST,
                ),
            )
        self._ask = ask
        self.info = ModelInfo(
            name=shown,
            source=f"{PERSON_PREFIX}{shown}",
            fingerprint=f"{PERSON_PREFIX}{shown}",
            abilities=frozenset(),
        )

    async def answer(self, question: Question) -> Answer:
        """What the person picked, as the text that a model would write."""
        picked = await self._ask(question)
        if shows_letters(question):
            names = ", ".join(f"{ascii_uppercase[option]})" for option in picked)
        else:
            names = ", ".join(question.options[option] for option in picked)
        return Answer(text=f"Answer: {names}" if picked else "", scoring=Scoring.GENERATED)

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Raise `ModelError`: a person has no likelihoods."""
        raise self._unable()

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Raise `ModelError`: a person answers questions, not prompts."""
        raise self._unable()

    async def close(self) -> None:
        """Do nothing."""

    def _unable(self) -> ModelError:
        return ModelError(_("A person answers questions only."), where=self.info.source)
