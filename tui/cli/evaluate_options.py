"""The options of `evaluate` that say what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from core.files import config
from core.models.llama.threads import MOST_THREADS
from core.runs.shots import RANDOM, SEED
from tui.cli.options import (
    BenchmarkArgument,
    ContextOption,
    DataOption,
    FormOption,
    ModelOption,
    PermuteOption,
    ScoringOption,
    SeedOption,
    SeedsOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
)


@dataclass(frozen=True, slots=True)
class EvaluateOptions:
    """What is asked of which model, as it was typed."""

    benchmark: BenchmarkArgument
    data: DataOption = None
    model: ModelOption = None
    store: StoreOption = None
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            min=1,
            metavar="N",
            help="Ask only the first N items; such figures are not comparable.",
        ),
    ] = None
    shots: ShotsOption = 0
    seed: SeedOption = SEED
    shot_rule: ShotRuleOption = RANDOM
    form: FormOption = None
    scoring: ScoringOption = None
    settings: SetOption = None
    permute: PermuteOption = 1
    seeds: SeedsOption = 1
    blocks: Annotated[
        bool,
        typer.Option(
            "--blocks", help="Also read the options after each block, to see where answers settle."
        ),
    ] = False
    prior: Annotated[
        bool,
        typer.Option(
            "--prior",
            help="Also ask how likely each option is without a question, to hold its score against "
            "it; one more question for each set of options. A finished run is completed.",
        ),
    ] = False
    prompts: Annotated[
        Path | None,
        typer.Option(
            "--prompts",
            metavar="FILE",
            help="Ask in your own words: a YAML file with a list of wordings for each task layer; "
            "`prompts BENCH` prints one to begin with.",
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Let a written answer have N tokens, say for a model that thinks first; as each "
            "question allows when left out.",
        ),
    ] = None
    temperature: Annotated[
        float,
        typer.Option(
            "--temperature",
            min=0,
            max=2,
            help="Have a server write at this temperature, drawing with --seed; 0 takes the "
            "likeliest token.",
        ),
    ] = 0.0
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
    ] = None
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
    ] = 0
    gpu: Annotated[
        str | None,
        typer.Option(
            "--gpu",
            metavar="LAYERS",
            help="Let an accelerator compute so many layers of a model file, or all; as "
            "configured, or none, when left out.",
        ),
    ] = None
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            metavar="N",
            help="Compute a model file with N threads; with the fastest number, measured once on "
            "each machine, when left out. No figure depends on it.",
        ),
    ] = None
    context: ContextOption = None
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Ask only the I-th of N parts, with the prompts of the whole; `runs merge` puts "
            "the parts together.",
        ),
    ] = None
    survivors: Annotated[
        Path | None,
        typer.Option(
            "--survivors",
            metavar="STORE",
            help="With --shard, for a layer that is asked after right answers only: the merged "
            "shards of the layers before.",
        ),
    ] = None
