"""What a person chooses before a run begins: items, worked examples, form, scoring."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.contract.question import Form, Scoring
from core.models.protocol import Ability, ModelInfo
from core.runs.planning import SEED
from core.text.language import N_, _

_SHOTS = (0, 1, 2, 3, 4, 5, 8, 10)
_SAMPLES = (10, 30, 100, 300, 1_000)


class ItemSelection(StrEnum):
    """Which items are asked about."""

    ALL = "all"
    LISTED = "listed"
    FAILED = "failed"
    SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen; as it stands here, a run is as usual."""

    which: ItemSelection = ItemSelection.ALL
    sample: int = 0
    """How many items are drawn, where a sample is asked about."""
    shots: int = 0
    form: Form | None = None
    """None: as turns if the model has a chat template, else as one text."""
    scoring: Scoring | None = None
    """None for how the model's answers are usually read."""


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a collection that may be chosen, as positions."""

    count: int = 0
    """All of them."""
    listed: Sequence[int] = ()
    """Those in the list, where a filter leaves some out."""
    failed: Sequence[int] = ()

    def chosen(self, choices: Choices) -> Sequence[int]:
        """Those that a run asks about; none for all of them."""
        match choices.which:
            case ItemSelection.LISTED:
                return self.listed
            case ItemSelection.FAILED:
                return self.failed
            case ItemSelection.SAMPLE:
                drawn = random.Random(SEED).sample(range(self.count), self.count)
                return sorted(drawn[: choices.sample])
        return ()

    def number(self, choices: Choices) -> int:
        """How many a run asks about."""
        return len(self.chosen(choices)) or self.count


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to choose."""

    label: str
    value: str
    """What is chosen now, in words."""
    values: Sequence[Choices]
    """The choices with each of its values, in order."""


@dataclass(slots=True)
class RunForm:
    """The choices before a run, with a cursor."""

    items: Items
    choices: Choices = field(default_factory=Choices)
    cursor: int = 0
    seconds_per_item: Callable[[int], float | None] = lambda shots: None
    """How long the model takes for an item with so many worked examples; None if not known."""

    def offer(self, items: Items, seconds_per_item: Callable[[int], float | None]) -> None:
        """Offer these items; what was chosen stays where it can."""
        self.items, self.seconds_per_item = items, seconds_per_item
        if self.choices.which is not ItemSelection.ALL and not items.chosen(self.choices):
            self.choices = replace(self.choices, which=ItemSelection.ALL, sample=0)

    def lines(self, info: ModelInfo | None) -> list[Line]:
        """What can be chosen for this model; None while there is no model."""
        now = self.choices
        lines = [
            Line(_("Items"), self._items_text(now), self._item_choices()),
            Line(
                _("Worked examples"),
                str(now.shots),
                [replace(now, shots=shots) for shots in _SHOTS],
            ),
        ]
        if info is not None and Ability.CHAT in info.abilities:
            forms = (None, Form.CHAT, Form.BASE)
            lines.append(
                Line(
                    _("Prompt form"),
                    _(now.form or N_("as the model takes it")),
                    [replace(now, form=form) for form in forms],
                )
            )
        if info is not None and {Ability.SCORE, Ability.GENERATE} <= info.abilities:
            readings = (None, Scoring.LOGLIKELIHOOD, Scoring.GENERATED)
            lines.append(
                Line(
                    _("Answers"),
                    _(now.scoring or N_("as usual")),
                    [replace(now, scoring=scoring) for scoring in readings],
                )
            )
        return lines

    def usable(self, info: ModelInfo) -> Choices:
        """The choices that this model can take; what it cannot is as usual."""
        usable = self.choices
        if Ability.CHAT not in info.abilities:
            usable = replace(usable, form=None)
        if not {Ability.SCORE, Ability.GENERATE} <= info.abilities:
            usable = replace(usable, scoring=None)
        return usable

    def move(self, by: int, info: ModelInfo | None) -> None:
        """Go to another line."""
        self.cursor = min(max(0, self.cursor + by), len(self.lines(info)) - 1)

    def change(self, by: int, info: ModelInfo | None) -> None:
        """Take the next value of the line under the cursor, or the one before."""
        lines = self.lines(info)
        values = lines[min(self.cursor, len(lines) - 1)].values
        at = values.index(self.choices) if self.choices in values else 0
        self.choices = values[(at + by) % len(values)]

    def expected_seconds(self) -> float | None:
        """How long the run takes, by what the model took before; None if that is not known."""
        per_item = self.seconds_per_item(self.choices.shots)
        return None if per_item is None else per_item * self.items.number(self.choices)

    def _item_choices(self) -> list[Choices]:
        whole = replace(self.choices, which=ItemSelection.ALL, sample=0)
        choices = [whole]
        if self.items.listed:
            choices.append(replace(whole, which=ItemSelection.LISTED))
        if self.items.failed:
            choices.append(replace(whole, which=ItemSelection.FAILED))
        return choices + [
            replace(whole, which=ItemSelection.SAMPLE, sample=sample)
            for sample in _SAMPLES
            if sample < self.items.count
        ]

    def _items_text(self, choices: Choices) -> str:
        count = self.items.number(choices)
        match choices.which:
            case ItemSelection.LISTED:
                return _("those in the list: {n:,}", n=count)
            case ItemSelection.FAILED:
                return _("those that failed: {n:,}", n=count)
            case ItemSelection.SAMPLE:
                return _("a random sample: {n:,}", n=count)
        return _("all: {n:,}", n=count)
