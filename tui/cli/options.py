"""The options and arguments that several commands share, declared once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from core.files import config
from core.text.addresses import ALLOW_NETWORK
from core.text.errors import SettingError
from core.text.language_codes import check_language
from tui.cli import completion
from tui.cli.output import be_quiet

BenchmarkArgument = Annotated[
    str,
    typer.Argument(
        metavar="BENCH",
        help="The benchmark (gita, accord, com2, abspyramid or an installed one), or a file or "
        "folder of items, whose benchmark is recognised.",
        autocompletion=completion.benchmarks,
    ),
]
ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The id of an item, or a file that holds one item.",
        autocompletion=completion.items,
    ),
]
ItemOrNoneArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="ID",
        help="The id of an item, or a file that holds one item; all items are listed without it.",
        autocompletion=completion.items,
        show_default=False,
    ),
]
GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH", help="A YAML file with one graph (events and links), or the id of a graph."
    ),
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="The id of a run, as `runs list` prints it.",
        autocompletion=completion.runs,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="Read this file or folder of items instead of the bundled ones."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a switch of the item. Repeatable."),
]
ContrastOption = Annotated[
    list[str] | None,
    typer.Option(
        "--contrast",
        metavar="KEY=VALUE",
        help="What the contrast prompt has that the item has not. May be given several times.",
    ),
]
TaskLayerOption = Annotated[
    str | None,
    typer.Option(
        "--task-layer",
        "--layer",
        metavar="L",
        help="The task layer, or how its name begins; the first that asks something if left out.",
    ),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Ask this model: a GGUF file, demo, hf:OWNER/REPO (see `get model`), a server's URL, "
        "person:NAME or replay:RUN; "
        "the configured one when left out.",
        autocompletion=completion.models,
    ),
]

ContextOption = Annotated[
    int | None,
    typer.Option(
        "--context",
        min=1,
        max=config.MOST_CONTEXT,
        metavar="TOKENS",
        help="Take prompts of up to TOKENS tokens, as far as a model file was trained for them and "
        "memory allows; as configured, or up to 8,192, when left out.",
    ),
]
ExactOption = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Keep keys and values as 32-bit numbers: exact to 1e-5 where 16 bits are to 1e-2, for "
        "twice the memory.",
    ),
]


def _known_language(code: str | None) -> str | None:
    """Refuse an unknown language before the command starts."""
    if code is not None:
        check_language(code)
    return code


LangOption = Annotated[
    str | None,
    typer.Option(
        "--lang",
        help="Speak this language on the screens: en or it; the environment's when left out.",
        callback=_known_language,
        autocompletion=completion.languages,
    ),
]
StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="Use this store of runs (an SQLite file) instead of your own."),
]
FormOption = Annotated[
    str | None,
    typer.Option(
        "--form",
        help="Put questions as base (one text) or chat (turns); as the model takes them when "
        "left out.",
    ),
]
ScoringOption = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        help="Read answers as log-likelihood (of each option), generated (from written text) or "
        "json-schema (from an object that a server is made to write); "
        "as the benchmark prefers when left out, and generated of a server.",
    ),
]
ShotsOption = Annotated[
    int, typer.Option("--shots", min=0, help="Put this many worked examples before each question.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Draw the worked examples with this seed.")]
SeedsOption = Annotated[
    int,
    typer.Option(
        "--seeds",
        min=1,
        max=100,
        metavar="K",
        help="Ask K times with other worked examples, drawn with --seed and the K-1 seeds after.",
    ),
]
PermuteOption = Annotated[
    int,
    typer.Option(
        "--permute",
        min=1,
        max=24,
        metavar="K",
        help="Ask with the options in K orders: the benchmark's own and K-1 drawn ones.",
    ),
]
ShotRuleOption = Annotated[
    str,
    typer.Option(
        "--shot-rule",
        help="Draw worked examples at random, or varied: of different kinds, or fixed: the same "
        "for all questions, which is faster and no published protocol.",
    ),
]


def _be_quiet(ctx: typer.Context, quiet: bool) -> None:
    """Print no remarks until the program ends."""
    if quiet and not ctx.resilient_parsing:
        be_quiet(True)
        ctx.find_root().call_on_close(partial(be_quiet, False))


def _log_to(ctx: typer.Context, path: Path | None) -> Path | None:
    """Write a log file until the program ends."""
    if path is not None and not ctx.resilient_parsing:
        # Nothing of it is needed by commands that write none.
        from tui.cli.logs import LogFile

        file = LogFile(path, ctx.params.get(LOG_LEVEL) or "info")
        ctx.find_root().call_on_close(file.close)
    return path


def _known_level(level: str) -> str:
    """Refuse an unknown level before the command starts."""
    levels = ("debug", "info", "warning", "error")
    if level not in levels:
        raise SettingError(
            f"There is no level “{level}”.",
            where="--log-level",
            hint=f"Choose from {', '.join(levels)}.",
        )
    return level


LOG_LEVEL = "log_level"
"""The parameter of the level, which is read before the file is opened."""
QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Print results and errors only: no progress, no remarks.",
        callback=_be_quiet,
    ),
]
LogLevelOption = Annotated[
    str,
    typer.Option(
        "--log-level",
        help="Write this and what is graver to --log-file: debug (every answer too), info, warning "
        "or error.",
        callback=_known_level,
        is_eager=True,
    ),
]
LogFileOption = Annotated[
    Path | None,
    typer.Option(
        "--log-file",
        metavar="FILE",
        help="Add what happens to this file, with times and levels; keys are taken out.",
        callback=_log_to,
    ),
]


@dataclass(frozen=True, slots=True)
class LogOptions:
    """What is said while a command works; their callbacks see to it, and no command reads them."""

    quiet: QuietOption = False
    log_level: LogLevelOption = "info"
    log_file: LogFileOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """Between which model's blocks is read, and about what, as it was typed."""

    benchmark: BenchmarkArgument
    data: DataOption = None
    model: ModelOption = None
    task_layer: TaskLayerOption = None
    settings: SetOption = None
    form: FormOption = None
    context: ContextOption = None
    exact: ExactOption = False


JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
LinesOption = Annotated[bool, typer.Option("--jsonl", help="Print one JSON document a line.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite the file if it is there already.")
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Continue with what is in the folder already.")
]
AllowNetworkOption = Annotated[
    bool,
    typer.Option(ALLOW_NETWORK, help="Allow an address beyond this machine."),
]
OpenedPathArgument = Annotated[
    Path | None,
    typer.Argument(
        help="A file or folder of items, or the name of a benchmark.",
        autocompletion=completion.benchmarks,
    ),
]
OpenedBenchmarkOption = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        help="Open PATH as this benchmark; recognised from the data when left out.",
        autocompletion=completion.benchmarks,
    ),
]
OpenedModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="Start with this model; the configured one when left out.",
        autocompletion=completion.models,
    ),
]
RunsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...",
        help="The runs, as `runs list` prints them.",
        show_default=False,
        autocompletion=completion.runs,
    ),
]
