"""What a log of Inspect AI says of its run, of a sample and of a score.

Values are read as Inspect reads them: "C" is 1, "I" and "N" are 0, "P" is half right and does not
count as right here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from core.exchange.importers.inspect_archive import MOST_SAMPLES, Fields, Log
from core.exchange.importers.lm_eval_logs import finite_number
from core.models.protocol import Sampling
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
    limit = _object(log.header["eval"], "config").get("limit")
    if limit is not None:
        yield f"Run with a limit ({text_of(limit)}): not comparable with the whole."
    if log.header.get("invalidated") is True:
        yield "The log was marked as invalid."


def sampling_of(log: Log) -> Sampling:
    """Temperature and most tokens of answers, as the task or else the model was configured.

    The defaults where the log has none, which `notes_on_sampling` tells.
    """
    temperature = finite_number(_configured(log, "temperature"))
    most = _count(_configured(log, "max_tokens"))
    return Sampling(temperature if temperature and temperature > 0 else 0.0, most)


def asked_part(log: Log) -> tuple[int | None, tuple[int, ...]]:
    """The limit of a log, or the positions of its samples where it begins behind the first.

    Inspect's limit is a number of samples, or the first and the end of a range.
    """
    description = log.header["eval"]
    limit = _object(description, "config").get("limit")
    first, end = limit if isinstance(limit, list) and len(limit) == 2 else (0, limit)
    first, end, every = _count(first), _count(end), _object(description, "dataset").get("samples")
    if not first < end <= MOST_SAMPLES:
        return None, ()
    if first:
        return None, tuple(range(first, end))
    return (None if end >= (_count(every) or MOST_SAMPLES) else end), ()


def notes_on_sampling(log: Log) -> Iterator[str]:
    """What of temperature and seed is unknown, or has no place in a run."""
    if _configured(log, "temperature") is None:
        yield "The temperature is unknown: the log has none, so it was the model's own default."
    elif sampling_of(log).temperature:
        seed = _configured(log, "seed")
        known = f"{seed}" if type(seed) is int and abs(seed) < 2**63 else "unknown"
        yield f"Seed with which answers were drawn: {known}."


def tokens_of(sample: Fields, model: str) -> int:
    """How many tokens a model wrote for a sample; 0 where that is not recorded."""
    usage = _object(sample, "output").get("usage")
    if not isinstance(usage, dict):
        usage = _object(_object(sample, "model_usage"), model)
    return _count(usage.get("output_tokens"))


def _configured(log: Log, name: str) -> object:
    """A value of the task's configuration, or of the model's; None where neither has it."""
    value = _object(_object(log.header, "plan"), "config").get(name)
    if value is None:
        value = _object(log.header["eval"], "model_generate_config").get(name)
    return value


def _object(fields: Fields, name: str) -> Fields:
    """A field that is an object; empty where it is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    """A whole number that can be stored; 0 for anything else."""
    return value if type(value) is int and 0 < value < 2**31 else 0


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
