"""What the X-ray shows of the blocks for one question, and the requests that read it.

No widget is touched here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from core.blocks.attention import SpanAttention, attention_over_spans, attention_paths
from core.blocks.heads import answer_and_rival
from core.blocks.heatmaps import token_text
from core.blocks.lens import LensTable
from core.blocks.sentences import memory_sentence
from core.contract.question import Answer, OptionScore
from core.models.blocks import Attribution, BlockAccess, PositionReading, PromptToken
from core.models.inspectable import readable
from core.runs.priors import content_free
from core.text.errors import ModelError
from core.text.language import _, ngettext
from tui.blocks.block_pane import Subject
from tui.blocks.head_maps import HeadMaps
from tui.blocks.xray_cursor import Axis, XrayCursor

_MOST_FINALS = 200
"""Most plain requests whose answers are kept."""


@dataclass(slots=True)
class Xray:
    """A question's options after every block, and what was read on request since."""

    subject: Subject
    access: BlockAccess
    tokens: tuple[PromptToken, ...]
    """The prompt's tokens up to the answer position."""
    table: LensTable
    positions: dict[int, PositionReading] = field(default_factory=dict)
    """Every block's prediction after a token, by the token's position."""
    attended: dict[int, SpanAttention] = field(default_factory=dict)
    """The attention of a block's heads, by block."""
    attribution: Attribution | None = None
    heads: HeadMaps = field(init=False)
    """The maps of blocks by heads."""

    def __post_init__(self) -> None:
        self.heads = HeadMaps(self.subject, self.access)

    @property
    def last(self) -> int:
        """The answer position: the prompt's last token."""
        return len(self.tokens) - 1

    def token(self, position: int) -> str:
        """A token as it is drawn."""
        token = self.tokens[position]
        return token_text(token.data.decode("utf-8", "replace")) or token.name

    def sizes(self, cursor: XrayCursor) -> dict[Axis, int]:
        """How many cells each axis has where the cursor is; no option or span before it is read."""
        attention = self.attended.get(cursor.block)
        is_read = cursor.token == self.last or cursor.token in self.positions
        return {
            Axis.TOKEN: len(self.tokens),
            Axis.OPTION: len(self.table.question.options) if is_read else 0,
            Axis.BLOCK: self.table.blocks,
            Axis.HEAD: self.access.heads if attention is None else attention.heads,
            Axis.SPAN: 0 if attention is None else len(attention.spans),
        }

    def outcome(self) -> tuple[str, bool | None]:
        """Prediction depth and trajectory in a sentence, and whether the answer is right."""
        verdict = self.subject.benchmark.score(self.table.question, Answer(self.table.final))
        return self.table.outcome(), verdict.right

    @property
    def compared(self) -> tuple[int, int] | None:
        """The answer and the option to compare it with: the right one, or else the runner-up.

        None if fewer than two options have a score.
        """
        return answer_and_rival(self.table.final, self.table.gold)

    async def read_position(self, position: int) -> None:
        """Read every block after one token; raises `ModelError`."""
        blocks = self.subject.blocks
        self.positions[position] = await blocks.read_position(*self.subject.prompt, position)

    async def read_attention(self, block: int) -> None:
        """Read the attention of a block's heads; raises `ModelError`."""
        subject = self.subject
        if not self.access.attention:
            raise ModelError(_("Attention weights cannot be read in this architecture."))
        spans = await subject.aligner.spans()
        paths = attention_paths(spans, subject.benchmark.view(subject.item, subject.setting))
        reading = await subject.blocks.attention(*subject.prompt, block, tuple(paths.values()))
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
        prompt, options = subject.prompt
        first, second = (options[option] for option in compared)
        self.attribution = (await subject.blocks.attribute(prompt, first, second)).whole


@dataclass(slots=True)
class Reader:
    """Reads the blocks for questions, and keeps the answers to plain requests."""

    finals: dict[object, tuple[OptionScore, ...]] = field(default_factory=dict)

    async def read(self, subject: Subject, on_status: Callable[[str], None]) -> Xray:
        """Read the options after every block; `on_status` is called with each step.

        Raises `ModelError`, also if the model's blocks cannot be read.
        """
        blocks, (prompt, options) = subject.blocks, subject.prompt
        on_status(_("Checking what reading the blocks needs…"))
        on_status(memory_sentence(await blocks.needs()))
        _blocks, access = await readable(subject.model)
        on_status(
            ngettext(
                "Reading {number} option after each of {blocks} blocks…",
                "Reading {number} options after each of {blocks} blocks…",
                len(options),
                number=len(options),
                blocks=access.blocks,
            )
        )
        tokens = await blocks.tokens(prompt, options)
        reading = await blocks.read(prompt, options)
        prior = await blocks.read(subject.prompt_of(content_free(subject.question)), options)
        key = (subject.model.info.fingerprint, prompt, options)
        if key not in self.finals:
            on_status(_("Asking the model itself, to check the last block against its answer…"))
            if len(self.finals) >= _MOST_FINALS:
                self.finals.clear()
            self.finals[key] = await subject.model.score(prompt, options)
        table = LensTable(subject.question, reading, self.finals[key], prior)
        return Xray(subject, access, tokens, table)
