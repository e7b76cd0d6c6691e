"""Imports the logs that lm-evaluation-harness wrote of an exported suite.

Where a task has no samples its aggregate stands in, but not in a gated layer: the harness counted
over all items there, and which of them count is not known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from core.contract import registry
from core.contract.question import Scoring
from core.contract.summary import Totals
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.importers.lm_eval_logs import Logs, Sample, Task, first_document, first_filter
from core.exchange.importers.suite_answers import (
    SuiteAnswer,
    SuiteFacts,
    facts_from,
    run_of_answers,
)
from core.exchange.suites.document import MARK, document_from
from core.text.errors import DataError
from core.text.escaping import escape_control_characters


def suite_tasks(logs: Logs) -> dict[str, SuiteFacts]:
    """The tasks of a log that are layers of an exported suite, with the suite's facts."""
    tasks = {}
    for name, task in logs.tasks.items():
        facts = None
        if task.result is not None:
            facts = facts_from(task.result.metadata, f"task {name}")
        if facts is None and task.samples is not None:
            fields = first_document(task.samples)
            if MARK in fields:
                facts = SuiteFacts(benchmark=str(fields.get("benchmark")))
        if facts is not None:
            tasks[name] = facts
    return tasks


def read_suite(folder: Path, logs: Logs, tasks: dict[str, SuiteFacts]) -> ImportedRun:
    """The run of a suite's logs; raises `DataError` and what `run_of_answers` raises."""
    facts = next(iter(tasks.values()))
    if len({each.benchmark for each in tasks.values()}) > 1:
        names = sorted({escape_control_characters(each.benchmark) for each in tasks.values()})
        raise DataError(
            f"These are logs of suites of {len(names)} benchmarks: {', '.join(names[:5])}.",
            where=folder,
            hint="Give the harness another --output_path for each suite.",
        )
    notes: list[str] = []
    answers: list[SuiteAnswer] = []
    totals: dict[str, Totals] = {}
    for name in tasks:
        task = logs.tasks[name]
        if task.samples is None:
            notes += _aggregate(facts, task, totals)
            continue
        read = [_answer(sample) for sample in first_filter(name, task.samples, notes)]
        answers += read
        notes += _caveats(name, task, read)
    if not any(task.result for name, task in logs.tasks.items() if name in tasks):
        notes.append("No results file is here, so worked examples and settings are not known.")
    return run_of_answers(
        logs.model,
        facts,
        answers,
        folder,
        totals=totals,
        notes=notes,
        not_imported=[
            escape_control_characters(task, limit=200) for task in logs.tasks if task not in tasks
        ],
    )


def _answer(sample: Sample) -> SuiteAnswer:
    fields = dict(sample.document.fields)
    exported = hashlib.sha256(str(fields.pop("prompt", "")).encode("utf-8", "replace"))
    try:
        document = document_from(fields)
    except ValueError as error:
        raise DataError(
            f"This is no document of a suite: {escape_control_characters(str(error))}.",
            where=sample.document.where,
        ) from error
    if sample.text is None and sample.options != tuple(document.choices):
        raise DataError(
            "The options of this sample are not those of its document.",
            where=sample.document.where,
        )
    judged = None if sample.accuracy is None else bool(sample.accuracy)
    return SuiteAnswer(
        document, sample.answer, sample.prompt, judged, sample.prompt == exported.hexdigest()
    )


def _caveats(name: str, task: Task, answers: list[SuiteAnswer]) -> Iterator[str]:
    if task.older:
        yield f"Task {name} was logged {task.older + 1} times; the latest is imported."
    if task.result is not None and task.result.limited:
        yield f"Task {name} was run with a limit: not comparable with the whole."
    if others := sum(1 for each in answers if not each.as_exported):
        yield (
            f"Task {name}: {others} of {len(answers)} prompts are not the suite's; the harness put "
            "worked examples, a system text or a chat template of its own around them."
        )
    if any(each.answer.scoring is Scoring.GENERATED for each in answers):
        yield (
            f"Task {name} has generated answers. The harness does not say which were cut at their "
            "limit, so they are read as whole ones."
        )


def _aggregate(facts: SuiteFacts, task: Task, totals: dict[str, Totals]) -> Iterator[str]:
    """Notes on a task without samples; what its aggregate tells goes to `totals`."""
    result = task.result
    assert result is not None
    layer_id = str((result.metadata or {}).get("layer"))
    layer = next(
        (each for each in registry.load(facts.benchmark).layers if each.id == layer_id), None
    )
    name = escape_control_characters(layer_id, limit=200)
    if layer is None or result.accuracy is None or not result.n:
        yield f"Layer {name} has neither samples nor an accuracy over a number of them."
        return
    right = round(result.accuracy * result.n)
    aggregate = f"{right} of {result.n} right"
    if layer.gated:
        yield (
            f"Layer {name} has no samples (--log_samples writes them). The harness counts "
            f"{aggregate} over all items; how many of them were right before is not known, so no "
            "figure is made."
        )
        return
    totals[layer.id] = Totals(right, result.n)
    yield f"Layer {name} has no samples (--log_samples writes them): only its total, {aggregate}."
