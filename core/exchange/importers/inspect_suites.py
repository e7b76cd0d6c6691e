"""Imports the log that Inspect AI wrote of an exported suite, by the metadata of its samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.contract import registry
from core.contract.question import Answer, Message, Scoring
from core.contract.summary import Totals
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.importers.inspect_archive import Fields, Log
from core.exchange.importers.inspect_samples import (
    asked_part,
    caveats,
    notes_on_sampling,
    nothing_scored,
    sampling_of,
    text_of,
    tokens_of,
    values_of,
)
from core.exchange.importers.suite_answers import SuiteAnswer, SuiteFacts, run_of_answers
from core.exchange.suites.document import document_from
from core.runs.records import prompt_hash, replace_surrogates
from core.text.errors import RunError
from core.text.escaping import escape_control_characters


def read_suite(path: Path, log: Log, facts: SuiteFacts) -> ImportedRun:
    """The run of a suite's log; raises `RunError` and what `run_of_answers` raises."""
    notes = [*caveats(log), *notes_on_sampling(log)]
    model = text_of(log.header["eval"].get("model"))
    answers: list[SuiteAnswer] = []
    later = failed = 0
    for sample in log.samples():
        if sample.get("epoch", 1) != 1:
            later += 1
        elif sample.get("error"):
            failed += 1
        elif (answer := _answer(sample, path, model)) is not None:
            answers.append(answer)
    if failed:
        notes.append(f"Samples that ended in an error have no answer: {failed}.")
    if later:
        notes.append(f"Answers of later epochs are left out: {later}. The first epoch is imported.")
    totals: dict[str, Totals] = {}
    if not answers:
        notes += _aggregates(log, facts, totals)
        if not totals:
            raise nothing_scored(path, log)
    run = run_of_answers(
        model or "unknown model",
        facts,
        answers,
        path,
        totals=totals,
        notes=notes,
    )
    # The engine's own limit counts the samples of the suite, which begin with its first layer.
    limit, chosen = asked_part(log)
    known = [each for each in (facts.limit, limit) if each is not None]
    return replace(run, limit=min(known, default=None), chosen=chosen, sampling=sampling_of(log))


def _answer(sample: Fields, path: Path, model: str) -> SuiteAnswer | None:
    """The answer of a sample; None where none was given yet."""
    where = f"{path}: sample {text_of(sample.get('id'))}"
    try:
        document = document_from(sample.get("metadata"))
    except ValueError as error:
        raise RunError(
            f"This is no sample of a suite: {escape_control_characters(str(error))}.", where=where
        ) from error
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    if not isinstance(output, dict) or not choices or not isinstance(choices[0], dict):
        return None
    answer = Answer(
        text=_content(choices[0].get("message")),
        scoring=Scoring.GENERATED,
        tokens=tokens_of(sample, model),
        complete=choices[0].get("stop_reason") != "max_tokens",
    )
    judged = next((value for _, value, _ in values_of(sample)), None)
    return SuiteAnswer(
        document, answer, _prompt(sample.get("input")), None if judged is None else judged == 1.0
    )


def _content(message: Any) -> str:
    """The text of a message, which is one text or parts of several kinds."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return replace_surrogates("".join(part for part in parts if isinstance(part, str)))
    return text_of(content)


def _prompt(turns: Any) -> str:
    """SHA-256 of the turns of a question; empty where they are not recorded."""
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        return ""
    return prompt_hash(
        tuple(Message(text_of(turn.get("role")), text_of(turn.get("content"))) for turn in turns)
    )


def _aggregates(log: Log, facts: SuiteFacts, totals: dict[str, Totals]) -> Iterator[str]:
    """Notes on the figures of a log without samples; what they tell goes to `totals`."""
    shares = _shares(log)
    for layer in registry.load(facts.benchmark).layers:
        share, n = shares.get(layer.id), facts.questions(layer.id)
        if share is None or not n or not 0 <= share <= 1:
            continue
        total = f"{round(share * n)} of {n} right"
        if layer.gated:
            yield (
                f"Layer {layer.id} has no samples. Inspect counts {total} over all items; how many "
                "of them were right before is not known, so no figure is made."
            )
        else:
            totals[layer.id] = Totals(round(share * n), n)
            yield f"Layer {layer.id} has no samples: only its total, {total}."


def _shares(log: Log) -> Mapping[str, float]:
    """The accuracy of each layer by the results of a log that came to its end."""
    results = log.header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    first = scores[0] if isinstance(scores, list) and scores else None
    metrics = first.get("metrics") if isinstance(first, dict) else None
    return {
        layer: float(metric["value"])
        for layer, metric in (metrics.items() if isinstance(metrics, dict) else ())
        if isinstance(metric, dict) and isinstance(metric.get("value"), int | float)
    }
