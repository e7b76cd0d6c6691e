"""Imports the logs of lm-evaluation-harness for one model as a run.

Layers are joined on the content of their documents, never on `doc_id`, which counts from 0 in
every task. Of a layer whose samples are missing, the next layer's documents are the items that
were right, because a gated layer is asked of no others: such verdicts are marked as inferred,
and only made where the results file does not contradict them. Where not even that is there, the
total of the results file stands in. The notes say which of these happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.answers.scoring import score_answer
from core.contract import registry
from core.contract.benchmark import Benchmark, LoggedDocument
from core.contract.collection import Item
from core.contract.question import Form, Question, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Totals
from core.contract.task_layer import TaskLayer
from core.exchange.importers.imported_run import ImportedRun
from core.exchange.importers.lm_eval_logs import Logs, Result, Sample, Task, find, first_filter
from core.exchange.importers.lm_eval_suites import read_suite, suite_tasks
from core.runs.shots import RANDOM
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.quantities import counted

_LONGEST_NAME = 200
"""Most characters of a name that a log gives."""
_Key = tuple[bytes, int]
"""A document of a layer: its content, and how many equal ones came before it."""


@dataclass(slots=True)
class _Layer:
    """A layer as it was logged."""

    layer: TaskLayer
    task: str
    files: Task
    samples: dict[_Key, Sample] = field(default_factory=dict)
    verdicts: dict[_Key, Verdict] = field(default_factory=dict)
    """Read from the samples, or inferred."""


def read(folder: Path) -> ImportedRun:
    """Read the logs in a folder, of one model and one benchmark.

    A benchmark whose package is broken takes no part. Raises `DataError` where there are no
    logs, where they are of several models, and with `file:line` where one is malformed.
    """
    benchmarks, _ = registry.loaded()
    known = sorted({task for benchmark in benchmarks for task in benchmark.harness_tasks})
    logs = find(folder, known)
    if tasks := suite_tasks(logs):
        return read_suite(folder, logs, tasks)
    for benchmark in benchmarks:
        if set(benchmark.harness_tasks) & {*logs.tasks}:
            return _Import(benchmark, logs).run()
    raise DataError(
        "No benchmark here has the tasks "
        f"{escape_control_characters(', '.join(list(logs.tasks)[:5]))}.",
        where=folder,
        hint=f"Tasks that can be imported: {', '.join(known)}.",
    )


class _Import:
    """One folder of logs being read."""

    def __init__(self, benchmark: Benchmark, logs: Logs) -> None:
        self._benchmark = benchmark
        self._logs = logs
        self._notes: list[str] = []
        self._layers: list[_Layer] = []
        self._items: dict[_Key, Item] = {}

    def run(self) -> ImportedRun:
        """Read every layer, infer what can be inferred, and say what was done."""
        self._choose_tasks()
        for logged in self._layers:
            self._read(logged)
        self._make_items()
        for logged in self._layers:
            self._score(logged)
        self._infer()
        totals = self._totals()
        self._check()
        chosen = {logged.task for logged in self._layers}
        others = [task for task in self._logs.tasks if task not in chosen]
        results = [logged.files.result for logged in self._layers if logged.files.result]
        verdicts_and_prompts = [
            (verdict, logged.samples[key].prompt if key in logged.samples else "")
            for logged in self._layers
            for key, verdict in logged.verdicts.items()
        ]
        return ImportedRun(
            model=escape_control_characters(self._logs.model, limit=_LONGEST_NAME),
            benchmark=self._benchmark.name,
            verdicts=tuple(verdict for verdict, _ in verdicts_and_prompts),
            totals=totals,
            notes=tuple(self._notes),
            prompts=tuple(prompt for _, prompt in verdicts_and_prompts),
            not_imported=tuple(
                escape_control_characters(task, limit=_LONGEST_NAME) for task in others
            ),
            form=Form.CHAT if any(result.chat for result in results) else Form.BASE,
            shots=max((result.shots for result in results), default=0),
            shot_rule=RANDOM if any(result.shots for result in results) else "",
            seed=next((result.seed for result in results), 0),
        )

    def _choose_tasks(self) -> None:
        """One task for each layer: the benchmark's first name for it that is in the log."""
        for layer in self._benchmark.layers:
            names = [task for task, own in self._benchmark.harness_tasks.items() if own == layer.id]
            logged = [task for task in names if task in self._logs.tasks]
            if logged:
                self._layers.append(_Layer(layer, logged[0], self._logs.tasks[logged[0]]))
            else:
                self._layers.append(_Layer(layer, "", Task(None, None, 0)))
            if len(logged) > 1:
                self._notes.append(f"Layer {layer.id} is logged as {', '.join(logged)}: the first.")

    def _read(self, logged: _Layer) -> None:
        if logged.files.samples is None:
            return
        if logged.files.older:
            self._notes.append(
                f"Task {logged.task} was logged {logged.files.older + 1} times; "
                "the latest is imported."
            )
        seen: Counter[bytes] = Counter()
        numbers: set[int] = set()
        for sample in first_filter(logged.task, logged.files.samples, self._notes):
            if sample.number is not None and sample.number in numbers:
                raise DataError(
                    f"Document {sample.number} occurs a second time.",
                    where=sample.document.where,
                    hint="Two logs may have been joined into one file.",
                )
            numbers.add(-1 if sample.number is None else sample.number)
            logged.samples[sample.digest, seen[sample.digest]] = sample
            seen[sample.digest] += 1

    def _make_items(self) -> None:
        documents: dict[_Key, LoggedDocument] = {}
        for logged in self._layers:
            for key, sample in logged.samples.items():
                documents.setdefault(key, sample.document)
        items = self._benchmark.from_harness(list(documents.values()))
        self._items = dict(zip(documents, items, strict=True))

    def _score(self, logged: _Layer) -> None:
        for key, sample in logged.samples.items():
            asked = self._benchmark.logged_question(self._items[key], logged.layer.id)
            if asked is None:
                raise DataError(
                    f"Layer {logged.layer.id} has nothing to ask of this document.",
                    where=sample.document.where,
                )
            if sample.text is None:
                asked = _as_logged(asked, sample)
            logged.verdicts[key] = score_answer(asked, sample.answer, self._benchmark.score)
        unscored = sum(1 for sample in logged.samples.values() if not sample.scored)
        if unscored:
            self._notes.append(
                f"Task {logged.task}: {unscored:,} of {len(logged.samples):,} samples have a score "
                "that is not a number (NaN). They count as no answers."
            )

    def _infer(self) -> None:
        """Infer the verdicts of layers without samples from the documents of the next layer."""
        for before, logged, after in zip(
            self._layers, self._layers[1:], self._layers[2:], strict=False
        ):
            if logged.samples or not before.verdicts or not after.samples:
                continue
            if not (logged.layer.gated and after.layer.gated):
                continue
            asked = self._gated_questions(before, logged)
            problem = _contradiction(asked, after.samples, logged.files.result)
            if problem:
                self._notes.append(
                    f"Layer {logged.layer.id} is not inferred from the next one: {problem}."
                )
                continue
            for key, question in asked.items():
                logged.verdicts[key] = _inferred(question, right=key in after.samples)
            confirmed = logged.files.result is not None and logged.files.result.accuracy is not None
            self._notes.append(
                f"Layer {logged.layer.id} has no samples. Which of its {len(asked)} items were "
                f"right is known from layer {after.layer.id}, which was asked of just those "
                f"{len(after.samples)}; what was answered is not."
                + (" The results file agrees." if confirmed else " No results file confirms it.")
            )

    def _gated_questions(self, before: _Layer, logged: _Layer) -> dict[_Key, Question]:
        """The questions that a gated layer asks after the verdicts of the layer before."""
        questions = {}
        for key, verdict in before.verdicts.items():
            if verdict.right:
                asked = self._benchmark.question(self._items[key], Setting(), logged.layer.id)
                if asked is not None:
                    questions[key] = asked
        return questions

    def _totals(self) -> dict[str, Totals]:
        totals = {}
        before: _Layer | None = None
        nobody_left = False
        for logged in self._layers:
            if before is not None and before.verdicts and logged.layer.gated:
                nobody_left = not self._gated_questions(before, logged)
            before = logged
            if logged.verdicts or nobody_left:
                continue
            result = logged.files.result
            if result is None or result.accuracy is None or result.n is None:
                self._notes.append(f"Of layer {logged.layer.id} nothing is recorded.")
                continue
            right = result.accuracy * result.n
            if abs(right - round(right)) > 1e-6 * max(result.n, 1):
                self._notes.append(
                    f"The total of layer {logged.layer.id} is no whole number of answers, "
                    "so it is left out."
                )
                continue
            totals[logged.layer.id] = Totals(round(right), result.n)
            if not logged.files.samples:
                self._notes.append(
                    f"Layer {logged.layer.id} has no samples: only its total is known, "
                    f"{round(right)} of {result.n} right."
                )
        return totals

    def _check(self) -> None:
        """Compare the samples with the results file."""
        for logged in self._layers:
            result = logged.files.result
            if result is not None and result.limited:
                self._notes.append(
                    f"Task {logged.task} was run with a limit: not comparable with the whole."
                )
            samples = len(logged.samples)
            if result is not None and result.n is not None and samples not in {0, result.n}:
                self._notes.append(
                    f"Task {logged.task} has {counted(samples, 'sample')}, but its results file is "
                    f"over {counted(result.n, 'question')}."
                )
            differing = sum(
                1
                for key, sample in logged.samples.items()
                if sample.accuracy is not None
                and sample.scored
                and logged.verdicts[key].right is not None
                and bool(sample.accuracy) != logged.verdicts[key].right
            )
            if differing:
                self._notes.append(
                    f"Task {logged.task}: the log judges {counted(differing, 'answer')} otherwise "
                    "than the benchmark's rule does."
                )


def _as_logged(question: Question, sample: Sample) -> Question:
    """The question with the options that were logged, in their order."""
    if question.options == sample.options:
        return question
    gold = None
    if question.gold is not None:
        right = question.options[question.gold]
        if right not in sample.options:
            raise DataError(
                f"The right option “{right}” is not among the options of this sample.",
                where=sample.document.where,
                hint="The task may have been run with other choices or other labels.",
            )
        gold = sample.options.index(right)
    return replace(question, options=sample.options, gold=gold)


def _contradiction(
    asked: Mapping[_Key, Question], survivors: Mapping[_Key, Sample], result: Result | None
) -> str:
    """Why the next layer's documents cannot be the survivors; empty when they can."""
    unexpected = sum(1 for key in survivors if key not in asked)
    if unexpected:
        return f"items that were wrong before or are not asked: {unexpected}"
    if result is None:
        return ""
    if result.n is not None and result.n != len(asked):
        return f"the results file is over {counted(result.n, 'question')} instead of {len(asked)}"
    if result.accuracy is None or abs(result.accuracy * len(asked) - len(survivors)) < 0.5:
        return ""
    right = round(result.accuracy * len(asked))
    return f"the results file has {counted(right, 'right answer')} instead of {len(survivors)}"


def _inferred(question: Question, *, right: bool) -> Verdict:
    return Verdict(
        item=question.item,
        layer=question.layer,
        setting=question.setting,
        options=question.options,
        scores=(),
        answer=question.gold if right else None,
        gold=question.gold,
        status=Status.OK,
        scoring=Scoring.INFERRED,
        tags=question.tags,
        digest=question.digest(),
    )
