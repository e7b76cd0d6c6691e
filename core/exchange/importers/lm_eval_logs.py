"""Finds the files of lm-evaluation-harness and reads them a sample at a time.

Since version 0.4.3 a run leaves `results_TIME.json` and, for each task, `samples_TASK_TIME.jsonl`
in a folder called after the model. Versions 0.4.0 to 0.4.2 leave `results.json` and
`ARGUMENTS_TASK.jsonl`, which despite its name is one indented JSON array.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.contract.benchmark import LoggedDocument
from core.contract.question import Answer, Scoring, option_scores
from core.files.json_values import beyond_python, decoded_text, logged_values
from core.files.regular_file import read_regular
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.suggestions import some_names

_NOT_FOUND = "[invalid]"
"""What the harness's filters leave of a text in which they find no answer."""
_MOST_RESULTS = 8 * 2**20
"""Most bytes of a results file."""
MOST_TASKS = 10_000
"""Most tasks in it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One question of a task with its answer, without the repeated prompts."""

    number: int | None
    """`doc_id`, which counts from 0 in every task."""
    document: LoggedDocument
    digest: bytes
    """SHA-256 of the document's content, in any order of its fields."""
    prompt: str
    """SHA-256 of the prompt."""
    options: tuple[str, ...]
    """Empty for an answer that was generated."""
    logprobs: tuple[float, ...]
    accuracy: float | None
    """The accuracy in the log."""
    filter: str
    text: str | None = None
    """A generated answer as its filter left it; None for one that was chosen by likelihood."""

    @property
    def scored(self) -> bool:
        """Whether the score of every option is a number, because a harness also logs NaN."""
        return not any(math.isnan(logprob) for logprob in self.logprobs)

    @property
    def answer(self) -> Answer:
        """The answer, with scores in the logged order of the options.

        Without scores where one is not a number: it cannot be ranked, so the chosen option is
        unknown.
        """
        if self.text is not None:
            return Answer(text=self.text, scoring=Scoring.GENERATED)
        scores = option_scores(((logprob, 0) for logprob in self.logprobs), self.options)
        return Answer(scores if self.scored else ())


@dataclass(frozen=True, slots=True)
class Result:
    """The part of a results file about one task."""

    stamp: str
    model: str
    accuracy: float | None
    """Mean accuracy over `n` questions; None where the task averages in its own way."""
    n: int | None
    limited: bool
    """Whether only a part of the task was asked."""
    shots: int
    seed: int
    chat: bool
    metadata: Mapping[str, Any] | None = None
    """What the task says of itself."""


@dataclass(frozen=True, slots=True)
class Task:
    """The files of one task: the latest of each kind."""

    samples: Path | None
    result: Result | None
    older: int
    """Samples files of the same task that were written earlier."""


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs of one model."""

    model: str
    tasks: Mapping[str, Task]


def find(folder: Path, known: Collection[str]) -> Logs:
    """The logs in a folder and below it; raises `DataError` unless they are of one model.

    `known` are the tasks to look for in file names of the old form, in which nothing marks where
    the name of a task begins.
    """
    try:
        is_folder, is_there = folder.is_dir(), folder.exists()
    except OSError:  # a name that is too long for a folder
        is_folder = is_there = False
    if not is_folder:
        raise DataError(
            "This is a file and no folder." if is_there else "There is no such folder.",
            where=folder,
            hint="Name the folder of the logs.",
        )
    samples: dict[str, list[tuple[str, Path]]] = {}
    results: dict[str, list[Result]] = {}
    names: dict[Path, set[str]] = {}
    for path in sorted(folder.rglob("*.json*")):
        if path.suffix == ".json" and (path.stem == "results" or path.stem.startswith("results_")):
            for task, result in _results(path):
                results.setdefault(task, []).append(result)
                names.setdefault(path.parent, set()).add(result.model)
        elif path.suffix == ".jsonl" and (task_stamp := _task_of(path.stem, known)):
            samples.setdefault(task_stamp[0], []).append((task_stamp[1], path))
            names.setdefault(path.parent, set())
    models = {model for inner, logged in names.items() for model in logged or {_model_of(inner)}}
    if len(models) > 1:
        raise DataError(
            f"These are logs of {len(models)} models: "
            f"{escape_control_characters(', '.join(sorted(models)[:5]))}.",
            where=folder,
            hint="Name the folder of one model.",
        )
    if not models:
        raise DataError(
            "There are no logs of lm-evaluation-harness here.",
            where=folder,
            hint="Expected are results_*.json and samples_*.jsonl, as --log_samples writes them.",
        )
    tasks = {
        task: _latest(samples.get(task, []), results.get(task, []))
        for task in sorted({*samples, *results})
    }
    return Logs(models.pop(), tasks)


def _latest(samples: list[tuple[str, Path]], results: list[Result]) -> Task:
    stamp, path = max(samples, default=("", None))
    same = [result for result in results if result.stamp == stamp] if path else []
    result = max(same or results, key=lambda result: result.stamp, default=None)
    return Task(path, result, max(len(samples) - 1, 0))


def _task_of(stem: str, known: Collection[str]) -> tuple[str, str] | None:
    """A samples file's task and time, by its name; None when it is another file."""
    if stem.startswith("samples_"):
        task, _, stamp = stem.removeprefix("samples_").rpartition("_")
        return (task, stamp) if task else None
    fitting = [task for task in known if stem.endswith(f"_{task}")]
    return (max(fitting, key=len), "") if fitting else None


def _model_of(folder: Path) -> str:
    return folder.resolve().name.replace("__", "/")


def _results(path: Path) -> Iterator[tuple[str, Result]]:
    """Each task of a results file with its part."""
    where = str(path)
    try:
        raw = read_regular(path, _MOST_RESULTS, DataError, name="This results file")
    except FileNotFoundError:
        raise DataError("There is no such file.", where=where) from None
    text = raw.decode("utf-8", "surrogateescape")
    content = _object(decoded_text(text, where), where, "results file")
    accuracies, configs = _part(content, "results"), _part(content, "configs")
    run = _part(content, "config")
    groups = {name for name, tasks in _part(content, "group_subtasks").items() if tasks}
    if len(accuracies) + len(configs) > 2 * MOST_TASKS:
        raise DataError(f"This results file has more than {MOST_TASKS:,} tasks.", where=where)
    for task in {**accuracies, **configs}:
        if task in groups:
            continue
        config = _part(configs, task)
        metrics = config.get("metric_list")
        means = all(
            metric.get("aggregation", "mean") == "mean"
            for metric in (metrics if isinstance(metrics, list) else [])
            if isinstance(metric, dict) and metric.get("metric") == "acc"
        )
        accuracy = finite_number(_part(accuracies, task).get("acc,none"))
        samples = _part(_part(content, "n-samples"), task)
        n = _whole(samples.get("effective"), where)
        whole = n is not None and n == _whole(samples.get("original"), where)
        if not 0 <= (accuracy or 0) <= 1 or (n or 0) < 0:
            raise DataError(
                f"The figures of task {escape_control_characters(task)} are no accuracy "
                "over a number of samples.",
                where=where,
            )
        yield (
            task,
            Result(
                stamp=path.stem.partition("_")[2],
                model=_model_name(content, run, path),
                accuracy=accuracy if means else None,
                n=n,
                # A limit may be larger than the task.
                limited=run.get("limit") is not None and not whole,
                shots=_whole(config.get("num_fewshot"), where) or 0,
                seed=_whole(run.get("fewshot_seed"), where) or 0,
                chat=bool(content.get("chat_template")),
                metadata=_part(config, "metadata"),
            ),
        )


def _model_name(content: Mapping[str, Any], run: Mapping[str, Any], path: Path) -> str:
    if isinstance(content.get("model_name"), str):
        return str(content["model_name"])
    for argument in str(run.get("model_args") or "").split(","):
        name, _, value = argument.partition("=")
        if name in {"pretrained", "model"} and value:
            return value
    return _model_of(path.parent)


def read_samples(path: Path) -> Iterator[Sample]:
    """The samples of a file, one at a time; raises `DataError` with the line."""
    for where, value in logged_values(path, errors="surrogateescape"):
        yield _sample(_object(value, where, "sample"), where)


def first_filter(name: str, path: Path, notes: list[str]) -> Iterator[Sample]:
    """The samples of a task under the first filter of its log; what is left out goes to `notes`."""
    filters: dict[str, None] = {}
    for sample in read_samples(path):
        filters.setdefault(sample.filter)
        if sample.filter == next(iter(filters)):
            yield sample
    if len(filters) > 1:
        first, *others = (escape_control_characters(each, limit=200) for each in filters)
        notes.append(
            f"Task {name}: answers under the filter “{first}”; left out: {some_names(others)}."
        )


def first_document(path: Path) -> Mapping[str, Any]:
    """The document of a file's first sample; empty where it has none."""
    for _where, value in logged_values(path, errors="surrogateescape"):
        return _part(value, "doc") if isinstance(value, dict) else {}
    return {}


def _sample(fields: Mapping[str, Any], where: str) -> Sample:
    document = fields.get("doc")
    if not isinstance(document, dict):
        raise DataError("This sample has no document.", where=where)
    prompt, options = _requests(fields.get("arguments"), where)
    logprobs = _logprobs(fields, where) if options else ()
    if len(logprobs) != len(options):
        raise DataError(
            f"This sample has {len(options)} options and {len(logprobs)} answers.", where=where
        )
    try:
        content = json.dumps(document, sort_keys=True).encode()
    except RecursionError as error:
        raise beyond_python(error, where) from error
    return Sample(
        number=_whole(fields.get("doc_id"), where),
        document=LoggedDocument(where, document),
        digest=hashlib.sha256(content).digest(),
        prompt=hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest(),
        options=options,
        logprobs=logprobs,
        accuracy=finite_number(fields.get("acc")),
        filter=str(fields.get("filter", "none")),
        text=None if options else _written(fields, where),
    )


def _requests(arguments: Any, where: str) -> tuple[str, tuple[str, ...]]:
    """The prompt, and the options in their order: a space before each is the harness's.

    There are none where a text was generated.
    """
    if isinstance(arguments, dict):
        try:
            numbers = sorted(arguments, key=lambda name: int(name.rpartition("_")[2]))
        except ValueError as error:
            raise DataError("The arguments of this sample have no order.", where=where) from error
        ordered = [arguments[name] for name in numbers]
        requests = [list(r.values()) if isinstance(r, dict) else r for r in ordered]
    else:
        requests = arguments if isinstance(arguments, list) else []
    options = []
    for request in requests:
        if not isinstance(request, list) or len(request) != 2 or not isinstance(request[0], str):
            raise DataError("The arguments of this sample are not as expected.", where=where)
        if isinstance(request[1], dict) and len(requests) == 1:
            return request[0], ()
        if not isinstance(request[1], str):
            raise DataError(
                "This sample was answered in a way that is not known here.",
                where=where,
                hint="Tasks with options and tasks with generated texts are imported.",
            )
        options.append(request[1].removeprefix(" "))
    if not options:
        raise DataError("This sample has no arguments.", where=where)
    return requests[0][0], tuple(options)


def _logprobs(fields: Mapping[str, Any], where: str) -> tuple[float, ...]:
    """The options' log-likelihoods, which most versions write as text."""
    answers = fields.get("filtered_resps")
    if answers is None:
        answers = [_first(repeats, where) for repeats in _list(fields.get("resps"), where)]
    logprobs = [_first(answer, where) for answer in _list(answers, where)]
    try:
        return tuple(map(float, logprobs))
    except (ValueError, TypeError, OverflowError) as error:
        raise _no_numbers(where) from error


def _written(fields: Mapping[str, Any], where: str) -> str:
    """A generated answer: what its filter made of the text, or of several."""
    answers = fields.get("filtered_resps")
    if answers is None:
        answers = [_first(repeats, where) for repeats in _list(fields.get("resps"), where)]
    text = answers[0] if isinstance(answers, list) and answers else answers
    if not isinstance(text, str):
        raise DataError(
            "The answer of this sample is not one text.",
            where=where,
            hint="A filter must leave one text, as take_first does.",
        )
    return "" if text == _NOT_FOUND else text


def _first(value: Any, where: str) -> Any:
    values = _list(value, where)
    if not values:
        raise _no_numbers(where)
    return values[0]


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _no_numbers(where)
    return value


def _no_numbers(where: str) -> DataError:
    return DataError("The answers of this sample are not numbers.", where=where)


def _object(value: Any, where: str, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"This is not a {what}.", where=where)
    return value


def _part(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = content.get(name)
    return part if isinstance(part, dict) else {}


def finite_number(value: object) -> float | None:
    """A number of a log; None for any other value, for NaN, and beyond the floats."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any, where: str) -> int | None:
    """A whole number that can be stored: of 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    if not -(2**63) <= value < 2**63:
        raise DataError("This holds a whole number that is too large.", where=where)
    return value
