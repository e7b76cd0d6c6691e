"""What a person chooses before a run begins: items, worked examples, form, scoring and more."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.contract.question import Form, Scoring
from core.files.config import MOST_AT_ONCE
from core.models.protocol import Ability, Model, Provable, Writer, on_server
from core.runs.shots import SEED
from core.text.language import N_, _
from tui.shell.form_lines import FormLine

SHOTS = (0, 1, 2, 3, 4, 5, 8, 10)
SAMPLES = (10, 30, 100, 300, 1_000)
ORDERS = (1, 2, 3, 4, 6, 8, 12, 24)
AT_ONCE = (1, 2, 4, 8, 16, 32, 64, 128, 256, MOST_AT_ONCE)


class ItemSelection(StrEnum):
    """Which items are asked about."""

    ALL = "all"
    LISTED = "listed"
    FAILED = "failed"
    SAMPLE = "sample"


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen for a run; the defaults are those of a usual one."""

    which: ItemSelection = ItemSelection.ALL
    sample: int = 0
    """How many items are drawn, where a sample is asked about."""
    shots: int = 0
    form: Form | None = None
    """None: as turns if the model has a chat template, else as one text."""
    scoring: Scoring | None = None
    """None for how the model's answers are usually read."""
    orders: int = 1
    """Orders of the options in which questions with letters are asked."""
    at_once: int = 0
    """Most questions of a server at once; 0 for as many as the configuration says."""


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


@dataclass(slots=True)
class RunForm:
    """The choices before a run, with a cursor."""

    items: Items
    choices: Choices = field(default_factory=Choices)
    cursor: int = 0
    seconds_per_item: Callable[[Choices], float | None] = lambda choices: None
    """How long the model takes for an item under some choices; None if not known."""
    usual_at_once: int = 1
    """How many questions of a server are asked at once where nothing is chosen."""
    lettered: bool = False
    """Whether options have letters, and so an order."""

    def offer(
        self,
        items: Items,
        seconds_per_item: Callable[[Choices], float | None],
        usual_at_once: int = 1,
    ) -> None:
        """Offer these items; what was chosen stays where it can."""
        self.items, self.seconds_per_item = items, seconds_per_item
        self.usual_at_once = usual_at_once
        chosen = len(items.chosen(self.choices))
        everything = self.choices.which is ItemSelection.SAMPLE and chosen == items.count
        if self.choices.which is not ItemSelection.ALL and (not chosen or everything):
            self.choices = replace(self.choices, which=ItemSelection.ALL, sample=0)

    def lines(self, model: Model | None) -> list[FormLine[Choices]]:
        """What can be chosen for this model; None while there is no model."""
        now, info = self.choices, model.info if model is not None else None
        lines = [
            FormLine(_("Items"), self._items_text(now), self._item_choices()),
            FormLine(
                _("Worked examples"),
                str(now.shots),
                [replace(now, shots=shots) for shots in SHOTS],
            ),
        ]
        if self.lettered:
            lines.append(
                FormLine(
                    _("Orders of options"),
                    str(now.orders),
                    [replace(now, orders=orders) for orders in ORDERS],
                )
            )
        if info is not None and Ability.CHAT in info.abilities:
            forms = (None, Form.CHAT, Form.BASE)
            lines.append(
                FormLine(
                    _("Prompt form"),
                    _(now.form or N_("as the model takes it")),
                    [replace(now, form=form) for form in forms],
                )
            )
        if readings := _readings(model):
            lines.append(
                FormLine(
                    _("Answers"),
                    _(now.scoring or N_("as the benchmark reads them")),
                    [replace(now, scoring=scoring) for scoring in (None, *readings)],
                )
            )
        if on_server(model):
            lines.append(
                FormLine(
                    _("Questions at once"),
                    str(now.at_once or self.usual_at_once),
                    [replace(now, at_once=number) for number in self._numbers_at_once()],
                )
            )
        return lines

    def _numbers_at_once(self) -> list[int]:
        """The numbers of questions at once to choose from; 0 stands for the usual one."""
        numbers = sorted({*AT_ONCE, self.usual_at_once})
        return [0 if number == self.usual_at_once else number for number in numbers]

    def change_at_once(self, factor: float) -> None:
        """Choose more or fewer questions at once."""
        wanted = round((self.choices.at_once or self.usual_at_once) * factor)
        self.choices = replace(self.choices, at_once=min(MOST_AT_ONCE, max(1, wanted)))

    def usable(self, model: Model) -> Choices:
        """The choices that this model can take; what it cannot is as usual."""
        usable, info = self.choices, model.info
        if not self.lettered:
            usable = replace(usable, orders=1)
        if not on_server(model):
            usable = replace(usable, at_once=0)
        if Ability.CHAT not in info.abilities:
            usable = replace(usable, form=None)
        if usable.scoring not in _readings(model):
            usable = replace(usable, scoring=None)
        return usable

    def move(self, by: int, model: Model | None) -> None:
        """Go to another line."""
        self.cursor = min(max(0, self.cursor + by), len(self.lines(model)) - 1)

    def change(self, by: int, model: Model | None) -> None:
        """Take the next value of the line under the cursor, or the one before."""
        lines = self.lines(model)
        line = lines[min(self.cursor, len(lines) - 1)]
        self.choices = line.stepped(self.choices, by)

    def expected_seconds(self, model: Model | None) -> float | None:
        """How long the run takes, by what the model took before; None if that is not known."""
        per_item = self.seconds_per_item(self.choices)
        if per_item is None:
            return None
        orders = self.choices.orders if self.lettered else 1
        items = self.items.number(self.choices)
        at_once = (self.choices.at_once or self.usual_at_once) if on_server(model) else 1
        # Answers that a server gives at once take as long as one of them.
        return per_item * max(1, items / at_once) * orders if items else 0.0

    def _item_choices(self) -> list[Choices]:
        whole = replace(self.choices, which=ItemSelection.ALL, sample=0)
        choices = [whole]
        if self.items.listed:
            choices.append(replace(whole, which=ItemSelection.LISTED))
        if self.items.failed:
            choices.append(replace(whole, which=ItemSelection.FAILED))
        return choices + [
            replace(whole, which=ItemSelection.SAMPLE, sample=sample)
            for sample in SAMPLES
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


def _readings(model: Model | None) -> tuple[Scoring, ...]:
    """The ways of reading answers among which a person may choose."""
    if model is None:
        return ()
    if on_server(model):
        able = {Scoring.LOGLIKELIHOOD: Provable, Scoring.SCHEMA: Writer}
        return tuple(scoring for scoring, kind in able.items() if isinstance(model, kind))
    both = {Ability.SCORE, Ability.GENERATE} <= model.info.abilities
    return (Scoring.LOGLIKELIHOOD, Scoring.GENERATED) if both else ()
