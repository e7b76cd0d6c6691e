"""What a log of Inspect AI says of its run, of a sample and of a score.

Values are read as Inspect reads them: "C" is 1, "I" and "N" are 0, "P" is half right and does not
count as right here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from core.exchange.importers.inspect_archive import Fields, Log
from core.exchange.importers.lm_eval_logs import finite_number
from core.runs.records import replace_surrogates
from core.text.errors import RunError
from core.text.escaping import escape_control_characters

_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_LONGEST_ERROR = 200


def caveats(log: Log) -> Iterator[str]:
    """Why the figures of a log may not be those of a whole run."""
    status = text_of(log.header.get("status")) or ("started" if log.interrupted else "")
    if status != "success":
        yield f"The log's status is “{status or 'unknown'}”: the run did not come to its end."
    if error := _error(log):
        yield f"It ended in an error: {error}. What was answered before is here."
    config = log.header["eval"].get("config")
    limit = config.get("limit") if isinstance(config, dict) else None
    if limit is not None:
        yield f"Run with a limit ({text_of(limit)}): not comparable with the whole."
    if log.header.get("invalidated") is True:
        yield "The log was marked as invalid."


def nothing_scored(path: Path, log: Log) -> RunError:
    """The error for a log that has no answer with a score, with the hint that fits its end."""
    if error := _error(log):
        return RunError(
            f"No sample of this log has a score: the run ended in an error: {error}.",
            where=path,
            hint="Mend what it says, then go on with: inspect eval-retry LOG.",
        )
    if log.interrupted or log.header.get("status") in {"started", "cancelled"}:
        return RunError(
            "No sample of this log has a score: the run was interrupted before one was finished.",
            where=path,
            hint="Go on with: inspect eval-retry LOG.",
        )
    return RunError(
        "No sample of this log has a score.", where=path, hint="Score it first: inspect score LOG."
    )


def values_of(sample: Fields) -> Iterator[tuple[str, float | None, Fields]]:
    """Each scorer of a sample with its value; None for a value that is not one number."""
    scores = sample.get("scores")
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        if isinstance(score, dict):
            yield text_of(scorer), _number(score.get("value")), score


def text_of(value: object) -> str:
    """A value as text that can be stored: no lone surrogates."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return replace_surrogates(text)


def _number(value: object) -> float | None:
    """A score's value as Inspect turns it into a number."""
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            value = float(value)
        except ValueError:
            return None
    return finite_number(float(value) if isinstance(value, bool) else value)


def _error(log: Log) -> str:
    """What a log says of the error that ended it; empty where none did."""
    error = log.header.get("error")
    message = text_of(error.get("message")) if isinstance(error, dict) else ""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return escape_control_characters(lines[0], limit=_LONGEST_ERROR).rstrip(".") if lines else ""
