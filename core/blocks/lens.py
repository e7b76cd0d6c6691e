"""A question's options after every block: which leads, prediction depth, and trajectory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.blocks.calibration import CalibratedLens
from core.contract.question import (
    Answer,
    OptionScore,
    Prompt,
    Question,
    Status,
    score_by_likelihood,
    shares,
)
from core.models.blocks import BlockReading, Trajectory, prediction_depth, trajectory
from core.text.language import N_, _

if TYPE_CHECKING:
    from core.models.block_requests import Blocks
    from core.models.protocol import Model

PROJECTION = N_(
    "Logit lens: what each block's output would say if it were the last. A reading of a middle "
    "block is a projection, not a belief."
)
COUNTED_FROM_0 = N_("Blocks count from 0.")


@dataclass(frozen=True, slots=True)
class LensTable:
    """Options by blocks, blocks counted from 0."""

    question: Question
    reading: BlockReading
    final: tuple[OptionScore, ...]
    """The scores of a plain request."""
    content_free: BlockReading | None = None
    """The same options after the prompt without the item's content; None where not read."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.reading.scores)

    @property
    def leading(self) -> tuple[int | None, ...]:
        """The option that leads after each block; None for a tie and without numbers."""
        return self.reading.leading()

    @property
    def answers(self) -> tuple[tuple[int, ...] | None, ...]:
        """The answer of each block's output; None for a tie and without numbers.

        It is one option, or in multiple select all that `score_by_likelihood` picks.
        """
        if not self.question.multiple:
            return tuple(None if option is None else (option,) for option in self.leading)
        verdicts = (score_by_likelihood(self.question, Answer(row)) for row in self.reading.scores)
        return tuple(
            verdict.answers if verdict.status is Status.OK else None for verdict in verdicts
        )

    @property
    def prediction_depth(self) -> int | None:
        """The first block from which on the final answer leads; None for a tie at the end."""
        return prediction_depth(self.answers)

    @property
    def gold(self) -> int | None:
        """The right option, the first if there are several; None if it is not known."""
        return next(iter(self.question.right_options), None)

    @property
    def trajectory(self) -> tuple[Trajectory, int | None] | None:
        """The trajectory of the right answer, and the last block after which it led.

        In multiple select the right answer is the exact set of right options. None without gold.
        """
        golds = tuple(sorted(self.question.right_options))
        return trajectory(self.answers, golds) if golds else None

    @property
    def calibrated(self) -> CalibratedLens | None:
        """The lens beyond the options' prior; None in multiple select and where no prior was read.

        `prediction_depth` and `trajectory` of this table are those of the raw lens.
        """
        if self.content_free is None or self.question.multiple:
            return None
        return CalibratedLens(self.reading.logprobs, self.content_free.logprobs, self.gold)

    @property
    def deviation(self) -> float:
        """The largest difference, in nats, between the last block's row and the plain request.

        Equal infinities differ by 0; the result is NaN where either is no number.
        """
        pairs = zip(self.reading.scores[-1], self.final, strict=True)
        differences = [
            0.0
            if lens_score.logprob == plain_score.logprob
            else abs(lens_score.logprob - plain_score.logprob)
            for lens_score, plain_score in pairs
        ]
        return max(differences, key=lambda gap: (gap != gap, gap), default=0.0)

    def shares(self) -> tuple[tuple[float, ...], ...]:
        """The options' probabilities, normalised over the options, (blocks, options)."""
        return tuple(shares(row) for row in self.reading.scores)

    def outcome(self) -> str:
        """Prediction depth and trajectory in a sentence: beyond the prior, where that was read."""
        lens = self.calibrated
        if lens is None:
            return self.raw_outcome()
        if lens.withheld is not None:
            return _("How the answer came about is not shown: {why}.", why=_(lens.withheld))
        sentence = _outcome(lens.prediction_depth, lens.trajectory)
        return _("Beyond the prior: {sentence}", sentence=sentence)

    def raw_outcome(self) -> str:
        """Prediction depth and trajectory of the raw lens in a sentence."""
        return _outcome(self.prediction_depth, self.trajectory)


async def read_lens(
    model: Model,
    blocks: Blocks,
    question: Question,
    prompt: Prompt,
    content_free: Prompt | None = None,
) -> LensTable:
    """Score the options of a question after every block; raises `ModelError`.

    `content_free` is the prompt without the item's content, `core.runs.priors.content_free`; left
    out, there is the raw lens only.
    """
    options = question.continuations()
    final = await model.score(prompt, options)
    reading = await blocks.read(prompt, options)
    prior = None if content_free is None else await blocks.read(content_free, options)
    return LensTable(question, reading, final, prior)


def _outcome(depth: int | None, gold_trajectory: tuple[Trajectory, int | None] | None) -> str:
    end = _("A tie at the end")
    if depth is not None:
        end = _("Settles at block {block}", block=depth)
    if gold_trajectory is None:
        return _("{end}; there is no gold answer.", end=end)
    kind, last = gold_trajectory
    if kind is Trajectory.WINS:
        sentence = _("{end}, right.")
    elif kind is Trajectory.NEVER:
        sentence = _("{end}, wrong: the right answer never led.")
    elif kind is Trajectory.LOST:
        sentence = _("{end}, wrong: the right answer led until block {block}, then lost.")
    elif last is None:
        sentence = _("{end}: it never led before.")
    else:
        sentence = _("{end}: the right answer last led at block {block}.")
    return sentence.format(end=end, block=last)
