"""What `evaluate` does with what was asked for: asks all repeats, and prints the figures."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from core.contract.question import Verdict
from core.contract.setting import typed_values
from core.files import config
from core.models.inspectable import readable
from core.models.protocol import Model, Sampling
from core.runs.asked_repeats import AskedRepeats
from core.runs.asking import prepared
from core.runs.evaluation import Evaluation, Progress
from core.runs.garbage import freeze_lasting_objects
from core.runs.planning import plan_for
from core.runs.records import Run, RunState
from core.runs.refusals import check_batch, check_sampling
from core.runs.repeats import repeated_figures
from core.runs.replay import conditions
from core.runs.shards import Shard, answers_of_all_shards
from core.runs.summaries import skipped_text
from core.runs.under_way import usual_concurrency
from core.text.errors import SettingError
from core.text.escaping import escape_control_characters
from core.text.quantities import counted
from tui.cli.answer_options import parse_form, parse_scoring
from tui.cli.comparability import published_beside
from tui.cli.evaluate_options import EvaluateOptions
from tui.cli.lookup import named_benchmark, open_collection, open_store, words
from tui.cli.model_loading import run_with_model
from tui.cli.output import log, say
from tui.cli.progress import resumable_progress
from tui.cli.runs import print_run

if TYPE_CHECKING:
    from core.runs.engines.dask_engine import DaskEngine


def evaluate_collection(
    asked: EvaluateOptions, engine: DaskEngine | None, *, as_json: bool
) -> None:
    """Ask a model a whole collection, on the workers of `engine` if one is given.

    Raises `SettingError` and the other errors of what is opened, and `WorkFailedError`.
    """
    bench, data = named_benchmark(asked.benchmark, asked.data)
    chosen, reading = parse_form(asked.form), parse_scoring(asked.scoring)
    values = typed_values(words(asked.settings))
    path, collection = open_collection(bench, data)
    if asked.blocks and reading is not None and reading.written:
        raise SettingError(
            "Generated answers cannot be read after each block.",
            where="--blocks",
            hint="Leave --blocks out, or write --scoring log-likelihood.",
        )

    part = None if asked.shard is None else Shard.parse(asked.shard)
    if asked.survivors is not None and part is None:
        raise SettingError(
            "A whole run knows its own right answers.",
            where="--survivors",
            hint="Leave --survivors out, or name a shard with --shard.",
        )
    if asked.batch and (asked.blocks or part is not None or engine is not None):
        raise SettingError(
            "Questions in one forward pass cannot be read after each block, and shards and workers "
            "would put others together than the whole.",
            where="--batch",
            hint="Leave --batch out, or --blocks, --shard and --engine.",
        )
    layers_on_gpu = None if asked.gpu is None else _gpu_layers(asked.gpu, engine is not None)
    if asked.threads is not None and engine is not None:
        raise SettingError(
            "Workers choose their numbers of threads themselves.",
            where="--threads",
            hint="Leave --threads out.",
        )
    if asked.context is not None and engine is not None:
        raise SettingError(
            "Workers load a model with its usual context.",
            where="--context",
            hint="Leave --context out.",
        )
    options = {name: f"--{name}" for name in ("permute", "seeds", "shots")}
    repeats = AskedRepeats(asked.permute, asked.seeds, asked.prompts, options)
    sampling = Sampling(asked.temperature, asked.max_tokens or 0)
    repeats.check(bench, asked.shots, asked.seed, drawn=asked.temperature > 0)
    sources = repeats.sources(bench, collection, values, asked.limit)

    async def work(loaded: Model) -> None:
        freeze_lasting_objects()
        used, read_as = await prepared(loaded, chosen, reading)
        check_sampling(loaded, sampling)
        count = (await readable(loaded))[1].blocks if asked.blocks else 0
        if asked.batch:
            check_batch(loaded)
        repeats.check_model(loaded.info)
        of_servers = config.read().concurrency

        def at_once() -> int:
            return asked.concurrency or usual_concurrency(loaded, of_servers)

        evaluations: list[Evaluation] = []
        with open_store(asked.store, create=True) as opened:
            for source, drawn in repeats.each(sources, asked.seed):
                plan = plan_for(
                    loaded,
                    source,
                    path,
                    form=used,
                    shots=asked.shots,
                    seed=drawn,
                    shot_rule=asked.shot_rule,
                    scoring=read_as,
                    blocks=count,
                    sampling=sampling,
                    batch=asked.batch,
                )
                evaluation = Evaluation(
                    opened,
                    plan,
                    loaded,
                    source,
                    prior=asked.prior,
                    concurrency=at_once(),
                    shard=part,
                    elsewhere=answers_of_all_shards(asked.survivors, plan, source)
                    if asked.survivors
                    else None,
                )
                evaluations.append(evaluation)
                say(_greeting(evaluation.run))
                if plan.skipped is not None:
                    say(skipped_text(plan.skipped, dict(plan.setting)))
                await _ask_all(evaluation, at_once)
                if part is not None:
                    say(_what_is_next(part, evaluation))
            first = evaluations[0]
            summary, table = first.summary(), first.block_table()
            beside = published_beside(opened, first.run, summary)
            ids = [evaluation.run.id for evaluation in evaluations]
            repeated = repeated_figures(opened, first.run, summary.profile, ids)
            print_run(first.run, summary, table, beside, repeated, as_json=as_json)

    run_with_model(
        asked.model, asked.store, work, engine, layers_on_gpu, asked.threads, asked.context
    )


def _gpu_layers(text: str, elsewhere: bool) -> int:
    """The number of layers that `--gpu` names; raises `SettingError`, also for workers."""
    if elsewhere:
        raise SettingError(
            "Workers load a model without an accelerator.", where="--gpu", hint="Leave --gpu out."
        )
    if text == "all":
        return config.ALL_LAYERS
    if text.isdecimal() and int(text) <= config.ALL_LAYERS:
        return int(text)
    raise SettingError(
        f"“{escape_control_characters(text)}” is no number of layers.",
        where="--gpu",
        hint="Write a number, or all.",
    )


async def _ask_all(evaluation: Evaluation, at_once: Callable[[], int]) -> None:
    """Ask until the end, so many questions at once, and show progress on stderr."""
    layer = ""
    kept = f"What was answered is kept in run {evaluation.run.id}; the same command goes on."
    with resumable_progress(kept) as line:
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                evaluation.concurrency = at_once()
                if not progress.total and progress.layer.optional:
                    continue
                if progress.layer.id != layer:
                    layer = progress.layer.id
                    line.next_part()
                line.show(_progress_text(progress), part=layer)
                if progress.verdict is not None:
                    log("debug", _answer_text(progress.verdict))


def _what_is_next(shard: Shard, evaluation: Evaluation) -> str:
    """What is to be done when the questions of a shard are asked."""
    asked = f"Shard {shard} is asked; the figures are those of its items. Merge all shards"
    if evaluation.waiting is None:
        return f"{asked} with `runs merge`."
    layer = evaluation.waiting.id
    return (
        f"{asked} with `runs merge`, and ask again with --survivors: which items layer {layer} "
        "is asked about depends on the answers of all."
    )


def _progress_text(progress: Progress) -> str:
    parts = [
        f"{escape_control_characters(progress.layer.title)}: {progress.done}/{progress.total} asked"
    ]
    if progress.scored or not progress.done:
        parts.append(f"{progress.right} right")
    if (pace := progress.pace) is not None:
        parts += [f"{pace.under_way} under way", f"{pace.per_second:.1f} a second"]
        parts += [f"{pace.waiting} waiting", f"{pace.failures} failed tries"]
        parts += [f"{pace.tokens} tokens"]
        if pace.cost is not None:
            parts += [f"cost {pace.cost:.4f}"]
    if progress.seconds_left:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        parts.append(f"{minutes}:{seconds:02} left in this layer")
    return ", ".join(parts)


def _answer_text(verdict: Verdict) -> str:
    """A verdict in a line of the log file."""
    judged = {True: "right", False: "wrong", None: "not judged"}[verdict.right]
    picked = ", ".join(verdict.options[option] for option in verdict.picked_options) or "nothing"
    return f"{verdict.layer} of {verdict.item}: {picked}, {judged} ({verdict.status})"


def _greeting(run: Run) -> str:
    if not run.verdicts:
        return f"Run {run.id}: {run.plan.model}, {conditions(run.plan)}."
    recorded = f"{counted(run.verdicts, 'verdict')} recorded and not asked again."
    if run.state is RunState.DONE:
        return f"Run {run.id} finished earlier: {recorded}"
    return f"Run {run.id} goes on: {recorded}"
