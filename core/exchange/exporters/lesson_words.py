"""Headings and labels of a lesson's page, in the current language."""

from __future__ import annotations

from core.text.language import _


def labels() -> dict[str, str]:
    """The headings and labels by their names in the template."""
    return {
        "who": _("Who answered"),
        "steps": _("Steps"),
        "links": _("What belongs together"),
        "scroll": _("A drawing; it can be scrolled"),
        "in_words": _("The drawing in words"),
        "more": _("More about this item"),
        "legend": _("Signs"),
        "node": _("node"),
        "sign": _("sign"),
        "what": _("what it is"),
        "why": _("why"),
        "from": _("from"),
        "to": _("to"),
        "link": _("link"),
        "note": _("note"),
        "look": _("Look at"),
        "reveal": _("Show what the model answered"),
        "reveal_fact": _("Show what is so"),
        "true": _("It came true"),
        "none_true": _("None of these came true."),
        "otherwise": _("This step was written for another answer."),
        "answers": _("The model's answers"),
        "question": _("question"),
        "answer": _("answer"),
        "gold": _("right answer"),
        "verdict": _("verdict"),
        "shares": _("shares among the options"),
        "unread": _("What happens between the blocks is not shown here."),
        "notes": _("For the speaker"),
        "source": _("Source"),
    }
