"""`accord generate` and `accord check`: suites of grounded items."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.accord.collection import grounds_beside, grounds_of
from core.benchmarks.accord.grounding.measures import by_distance, by_likelihood
from core.benchmarks.accord.grounding.search import Ranking
from core.benchmarks.accord.item import Grounds
from core.benchmarks.accord.sources.pairing_decisions import decisions_file
from core.benchmarks.accord.sources.pairing_files import read_pairings
from core.benchmarks.accord.sources.pairing_suggestions import suggested
from core.benchmarks.accord.sources.pairings import PairingError
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.sources.reviews import Reviews
from core.benchmarks.accord.suites.checker import Report, checked
from core.benchmarks.accord.suites.generator import Generator
from core.benchmarks.accord.suites.generator import generate as generated
from core.benchmarks.accord.suites.sweep import sizes_of
from core.benchmarks.accord.trees.rules import Rule
from core.files.shipped import samples
from core.models.protocol import Model
from core.text.errors import DataError
from tui.cli.accord_trees import naming_option
from tui.cli.lookup import check_choice
from tui.cli.models import run_with_model
from tui.cli.options import JsonOption, ModelOption, ResumeOption
from tui.cli.output import WorkFailedError, out, out_json, say
from tui.cli.progress import ProgressLine

_MOST_PRINTED = 10
"""Most unsound items that are printed by name."""

KbOption = Annotated[
    Path | None,
    typer.Option("--kb", help="Use this knowledge base; the bundled one when left out."),
]


def generate(
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
    as_json: JsonOption = False,
) -> None:
    """Generate a suite of grounded items.

    A run that was stopped or killed is continued with --resume.
    """
    check_choice(relevance, ("random", "distance", "likelihood"), "relevance", "--relevance")
    with naming_option(rule="--rule", sizes="--sizes"):
        chosen, templates = Rule.named(rule), sizes_of(sizes)
    grounds = _grounds(kb, qa)
    questions = _questions(qa, pairings, grounds, limit, per_relation, seed)
    generator = Generator(questions, grounds, templates, per_cell, seed, chosen)

    def write() -> None:
        line, refused = ProgressLine(), 0
        for progress in generated(generator, target, resume=resume):
            line.show(f"{progress.done:,} of {progress.total:,} items")
            refused = progress.refused
        line.clear()
        bare = len(questions)
        items = generator.manifest.total - bare - refused
        if as_json:
            out_json({"suite": str(target), "items": items, "bare": bare, "refused": refused})
            return
        why = ", as their lines say" if refused else ""
        say(f"Items: {items:,}; bare questions: {bare:,}; refused: {refused:,}{why}.")
        out(str(target))

    if relevance == "likelihood":
        run_with_model(model, None, partial(_by_likelihood, generator, write))
        return
    if relevance == "distance":
        generator.measure = by_distance(grounds.knowledge)
    generator.relevance = relevance
    write()


async def _by_likelihood(generator: Generator, write: Callable[[], None], model: Model) -> None:
    """Generate in a thread; the model orders the candidates in this event loop."""
    loop = asyncio.get_running_loop()

    def measure(ranking: Ranking) -> Sequence[str]:
        ranked = by_likelihood(ranking, model, generator.grounds.skills)
        return asyncio.run_coroutine_threadsafe(ranked, loop).result()

    generator.measure = measure
    generator.relevance = f"likelihood {model.info.name}"
    await asyncio.to_thread(write)


def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the suite.")],
    kb: KbOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check every item of a suite again.

    Exits with 1 if an item is unsound.
    """
    report = checked(folder, _grounds(kb, folder))
    if as_json:
        out_json(_report_json(report))
    else:
        _print_report(report)
    if not report.sound:
        raise WorkFailedError(DataError("The suite is not sound.", where=folder))


def _grounds(kb: Path | None, beside: Path | None) -> Grounds:
    if kb is not None:
        grounds = grounds_of(kb)
    elif beside is None:
        grounds = grounds_beside(samples() / "accord")
    else:
        grounds = grounds_beside(beside if beside.is_dir() else beside.parent)
    if grounds.fault is not None:
        say(str(grounds.fault))
    return grounds


def _questions(
    qa: Path | None,
    pairings: Path | None,
    grounds: Grounds,
    limit: int | None,
    per_relation: int,
    seed: int,
) -> tuple[QuestionItem, ...]:
    questions = open_questions(qa or samples() / "accord", grounds.skills)
    errors = list(questions.errors)
    if pairings is not None:
        given, faults = read_pairings(pairings)
        questions = questions.paired(given, grounds.skills)
        errors = [*questions.errors, *faults]
    paired = tuple(item for item in questions.items if item.pairings)
    faults = [error for error in errors if isinstance(error, PairingError)]
    # A person who gave templates does not want voted ones in their place.
    if not paired and (faults or pairings is not None):
        first = faults or errors or [DataError("No template is for a question that is here.")]
        raise DataError(
            f"None of the pairing templates can be used: {first[0].what}",
            where=first[0].where or str(pairings or qa),
            hint=first[0].hint,
        )
    if errors:
        say(
            f"Questions or pairings that could not be read: {len(errors):,}; the first: {errors[0]}"
        )
    if not paired:
        made = suggested(
            questions.items,
            grounds.knowledge,
            grounds.skills,
            seed=seed,
            per_relation=per_relation,
        )
        say(
            f"No question has a pairing template. {len(made.items):,} got one by a vote, "
            f"unreviewed; {len(made.failures):,} did not, {made.left_over:,} are beyond the "
            f"{per_relation} of each relation."
        )
        paired = made.items
    paired = _as_decided(paired, grounds)
    if not paired:
        raise DataError(
            "No question has a pairing template, so no tree can be grown.",
            where=qa or "",
            hint="Give some by --pairings, or a knowledge base that knows the questions' concepts.",
        )
    return paired[:limit]


def _as_decided(paired: tuple[QuestionItem, ...], grounds: Grounds) -> tuple[QuestionItem, ...]:
    """The questions with the templates that the person decided on while browsing."""
    reviews, kept, changed = Reviews(decisions_file()), [], 0
    for item in paired:
        decided, clash = reviews.applied(item, grounds.skills)
        changed += decided.pairings != item.pairings
        if clash is not None:
            say(f"Your decision about “{item.id}” is ignored: {clash.what}")
        if decided.pairings:
            kept.append(decided)
    if changed:
        say(f"Questions whose pairing templates are as you decided: {changed:,}.")
    return tuple(kept)


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
        f"{report.items:,} items, {report.bare:,} bare questions, {report.refused:,} refused, "
        f"of {report.total:,} lines"
    )
    for error in report.unreadable[:_MOST_PRINTED]:
        out(f"unreadable: {error}")
    for text in report.unsound[:_MOST_PRINTED]:
        out(f"unsound: {text}")
    if report.repeated:
        out(f"{report.repeated:,} items are there twice")
    if report.lines < report.total:
        out(f"{report.total - report.lines:,} lines are still to be generated.")
    if report.sound:
        out("Every item passes every check.")
