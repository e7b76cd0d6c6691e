"""The names of the fourteen physical states in the language of the program."""

from __future__ import annotations

from core.text.language import pgettext


def shown_state(state: str) -> str:
    """A state of the released task as a person reads it; another name, or none, stays as it is."""
    names = {
        "power": pgettext("state", "power"),
        "location": pgettext("state", "location"),
        "exist": pgettext("state", "exist"),
        "clean": pgettext("state", "clean"),
        "edible": pgettext("state", "edible"),
        "wet": pgettext("state", "wet"),
        "functional": pgettext("state", "functional"),
        "wearing": pgettext("state", "wearing"),
        "open": pgettext("state", "open"),
        "conscious": pgettext("state", "conscious"),
        "temperature": pgettext("state", "temperature"),
        "solid": pgettext("state", "solid"),
        "occupied": pgettext("state", "occupied"),
        "in pieces": pgettext("state", "in pieces"),
    }
    return names.get(state, state)
