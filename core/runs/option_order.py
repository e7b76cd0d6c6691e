"""The orders in which a question with letters shows its options, and answers mapped back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import factorial
from string import ascii_letters
from typing import TypeVar

from core.contract.question import Question, Verdict
from core.runs.records import RecordedBlocks, replace_surrogates

_T = TypeVar("_T")


def option_order(item: str, layer: str, options: int, number: int) -> tuple[int, ...]:
    """The index of the option that is shown at each place, in the order of this number.

    Number 0 is the benchmark's own order. The others are drawn with a seed of item and layer; none
    occurs twice before all orders of so many options have occurred.
    """
    generator = random.Random(f"{replace_surrogates(item)}\n{layer}")
    order = tuple(range(options))
    drawn = {order}
    while len(drawn) <= number % factorial(options):
        order = tuple(generator.sample(range(options), options))
        drawn.add(order)
    return order


def in_own_order(verdict: Verdict, question: Question) -> Verdict:
    """The verdict on a question with its options in the benchmark's own order.

    Options that are letters stay as they are: A is the first option, wherever it was shown.
    """
    order = question.order
    if not order:
        return verdict
    return verdict._replace(
        options=verdict.options if question.meanings else own_order_of(verdict.options, order),
        scores=own_order_of(verdict.scores, order),
        answer=None if verdict.answer is None else order[verdict.answer],
        gold=None if verdict.gold is None else order[verdict.gold],
        answers=_indices(verdict.answers, order),
        golds=_indices(verdict.golds, order),
        order=order,
    )


def in_shown_order(verdict: Verdict, question: Question) -> Verdict:
    """The inverse of `in_own_order`: a recorded verdict as the question shows its options."""
    order = question.order
    if not order:
        return verdict
    places = {index: place for place, index in enumerate(order)}
    own_places = [places[index] for index in range(len(order))]
    return verdict._replace(
        options=verdict.options if question.meanings else as_shown(verdict.options, order),
        scores=as_shown(verdict.scores, order),
        answer=None if verdict.answer is None else places[verdict.answer],
        gold=None if verdict.gold is None else places[verdict.gold],
        answers=_indices(verdict.answers, own_places),
        golds=_indices(verdict.golds, own_places),
        priors=as_shown(verdict.priors, order),
        order=(),
    )


def own_order_of(shown: Sequence[_T], order: Sequence[int]) -> tuple[_T, ...]:
    """What stood at each place, in the benchmark's own order; nothing where nothing stood there."""
    if not order or not shown:
        return tuple(shown)
    return tuple(shown[place] for place in sorted(range(len(order)), key=order.__getitem__))


def as_shown(own: Sequence[_T], order: Sequence[int]) -> tuple[_T, ...]:
    """The inverse of `own_order_of`."""
    return tuple(own[index] for index in order) if order and own else tuple(own)


def blocks_in_own_order(blocks: RecordedBlocks, order: Sequence[int]) -> RecordedBlocks:
    """What each block said of the options in the benchmark's own order."""
    return RecordedBlocks(
        tuple(_indices(picks, order) for picks in blocks.answers),
        tuple(own_order_of(row, order) for row in blocks.scores),
    )


def scored_texts(verdict: Verdict) -> tuple[str, ...]:
    """The text that was scored for each option: where options are letters, that of its place."""
    if not are_letters(verdict.options):
        return verdict.options
    return tuple(verdict.options[verdict.place(index)] for index in range(len(verdict.options)))


def are_letters(options: Sequence[str]) -> bool:
    """Whether options are letters, which stay at their places whatever order is shown."""
    return all(len(option) == 1 and option in ascii_letters for option in options)


def _indices(places: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(order[place] for place in places))
