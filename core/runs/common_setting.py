"""What the values of a run's setting mean to all items of a collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.runs.questions import QuestionSource, with_pauses
from core.runs.records import SkippedItems
from core.text.errors import SettingError
from core.text.language import _


@dataclass(frozen=True, slots=True)
class CommonSetting:
    """The values that a source sets, and the items that are not asked with them."""

    values: Mapping[str, str]
    """As the switches write them, without those that change nothing. A value with another meaning
    for each item, such as the name of a variant, stays as it was typed."""
    skipped: SkippedItems | None = None
    """None where every item is asked."""


def common_setting(source: QuestionSource) -> CommonSetting:
    """What the values of `source` mean to its items; reads every item.

    Where some items cannot take a value, because they lack its switch or its switch has no such
    value, or are turned into another one, all values are kept: even a default then says which
    items are asked. Where no item can take them, raises `SettingError` naming the first that has
    all of the switches, or else the first; or, where a limit leaves items out and none of the
    others has a switch, that switch.
    """
    if not source.values:
        return CommonSetting({})
    meant: dict[str, set[str]] = {key: set() for key in source.values}
    changing: set[str] = set()
    refused: list[tuple[bool, SettingError]] = []
    switches: set[str] = set()
    for position in with_pauses(source.positions):
        item = source.collection.item(position)
        try:
            setting = source.setting(item)
        except SettingError as error:
            known = {switch.key for switch in source.benchmark.switches(item)}
            switches |= known
            refused.append((not source.values.keys() <= known, error))
            continue
        changing.update(setting)
        for switch in source.benchmark.switches(item):
            if switch.key in meant:
                meant[switch.key].add(setting.value(switch))
    count = len(source.positions)
    if refused and len(refused) == count:
        first = min(refused, key=lambda each: each[0])[1]
        lacking = next((key for key in source.values if key not in switches), None)
        if lacking is None or source.limit is None or count == 1:
            raise first
        raise SettingError(
            _(
                "None of the first {number:,} items has the switch “{key}”.",
                number=count,
                key=lacking,
            ),
            hint=" ".join((_("With a higher limit, others are asked too."), first.hint)),
        )
    skipped = len(refused) + len(source.repeating)
    values = {
        key: meant[key].pop() if len(meant[key]) == 1 else source.values[key]
        for key in sorted(meant if skipped else changing)
    }
    return CommonSetting(values, SkippedItems(skipped, count) if skipped else None)
