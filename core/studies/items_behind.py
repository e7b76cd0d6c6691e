"""The items behind one figure of a study, in one shape for all kinds of studies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from core.layout.heatmap import HeatMap
from core.studies.plan import Study
from core.studies.report import StudyReport
from core.studies.traced_pairs import group_name
from core.system.typed_values import ready
from core.text.language import _
from core.text.quantities import items_in_words

ITEMS = "items"
"""Where a result has what was measured for each item."""
ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a figure stands: a row and a column of the map, or a row of both tables together."""

    row: int
    column: int = 0
    group: int | None = None
    """The index of the group of items that it is about; None for all."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """An item, with its own figures."""

    item: str
    figures: tuple[float | None, ...]
    """One for each of `ItemsBehind.columns`; None where it has none."""
    note: str


@dataclass(frozen=True, slots=True)
class ItemsBehind:
    """The items that a figure was computed from."""

    title: str
    """Which figure, and of how many items."""
    columns: tuple[str, ...] = ()
    """The names of the items' figures."""
    items: tuple[ListedItem, ...] = ()
    note: str = ""
    """In which order they stand, or why there are none."""
    benchmark: str = ""
    """Whose bundled collection has them; empty for the collection of the study."""


class _CopiedItem(msgspec.Struct, frozen=True):
    """What is read of an item of a map, by row; None where it has no figure."""

    item: str
    group: str
    valid: bool
    effects: dict[str, list[float | None]]
    control: dict[str, list[float | None]] | None
    attribution: list[list[float]] | None = None
    """Of a head study, in logits, (blocks, heads); None where it has none."""


def items_of_cell(study: Study, report: StudyReport, place: Place) -> ItemsBehind:
    """The items behind a cell of a map, the largest effect first.

    Raises LookupError, TypeError or ValueError for a damaged result.
    """
    result = study.result or {}
    heat = report.picture if place.group is None else report.groups[place.group][1]
    assert isinstance(heat, HeatMap)
    name = str(result["roles" if "roles" in result else "blocks"][place.row])
    group = None if place.group is None else result["split"][place.group]["group"]
    attributed = "attribution" in result
    listed: list[tuple[float, ListedItem]] = []
    for item in msgspec.convert(result[ITEMS], ready(list[_CopiedItem])):
        shown = item.valid if group is None else item.group == group
        effect = item.effects[name][place.column] if shown and name in item.effects else None
        if effect is None:
            continue
        controls = (item.control or {}).get(name)
        control = None if controls is None else controls[place.column]
        own = None if item.attribution is None else item.attribution[place.row][place.column]
        figures = (effect, control, own) if attributed else (effect, control)
        group_shown = group_name(study.plan.benchmark, item.group)
        listed.append((effect, ListedItem(item.item, figures, group_shown)))
    listed.sort(key=lambda pair: -pair[0])
    note = _("The largest effect stands first.") if listed else ""
    if listed and "heads" in result:
        note += " " + _("An item opens with the attention of this head drawn on it.")
    return ItemsBehind(
        _(
            "{cell}: {items}, effect and control in nats",
            cell=f"{heat.rows[place.row].label} · {heat.across} {heat.columns[place.column]}",
            items=items_in_words(len(listed)),
        ),
        (_("effect"), _("control"), *((_("logits added"),) if attributed else ())),
        tuple(item for _effect, item in listed),
        note,
    )


def kept_questions(result: Mapping[str, Any], kind: type[ItemT]) -> list[ItemT] | None:
    """What a result has for each question; None for one that was recorded without.

    Raises ValueError for a damaged result.
    """
    if ITEMS not in result:
        return None
    return [msgspec.convert(question, ready(kind)) for question in result[ITEMS]]


def not_kept(title: str) -> ItemsBehind:
    """What is listed of a result that was recorded without its questions."""
    return ItemsBehind(
        title,
        note=_(
            "This study was recorded before figures were kept for each question, so none is "
            "listed. Delete it in the list of studies and begin it again, or conduct it with "
            "--restart."
        ),
    )


def right_option(result: Mapping[str, Any], option: str, layer: str) -> str:
    """A question's right option, and its task layer where those of several were put."""
    said = _("right: {right}", right=option)
    return f"{said} · {layer}" if len(result["layers"]) > 1 else said
