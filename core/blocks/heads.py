"""Heads by blocks: what each adds to a margin, and what changing each does to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from core.blocks.heatmaps import about_model, titled
from core.blocks.sentences import option_names
from core.contract.question import Form, OptionScore, Question
from core.layout.heatmap import HeatMap, HeatRow
from core.models.blocks import ChangedHead, PlainRun, margin
from core.models.protocol import ModelInfo
from core.text.language import N_, _, fill

LEAST_FULL = 0.1
"""The least figure that fills a cell: where all are tiny, none looks large."""


class HeadFigure(StrEnum):
    """What a map of heads shows."""

    ADDED = N_("what each head adds (direct logit attribution)")
    ZEROED = N_("each head zeroed")
    COPIED = N_("each head as in the contrast prompt")


_MEANINGS = {
    HeadFigure.ADDED: N_(
        "Each cell: what the head adds to the margin at the answer position, in logits, the last "
        "norm's scale being fixed. What it does to later blocks is counted there."
    ),
    HeadFigure.ZEROED: N_(
        "Each cell: the change of the margin, in nats, when that head of that block gives nothing "
        "at any token of the prompt. Zero is no value that the model knows, so it may harm more "
        "than what the head says."
    ),
    HeadFigure.COPIED: N_(
        "Each cell: the change of the margin, in nats, when that head of that block gives what it "
        "gives in the contrast prompt, wherever the two can be compared."
    ),
}


def answer_and_rival(scores: Sequence[OptionScore], gold: int | None) -> tuple[int, int] | None:
    """The answer and the option to compare it with: the right one, or else the runner-up.

    None if fewer than two options have a score.
    """
    ranked = sorted(
        (option for option, score in enumerate(scores) if score.logprob == score.logprob),
        key=lambda option: -scores[option].logprob,
    )
    if len(ranked) < 2:
        return None
    return ranked[0], gold if gold is not None and gold != ranked[0] else ranked[1]


@dataclass(slots=True)
class HeadTable:
    """The effects of changing heads, filled one head at a time."""

    compared: tuple[int, int]
    """The options of the margin."""
    blocks: int
    heads: int
    plain: PlainRun | None = None
    _changed: dict[tuple[int, int], ChangedHead] = field(default_factory=dict)

    def add(self, reply: PlainRun | ChangedHead) -> None:
        """Add a reply of `Blocks.change_heads`."""
        if isinstance(reply, PlainRun):
            self.plain = reply
        else:
            self._changed[reply.block, reply.head] = reply

    @property
    def done(self) -> int:
        """How many heads are known."""
        return len(self._changed)

    @property
    def figures(self) -> tuple[tuple[float | None, ...], ...]:
        """The change of the margin in nats, (blocks, heads); None where it is not known yet."""
        return tuple(
            tuple(self._effect(block, head) for head in range(self.heads))
            for block in range(self.blocks)
        )

    def _effect(self, block: int, head: int) -> float | None:
        changed = self._changed.get((block, head))
        if changed is None or self.plain is None:
            return None
        return margin(changed.scores, *self.compared) - margin(self.plain.scores, *self.compared)


def heads_map(
    question: Question,
    compared: tuple[int, int],
    figures: Sequence[Sequence[float | None]],
    shown: HeadFigure,
    info: ModelInfo,
    tokens: int,
    form: Form | None = None,
    *notes: str,
) -> HeatMap:
    """Blocks by heads. `tokens` is the length of the prompt; `notes` are said before the others."""
    known = [abs(value) for row in figures for value in row if value is not None and value == value]
    full = max([LEAST_FULL, *known])
    unit = _("logits") if shown is HeadFigure.ADDED else _("nats")
    names = option_names(question)
    return HeatMap(
        title=titled(question, _(shown)),
        rows=tuple(
            HeatRow(_("block {block}", block=block), tuple(row), ref=str(block))
            for block, row in enumerate(figures)
        ),
        columns=tuple(str(head) for head in range(max(map(len, figures), default=0))),
        across=_("head"),
        figure=_(
            "{unit} for “{option}” over “{other}”, of which {full:.2f} fills a cell",
            unit=unit,
            option=names[compared[0]],
            other=names[compared[1]],
            full=full,
        ),
        notes=(
            heads_sentence(question, compared, figures, shown),
            *notes,
            _(_MEANINGS[shown]),
            *about_model(info, tokens, form, counted=_("Blocks and heads count from 0.")),
        ),
        full=full,
    )


def heads_sentence(
    question: Question,
    compared: tuple[int, int],
    figures: Sequence[Sequence[float | None]],
    shown: HeadFigure,
) -> str:
    """The head with the largest figure for each of the two options."""
    names = [option_names(question)[option] for option in compared]
    most, least = (_extreme(figures, choose) for choose in (max, min))
    if most is None or least is None:
        return ""
    sentences = []
    for name, (value, block, head), sign in zip(names, (most, least), (1, -1), strict=True):
        if value * sign <= 0:
            continue
        if shown is HeadFigure.ADDED:
            sentence = _(
                "Head {head} of block {block} adds most for “{option}”: {value:+.3f} logits."
            )
        else:
            sentence = _(
                "Changing head {head} of block {block} moves most towards “{option}”: {value:+.3f} "
                "nats."
            )
        sentences.append(fill(sentence, head=head, block=block, option=name, value=value))
    return " ".join(sentences) or _("No head changes anything.")


def _extreme(
    figures: Sequence[Sequence[float | None]],
    choose: Callable[[list[tuple[float, int, int]]], tuple[float, int, int]],
) -> tuple[float, int, int] | None:
    known = [
        (value, block, head)
        for block, row in enumerate(figures)
        for head, value in enumerate(row)
        if value is not None and value == value
    ]
    return choose(known) if known else None
