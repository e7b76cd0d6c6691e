"""The index of a gallery: a card for each item, and filters by what is known of the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.contract.collection import About
from core.exchange.exporters.document import source_lines
from core.exchange.exporters.page_words import index_words
from core.exchange.exporters.self_contained import (
    OWN_FOLDER,
    escape_texts,
    package_file,
    template,
    variables,
)
from core.exchange.gallery.cards import ANSWERS, Card, RunOfItems
from core.exchange.gallery.thumbnail import thumbnail_style
from core.layout.rows import SIGNS
from core.runs.replay import conditions
from core.text.language import N_, _, ngettext, spoken, translated
from core.text.quantities import items_in_words

_FOLDER = "gallery"
_NAMES = {
    "kind": N_("kind"),
    "type": N_("type"),
    "plausible": N_("plausible"),
    "pair": N_("pair"),
    "state": N_("state"),
    "skill": N_("skill"),
    "hops": N_("hops"),
    "distractors": N_("distractors"),
    "scenario": N_("scenario"),
    "part": N_("part"),
    "language": N_("language"),
    "options": N_("options"),
    "relation": N_("relation"),
}
"""Words for what the bundled benchmarks tag their questions with; other tags are shown as named."""
_MOST_VALUES = 40
"""Most values that a filter offers; a fact with more values is searched by typing."""


@dataclass(frozen=True, slots=True)
class _Filter:
    """A fact in which items differ."""

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]


def index_page(
    benchmark: str,
    about: About,
    cards: Sequence[Card],
    missing: Sequence[str],
    answering: RunOfItems | None,
) -> str:
    """The index as HTML.

    Args:
        benchmark: its title.
        about: where the items are from.
        cards: those of the items.
        missing: why some items have no page.
        answering: the run whose answers stand on the pages; None without one.
    """
    filters = _filters(cards)
    say = index_words() | {"items": items_in_words(len(cards))}
    return (
        template("index.html.j2", _FOLDER).render(
            policy=OWN_FOLDER,
            language=spoken(),
            say=say,
            in_all=say["items"],
            title=escape_texts(f"{about.shown.title} · {benchmark}"),
            heading=escape_texts(about.shown.title),
            benchmark=escape_texts(benchmark),
            run=escape_texts(_run_lines(answering)) if answering else [],
            filters=[escape_texts(_shown(each)) for each in filters],
            cards=[
                {
                    "file": card.file,
                    "label": escape_texts(card.entry.label),
                    "id": escape_texts(card.entry.id),
                    "detail": escape_texts(card.entry.detail),
                    "outcome": escape_texts(card.outcome),
                    "sign": SIGNS[card.role].strip(),
                    "thumbnail": card.thumbnail,
                }
                for card in cards
            ],
            data={
                "facts": [[_value(each, card) for each in filters] for card in cards],
                "say": {name: say[name] for name in ("items", "some")},
            },
            missing=escape_texts(list(missing)),
            source_lines=escape_texts(source_lines(about)),
        )
        + "\n"
    )


def index_style() -> str:
    """The style sheet of the index."""
    sheets = package_file("page.css") + package_file("states.css")
    return f"{variables()}\n{sheets}{package_file('index.css', _FOLDER)}{thumbnail_style()}"


def index_script() -> str:
    """The script of the index."""
    return package_file("index.js", _FOLDER)


def _filters(cards: Sequence[Card]) -> list[_Filter]:
    """The facts in which items differ and that have few values; the answers of a run come first."""
    counted: dict[str, Counter[str]] = {ANSWERS: Counter()}
    for card in cards:
        for name, value in card.facts.items():
            counted.setdefault(name, Counter())[value] += 1
    filters = []
    for name, counts in counted.items():
        alone = sum(counts.values()) == len(counts)
        if (
            counts
            and len(counts) <= _MOST_VALUES
            and not alone
            and max(counts.values()) < len(cards)
        ):
            values = tuple(sorted(counts))
            filters.append(_Filter(name, values, tuple(counts[value] for value in values)))
    return filters


def _value(known: _Filter, card: Card) -> int:
    """The number of a card's value in a filter; -1 for none."""
    value = card.facts.get(known.name)
    return -1 if value is None else known.values.index(value)


def _shown(known: _Filter) -> dict[str, Any]:
    names = map(translated, known.values)
    options = list(zip(names, known.counts, strict=True))
    return {"name": _(_NAMES.get(known.name, known.name.replace("_", " "))), "options": options}


def _run_lines(answering: RunOfItems) -> list[str]:
    plan = answering.run.plan
    items = len({item for _layer, item in answering.verdicts})
    answers = len(answering.verdicts)
    lines = [
        _(
            "Answers of {model}, run {run}, {state}: {conditions}.",
            model=plan.model,
            run=answering.run.id,
            state=_(answering.run.state),
            conditions=conditions(plan),
        ),
        ngettext(
            "The whole run has {n:,} answer about {items}.",
            "The whole run has {n:,} answers about {items}.",
            answers,
            n=answers,
            items=items_in_words(items),
        ),
    ]
    return [*lines, _("Demonstration model: not a result.")] if plan.demo else lines
