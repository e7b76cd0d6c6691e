"""`export lm-eval` and `export inspect`: a benchmark as tasks of another engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.contract.question import Form, Scoring
from core.contract.setting import typed_values
from core.exchange.suites import inspect, lm_eval
from core.exchange.suites.questions import SuitePlan, gated_examples_note
from core.runs.common_setting import common_setting
from core.runs.questions import Examples, QuestionSource
from core.runs.summaries import skipped_text
from core.text.errors import SettingError
from tui.cli.answer_options import parse_scoring
from tui.cli.lookup import named_benchmark, open_collection, words
from tui.cli.output import say


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What was asked for on the command line."""

    benchmark: str
    data: Path | None
    settings: list[str] | None
    limit: int | None
    shots: int
    seed: int
    shot_rule: str
    scoring: str | None


def write_suite(engine: str, options: SuiteOptions, to: Path, *, force: bool) -> Path:
    """Write a benchmark as a suite of `engine`; return its folder."""
    bench, data = named_benchmark(options.benchmark, options.data)
    turns = engine == inspect.ENGINE
    scoring = parse_scoring(options.scoring) or (
        Scoring.GENERATED if turns else Scoring.LOGLIKELIHOOD
    )
    if turns and scoring is not Scoring.GENERATED:
        raise SettingError(
            "Inspect reads what a model writes; it measures no likelihoods of options.",
            where="--scoring",
            hint="Leave --scoring out, or export for lm-eval.",
        )
    _, collection = open_collection(bench, data)
    source = QuestionSource(bench, collection, typed_values(words(options.settings)), options.limit)
    common = common_setting(source)
    if common.skipped is not None:
        say(skipped_text(common.skipped, common.values))
    examples = Examples(options.shots, options.shot_rule, options.seed)
    plan = SuitePlan(source, Form.CHAT if turns else Form.BASE, scoring, examples)
    writers: Mapping[str, Callable[..., Path]] = {
        lm_eval.ENGINE: lm_eval.write,
        inspect.ENGINE: inspect.write,
    }
    folder = writers[engine](plan, to, force=force)
    say(_how_to_run(engine, plan, folder))
    return folder


def _how_to_run(engine: str, plan: SuitePlan, folder: Path) -> str:
    """The command that runs the suite, and what becomes of the gates and of their examples."""
    if engine == "inspect":
        run = f"cd {folder} && inspect eval task.py --model MODEL"
    else:
        group = lm_eval.task_name(plan.benchmark.name)
        run = (
            f"lm_eval run --include_path {folder} --tasks {group} --log_samples "
            "--output_path LOGS --model …"
        )
    gated = any(plan.gate(layer) for layer in plan.benchmark.layers)
    gates = (
        "\nEvery layer asks every item; the import of the log applies the gates." if gated else ""
    )
    examples = gated_examples_note(plan.benchmark, plan.examples.count)
    return "\n".join(filter(None, (f"Run it with: {run}{gates}", examples)))
