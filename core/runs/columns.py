"""Reads JSON from a column of the store, and checks it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec

from core.system.typed_values import ready

_T = TypeVar("_T")
Count = Annotated[int, msgspec.Meta(ge=0)]
MOST_NAMED = 1_000
NamedValues = Annotated[tuple[tuple[str, str], ...], msgspec.Meta(max_length=MOST_NAMED)]
MOST_VALUES = 1_000_000
"""Of one column, by its commas."""
DAMAGED = (ValueError, RecursionError, OverflowError)
"""The errors of reading a row that this program cannot have written."""


def reader(kind: type[_T]) -> Callable[[str], _T]:
    """A function that reads JSON of one type, or raises one of `DAMAGED`."""
    decode = msgspec.json.Decoder(kind).decode

    def read(text: str) -> _T:
        _check_size(text)
        try:
            return decode(text)
        except ValueError:
            return decoded(text, kind)

    return read


def decoded(text: str, kind: type[_T]) -> _T:
    """JSON as a value of a type, or one of `DAMAGED`."""
    _check_size(text)
    # `msgspec.json` refuses lone surrogates, which a text may hold.
    return msgspec.convert(json.loads(text), ready(kind))


def _check_size(text: str) -> None:
    if text.count(",") > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES:,} values")
