"""Log-probabilities of options without a question: the prior that scores are held against.

An option may be likely after any prompt. Its prior is its log-probability after the question's own
wording with "N/A" in the place of the item's texts, the content-free input of Zhao et al. (2021,
"Calibrate Before Use", section 5). The score less the prior is the domain-conditional pointwise
mutual information of Holtzman et al. (2021, "Surface Form Competition", section 3), whose domain
premise is here that wording.

One content-free input is asked, not several as Zhao et al. average, because an empty text leaves
some prompts empty. Worked examples are left out: they differ from question to question, and so
would the priors. The priors of a layer are therefore few, and each is asked once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.contract.question import Form, Prompt, Question, Scoring, Verdict
from core.contract.task_layer import TaskLayer
from core.models.protocol import Ability, Answering, Model, Replaying
from core.runs.asking import prompt_of
from core.runs.questions import QuestionSource
from core.text.errors import ModelError
from core.text.language import _

CONTENT_FREE = "N/A"
_CONTENT = re.compile(r"\S(?:.*\S)?", re.DOTALL)


def content_free(question: Question) -> Question:
    """The question without its item's texts and without worked examples.

    Blanks around a text and texts that are empty stay. Of a question whose wording is not known
    the instruction is kept, and the whole text is replaced.
    """
    if question.template is None:
        return replace(question, text=CONTENT_FREE, shots=())
    parts = {
        name: _CONTENT.sub(CONTENT_FREE, text, count=1) for name, text in question.parts.items()
    }
    template = question.template
    return replace(question, instruction=template.instruction, text=template.fill(parts), shots=())


def has_scored_options(verdict: Verdict) -> bool:
    """Whether a verdict is one of single choice by log-likelihood, whose options have a prior."""
    return (
        verdict.scoring is Scoring.LOGLIKELIHOOD
        and not verdict.multiple
        and 1 < len(verdict.options) == len(verdict.scores)
    )


def check_prior(model: Model, scoring: Scoring | None) -> None:
    """Raise `ModelError` where a model cannot be asked for log-probabilities of options."""
    computes = not isinstance(model, (Replaying, Answering))
    if not computes or Ability.SCORE not in model.info.abilities:
        raise ModelError(
            _("This model gives no log-likelihoods, so its options have no prior."),
            where=model.info.source,
            hint=_("Leave --prior out, or choose a model file."),
        )
    if scoring is not None and scoring.written:
        raise ModelError(
            _("Generated answers have no log-likelihoods, so their options have no prior."),
            where="--prior",
            hint=_("Leave --prior out, or write --scoring log-likelihood."),
        )


@dataclass(slots=True)
class PriorAsker:
    """Asks a model for priors, each of them once."""

    model: Model
    form: Form
    _known: dict[tuple[Prompt, str], float] = field(default_factory=dict)

    def remember(self, question: Question, priors: Sequence[float]) -> None:
        """Take over the recorded priors of a question's options, in the order that it shows."""
        prompt = self._prompt(question)
        for option, prior in zip(question.continuations(), priors, strict=True):
            self._known[prompt, option] = prior

    async def priors(self, question: Question) -> tuple[float, ...]:
        """The log-probability of each option, in the order that is shown; raises `ModelError`."""
        prompt, options = self._prompt(question), question.continuations()
        new = [option for option in dict.fromkeys(options) if (prompt, option) not in self._known]
        if new:
            scores = await self.model.score(prompt, new)
            for option, score in zip(new, scores, strict=True):
                self._known[prompt, option] = score.logprob
        return tuple(self._known[prompt, option] for option in options)

    def _prompt(self, question: Question) -> Prompt:
        return prompt_of(content_free(question), self.form, self.model.info)


def answered_questions(
    source: QuestionSource, layer: TaskLayer, first: int, verdicts: Mapping[int, Verdict]
) -> list[tuple[int, Question]]:
    """The questions of a layer whose answers have scored options, by position in run order.

    `first` is the position of the layer's first question. Those that are another question now than
    when they were answered are left out.
    """
    answered = []
    for seq in sorted(verdicts):
        verdict = verdicts[seq]
        if verdict.layer != layer.id or not has_scored_options(verdict):
            continue
        question = source.question(seq - first, layer)
        if question is not None and question.digest() == verdict.digest:
            answered.append((seq, question))
    return answered
