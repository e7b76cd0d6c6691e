"""The most telling items of runs: all that was asked about each, with the answers, and its graph.

Of two runs these are the items that one has right and the other wrong, of a single run those that
it has wrong; the surest answers come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.contract.collection import Item
from core.contract.question import Question, Verdict, shares
from core.exchange.exporters.graph_of_view import graph_of_view
from core.exchange.exporters.inline_drawing import inline_drawing
from core.runs.option_order import in_shown_order
from core.runs.pairs import Flip
from core.runs.questions import QuestionSource
from core.text.errors import CommonsenseError

MOST_ITEMS = 10
_MOST_TEXT = 4_000
"""Most characters of a question."""
_MOST_NODES = 100
_MOST_OPTIONS = 20

Answers = Sequence[tuple[str, Verdict]]
"""The answers of one run or of two to a question, each with the name of its column."""


@dataclass(frozen=True, slots=True)
class AskedLayer:
    """A question with its options, what was picked and what is right."""

    title: str
    text: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: int = 0
    """Options that are not shown."""


@dataclass(frozen=True, slots=True)
class TellingItem:
    """An item with its ladder and its graph."""

    item: str
    layers: Sequence[AskedLayer]
    drawing: str = ""
    """An element of SVG; its texts are escaped."""
    why_not_drawn: str = ""


def flipped_items(
    first: Sequence[Verdict], second: Sequence[Verdict], flips: Iterable[Flip]
) -> list[str]:
    """The items of flips, those with the surest answers first."""
    of_first, of_second = _by_question(first), _by_question(second)
    pairs = [
        (of_first[key], of_second[key])
        for flip in flips
        if (key := (flip.layer, flip.item)) in of_first and key in of_second
    ]
    pairs.sort(key=lambda pair: -sum(map(_sureness, pair)))
    return list(dict.fromkeys(pair[0].item for pair in pairs))


def failed_items(verdicts: Iterable[Verdict]) -> list[str]:
    """The items with wrong answers, those with the surest ones first."""
    wrong = sorted((v for v in verdicts if v.right is False), key=_sureness, reverse=True)
    return list(dict.fromkeys(verdict.item for verdict in wrong))


def telling_items(
    items: Iterable[str], answers: Mapping[str, Sequence[Verdict]], source: QuestionSource | None
) -> list[TellingItem]:
    """What a page shows of some items.

    Args:
        items: their ids.
        answers: the verdicts of each run, by the name of its column.
        source: the questions of the runs; None where the items are not at hand.
    """
    wanted = list(items)
    asked: dict[str, dict[str, list[tuple[str, Verdict]]]] = {item: {} for item in wanted}
    for name, verdicts in answers.items():
        for verdict in verdicts:
            if verdict.item in asked:
                answers_of_layer = asked[verdict.item].setdefault(verdict.layer, [])
                # What another run asked otherwise has no place in the same table.
                if not answers_of_layer or _same_question(answers_of_layer[0][1], verdict):
                    answers_of_layer.append((name, verdict))
    return [_telling(item, list(asked[item].values()), source) for item in wanted]


def _same_question(first: Verdict, second: Verdict) -> bool:
    return (first.digest, first.setting, first.options) == (
        second.digest,
        second.setting,
        second.options,
    )


def _telling(item_id: str, ladder: Sequence[Answers], source: QuestionSource | None) -> TellingItem:
    if source is None:
        layers = [_asked(answers, "") for answers in ladder]
        why = (
            "No graph and no questions: the collection that the run asked about is not here. Name "
            "it with --data."
        )
        return TellingItem(item_id, layers, why_not_drawn=why)
    try:
        item = source.collection.item(source.collection.find(item_id))
        questions = [_question(source, item, answers) for answers in ladder]
        layers = [
            _asked(answers, "") if question is None else _asked_as_shown(answers, question)
            for answers, question in zip(ladder, questions, strict=True)
        ]
        if None in questions:
            # A seed or a setting of another version may have made another item of it.
            why = (
                "No graph: the item is another one in this collection, or this version of the "
                "program asks something else about this item."
            )
            return TellingItem(item_id, layers, why_not_drawn=why)
        graph = graph_of_view(source.benchmark.view(item, ladder[0][0][1].setting))
    except CommonsenseError as error:
        layers = [_asked(answers, "") for answers in ladder]
        return TellingItem(item_id, layers, why_not_drawn=f"No graph: {error}")
    if graph is None:
        return TellingItem(item_id, layers, why_not_drawn="This item has no graph.")
    if len(graph.nodes) > _MOST_NODES:
        why = f"No graph: {len(graph.nodes)} nodes are too many for this page."
        return TellingItem(item_id, layers, why_not_drawn=why)
    return TellingItem(item_id, layers, inline_drawing(graph))


def _question(source: QuestionSource, item: Item, answers: Answers) -> Question | None:
    """The question that was answered; None where it is another one now."""
    verdict = answers[0][1]
    question = source.asked(item, verdict.setting, verdict.layer)
    return None if question is None or question.digest() != verdict.digest else question


def _asked_as_shown(answers: Answers, question: Question) -> AskedLayer:
    """A question with its text, and its options in the order that the text has them in."""
    shown = [(name, in_shown_order(verdict, question)) for name, verdict in answers]
    return _asked(shown, question.text)


def _asked(answers: Answers, text: str) -> AskedLayer:
    """The options of a question, with what was picked and what is right."""
    verdict = answers[0][1]
    weights = [shares(each.scores) for _, each in answers]
    scored = [(name, share) for (name, _), share in zip(answers, weights, strict=True) if share]
    picks = [each.picked_options for _, each in answers]
    rows = []
    for i, option in enumerate(verdict.options[:_MOST_OPTIONS]):
        picked = ["picked" if i in each else "" for each in picks]
        share = [f"{each[i]:.3f}" for _, each in scored]
        rows.append((option, "right" if i in verdict.right_options else "", *picked, *share))
    columns = ("option", "gold", *(name for name, _ in answers))
    shown = (f"share {name}" if len(answers) > 1 else "share" for name, _ in scored)
    words = ", ".join(f"{name} {_status(each)}" for name, each in answers)
    return AskedLayer(
        f"{verdict.item}, {verdict.layer}: {words}",
        text[:_MOST_TEXT] + ("…" if len(text) > _MOST_TEXT else ""),
        (*columns, *shown),
        rows,
        max(0, len(verdict.options) - _MOST_OPTIONS),
    )


def _status(verdict: Verdict) -> str:
    word = {True: "right", False: "wrong", None: "without a known right answer"}[verdict.right]
    return word if verdict.picked_options else f"{word} ({verdict.status.value})"


def _by_question(verdicts: Sequence[Verdict]) -> dict[tuple[str, str], Verdict]:
    return {(verdict.layer, verdict.item): verdict for verdict in verdicts}


def _sureness(verdict: Verdict) -> float:
    """How far the most probable option is ahead of the next; 0 where options have no scores."""
    best, second, *_ = *sorted(shares(verdict.scores), reverse=True), 0.0, 0.0
    return best - second
