"""The settings that keys lead to: a number stepped, another variant, another answer, parts swapped.

Nothing here is changed; each function gives a new value or setting.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.setting import Choice, Dial, Edits, Flag, Number, Order, Setting, Switch
from core.text.errors import SettingError
from core.text.language import N_, _, ngettext

_NO_DIAL = {
    Dial.SIZE: N_("Nothing can be made larger or smaller here."),
    Dial.NOISE: N_("There are no distractors to add or take away here."),
    Dial.DRAW: N_("Nothing is drawn at random here."),
    Dial.STEP: N_("There is nothing to step through here."),
}


def dial_switch(switches: Sequence[Switch], dial: Dial) -> Number:
    """The number that a dial stands for; raises `SettingError` where there is none."""
    for switch in switches:
        if isinstance(switch, Number) and switch.dial is dial:
            return switch
    raise SettingError(_(_NO_DIAL[dial]))


def stepped_value(switch: Number, setting: Setting, by: int, *, restarts: bool) -> str:
    """A number's value some steps on; raises `SettingError` beyond its ends.

    One that `restarts` begins again after its last value.
    """
    value = int(setting.value(switch)) + by
    if restarts and value > switch.high:
        value = switch.low
    if not switch.low <= value <= switch.high:
        problem = _(
            "{switch}: {value} is as far as it goes.", switch=_(switch.label), value=value - by
        )
        raise SettingError(problem)
    return str(value)


def implied_choice(switches: Sequence[Switch]) -> Choice | None:
    """The switch that says which answer the item implies."""
    return next((s for s in switches if isinstance(s, Choice) and s.implied), None)


def nth_implied(implied: Choice, number: int) -> str:
    """The answer with this number, from 1; raises `SettingError` where there are fewer."""
    count = len(implied.values)
    if number > count:
        raise SettingError(
            ngettext(
                "There is only {number} answer.",
                "There are only {number} answers.",
                count,
                number=count,
            )
        )
    return implied.values[number - 1]


def other_implied(implied: Choice, setting: Setting, last: str) -> str:
    """The default answer, or from there the `last` other one, at first the one after it."""
    if setting.value(implied) != implied.default:
        return implied.default
    at = implied.values.index(implied.default)
    return last or implied.values[(at + 1) % len(implied.values)]


def variant_choice(switches: Sequence[Switch]) -> Choice:
    """The switch that chooses the variant; raises `SettingError` where there is none."""
    choice = next((s for s in switches if isinstance(s, Choice) and s.cycles), None)
    if choice is None:
        raise SettingError(_("This item has no variants."))
    return choice


def variant_setting(switches: Sequence[Switch], setting: Setting, number: int) -> Setting:
    """The setting of the variant with this number, from 1; raises `SettingError`."""
    choice = variant_choice(switches)
    if number > len(choice.values):
        raise SettingError(
            _(
                "There is no variant {number}; there are {count}.",
                number=number,
                count=len(choice.values),
            )
        )
    kept = {
        switch.key: setting[switch.key]
        for switch in switches
        if _outlives(switch) and switch.key in setting
    }
    kept[choice.key] = choice.values[number - 1]
    return Setting.of(switches, kept)


def swapped_order(switch: Order, setting: Setting, first: int, second: int) -> str | None:
    """The order with two positions swapped; None where there are no such positions."""
    order = list(switch.indices(setting.value(switch)))
    if not (0 <= first < len(order) and 0 <= second < len(order)):
        return None
    order[first], order[second] = order[second], order[first]
    return ",".join(map(str, order))


def _outlives(switch: Switch) -> bool:
    """Whether a switch means the same in another variant."""
    if isinstance(switch, Number):
        return switch.dial in {Dial.SIZE, Dial.NOISE, Dial.DRAW}
    return isinstance(switch, Flag | Edits) or (isinstance(switch, Choice) and not switch.implied)
