"""Results of reading and changing a model's transformer blocks, as plain values.

Nothing here depends on how a model runs. A reading of a middle block is a projection of the
residual stream onto the vocabulary (logit lens, nostalgebraist 2020), not a belief; a trace
(causal tracing, Meng et al. 2022, section 2) is about one pair of prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec

from core.contract.question import OptionScore
from core.text.language import N_

MIN_MARGIN_DIFFERENCE = 1.0
"""Nats by which the margins of two prompts must differ for a share of them to mean anything.

Over a smaller difference, small effects become shares far beyond 0 and 1."""


SELF_TEST_TOLERANCE = 0.05
"""Largest difference, in logits and nats, that watching may make where an accelerator computes.

An accelerator may use other kernels for nodes that are watched, and these round differently. Two
options that are each off by this much are 0.1 nat apart, which counts as a near tie anyhow
(`core.blocks.calibration`). On a processor there is no difference at all.
"""


class Unreadable(StrEnum):
    """Why a model's blocks cannot be read."""

    NAMES = "names"
    """llama.cpp does not name the residual stream in this architecture."""
    CAPTURE = "capture"
    """Capturing activations changes what the model computes."""
    LENS = "lens"
    """The last block's residual stream, projected, is not the model's own output."""
    NUMBERS = "numbers"
    """The model computes NaN."""
    MEMORY = "memory"
    """There is too little memory for a second context."""


class Part(StrEnum):
    """A part of a block that can be read or changed."""

    RESIDUAL = N_("residual")
    """The residual stream after the block."""
    ATTENTION = N_("attention")
    """What attention adds to the residual stream."""
    FEED_FORWARD = N_("feed-forward")
    """What the feed-forward network adds to the residual stream."""
    HEAD = N_("head")
    """One head's output, before the output projection (W_O)."""


class Action(StrEnum):
    """A change to a part of a block."""

    ZERO = "zero"
    SKIP = "skip"
    """The block adds nothing to the residual stream; only for `Part.RESIDUAL`."""
    ADD = "add"
    """A vector is added."""
    COPY = "copy"
    """The activation of the contrast run at the same positions replaces it."""
    MEAN = "mean"
    """Its mean over other prompts replaces it, their tokens being counted from their ends."""
    RESAMPLE = "resample"
    """What it is in the first of the other prompts replaces it, counted in the same way."""


@dataclass(frozen=True, slots=True)
class BlockNeeds:
    """Memory for reading the blocks, in bytes, in addition to the model."""

    context: int
    """For the second context, while it is open."""
    captured: int
    """Limit of the captured activations; a request that needs more is refused."""


@dataclass(frozen=True, slots=True)
class BlockAccess:
    """What can be read of a model's blocks, according to a check of the loaded model."""

    blocks: int
    heads: int = 0
    """Attention heads of a block; 0 if not known."""
    width: int = 0
    """Numbers in the residual stream at one position; 0 if not known."""
    parts: frozenset[Part] = frozenset()
    """The parts that can be changed in every block."""
    attribution: bool = False
    """Whether the residual stream between attention and feed-forward can be read."""
    attention: bool = False
    """Whether attention weights can be read."""
    unreadable: Unreadable | None = None
    """Why nothing can be read; None if it can."""
    reason: str = ""
    """The same as a sentence."""
    head_width: int = 0
    """Width of a head's output at one position; 0 if heads cannot be changed."""
    deviation: float = 0.0
    """The largest difference that watching made in the check, in logits and nats: 0 on a
    processor, up to `SELF_TEST_TOLERANCE` on an accelerator."""


@dataclass(frozen=True, slots=True)
class PromptToken:
    """A token of a prompt up to the answer position."""

    data: bytes
    """The UTF-8 bytes it stands for; none for a control token."""
    name: str
    """How the vocabulary writes it."""


@dataclass(frozen=True, slots=True)
class Guess:
    """One of the likeliest tokens of a projection."""

    text: str
    logprob: float
    """Natural-log probability."""


OptionRows = tuple[tuple[float, ...], ...]
"""Log-likelihoods in nats, or differences of them, (blocks, options)."""


@dataclass(frozen=True, slots=True)
class BlockReading:
    """Options scored after every block, as if it were the last (logit lens)."""

    scores: tuple[tuple[OptionScore, ...], ...]
    """(blocks, options). The last row is the model's own, bit for bit what `score` returns."""
    guesses: tuple[tuple[Guess, ...], ...]
    """The likeliest tokens after every block where options begin, (blocks, a few): at the answer
    position, or behind blanks that all options begin with."""
    rounding: float
    """How far the projection of the last row in a batch with the others is from the model's own,
    in nats: what the shape of a batch does to the other rows."""

    @property
    def logprobs(self) -> OptionRows:
        """The log-likelihoods alone."""
        return tuple(tuple(score.logprob for score in row) for row in self.scores)

    def leading(self) -> tuple[int | None, ...]:
        """The option that leads after every block; see `leader`."""
        return tuple(map(leader, self.scores))


class Trajectory(StrEnum):
    """How an option's lead changes from block to block."""

    WINS = "wins"
    """It leads at the end."""
    NEVER = N_("never led")
    LOST = N_("led, then lost")
    TIE = N_("tie at the end")


def prediction_depth(leading: Sequence[object]) -> int | None:
    """The first block from which on the final leader leads; None for a tie at the end.

    `leading` has for every block what leads, of any kind that can be compared, and None for a tie.
    """
    if not leading or leading[-1] is None:
        return None
    block = len(leading) - 1
    while block and leading[block - 1] == leading[-1]:
        block -= 1
    return block


def trajectory(leading: Sequence[object], option: object) -> tuple[Trajectory, int | None]:
    """The trajectory of an option, and the last block after which it led.

    `leading` is as in `prediction_depth`.
    """
    led = [block for block, first in enumerate(leading) if first == option]
    last = led[-1] if led else None
    if leading and leading[-1] == option:
        return Trajectory.WINS, last
    if leading and leading[-1] is None:
        return Trajectory.TIE, last
    return (Trajectory.NEVER if last is None else Trajectory.LOST), last


@dataclass(frozen=True, slots=True)
class PositionReading:
    """Every block's prediction of the next token at one position (logit lens)."""

    position: int
    """Index of the prompt's token, from 0."""
    logprobs: tuple[tuple[float, ...], ...]
    """Natural-log probability of each option's first token, (blocks, options); blanks that all
    options begin with are passed over."""
    guesses: tuple[tuple[Guess, ...], ...]
    """The likeliest next tokens, (blocks, a few)."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """The contribution of each part to the margin of one option over another, in logits.

    Direct logit attribution (Elhage et al. 2021): the residual stream is the sum of what the
    parts add to it, and the projection is linear once the last normalisation's scale is fixed.
    """

    margin: float
    """The model's own: logit of the first option's token less that of the second's."""
    embedding: float
    attention: tuple[float, ...]
    """One for each block."""
    feed_forward: tuple[float, ...]
    """One for each block."""
    constant: float
    """What the biases add, the same for every prompt."""
    compared: tuple[str, str]
    """The tokens whose logits are compared: the first in which the options differ."""
    capped: bool = False
    """Whether the model applies a softcap to its logits; these figures are before it."""

    @property
    def deviation(self) -> float:
        """Sum of the parts minus the margin: rounding error, mostly of quantised weights."""
        parts = self.embedding + sum(self.attention) + sum(self.feed_forward) + self.constant
        return parts - self.margin


@dataclass(frozen=True, slots=True)
class HeadAttribution:
    """What each head of each block adds to the margin, in logits."""

    whole: Attribution
    """The same of whole parts."""
    heads: tuple[tuple[float, ...], ...]
    """(blocks, heads); empty where single heads were not asked for."""

    @property
    def rest(self) -> tuple[float, ...]:
        """What attention of each block adds beside its heads: its bias, and rounding."""
        pairs = zip(self.whole.attention, self.heads, strict=True)
        return tuple(attention - sum(heads) for attention, heads in pairs)


AttentionPath = tuple[int, int, int]
"""A query position of the prompt, and the range of key tokens up to it: (position, start, stop)."""


@dataclass(frozen=True, slots=True)
class AttentionReading:
    """The attention weights of one block's heads from the answer position."""

    block: int
    weights: tuple[tuple[float, ...], ...]
    """(heads, tokens of the prompt); each head's sum is 1, or less with an attention sink."""
    path_weights: tuple[tuple[float, ...], ...] = ()
    """(heads, paths): each head's weight on the tokens of each requested path."""


EMBEDDING = -1
"""In the place of a block: the residual stream before the first one."""


@dataclass(frozen=True, slots=True)
class CapturedStates:
    """The residual stream after some blocks at some positions, and what the options score."""

    scores: tuple[OptionScore, ...]
    positions: tuple[int, ...]
    """Positions of the prompt, as requested, counted from 0."""
    data: bytes
    """32-bit little-endian numbers, (positions, blocks as requested, width)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to what a block computes at the positions from `start` up to `stop`."""

    action: Action
    part: Part
    block: int
    start: int
    stop: int
    head: int | None = None
    """Which head, for `Part.HEAD`."""
    vector: tuple[float, ...] = ()
    """What `Action.ADD` adds: as wide as the part."""
    shift: int = 0
    """For `Action.COPY`: the position in the run that is copied from, less that in the changed."""


@dataclass(frozen=True, slots=True)
class PatchResult:
    """Options scored with and without edits, in batches of the same shape."""

    plain: tuple[OptionScore, ...]
    patched: tuple[OptionScore, ...]
    replaced: int = 0
    """At how many tokens `Action.MEAN` and `Action.RESAMPLE` replaced something."""


class PlainRun(msgspec.Struct, frozen=True, tag=True):
    """Options scored with every head as it is, before heads are changed one at a time."""

    scores: tuple[OptionScore, ...]


class ChangedHead(msgspec.Struct, frozen=True, tag=True):
    """Options scored with one head changed."""

    block: int
    head: int
    scores: tuple[OptionScore, ...]


@dataclass(frozen=True, slots=True)
class PatchedEach:
    """Options scored without edits, and with each edit alone."""

    plain: tuple[OptionScore, ...]
    patched: tuple[tuple[OptionScore, ...], ...]
    """For each edit, in the order given."""


class TraceBase(msgspec.Struct, frozen=True, tag=True):
    """The two runs that a trace compares."""

    prompt: tuple[OptionScore, ...]
    contrast: tuple[OptionScore, ...]

    def margins(self, first: int, second: int) -> tuple[float, float]:
        """Log-likelihood of one option less that of another, with the prompt and its contrast
        prompt."""
        return margin(self.prompt, first, second), margin(self.contrast, first, second)

    def margins_differ(self, first: int, second: int) -> bool:
        """Whether the margins differ enough for shares of their difference."""
        prompt_margin, contrast_margin = self.margins(first, second)
        return abs(prompt_margin - contrast_margin) >= MIN_MARGIN_DIFFERENCE


class TraceCell(msgspec.Struct, frozen=True, tag=True):
    """The contrast run with one span of one block copied from the prompt's."""

    block: int
    span: int
    """Index of the requested span."""
    scores: tuple[OptionScore, ...]


def leader(scores: Sequence[OptionScore]) -> int | None:
    """The option with the highest log-likelihood; None for a tie and where none has a number.

    A score that is not a number never leads, as it never wins
    (`core.contract.question.score_by_likelihood`).
    """
    numbers = [score.logprob for score in scores]
    best = max((number for number in numbers if number == number), default=None)
    return numbers.index(best) if best is not None and numbers.count(best) == 1 else None


def margin(scores: Sequence[OptionScore], first: int, second: int) -> float:
    """Log-likelihood of one option less that of another, in nats."""
    return scores[first].logprob - scores[second].logprob
