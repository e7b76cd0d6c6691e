"""Writes a benchmark as tasks of lm-evaluation-harness: a task a layer, and a group of them.

A task points at columns of its JSON lines (`doc_to_text: prompt`), so no text of an item is ever a
template or YAML, and its prompts are whole: the harness adds no instruction and no worked example.
The harness knows no gates. It asks every layer about every item; the metadata say which layer
gates which, and the import of its logs applies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import yaml

from core.contract.question import Question, Scoring
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.folders import whole_folder
from core.exchange.suites.document import MARK, document_of
from core.exchange.suites.folder import FACTS, check_not_empty, copy_shipped, write_json
from core.exchange.suites.questions import SuitePlan
from core.exchange.suites.reading_rules import write_reading_rules
from core.files import paths
from core.runs.records import replace_surrogates
from core.text.escaping import escape_control_characters

ENGINE = "lm-eval"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")


def write(plan: SuitePlan, path: Path, *, force: bool = False) -> Path:
    """Write the suite to the folder `path`; return its full path.

    Raises `ExportError` where it cannot be written, and what gathering the questions raises.
    """
    facts = plan.facts(ENGINE)
    group = task_name(plan.benchmark.name)
    tasks: list[dict[str, Any]] = []
    with whole_folder(path, FACTS, "a suite", force=force) as folder:
        for layer, questions in plan.layers():
            count = 0
            name = task_name(plan.benchmark.name, layer.id)
            with ExitStack() as files:
                for first, line, question in _lines(plan, questions):
                    if first:
                        lines = files.enter_context((folder / f"{name}.jsonl").open("wb"))
                        about = {"layer": layer.id, "gated_by": plan.gate(layer)}
                        task = _task(name, question, _generated(plan, question), facts | about)
                    lines.write(line + b"\n")
                    count += 1
            if count:
                (folder / f"{name}.yaml").write_text(_yaml(task), encoding="utf-8")
                tasks.append({"task": name, **about, "questions": count})
        members = {"group": group, "task": [task["task"] for task in tasks]}
        (folder / f"{group}.yaml").write_text(
            _yaml({**members, "metadata": {"version": facts[MARK]}}), encoding="utf-8"
        )
        check_not_empty(tasks)
        copy_shipped("lm_eval_suite.py", folder / "suite.py")
        write_reading_rules(folder / "rules")
        write_json(folder / FACTS, {**facts, "tasks": tasks})
    return paths.destination(path)


def task_name(benchmark: str, layer: str = "") -> str:
    """The name of a layer's task, or of the group of all."""
    parts = ("commonsense", benchmark, layer)
    return "_".join(_NOT_IN_NAMES.sub("-", part) for part in parts if part)


def _lines(
    plan: SuitePlan, questions: Iterator[Question]
) -> Iterator[tuple[bool, bytes, Question]]:
    """Whether it is the first, the JSON line and the question itself, for each question."""
    ends = None
    for number, question in enumerate(questions):
        ends = ends or (question.stop, question.answer_limit)
        if _generated(plan, question) and ends != (question.stop, question.answer_limit):
            raise ExportError(
                f"Questions of layer {question.layer} end their answers in different ways.",
                where=f"item {escape_control_characters(question.item)}",
                hint="A task of lm-evaluation-harness knows one; export it for Inspect.",
            )
        document = msgspec.structs.asdict(document_of(plan.benchmark, question, number))
        row = {"prompt": replace_surrogates(question.base()), **document}
        yield number == 0, msgspec.json.encode(row), question


def _generated(plan: SuitePlan, question: Question) -> bool:
    return question.open or plan.scoring is Scoring.GENERATED


def _task(name: str, first: Question, generated: bool, facts: Mapping[str, Any]) -> dict[str, Any]:
    """A task of the harness; `first` is its first question, and the others are of its kind."""
    metrics = ("acc", "read") if generated else ("acc",)
    task: dict[str, Any] = {
        "task": name,
        "custom_dataset": _Function("suite.load"),
        "dataset_kwargs": {"file": f"{name}.jsonl"},
        "test_split": "test",
        "output_type": "generate_until" if generated else "multiple_choice",
        "doc_to_text": "prompt",
        "doc_to_target": "target",
        "process_results": _Function("suite.reading" if generated else "suite.choice"),
        "metric_list": [
            {"metric": metric, "aggregation": "mean", "higher_is_better": True}
            for metric in metrics
        ],
        "num_fewshot": 0,
        "metadata": {"version": facts[MARK], **facts},
    }
    if generated:
        task["generation_kwargs"] = {
            "until": list(first.stop),
            "max_gen_toks": first.answer_limit,
            "do_sample": False,
            "temperature": 0.0,
        }
    else:
        task["doc_to_choice"] = "choices"
        task["target_delimiter"] = " "
    return task


class _Function(str):
    """The name of one of our functions, which YAML marks as such."""


class _Dumper(yaml.SafeDumper):
    """Writes plain values, and the names of our functions with the harness's own tag."""


_Dumper.add_representer(
    _Function, lambda dumper, name: dumper.represent_scalar("!function", str(name))
)


def _yaml(document: Mapping[str, Any]) -> str:
    return yaml.dump(dict(document), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
