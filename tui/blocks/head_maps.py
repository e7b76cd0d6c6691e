"""The maps of blocks by heads that the X-ray shows, and the requests that fill them.

No widget is touched here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from core.blocks.alignment import PromptPair
from core.blocks.heads import HeadFigure, HeadTable, answer_and_rival, heads_map
from core.blocks.sentences import contrast_sentence
from core.contract.question import Question
from core.layout.heatmap import HeatMap
from core.models.blocks import Action, BlockAccess, HeadAttribution, Part
from core.text.errors import ModelError
from core.text.language import _
from tui.blocks.block_pane import Subject

SHOWN = tuple(HeadFigure)
"""The maps, in the order in which they are shown."""


@dataclass(slots=True)
class HeadMaps:
    """The three maps of a subject, each read when it is first shown."""

    subject: Subject
    access: BlockAccess
    attribution: HeadAttribution | None = None
    tables: dict[HeadFigure, HeadTable] = field(default_factory=dict)
    """The effects of changing heads, which may be known in part."""
    pair: PromptPair | None = None
    """The prompts of `HeadFigure.COPIED`."""

    @property
    def cells(self) -> int:
        """How many heads there are."""
        return self.access.blocks * self.access.heads

    def done(self, shown: HeadFigure) -> int:
        """How many heads of a map are known."""
        if shown is HeadFigure.ADDED:
            return 0 if self.attribution is None else self.cells
        return self.tables[shown].done if shown in self.tables else 0

    def map(self, shown: HeadFigure, compared: tuple[int, int], tokens: int) -> HeatMap | None:
        """A map; None before anything of it is known. `tokens` is the length of the prompt."""
        info, form = self.subject.model.info, self.subject.form
        if shown is HeadFigure.ADDED:
            question = self.subject.question
            figures: Sequence[Sequence[float | None]] = ()
            if self.attribution is not None:
                figures = self.attribution.heads
        else:
            table = self.tables.get(shown)
            question = self._question(shown)
            figures = () if table is None else table.figures
            compared = compared if table is None else table.compared
        if not figures:
            return None
        notes: Sequence[str] = ()
        if shown is HeadFigure.COPIED and self.pair is not None:
            notes = (contrast_sentence(self.pair.contrast, self.pair.pairing),)
        return heads_map(question, compared, figures, shown, info, tokens, form, *notes)

    async def read(
        self, shown: HeadFigure, compared: tuple[int, int] | None, changed: Callable[[], None]
    ) -> None:
        """Read what is missing of a map; `changed` is called after every head.

        Raises `ModelError`, and `SettingError` where there is no contrast prompt.
        """
        if Part.HEAD not in self.access.parts:
            raise ModelError(_("Single heads cannot be read in this architecture."))
        if compared is None:
            raise ModelError(_("There is one option only, so there is no margin."))
        if shown is HeadFigure.ADDED:
            prompt, options = self.subject.prompt
            first, second = (options[option] for option in compared)
            blocks = self.subject.blocks
            self.attribution = await blocks.attribute(prompt, first, second, heads=True)
            return
        await self._change(shown, changed)

    async def _change(self, shown: HeadFigure, changed: Callable[[], None]) -> None:
        subject, blocks = self.subject, self.subject.blocks
        if shown is HeadFigure.COPIED and self.pair is None:
            self.pair = await subject.best_pair()
        question = self._question(shown)
        prompt, options = subject.prompt_of(question), question.continuations()
        action, contrast = Action.ZERO, None
        ranges: Sequence[tuple[int, int]] = ((0, len(await blocks.tokens(prompt, options))),)
        shifts: Sequence[int] = ()
        if shown is HeadFigure.COPIED and self.pair is not None:
            action, ranges = Action.COPY, self.pair.pairing.ranges
            shifts = self.pair.pairing.shifts
            contrast = subject.prompt_of(self.pair.contrast.question)
            if not self.pair.pairing.differing:
                raise ModelError(_("What differs in the contrast prompt cannot be compared."))
        if shown not in self.tables:
            scores = await subject.model.score(prompt, options)
            compared = answer_and_rival(scores, question.gold)
            if compared is None:
                raise ModelError(_("There is one option only, so there is no margin."))
            self.tables[shown] = HeadTable(compared, self.access.blocks, self.access.heads)
        stream = blocks.change_heads(prompt, options, action, ranges, contrast, shifts)
        async with aclosing(stream) as replies:
            async for reply in replies:
                self.tables[shown].add(reply)
                changed()

    def _question(self, shown: HeadFigure) -> Question:
        """The question whose heads are changed: that of the pair may have something set."""
        if shown is HeadFigure.COPIED and self.pair is not None:
            return self.pair.question
        return self.subject.question
