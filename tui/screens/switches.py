"""How a list of switches shows and steps their values."""

from __future__ import annotations

from core.setting import Choice, Flag, Setting, Switch


def shown_value(switch: Switch, setting: Setting) -> str:
    """The switch's value as a person reads it, marked where it is not the default."""
    value = setting.value(switch)
    text = switch.name(value) if isinstance(switch, Choice) else value
    return f"{text}  (changed)" if switch.key in setting else text


def next_value(switch: Switch, setting: Setting) -> str | None:
    """The value that one press gives; None where a value must be typed."""
    value = setting.value(switch)
    match switch:
        case Choice(values=values):
            return values[(values.index(value) + 1) % len(values)]
        case Flag():
            return "off" if value == "on" else "on"
        case _:
            return None
