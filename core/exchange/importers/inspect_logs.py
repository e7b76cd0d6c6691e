"""Imports logs of Inspect AI: finished, interrupted, or ended in an error.

The log of an exported suite becomes a run of its benchmark (`inspect_suites`). Of any other log a
score becomes a verdict in the layer that is named after its scorer. Where choices, target and
answer are letters the verdict has them as options; elsewhere its options are "incorrect" and
"correct".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.contract.question import Form, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.importers.inspect_archive import Fields, Log, opened_log
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
from core.exchange.importers.inspect_suites import read_suite
from core.exchange.importers.suite_answers import facts_from
from core.text.errors import RunError
from core.text.escaping import escape_control_characters

BENCHMARK = "inspect"
"""The benchmark of an imported run, whose tasks cannot be drawn or asked here."""


def read(path: Path) -> ImportedRun:
    """Read a log; raises `RunError` when it is not one, is damaged, or is too large."""
    with opened_log(path) as log:
        facts = facts_from(log.header["eval"].get("metadata"), path)
        return _imported(path, log) if facts is None else read_suite(path, log, facts)


def _imported(path: Path, log: Log) -> ImportedRun:
    description = log.header["eval"]
    model = text_of(description.get("model"))
    scored: list[tuple[str, Verdict]] = []
    unscored = partial = failed = 0
    seen: set[tuple[str, str, str]] = set()
    for sample in log.summaries():
        name, epoch = _place(sample)
        failed += bool(sample.get("error"))
        for scorer, value, score in values_of(sample):
            if value is None:
                unscored += 1
                continue
            if (name, epoch, scorer) in seen:
                raise RunError(
                    f"Sample {escape_control_characters(name)} is in this log twice.", where=path
                )
            seen.add((name, epoch, scorer))
            partial += 0 < value < 1
            verdict = _verdict(name, scorer, value, sample, score)
            scored.append((epoch, verdict._replace(output_tokens=tokens_of(sample, model))))
    if not scored:
        raise nothing_scored(path, log)
    if not any(verdict.output_tokens for _, verdict in scored):
        tokens = _tokens(log, model)
        scored = [
            (epoch, verdict._replace(output_tokens=tokens.get((verdict.item, epoch), 0)))
            for epoch, verdict in scored
        ]
    epochs = {epoch for epoch, _ in scored}
    verdicts = tuple(
        verdict._replace(item=f"{verdict.item} (epoch {epoch})") if len(epochs) > 1 else verdict
        for epoch, verdict in scored
    )
    notes = [
        f"Inspect task {text_of(description.get('task')) or 'without a name'}.",
        *caveats(log),
        *notes_on_sampling(log),
        "Whether worked examples stood before the questions is unknown: the log does not tell.",
    ]
    if len(epochs) > 1:
        notes.append(f"{len(epochs)} epochs: every answer counts by itself.")
    if failed:
        notes.append(f"Samples that ended in an error: {failed}.")
    if unscored:
        notes.append(f"Scores that are not one number are left out: {unscored}.")
    if partial:
        notes.append(f"Scores between 0 and 1 do not count as right: {partial}.")
    notes += _disagreements(log, verdicts)
    limit, chosen = asked_part(log)
    return ImportedRun(
        model=model or "unknown model",
        benchmark=BENCHMARK,
        verdicts=verdicts,
        notes=tuple(notes),
        # Inspect asks with turns, whatever the model.
        form=Form.CHAT,
        limit=limit,
        chosen=chosen,
        sampling=sampling_of(log),
    )


def _tokens(log: Log, model: str) -> Mapping[tuple[str, str], int]:
    """Output tokens by sample and epoch, of an archive whose summaries are older than their usage.

    Samples that are damaged or too large for that leave it unknown, as they are not needed else.
    """
    known: dict[tuple[str, str], int] = {}
    if log.samples is log.summaries:
        return known
    with suppress(RunError):
        for sample in log.samples():
            known[_place(sample)] = tokens_of(sample, model)
    return known


def _place(sample: Fields) -> tuple[str, str]:
    """The name of a sample, and its epoch."""
    return text_of(sample.get("id", "?")), text_of(sample.get("epoch", 1))


def _disagreements(log: Log, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A note for each accuracy in the log that differs from that of its samples."""
    results = log.header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    for score in scores if isinstance(scores, list) else []:
        try:
            name, logged = str(score["name"]), float(score["metrics"]["accuracy"]["value"])
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        judged = [verdict for verdict in verdicts if verdict.layer == name]
        ours = sum(1 for v in judged if v.right) / len(judged) if judged else math.nan
        if judged and abs(ours - logged) > 1e-9:
            yield f"The log gives {logged:.4f} as the accuracy of {name}; its samples {ours:.4f}."


def _verdict(
    item: str, scorer: str, value: float, sample: Mapping[str, Any], score: Mapping[str, Any]
) -> Verdict:
    right = value == 1.0
    options, answer, gold = _chosen(sample, score)
    if answer is None or (answer == gold) != right:
        options, answer, gold = ("incorrect", "correct"), int(right), 1
    return Verdict(
        item=item,
        layer=scorer,
        setting=Setting(),
        options=options,
        scores=(),
        answer=answer,
        gold=gold,
        status=Status.OK,
        scoring=Scoring.GENERATED,
        text=text_of(score.get("answer")),
        tags={"value": f"{value:g}"},
    )


def _chosen(
    sample: Mapping[str, Any], score: Mapping[str, Any]
) -> tuple[tuple[str, ...], int | None, int | None]:
    """Options, answer and gold of a multiple-choice sample; no answer where it is none."""
    choices = sample.get("choices")
    if not isinstance(choices, list) or not choices:
        return (), None, None
    target = sample.get("target")
    if isinstance(target, list) and len(target) == 1:
        target = target[0]
    answer, gold = _letter(score.get("answer"), len(choices)), _letter(target, len(choices))
    if answer is None or gold is None:
        return (), None, None
    return tuple(text_of(choice) for choice in choices), answer, gold


def _letter(value: object, count: int) -> int | None:
    """The index of a letter: "A" is 0."""
    text = text_of(value).strip()
    if len(text) == 1 and 0 <= ord(text) - ord("A") < count:
        return ord(text) - ord("A")
    return None
