"""Labels, order and next values of the switches in the list of switches."""

from __future__ import annotations

from collections.abc import Sequence

from core.contract.setting import Choice, Flag, NodeState, Setting, Switch, Text
from core.contract.view import Statements, View
from core.text.language import _, translated


def arranged(switches: Sequence[Switch], view: View) -> list[Switch]:
    """The switches; those that retype statements in the present order of the statements."""
    positions = {key: position for position, key in enumerate(_numbers(view))}
    retyping = sorted(
        (switch for switch in switches if switch.key in positions),
        key=lambda switch: positions[switch.key],
    )
    following = iter(retyping)
    return [next(following) if switch.key in positions else switch for switch in switches]


def shown_label(switch: Switch, view: View) -> str:
    """The label of a switch; for one that retypes a statement, the statement's present number."""
    number = _numbers(view).get(switch.key, "") if isinstance(switch, Text) else ""
    if number:
        return _("Statement {number}", number=number)
    # A node is called by its text, which is the item's.
    return switch.label if isinstance(switch, NodeState) else _(switch.label)


def _numbers(view: View) -> dict[str, str]:
    """The number of each statement that can be retyped, by its switch, in order."""
    return {
        statement.text_switch: statement.number
        for section in view.sections
        if isinstance(section, Statements)
        for statement in section.statements
        if statement.text_switch
    }


def shown_value(switch: Switch, setting: Setting) -> str:
    """The switch's value as a person reads it, marked where it is not the default."""
    value = setting.value(switch)
    text = value
    if isinstance(switch, Choice):
        text = translated(switch.name(value))
    elif isinstance(switch, Flag):
        text = _(value)
    elif isinstance(switch, NodeState) and value == switch.default:
        text = _("free")
    return _("{value}  (changed)", value=text) if switch.key in setting else text


def next_value(switch: Switch, setting: Setting) -> str | None:
    """The value that one press gives; None where a value must be typed."""
    value = setting.value(switch)
    match switch:
        case Choice(values=values):
            return values[(values.index(value) + 1) % len(values)]
        case Flag():
            return "off" if value == "on" else "on"
        case NodeState(VALUES=values):
            return values[(values.index(value) + 1) % len(values)]
        case _:
            return None
