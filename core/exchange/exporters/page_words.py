"""What pages say besides their items, in the language of the program."""

from __future__ import annotations

from core.text.language import _


def colour_words() -> dict[str, str]:
    """The choice of a page's colours."""
    return {
        "colours": _("Colours"),
        "as_system": _("as the system"),
        "light": _("light"),
        "dark": _("dark"),
        "find": _("Find"),
        "source": _("Source"),
    }


def table_words() -> dict[str, str]:
    """The heads of the tables of nodes and links."""
    return {
        "node": _("node"),
        "sign": _("sign"),
        "what": _("what it is"),
        "why": _("why"),
        "from": _("from"),
        "to": _("to"),
        "link": _("link"),
        "note": _("note"),
    }


def page_words() -> dict[str, str]:
    """Headings and labels of the page of an item, by their names in the template."""
    words = colour_words() | table_words()
    return words | {
        "states": _("States to compare"),
        "setting": _("Setting"),
        "word_of_node": _("a word of a node"),
        "beside": _("Side by side with"),
        "nothing": _("nothing"),
        "too_many": _(
            "The picture has too many nodes for paper. The tables have everything that is in it."
        ),
        "legend": _("Legend"),
        "without_script": _("Without JavaScript all states are shown, one after the other."),
        "blocks": _("Between the model's blocks"),
        "parts": _("Parts"),
        "table": _("Table"),
        "nodes": _("Nodes"),
        "links": _("Links"),
        "keys": _(
            "In the picture: the arrow keys go to the nearest node, Page up and Page down through "
            "all of them, Home and End to the first and last; + and - zoom, 0 fits, shift with an "
            "arrow moves the picture, Tab leaves it. Everything in it is also in the tables below. "
            "The address of the page keeps what is shown."
        ),
    }


def script_words() -> dict[str, str]:
    """What the script of such a page says, with names in braces for what it fills in."""
    return {
        "quoted": _("“{text}”"),
        "from": _("From {nodes}"),
        "to": _("To {nodes}"),
        "not_found": _("not found in this state"),
        "found": _("{n} found"),
        "at": _("{at} of {n} found"),
        "not_there": _("not there"),
        "same": _("The two pictures show the same."),
        "differs": _("Differs: {nodes}."),
        "more": _("and {n} more"),
    }


def index_words() -> dict[str, str]:
    """Headings and labels of the index of a gallery; its script fills in the numbers."""
    return colour_words() | {
        "word_or_id": _("a word or an id"),
        "every": _("all"),
        "show_all": _("Show all"),
        "some": _("{shown} of {all}"),
        "not_shown": _("Not shown"),
    }
