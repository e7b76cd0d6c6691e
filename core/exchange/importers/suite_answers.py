"""Makes a run of the answers that another engine recorded to the questions of an exported suite.

Every answer is scored again by the rules of the program's own runs. An engine asks the gated layers
of a benchmark about all items; here only the answers count that an own run would have asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Form, Verdict
from core.contract.summary import Totals
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.suites.document import MARK, VERSION, SuiteDocument, verdict_of
from core.exchange.suites.questions import gated_examples_note
from core.runs.records import verdict_key
from core.system.typed_values import ready
from core.text.errors import RunError
from core.text.escaping import escape_control_characters
from core.text.quantities import counted

_Count = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class LayerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite says of a layer."""

    layer: str
    questions: _Count


class SuiteFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite says of itself; the defaults where a log does not repeat it."""

    benchmark: str
    form: str = Form.BASE.value
    shots: _Count = 0
    shot_rule: Literal["", "random", "varied", "fixed"] = ""
    seed: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] = 0
    limit: _Count | None = None
    setting: list[tuple[str, str]] = []
    layers: list[LayerFacts] = []

    def questions(self, layer: str) -> int:
        """How many questions a layer has; 0 where that is not known."""
        return next((each.questions for each in self.layers if each.layer == layer), 0)


@dataclass(frozen=True, slots=True)
class SuiteAnswer:
    """An answer to a question of a suite."""

    document: SuiteDocument
    answer: Answer
    prompt: str
    """SHA-256 of the prompt; empty where it is not recorded."""
    judged: bool | None
    """Whether the engine counted it as right."""
    as_exported: bool = True
    """Whether the prompt is the suite's."""


def facts_from(fields: Any, where: str | Path) -> SuiteFacts | None:
    """What a log repeats of a suite's facts; None where it is of no suite. Raises `RunError`."""
    if not isinstance(fields, dict) or MARK not in fields:
        return None
    if fields[MARK] != VERSION:
        raise RunError(
            f"This is the log of a suite of another version than {VERSION}.",
            where=where,
            hint="Export the suite again, or import it with the version that wrote it.",
        )
    try:
        return msgspec.convert(fields, ready(SuiteFacts))
    except msgspec.ValidationError as error:
        raise RunError(
            f"What this log says of its suite is damaged: {error}.", where=where
        ) from error


def run_of_answers(
    model: str,
    facts: SuiteFacts,
    answers: Sequence[SuiteAnswer],
    where: Path,
    *,
    totals: Mapping[str, Totals] | None = None,
    notes: Sequence[str] = (),
    not_imported: Sequence[str] = (),
) -> ImportedRun:
    """The run of an engine's answers, with the benchmark's gates.

    `totals` are those of layers without answers. Raises `NotFoundError` where the benchmark is not
    installed, and `RunError` where an item has two answers in a layer or a layer is none of its.
    """
    benchmark = registry.load(facts.benchmark)
    numbers = {layer.id: number for number, layer in enumerate(benchmark.layers)}
    for each in answers:
        if each.document.layer not in numbers or each.document.benchmark != benchmark.name:
            raise RunError(
                f"{benchmark.title} has no layer “{_name(each.document.layer)}”.", where=where
            )
    ordered = sorted(
        answers, key=lambda each: (numbers[each.document.layer], each.document.position)
    )
    scored = [(each, verdict_of(benchmark, each.document, each.answer)) for each in ordered]
    for (layer, item), count in Counter(verdict_key(verdict) for _, verdict in scored).items():
        if count > 1:
            raise RunError(
                f"Item “{_name(item)}” has {count} answers in layer {layer}.",
                where=where,
                hint="Two logs may have been joined, or two items may have one id.",
            )
    counted, left_out = _through_gates(benchmark, scored)
    examples = gated_examples_note(benchmark, facts.shots)
    return ImportedRun(
        model=_name(model),
        benchmark=benchmark.name,
        verdicts=tuple(verdict for _, verdict in counted),
        totals=totals or {},
        notes=(*notes, *filter(None, [examples]), *left_out, *_disagreements(scored)),
        prompts=tuple(each.prompt for each, _ in counted),
        not_imported=tuple(not_imported),
        form=Form.CHAT if facts.form == Form.CHAT.value else Form.BASE,
        shots=facts.shots,
        shot_rule=facts.shot_rule,
        seed=facts.seed,
        setting=tuple(facts.setting),
        limit=facts.limit,
    )


def _through_gates(
    benchmark: Benchmark, scored: Sequence[tuple[SuiteAnswer, Verdict]]
) -> tuple[list[tuple[SuiteAnswer, Verdict]], list[str]]:
    """The answers that an own run would have asked for, and notes on the others."""
    counted: list[tuple[SuiteAnswer, Verdict]] = []
    notes = []
    before: dict[str, bool | None] | None = None
    for number, layer in enumerate(benchmark.layers):
        logged = [pair for pair in scored if pair[1].layer == layer.id]
        kept = logged
        if layer.gated and number:
            earlier = benchmark.layers[number - 1].id
            kept = [pair for pair in logged if (before or {}).get(pair[1].item) is True]
            if logged and not before:
                notes.append(
                    f"Layer {layer.id} is asked about items that were right in {earlier}, to which "
                    f"this log has no answers: none of its {len(logged):,} counts. "
                    "Ask all layers in one log."
                )
            elif len(kept) < len(logged):
                notes.append(
                    f"Layer {layer.id} is asked about items that were right in {earlier}: "
                    f"{len(logged) - len(kept)} of {len(logged)} answers are left out."
                )
        counted += kept
        before = {verdict.item: verdict.right for _, verdict in kept}
    return counted, notes


def _disagreements(scored: Sequence[tuple[SuiteAnswer, Verdict]]) -> list[str]:
    differing = Counter(
        verdict.layer
        for each, verdict in scored
        if each.judged is not None and verdict.right is not None and each.judged != verdict.right
    )
    return [
        f"Layer {layer}: the log judges {counted(count, 'answer')} otherwise than the benchmark's "
        "rule does."
        for layer, count in differing.items()
    ]


def _name(text: str) -> str:
    return escape_control_characters(text, limit=200)
