"""Predictions of abstraction detection and generation, from files.

Detection, one of two forms:

* JSON lines (or one JSON array) with `label` (1 valid, 0 invalid, null unknown), `p_yes` (the
  probability of "yes"), `pred` (1, 0, yes or no; null or -1 where the answer could not be read)
  and, if known, `type` (noun, verb, event) and `event` (the head event). Where `pred` is left out,
  it is "yes" from a `p_yes` of 0.5 on, the authors' rule for NLI models.
* The authors' `test_label.txt`: columns of row, logits, label and prediction. Two logits are of
  invalid and valid; three are an NLI model's contradiction, neutral and entailment.

Generation: JSON lines with `label` (the references: a list, or a text that "[SEP]" divides) and
`pred`, as in the authors' `test.jsonl`; `type` and `event` are optional. Of a prediction the first
line that is not blank counts, as in the authors' code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from core.benchmarks.abspyramid.tuples import Relation
from core.files.json_values import logged_values
from core.files.regular_file import opened
from core.files.rows import Row, at_line, first_character, lines
from core.text.errors import DataError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

SEPARATOR = "[SEP]"
"""Separates the references of a tuple in the released generation splits."""
MOST_CHARACTERS = 10_000
"""Most characters of a reference, and of the line of a prediction that counts."""
MOST_REFERENCES = 1_000
MOST_OF_ALL = 50_000
"""Most references of a prediction, and characters of all of them together."""
_SLACK = 1.5e-3
"""Tolerance for equal logits that were rounded to three decimals."""
_ANSWER_WORDS = {"yes": True, "1": True, "no": False, "0": False}
_QUOTED = re.compile(r'^(?:In the|The) sentence "(.*?),?" ')
"""The head event in the authors' generation prompts."""
_Prediction = TypeVar("_Prediction")


class DetectionPrediction(NamedTuple):
    """A prediction of whether an abstraction is valid."""

    label: bool | None
    """The gold label; None if unknown."""
    picked: bool | None
    """The predicted label; None if the answer could not be read."""
    p_yes: float | None
    """Probability of "yes", from 0 to 1; None if there is none."""
    p_unread: bool = False
    """Whether the given probability is not a number: NaN, infinite or a text."""
    relation: Relation | None = None
    head: str = ""
    """The head event without brackets; empty if unknown."""


@dataclass(frozen=True, slots=True)
class GenerationPrediction:
    """One generated abstract concept."""

    references: tuple[str, ...]
    """The valid reference concepts, at least one."""
    text: str
    """The first non-blank line of the prediction; empty if there is none."""
    relation: Relation | None = None
    head: str = ""


def read_detections(path: Path) -> list[DetectionPrediction]:
    """The detection predictions of a file; raises `DataError` with the faulty line."""
    if _is_json(path):
        return _read_values(path, _detected)
    with opened(path, name="The predictions") as handle:
        return _some(_parse_columns(lines(handle, str(path)), path), path)


def read_generations(path: Path) -> list[GenerationPrediction]:
    """The generation predictions of a file; raises `DataError` with the faulty line."""
    return _read_values(path, _generated)


def _read_values(
    path: Path, parse: Callable[[Mapping[str, Any], str], _Prediction]
) -> list[_Prediction]:
    values = logged_values(path, name="The predictions")
    return _some((parse(_record(entry, where), where) for where, entry in values), path)


def _some(predictions: Iterable[_Prediction], path: Path) -> list[_Prediction]:
    """The predictions; raises `DataError` if there are none."""
    listed = list(predictions)
    if not listed:
        raise DataError("There is no prediction in this file.", where=path)
    return listed


def _is_json(path: Path) -> bool:
    with opened(path, name="The predictions") as handle:
        return first_character(handle) in {b"{", b"["}


def _record(entry: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise DataError("A prediction is a JSON object.", where=where)
    if "label" not in entry:
        hint = suggestion("Fields here", map(str, entry), "label")
        raise DataError("A prediction needs “label”.", where=where, hint=hint)
    return entry


def _detected(entry: Mapping[str, Any], where: str) -> DetectionPrediction:
    label = entry["label"]
    if label is not None and (isinstance(label, str | list | dict) or label not in (0, 1)):
        raise DataError("“label” is 1, 0 or null.", where=where)
    if "pred" not in entry and "p_yes" not in entry:
        hint = suggestion("Fields here", map(str, entry), "pred")
        raise DataError("A prediction has “pred” or “p_yes”.", where=where, hint=hint)
    p_yes, p_unread = _probability(entry.get("p_yes"), where)
    if "pred" in entry:
        picked = _picked(entry["pred"], where)
    else:
        picked = None if p_yes is None else p_yes >= 0.5
    return DetectionPrediction(
        None if label is None else bool(label),
        picked,
        p_yes,
        p_unread,
        _relation(entry, where),
        _head(entry, where),
    )


def _probability(given: Any, where: str) -> tuple[float | None, bool]:
    """P(yes), and whether the field contains something that is not a number."""
    if given is None:
        return None, False
    if isinstance(given, str):
        return None, True
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise DataError("“p_yes” is a number from 0 to 1, or null.", where=where)
    if isinstance(given, float) and not math.isfinite(given):
        return None, True
    if not -1e-6 <= given <= 1 + 1e-6:
        raise DataError(
            "“p_yes” is no probability.",
            where=where,
            hint="Write a number from 0 to 1; a logit x is 1 / (1 + exp(-x)).",
        )
    return min(max(float(given), 0.0), 1.0), False


def _picked(given: Any, where: str) -> bool | None:
    if given is None or (isinstance(given, float) and not math.isfinite(given)):
        return None
    if isinstance(given, str):
        return _ANSWER_WORDS.get(given.strip().rstrip(".").casefold())
    if isinstance(given, int | float):
        if given in (0, 1):
            return bool(given)
        if given == -1:
            return None
    raise DataError(
        "“pred” is 1, 0, yes or no.", where=where, hint="Write null where none could be read."
    )


def _generated(entry: Mapping[str, Any], where: str) -> GenerationPrediction:
    label, pred = entry["label"], entry.get("pred")
    if isinstance(label, str):
        label = label.split(SEPARATOR)
    if not isinstance(label, list) or not all(isinstance(text, str) for text in label):
        raise DataError("“label” is a text or a list of texts.", where=where)
    references = tuple(dict.fromkeys(text.strip() for text in label if text.strip()))
    if not references:
        raise DataError("There is no reference to compare with.", where=where)
    if "pred" not in entry or not (pred is None or isinstance(pred, str)):
        raise DataError("“pred” is a text, or null where nothing was generated.", where=where)
    text = first_line(pred or "")
    if max(len(text), *(len(reference) for reference in references)) > MOST_CHARACTERS:
        raise DataError(
            f"This is longer than {MOST_CHARACTERS:,} characters, so no abstract concept.",
            where=where,
        )
    if len(references) > MOST_REFERENCES or sum(map(len, references)) > MOST_OF_ALL:
        raise DataError(
            f"There are more than {MOST_REFERENCES:,} references, or {MOST_OF_ALL:,} characters of "
            "them.",
            where=where,
        )
    return GenerationPrediction(references, text, _relation(entry, where), _head(entry, where))


def first_line(text: str) -> str:
    """The first non-blank line of a text, empty if there is none, as in the authors' code."""
    lines = (line.strip() for line in text.split("\n"))
    return next((line for line in lines if line), "")


def _relation(entry: Mapping[str, Any], where: str) -> Relation | None:
    name = entry.get("type")
    if name is None:
        return None
    if isinstance(name, str) and name in set(Relation):
        return Relation(name)
    raise DataError(
        f"{quoted(str(name))} is not a type of abstraction.",
        where=where,
        hint=suggestion("Types", Relation, str(name)),
    )


def _head(entry: Mapping[str, Any], where: str) -> str:
    """The head event from `event`, or quoted in the prompt `input`; empty if unknown."""
    event, prompt = entry.get("event"), entry.get("input")
    if event is not None:
        if not isinstance(event, str):
            raise DataError("“event” is a text.", where=where)
        return event.replace("<", "").replace(">", "").strip()
    if not isinstance(prompt, str):
        return ""
    quoted = _QUOTED.match(prompt)
    return quoted.group(1) if quoted else prompt


def _parse_columns(rows_of_file: Iterable[Row], path: Path) -> Iterator[DetectionPrediction]:
    """The predictions in the authors' `test_label.txt`."""
    width = rows = 0
    for file_row in rows_of_file:
        where = at_line(path, file_row.line)
        words = file_row.raw.split()
        try:
            row, *logits, label, pred = (float(word) for word in words)
        except ValueError:
            raise _not_a_prediction(where) from None
        width = width or len(words)
        if len(words) != width or len(logits) not in (2, 3):
            raise _not_a_prediction(where)
        if label not in (0, 1) or pred not in (0, 1):
            raise DataError("The label and the prediction are 0 or 1.", where=where)
        if row != rows:
            raise DataError(f"This should be row {rows}.", where=where)
        rows += 1
        if not all(math.isfinite(logit) for logit in logits):
            yield DetectionPrediction(label == 1, None, None, p_unread=True)
            continue
        p_yes = _softmax_last(logits)
        distance = logits[1] - logits[0] if len(logits) == 2 else p_yes - 0.5
        if abs(distance) > _SLACK and (distance > 0) != (pred == 1):
            raise DataError(
                "The prediction is not what the logits say.",
                where=where,
                hint="Columns: row, logits (two: invalid, valid; three: contradiction, neutral, "
                "entailment), label, prediction.",
            )
        yield DetectionPrediction(label == 1, pred == 1, p_yes)


def _not_a_prediction(where: str) -> DataError:
    return DataError(
        "This is no prediction.",
        where=where,
        hint="Expected are JSON lines with label, p_yes and pred, or columns of numbers: row, two "
        "or three logits, label, prediction.",
    )


def _softmax_last(logits: Sequence[float]) -> float:
    """The last component of the softmax of logits."""
    most = max(logits)
    powers = [math.exp(logit - most) for logit in logits]
    return powers[-1] / sum(powers)
