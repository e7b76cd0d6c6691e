"""A JSON file in pieces gives the same values as the whole, however it is cut into blocks."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.exchange.importers import inspect_archive, inspect_logs, json_stream
from core.exchange.importers.json_stream import JsonStream
from core.text.errors import RunError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('ab"\\{}[],: \n雨', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text('k"\\:', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
KEPT = ("eval", "status")


def pieces(text: str, block: int) -> tuple[dict[str, Any], list[Any] | None]:
    """The values of `KEPT`, and the rows of `samples`, read in blocks of this size."""
    stream = JsonStream(io.BytesIO(text.encode()), "log")
    with patch.object(json_stream, "_BLOCK", block):
        values, place = stream.members(KEPT, "samples")
        rows = None if place is None else [json.loads(row) for row in stream.rows(place)]
    return {name: json.loads(raw) for name, raw in values.items()}, rows


@given(
    st.dictionaries(st.sampled_from([*KEPT, "plan", "stats"]), VALUES),
    st.none() | st.lists(VALUES, max_size=4),
    st.integers(1, 40),
    st.sampled_from([None, 1]),
    st.randoms(),
)
@settings(max_examples=300, deadline=None)
def test_pieces_are_the_values_of_the_whole(
    others: dict[str, Any], samples: list[Any] | None, block: int, indent: int | None, draws: Any
) -> None:
    items = [*others.items(), ("samples", samples)]
    draws.shuffle(items)
    text = json.dumps(dict(items), indent=indent, ensure_ascii=bool(indent))
    kept = {name: value for name, value in others.items() if name in KEPT}
    assert pieces(text, block) == (kept, samples or [])


@given(VALUES, st.integers(1, 40), st.data())
@settings(max_examples=200, deadline=None)
def test_a_file_that_ends_early_or_goes_on_is_refused(
    value: Any, block: int, data: st.DataObject
) -> None:
    text = json.dumps({"eval": value, "samples": [value, value]})
    stop = data.draw(st.integers(0, len(text) - 1))
    for damaged in (text[:stop], text + "]", text + " 1"):
        with pytest.raises(RunError):
            pieces(damaged, block)


@pytest.mark.parametrize("text", ["", "[]", "5", '"eval"', 'x{"eval": 1}', "not json"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(RunError, match="not JSON"):
        pieces(text, 8)


@pytest.mark.parametrize("samples", ["5", '"[]"', "{}", '{"a": []}'])
def test_samples_that_are_no_array_are_refused(samples: str) -> None:
    with pytest.raises(RunError, match="samples"):
        pieces(f'{{"samples": {samples}}}', 8)


def test_a_log_may_be_larger_than_what_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.json"
    samples = [
        {"id": n, "epoch": 1, "scores": {"match": {"value": "C"}}, "events": ["x" * 90_000]}
        for n in range(20)
    ]
    log.write_text(json.dumps({"eval": {"task": "t"}, "status": "success", "samples": samples}))
    monkeypatch.setattr(json_stream, "MOST_PART", 400_000)
    monkeypatch.setattr(json_stream, "_BLOCK", 50_000)
    assert len(inspect_logs.read(log).verdicts) == 20
    # One sample alone has to be held.
    monkeypatch.setattr(json_stream, "MOST_PART", 60_000)
    with pytest.raises(RunError, match="A part of this log"):
        inspect_logs.read(log)
    monkeypatch.setattr(inspect_archive, "MOST_READ", 1_000_000)
    with pytest.raises(RunError, match="more than"):
        inspect_logs.read(log)
