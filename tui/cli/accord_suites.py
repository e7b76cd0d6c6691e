"""`accord generate` and `accord check`: suites of grounded items."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.benchmarks.accord.grounding.measures import likelihood_measure
from core.benchmarks.accord.suites.checker import Report, checked
from core.benchmarks.accord.suites.generator import Lines
from core.benchmarks.accord.suites.generator import generate as generated
from core.benchmarks.accord.suites.plan import Task
from core.benchmarks.accord.suites.recipe import (
    Recipe,
    lines,
    lines_by_likelihood,
    open_grounds,
    parts,
)
from core.benchmarks.accord.suites.sweep import sizes_of
from core.benchmarks.accord.trees.rules import Rule
from core.benchmarks.generation.ordered_work import in_order, in_thread
from core.models.protocol import Distributed, Model
from core.text.errors import DataError
from core.text.quantities import counted
from tui.cli.accord_trees import naming_option
from tui.cli.engines import EngineOptions, cluster_of, parse_engine
from tui.cli.lookup import check_choice
from tui.cli.model_loading import run_async, run_with_model
from tui.cli.options import JsonOption, LogOptions, ModelOption, ResumeOption
from tui.cli.output import WorkFailedError, out, out_json, say
from tui.cli.progress import ProgressLine

if TYPE_CHECKING:
    from core.runs.engines.dask_engine import DaskEngine

_MOST_PRINTED = 10
"""Most unsound items that are printed by name."""

KbOption = Annotated[
    Path | None,
    typer.Option("--kb", help="Use this knowledge base; the bundled one when left out."),
]


def generate(
    *,
    target: Annotated[Path, typer.Option("--out", help="Write the suite to this folder.")],
    qa: Annotated[
        Path | None,
        typer.Option("--qa", help="Take these questions; the bundled ones when left out."),
    ] = None,
    pairings: Annotated[
        Path | None,
        typer.Option(
            "--pairings",
            help="Take pairing templates from YAML or the authors' CSV files. Without "
            "it a question keeps its own, or "
            "gets one by a vote over the knowledge base.",
        ),
    ] = None,
    kb: KbOption = None,
    sizes: Annotated[
        str,
        typer.Option("--sizes", help="Grow trees of these numbers of templates, such as 1-5 or 3."),
    ] = "1-5",
    per_cell: Annotated[
        int,
        typer.Option(
            "--per-cell",
            min=1,
            max=100_000,
            help="Make this many items for each pairing, number of hops, number of distractors and "
            "variant; 1 makes the paper's small suite.",
        ),
    ] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Draw everything with this seed.")] = 0,
    rule: Annotated[
        str, typer.Option("--rule", help="Grow trees by this rule: free, cover or grow.")
    ] = "free",
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Use only the first N questions."),
    ] = None,
    per_relation: Annotated[
        int,
        typer.Option(
            "--per-relation",
            min=1,
            help="Where pairing templates are voted for, use at most this many "
            "questions a relation.",
        ),
    ] = 13,
    relevance: Annotated[
        str,
        typer.Option(
            "--relevance",
            help="Prefer terms at random as in the paper, by distance (near their "
            "neighbours in the "
            "knowledge base) or by likelihood (under --model).",
        ),
    ] = "random",
    model: ModelOption = None,
    resume: ResumeOption = False,
    engine: EngineOptions,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Generate a suite of grounded items.

    A run that was stopped or killed is continued with --resume.
    """
    check_choice(relevance, ("random", "distance", "likelihood"), "relevance", "--relevance")
    with naming_option(rule="--rule", sizes="--sizes"):
        chosen, templates = Rule.named(rule), sizes_of(sizes)
    spread = parse_engine(engine)
    recipe = Recipe(
        qa=qa and qa.absolute(),
        pairings=pairings and pairings.absolute(),
        kb=kb and kb.absolute(),
        sizes=templates,
        per_cell=per_cell,
        seed=seed,
        rule=chosen,
        limit=limit,
        per_relation=per_relation,
        distance=relevance == "distance",
    )
    generator = recipe.generator(say)

    def write(lines: Lines | None = None) -> None:
        line, refused = ProgressLine(), 0
        for progress in generated(generator, target, resume=resume, lines=lines):
            line.show(f"{progress.done:,} of {progress.total:,} items")
            refused = progress.refused
        line.clear()
        bare = len(generator.questions)
        items = generator.manifest.total - bare - refused
        if as_json:
            out_json({"suite": str(target), "items": items, "bare": bare, "refused": refused})
            return
        why = ", as their lines say" if refused else ""
        say(f"Items: {items:,}; bare questions: {bare:,}; refused: {refused:,}{why}.")
        out(str(target))

    async def rank(loaded: Model) -> None:
        generator.relevance = f"likelihood {loaded.info.name}"
        if isinstance(loaded, Distributed):
            make = partial(loaded.run, lines_by_likelihood, recipe, generator.manifest)
            await _by_workers(write, make, lambda: loaded.places)
            return
        loop = asyncio.get_running_loop()
        generator.measure = likelihood_measure(loaded, generator.grounds.skills, loop)
        await asyncio.to_thread(write)

    async def have_made(chosen_engine: DaskEngine) -> None:
        async with cluster_of(chosen_engine) as cluster:
            make = partial(cluster.run, lines, recipe, generator.manifest)
            await _by_workers(write, make, lambda: cluster.places)

    if relevance == "likelihood":
        run_with_model(model, None, rank, spread)
    elif spread is not None:
        run_async(have_made(spread))
    else:
        write()


async def _by_workers(
    write: Callable[[Lines], None],
    make: Callable[[Sequence[Task]], Awaitable[list[bytes]]],
    at_once: Callable[[], int],
) -> None:
    """Write in a thread the lines that workers make, part by part."""
    loop = asyncio.get_running_loop()

    def made(tasks: Iterator[Task]) -> Iterator[bytes]:
        return chain.from_iterable(in_thread(in_order(make, parts(tasks), at_once), loop))

    await asyncio.to_thread(write, made)


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the suite.")],
    kb: KbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every item of a suite again.

    Exits with 1 if an item is unsound.
    """
    report = checked(folder, open_grounds(kb, folder, say))
    if as_json:
        out_json(_report_json(report))
    else:
        _print_report(report)
    if not report.sound:
        raise WorkFailedError(DataError("The suite is not sound.", where=folder))


def _report_json(report: Report) -> dict[str, object]:
    return {
        "sound": report.sound,
        "complete": report.lines == report.total,
        "items": report.items,
        "bare": report.bare,
        "refused": report.refused,
        "repeated": report.repeated,
        "unreadable": [str(error) for error in report.unreadable],
        "failed": {check.name.lower(): n for check, n in sorted(report.failed.items())},
        "unsound": report.unsound,
    }


def _print_report(report: Report) -> None:
    out(
        f"{counted(report.items, 'item')}, {counted(report.bare, 'bare question')}, "
        f"{report.refused:,} refused, of {counted(report.total, 'line')}"
    )
    for error in report.unreadable[:_MOST_PRINTED]:
        out(f"unreadable: {error}")
    for text in report.unsound[:_MOST_PRINTED]:
        out(f"unsound: {text}")
    if report.repeated:
        out(f"There twice: {counted(report.repeated, 'item')}")
    if report.lines < report.total:
        out(f"Still to be generated: {counted(report.total - report.lines, 'line')}.")
    if report.sound:
        out("Every item passes every check.")
