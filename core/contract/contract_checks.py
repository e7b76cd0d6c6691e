"""Whether what the code of another package made is as the contract says, down to its last field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from core.contract.prompt_parts import PromptPart
from core.contract.question import MOST_OPTIONS, OptionScore, Question, Verdict
from core.contract.setting import Choice, Flag, Number, Switch
from core.contract.summary import Baseline, Estimate, Figure, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import MOST_COLUMNS, MOST_PARTS, Graph, Grid, Link, Statements, View

_MOST = 2**63 - 1
"""The largest number that a store keeps."""


def check(value: object, wanted: Any, name: str) -> None:
    """Raise an error, which begins with the name, unless a value is as an annotation wants it.

    Sequences, mappings, dataclasses and named tuples are checked with all that is in them.

    Raises:
        TypeError: something is of another type.
        ValueError: something contradicts itself, such as a right answer that is no option.
    """
    if wanted in {Any, NoneType}:
        return
    if isinstance(wanted, TypeVar):
        # An item, of a class that only the package knows.
        value, wanted, name = getattr(value, "id", None), str, f"{name}.id"
    kinds = get_args(wanted) if get_origin(wanted) in {Union, UnionType, ClassVar} else (wanted,)
    for kind in kinds:
        if _is_a(value, get_origin(kind) or kind):
            if isinstance(value, int) and not -_MOST <= value <= _MOST:
                raise ValueError(f"{name} is too large")
            _check_inside(value, kind, name)
            return
    names = " or ".join((get_origin(kind) or kind).__name__ for kind in kinds)
    raise TypeError(f"{name} is {type(value).__name__}, not {names}")


def _is_a(value: object, kind: type) -> bool:
    if kind is float:
        return isinstance(value, int | float)
    return isinstance(value, kind) and not (kind is Sequence and isinstance(value, str))


def _check_inside(value: Any, kind: Any, name: str) -> None:
    """Check the elements or fields of a value, of which the type itself is right."""
    origin, wanted = get_origin(kind), get_args(kind)
    if origin is Mapping:
        for key, each in value.items():
            check(key, wanted[0], f"a key of {name}")
            check(each, wanted[1], f"{name}[{key!r}]")
    elif origin is Sequence or (origin is tuple and wanted[-1] is Ellipsis):
        for index, each in enumerate(value):
            check(each, wanted[0], f"{name}[{index}]")
    elif origin is tuple:
        if len(value) != len(wanted):
            raise ValueError(f"{name} has {len(value)} elements, not {len(wanted)}")
        for index, each in enumerate(value):
            check(each, wanted[index], f"{name}[{index}]")
    else:
        for field, annotation in _fields(kind).items():
            check(getattr(value, field), annotation, f"{name}.{field}")
        for contradiction in _contradictions(value):
            raise ValueError(f"{name} {contradiction}")


@cache
def _fields(kind: type) -> Mapping[str, Any]:
    """The annotations of a dataclass or a named tuple by field; nothing for other types."""
    if is_dataclass(kind):
        names = [each.name for each in fields(kind)]
    else:
        names = list(getattr(kind, "_fields", ()))
    return {name: get_type_hints(kind)[name] for name in names}


def _contradictions(value: object) -> Iterator[str]:
    """In what a value contradicts itself, as the end of a sentence that begins with its name."""
    if isinstance(value, Switch) and (
        "=" in value.key or value.key != value.key.strip() or not value.key.isprintable()
    ):
        yield "has a key that nobody can type"
    match value:
        case Question():
            if not value.options and not value.open:
                yield "has no options"
            if len(value.options) > MOST_OPTIONS:
                yield f"has more than {MOST_OPTIONS:,} options"
            if value.answer_limit < 1:
                yield "has no room for an answer"
            if value.multiple and value.gold is not None:
                yield "has one right answer although several may be picked"
            yield from _option_faults(value)
            if len(value.meanings) not in {0, len(value.options)}:
                yield "has no meaning for some options"
        case Verdict():
            yield from _option_faults(value)
            if not _are_options(value.picked_options, value.options):
                yield "has an answer that is no option"
            if len(value.scores) not in {0, len(value.options)}:
                yield "has no score for some options"
            if len(value.priors) not in {0, len(value.options)}:
                yield "has no prior for some options"
        case OptionScore() if min(value.tokens, value.bytes) < 0:
            yield "has a negative length"
        case Figure():
            yield from _figure_faults(value)
        case Totals() if not 0 <= value.right <= value.n or not 0 <= value.unread <= value.n:
            yield f"counts {value.right} of {value.n}"
        case Baseline() if not math.isfinite(value.value):
            yield "is no number"
        case Estimate():
            yield from _interval_faults(value.value, value.interval)
        case View() if value.parts > MOST_PARTS:
            yield f"has more than {MOST_PARTS:,} statements, links, nodes and cells"
        case Grid():
            if not 0 < len(value.columns) <= MOST_COLUMNS:
                yield f"has {len(value.columns):,} columns; 1 to {MOST_COLUMNS} can be shown"
            if any(len(row) != len(value.columns) for row in value.rows):
                yield "has rows that are longer or shorter than its heading"
        case Graph():
            yield from _link_faults([node.id for node in value.nodes], ())
        case Statements():
            ids = [statement.id for statement in value.statements]
            yield from _link_faults(ids, value.links)
            if value.states is not None:
                nodes = [node.id for node in value.states.nodes]
                yield from _link_faults([*ids, *nodes], value.states.links)
        case PromptPart() if not 0 <= value.start <= value.stop:
            yield f"reaches from {value.start} to {value.stop}"
        case TaskLayer() if not value.id:
            yield "has no id"
        case Choice():
            if not value.values:
                yield "has no values"
            elif value.default not in value.values:
                yield "has no value that is its default"
            if len(value.names) not in {0, len(value.values)}:
                yield "has no name for some values"
        case Flag() if value.default not in {"on", "off"}:
            yield "is neither on nor off"
        case Number() if not value.low <= value.start <= value.high:
            yield "does not begin inside its range"


def _link_faults(ids: Sequence[str], links: Sequence[Link]) -> Iterator[str]:
    if len(set(ids)) < len(ids):
        yield "has an id twice"
    if not {end for link in links for end in (link.source, link.target)} <= set(ids):
        yield "has a link to what is not there"


def _option_faults(asked: Question | Verdict) -> Iterator[str]:
    if not _are_options(asked.right_options, asked.options):
        yield "has a right answer that is no option"
    if asked.order and sorted(asked.order) != list(range(len(asked.options))):
        yield "has an order that is not one of its options"


def _are_options(indices: Sequence[int], options: Sequence[str]) -> bool:
    return all(0 <= index < len(options) for index in indices)


def _figure_faults(figure: Figure) -> Iterator[str]:
    if figure.n < 0 or not 0 <= (figure.right or 0) <= figure.n:
        yield f"counts {figure.right} of {figure.n}"
    yield from _interval_faults(figure.mean, figure.own_interval)


def _interval_faults(value: float | None, interval: tuple[float, float] | None) -> Iterator[str]:
    if not all(map(math.isfinite, (value or 0.0, *(interval or ())))):
        yield "is no number"
    if interval and interval[0] > interval[1]:
        yield "has an interval that ends before it begins"
