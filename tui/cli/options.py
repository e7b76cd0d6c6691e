"""The options and arguments that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.text.language_codes import check_language
from tui.cli import completion

BenchmarkArgument = Annotated[
    str,
    typer.Argument(
        metavar="BENCH",
        help="The benchmark, such as gita.",
        show_default=False,
        autocompletion=completion.benchmarks,
    ),
]
ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="An item's id, or a file that holds one item.",
        show_default=False,
        autocompletion=completion.items,
    ),
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="The run's id.",
        show_default=False,
        autocompletion=completion.runs,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="A file or folder of items, instead of the bundled ones."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a switch. May be given several times."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="A GGUF file, “demo”, a server's URL, “person:NAME” or “replay:RUN”.",
        autocompletion=completion.models,
    ),
]


def _known_language(code: str | None) -> str | None:
    """Refuse a language that there is not, before anything else is done."""
    if code is not None:
        check_language(code)
    return code


LangOption = Annotated[
    str | None,
    typer.Option(
        "--lang",
        help="The language of the screens: en or it; the environment's when left out.",
        callback=_known_language,
        autocompletion=completion.languages,
    ),
]
StoreOption = Annotated[
    Path | None, typer.Option("--store", help="The store of runs, instead of your own.")
]
FormOption = Annotated[
    str | None,
    typer.Option("--form", help="How questions are put: base (one text) or chat (turns)."),
]
ScoringOption = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        help="How answers are read: log-likelihood or generated; as the benchmark prefers when "
        "left out.",
    ),
]
ShotsOption = Annotated[
    int, typer.Option("--shots", min=0, help="How many worked examples stand before a question.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the worked examples.")]
ShotRuleOption = Annotated[
    str, typer.Option("--shot-rule", help="How worked examples are drawn: random or varied.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


LinesOption = Annotated[bool, typer.Option("--jsonl", help="Print one JSON document a line.")]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Overwrite the file if it is there already.")
]
ResumeOption = Annotated[
    bool, typer.Option("--resume", help="Continue with what is in the folder already.")
]
OpenedPathArgument = Annotated[
    Path | None,
    typer.Argument(
        help="A file or folder of items, or a benchmark's name.",
        show_default=False,
        autocompletion=completion.benchmarks,
    ),
]
OpenedBenchmarkOption = Annotated[
    str | None,
    typer.Option(
        "--benchmark",
        help="The benchmark; recognised when left out.",
        autocompletion=completion.benchmarks,
    ),
]
OpenedModelOption = Annotated[
    str | None,
    typer.Option("--model", help="The model to start with.", autocompletion=completion.models),
]
