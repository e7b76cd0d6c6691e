"""`evaluate`: asks a model a whole collection and records every verdict."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.contract import registry
from core.files import config
from core.text.errors import ModelError, SettingError
from core.text.escaping import escape_control_characters
from tui.cli.engines import AddressOption, EngineOption, WorkersOption, parse_engine
from tui.cli.lookup import open_collection, open_store, parse_form, parse_scoring, words
from tui.cli.models import run_with_model
from tui.cli.options import (
    AllowNetworkOption,
    BenchmarkArgument,
    DataOption,
    FormOption,
    JsonOption,
    LogFileOption,
    LogLevelOption,
    ModelOption,
    PermuteOption,
    QuietOption,
    ScoringOption,
    SeedOption,
    SeedsOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
)
from tui.cli.output import WorkFailedError, log, say
from tui.cli.progress import ProgressLine

if TYPE_CHECKING:
    from core.contract.question import Verdict
    from core.models.protocol import Model
    from core.runs.evaluation import Evaluation, Progress
    from core.runs.records import Run
    from core.runs.shards import Shard


def evaluate(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    model: ModelOption = None,
    store: StoreOption = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            metavar="N",
            help="Ask only the first N items; such figures are not comparable.",
        ),
    ] = None,
    shots: ShotsOption = 0,
    seed: SeedOption = 1234,
    shot_rule: ShotRuleOption = "random",
    form: FormOption = None,
    scoring: ScoringOption = None,
    settings: SetOption = None,
    permute: PermuteOption = 1,
    seeds: SeedsOption = 1,
    blocks: Annotated[
        bool,
        typer.Option(
            "--blocks", help="Also read the options after each block, to see where answers settle."
        ),
    ] = False,
    prior: Annotated[
        bool,
        typer.Option(
            "--prior",
            help="Also ask how likely each option is without a question, to hold its score against "
            "it; one more question for each set of options. A finished run is completed.",
        ),
    ] = False,
    prompts: Annotated[
        Path | None,
        typer.Option(
            "--prompts",
            metavar="FILE",
            help="Ask in your own words: a YAML file with a list of wordings for each task layer; "
            "`prompts BENCH` prints one to begin with.",
        ),
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Let a written answer have N tokens, say for a model that thinks first; as each "
            "question allows when left out.",
        ),
    ] = None,
    temperature: Annotated[
        float,
        typer.Option(
            "--temperature",
            min=0,
            max=2,
            help="Have a server write at this temperature, drawing with --seed; 0 takes the "
            "likeliest token.",
        ),
    ] = 0.0,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            min=1,
            max=config.MOST_AT_ONCE,
            metavar="N",
            help="Ask N questions at once; by default 8 of a server, or as configured, 2 of each "
            "worker, and 1 of any other model.",
        ),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(
            "--batch",
            min=0,
            max=32,
            metavar="N",
            help="Ask N questions in one forward pass of a model file. Log-likelihoods move by up "
            "to .04, so such a run is never mixed with one that asks each alone, as 0 does.",
        ),
    ] = 0,
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu",
            metavar="LAYERS",
            help="Let an accelerator compute so many layers of a model file, or all; as "
            "configured, or none, when left out.",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Ask only the I-th of N parts, with the prompts of the whole; `runs merge` puts "
            "the parts together.",
        ),
    ] = None,
    survivors: Annotated[
        Path | None,
        typer.Option(
            "--survivors",
            metavar="STORE",
            help="With --shard, for a layer that is asked after right answers only: the merged "
            "shards of the layers before.",
        ),
    ] = None,
    engine: EngineOption = "local",
    address: AddressOption = None,
    workers: WorkersOption = None,
    allow_network: AllowNetworkOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    log_level: LogLevelOption = "info",
    log_file: LogFileOption = None,
) -> None:
    """Ask a model a whole collection and record every verdict.

    Shows progress on stderr and prints the figures. The same command continues a stopped run and
    asks no question twice. With --set, items that cannot take the setting are skipped and counted.

    With --permute, --seeds or several wordings in --prompts each repeat is a run of its own. The
    figures are those of the first, with its wording in the benchmark's own order; beside them stand
    mean, standard deviation, lowest and highest over the repeats. Every wording is asked in every
    order and with every seed.
    """
    # Help and completion come to this module too, and need nothing that asks a model.
    from core.contract.setting import typed_values
    from core.models.block_requests import readable
    from core.models.protocol import Sampling
    from core.runs.asked_repeats import AskedRepeats
    from core.runs.asking import check_batch, check_sampling, prepared
    from core.runs.evaluation import Evaluation, usual_concurrency
    from core.runs.planning import plan_for
    from core.runs.repeats import repeated_figures
    from core.runs.shards import Shard, answers_of_all_shards
    from core.runs.summaries import skipped_text
    from tui.cli.comparability import published_beside
    from tui.cli.runs import print_run

    spread = parse_engine(engine, address, workers, allow_network=allow_network)
    bench = registry.load(benchmark)
    chosen, reading = parse_form(form), parse_scoring(scoring)
    values = typed_values(words(settings))
    path, collection = open_collection(bench, data)
    if blocks and reading is not None and reading.written:
        raise SettingError(
            "Generated answers cannot be read after each block.",
            where="--blocks",
            hint="Leave --blocks out, or write --scoring log-likelihood.",
        )

    part = None if shard is None else Shard.parse(shard)
    if survivors is not None and part is None:
        raise SettingError(
            "A whole run knows its own right answers.",
            where="--survivors",
            hint="Leave --survivors out, or name a shard with --shard.",
        )
    if batch and (blocks or part is not None or spread is not None):
        raise SettingError(
            "Questions in one forward pass cannot be read after each block, and shards and workers "
            "would put others together than the whole.",
            where="--batch",
            hint="Leave --batch out, or --blocks, --shard and --engine.",
        )
    layers_on_gpu = None if gpu is None else _gpu_layers(gpu, spread is not None)
    options = {name: f"--{name}" for name in ("permute", "seeds", "shots")}
    repeats = AskedRepeats(permute, seeds, prompts, options)
    sampling = Sampling(temperature, max_tokens or 0)
    repeats.check(bench, shots, drawn=temperature > 0)
    sources = repeats.sources(bench, collection, values, limit)

    async def work(loaded: Model) -> None:
        used, read_as = await prepared(loaded, chosen, reading)
        check_sampling(loaded, sampling)
        count = (await readable(loaded))[1].blocks if blocks else 0
        if batch:
            check_batch(loaded)
        repeats.check_model(loaded.info)
        of_servers = config.read().concurrency

        def at_once() -> int:
            return concurrency or usual_concurrency(loaded, of_servers)

        asked: list[Evaluation] = []
        with open_store(store, create=True) as opened:
            for source, drawn in repeats.each(sources, seed):
                plan = plan_for(
                    loaded,
                    source,
                    path,
                    form=used,
                    shots=shots,
                    seed=drawn,
                    shot_rule=shot_rule,
                    scoring=read_as,
                    blocks=count,
                    sampling=sampling,
                    batch=batch,
                )
                evaluation = Evaluation(
                    opened,
                    plan,
                    loaded,
                    source,
                    prior=prior,
                    concurrency=at_once(),
                    shard=part,
                    elsewhere=answers_of_all_shards(survivors, plan, source) if survivors else None,
                )
                asked.append(evaluation)
                say(_greeting(evaluation.run))
                if plan.skipped is not None:
                    say(skipped_text(plan.skipped, dict(plan.setting)))
                await _ask_all(evaluation, at_once)
                if part is not None:
                    say(_what_is_next(part, evaluation))
            first = asked[0]
            summary, table = first.summary(), first.block_table()
            beside = published_beside(opened, first.run, summary)
            ids = [evaluation.run.id for evaluation in asked]
            repeated = repeated_figures(opened, first.run, summary.profile, ids)
            print_run(first.run, summary, table, beside, repeated, as_json=as_json)

    run_with_model(model, store, work, spread, layers_on_gpu)


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
    line, layer = ProgressLine(), ""
    kept = f"What was answered is kept in run {evaluation.run.id}; the same command goes on."
    try:
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
    except ModelError as error:
        line.end()
        say(kept)
        raise WorkFailedError(error) from error
    except BaseException:
        line.end()
        say(f"Stopped. {kept}")
        raise
    line.end()


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
    from core.runs.records import RunState
    from core.runs.replay import conditions

    if not run.verdicts:
        return f"Run {run.id}: {run.plan.model}, {conditions(run.plan)}."
    recorded = f"{run.verdicts} verdicts are recorded and not asked again."
    if run.state is RunState.DONE:
        return f"Run {run.id} finished earlier: {recorded}"
    return f"Run {run.id} goes on: {recorded}"
