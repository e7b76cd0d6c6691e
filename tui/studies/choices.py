"""What a person chooses before a study begins: task layer, items, seed and setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.contract.task_layer import TaskLayer, layer_titles
from core.text.language import _
from tui.runs.choices import SAMPLES
from tui.shell.form_lines import FormLine

SEEDS = range(10)


@dataclass(frozen=True, slots=True)
class StudyChoices:
    """What was chosen; as it stands here, a study is as usual."""

    layer: str | None = None
    """None for what a study takes where no task layer is named."""
    limit: int | None = None
    """Only the first so many items; None for all."""
    seed: int = 0
    as_shown: bool = False
    """Whether the setting of the item screen is set on every item that can take it."""


@dataclass(slots=True)
class StudyForm:
    """The choices before a study."""

    layers: Sequence[TaskLayer]
    count: int
    """Items of the collection."""
    setting: Mapping[str, str]
    """The values that the item screen has changed; without any there is nothing to choose."""
    choices: StudyChoices = field(default_factory=StudyChoices)

    def lines(self) -> list[FormLine[StudyChoices]]:
        """What can be chosen."""
        now = self.choices
        titles = layer_titles(self.layers)
        limits = (None, *(limit for limit in SAMPLES if limit < self.count))
        lines = [
            FormLine(
                _("Task layer"),
                _("as usual") if now.layer is None else f"{titles[now.layer]} ({now.layer})",
                [replace(now, layer=layer) for layer in (None, *titles)],
            ),
            FormLine(
                _("Items"),
                _("all: {n:,}", n=self.count)
                if now.limit is None
                else _("the first {n:,}", n=now.limit),
                [replace(now, limit=limit) for limit in limits],
            ),
            FormLine(_("Seed"), str(now.seed), [replace(now, seed=seed) for seed in SEEDS]),
        ]
        if self.setting:
            shown = ", ".join(f"{name} {value}" for name, value in self.setting.items())
            lines.append(
                FormLine(
                    _("Setting"),
                    _("as on the screen: {setting}", setting=shown)
                    if now.as_shown
                    else _("items as they are"),
                    [replace(now, as_shown=as_shown) for as_shown in (False, True)],
                )
            )
        return lines

    def change(self, line: int, by: int) -> None:
        """Take the next value of a line, or the one before."""
        self.choices = self.lines()[line].stepped(self.choices, by)
