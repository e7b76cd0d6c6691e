"""What was read of the blocks for one question, as the X-ray shows it.

No widget is touched here: the pane reads, and draws what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.blocks.attention import SpanAttention, attention_over_spans, attention_paths
from core.blocks.heatmaps import token_text
from core.blocks.lens import LensTable
from core.blocks.sentences import memory_sentence
from core.contract.question import Answer, OptionScore
from core.models.block_requests import readable
from core.models.blocks import Attribution, BlockAccess, PositionReading, PromptToken
from core.text.errors import ModelError
from core.text.language import _, ngettext
from tui.blocks.block_pane import Subject

_MOST_FINALS = 200
"""Answers to plain requests that are kept."""


@dataclass(slots=True)
class Xray:
    """A question's options after every block, and what else was asked about since."""

    subject: Subject
    access: BlockAccess
    tokens: tuple[PromptToken, ...]
    """Of the prompt up to the answer position."""
    table: LensTable
    positions: dict[int, PositionReading] = field(default_factory=dict)
    """By token, what every block would say after it."""
    attended: dict[int, SpanAttention] = field(default_factory=dict)
    """By block, what its heads attend to."""
    attribution: Attribution | None = None

    @property
    def last(self) -> int:
        """The answer position: the prompt's last token."""
        return len(self.tokens) - 1

    def token(self, position: int) -> str:
        """A token as it is drawn."""
        token = self.tokens[position]
        return token_text(token.data.decode("utf-8", "replace")) or token.name

    def outcome(self) -> tuple[str, bool | None]:
        """Where the answer settles and how a failure came about, and whether it is right."""
        table = self.table
        verdict = self.subject.benchmark.score(table.question, Answer(table.final))
        return table.outcome(), verdict.right

    @property
    def compared(self) -> tuple[int, int] | None:
        """The answer and what it is compared with: the right option, or else the runner-up.

        None where there is only one option with a score.
        """
        scores = [score.logprob for score in self.table.final]
        ranked = sorted(
            (position for position, score in enumerate(scores) if score == score),
            key=lambda position: -scores[position],
        )
        if len(ranked) < 2:
            return None
        first, gold = ranked[0], self.table.gold
        return first, gold if gold is not None and gold != first else ranked[1]

    async def read_position(self, position: int) -> None:
        """Read every block after one token; raises `ModelError`."""
        subject = self.subject
        self.positions[position] = await subject.blocks.read_position(
            subject.prompt_of(subject.question), subject.question.continuations(), position
        )

    async def read_attention(self, block: int) -> None:
        """Read what the heads of a block attend to; raises `ModelError`."""
        subject = self.subject
        if not self.access.attention:
            raise ModelError(_("Attention weights cannot be read in this architecture."))
        spans = await subject.aligner.spans()
        paths = attention_paths(spans, subject.benchmark.view(subject.item, subject.setting))
        prompt, options = subject.prompt_of(subject.question), subject.question.continuations()
        reading = await subject.blocks.attention(prompt, options, block, tuple(paths.values()))
        self.attended[block] = attention_over_spans(reading, spans, tuple(paths))

    async def read_parts(self) -> None:
        """Read what each block adds to the margin; raises `ModelError`."""
        subject, compared = self.subject, self.compared
        if not self.access.attribution:
            raise ModelError(
                _(
                    "Between attention and feed-forward nothing can be read in this architecture, "
                    "so what each adds cannot be told."
                )
            )
        if compared is None:
            raise ModelError(_("There is one option only, so there is no margin."))
        first, second = (subject.question.continuations()[option] for option in compared)
        prompt = subject.prompt_of(subject.question)
        self.attribution = await subject.blocks.attribute(prompt, first, second)


@dataclass(slots=True)
class Reader:
    """Reads questions; keeps what models answered to plain requests."""

    finals: dict[object, tuple[OptionScore, ...]] = field(default_factory=dict)

    async def read(self, subject: Subject, tell: Callable[[str], None]) -> Xray:
        """Read the options after every block; `tell` hears what is being done.

        Raises `ModelError`, also where the model's blocks cannot be read.
        """
        info, blocks = subject.model.info, subject.blocks
        tell(_("Asking what it takes to read the blocks…"))
        needs = await blocks.needs()
        tell(memory_sentence(needs))
        _blocks, access = await readable(subject.model)
        question = subject.question
        prompt, options = subject.prompt_of(question), question.continuations()
        said = ngettext(
            "Reading {number} option after each of {blocks} blocks…",
            "Reading {number} options after each of {blocks} blocks…",
            len(options),
        )
        tell(said.format(number=len(options), blocks=access.blocks))
        tokens = await blocks.tokens(prompt, options)
        reading = await blocks.read(prompt, options)
        asked = (info.fingerprint, prompt, options)
        if asked not in self.finals:
            tell(_("Asking the model itself, to compare the last block with…"))
            if len(self.finals) >= _MOST_FINALS:
                self.finals.clear()
            self.finals[asked] = await subject.model.score(prompt, options)
        return Xray(subject, access, tokens, LensTable(question, reading, self.finals[asked]))
