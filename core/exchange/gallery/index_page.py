"""The index of a gallery: a card for each item, and filters by what is known of the items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.contract.collection import About
from core.exchange.exporters.document import source_lines
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
from core.text.language import in_english

_FOLDER = "gallery"
_MOST_VALUES = 40
"""Most values that a filter offers; a fact with more values is searched by typing."""


@dataclass(frozen=True, slots=True)
class _Filter:
    """A fact in which items differ."""

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]


@in_english()
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
    return (
        template("index.html.j2", _FOLDER).render(
            policy=OWN_FOLDER,
            title=escape_texts(f"{about.title} · {benchmark}"),
            heading=escape_texts(about.title),
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
            facts=[[_value(each, card) for each in filters] for card in cards],
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
    options = list(zip(known.values, known.counts, strict=True))
    return {"name": known.name.replace("_", " "), "options": options}


def _run_lines(answering: RunOfItems) -> list[str]:
    plan = answering.run.plan
    items = len({item for _layer, item in answering.verdicts})
    lines = [
        f"Answers of {plan.model}, run {answering.run.id}, {answering.run.state}: "
        f"{conditions(plan)}.",
        f"{len(answering.verdicts):,} answers about {items:,} items.",
    ]
    return [*lines, "Demonstration model: not a result."] if plan.demo else lines
