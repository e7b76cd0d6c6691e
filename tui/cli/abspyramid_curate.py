"""`abspyramid curate` and `abspyramid split`: tuples from events, and sets from tuples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.abspyramid import wordnet
from core.benchmarks.abspyramid.curation import pipeline, spacy_parser, splits
from core.benchmarks.abspyramid.curation.candidates import Collector
from core.benchmarks.abspyramid.curation.cleaner import RULES, Rule
from core.benchmarks.abspyramid.curation.conllu_file import read_parses
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.pipeline import (
    Curation,
    Report,
    parses_by_event,
    read_events,
    verb_file_hash,
)
from core.benchmarks.abspyramid.curation.prompts import wordings
from core.benchmarks.abspyramid.dataset_files import Split
from core.benchmarks.abspyramid.wordnet import WordNet
from core.contract.question import Form
from core.models.protocol import Model
from core.runs.asking import natural_form
from core.text.errors import SettingError
from tui.cli.engines import EngineOptions, parse_engine, places_of
from tui.cli.model_loading import run_async, run_with_model
from tui.cli.options import JsonOption, LogOptions, ModelOption, ResumeOption
from tui.cli.output import out, out_json, say
from tui.cli.progress import ProgressLine


def curate(
    *,
    events: Annotated[
        Path, typer.Argument(metavar="EVENTS", help="A text file with one event a line.")
    ],
    target: Annotated[Path, typer.Option("--out", help="Write the curation to this folder.")],
    parses: Annotated[
        Path | None,
        typer.Option("--parses", help="Read the events' parses from this CoNLL-U file."),
    ] = None,
    reparses: Annotated[
        Path | None,
        typer.Option(
            "--reparses",
            help="Read second parses from this CoNLL-U file; events whose dependency graph differs "
            "are dropped.",
        ),
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(
            "--parser",
            help="Parse the events with spacy:MODEL; beside --parses, make the second parses.",
        ),
    ] = None,
    model: ModelOption = None,
    no_model: Annotated[
        bool,
        typer.Option(
            "--no-model", help="Collect verbs only, in their first sense; the rest needs a model."
        ),
    ] = False,
    negatives: Annotated[
        bool,
        typer.Option("--negatives/--no-negatives", help="Also ask for hard negatives, or not."),
    ] = True,
    shots: Annotated[
        int,
        typer.Option(
            "--shots",
            min=1,
            max=10,
            help="Use this many worked examples; fewer for a model of short context.",
        ),
    ] = 10,
    seed: Annotated[
        int, typer.Option("--seed", help="Order the worked examples of later tries with this seed.")
    ] = 0,
    resume: ResumeOption = False,
    engine: EngineOptions,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Collect unlabelled tuples from events.

    Events are cleaned, instances marked, candidate concepts collected. A run that was stopped or
    killed is continued with --resume.
    """
    if no_model and model is not None:
        raise SettingError("--model and --no-model exclude each other.", where="--no-model")
    spread = parse_engine(engine)
    if no_model and spread is not None:
        raise SettingError("Workers would have nothing to do without a model.", where="--engine")
    texts = read_events(events)
    first_parses, second_parses = _parses(texts, parses, reparses, parser)

    async def work(loaded: Model | None) -> None:
        form = natural_form(loaded.info) if loaded is not None else Form.BASE
        installed = _installed_wordnet()
        senses = installed.verb_senses if installed is not None else None
        collector = Collector(wordings(), senses, loaded, form, negatives, seed, shots)
        digest = verb_file_hash(installed.folder) if installed is not None else ""
        curation = Curation(texts, first_parses, second_parses, collector, digest)
        at_once = partial(places_of, loaded)
        await _run(curation, target, at_once, resume=resume, as_json=as_json)

    if no_model:
        run_async(work(None))
    else:
        run_with_model(model, None, work, spread)


def split(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file or folder of labelled tuples.")
    ],
    target: Annotated[Path, typer.Option("--out", help="Write the sets to this folder.")],
    ratios: Annotated[
        str | None,
        typer.Option(
            "--ratios",
            help="Split at 80:10:10 (detection) or 90:5:5 (generation: valid concepts only); both "
            "when left out.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Split with this seed.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Split labelled tuples as they are released.

    Tuples of one head event and instance stay together. Rows in a folder called Generation have no
    label: their concepts go to the sets of generation.
    """
    tasks = [splits.task_for_ratios(ratios)] if ratios is not None else list(splits.RATIOS)
    tuples = splits.read_split_input(path)
    sets_by_task = {}
    for task in tasks:
        tuples_of_task = splits.task_tuples(tuples.labelled, task, tuples.references)
        sets_by_task[task] = splits.split(tuples_of_task, splits.RATIOS[task], seed)
    folders = {
        task: splits.write_release(target, task, sets) for task, sets in sets_by_task.items()
    }
    if as_json:
        out_json(
            {
                task.value: {"folder": str(folders[task]), "sets": splits.set_sizes(sets)}
                for task, sets in sets_by_task.items()
            }
        )
        return
    for task, sets in sets_by_task.items():
        out(f"{folders[task]} ({splits.format_ratios(splits.RATIOS[task])})")
        for relation, by_split in splits.set_sizes(sets).items():
            counts = ", ".join(f"{by_split[name.value]:,} {name}" for name in Split)
            out(f"  {relation:<6}{counts}")


def _parses(
    events: tuple[str, ...], parses: Path | None, reparses: Path | None, parser: str | None
) -> tuple[Mapping[str, Parse], Mapping[str, Parse] | None]:
    """The parses of the events and the second parses; raises `SettingError`, `DataError`."""
    if parses is None and parser is None:
        raise SettingError(
            "Curating needs the events' parses.",
            where="--parses",
            hint="Give them in CoNLL-U by --parses, or have them made by --parser spacy:MODEL. "
            "The models of spaCy and Stanza are not on the package index, so none is installed.",
        )
    if reparses is not None and (parses is None or parser is not None):
        raise SettingError(
            "--reparses needs --parses and excludes --parser.",
            where="--reparses",
        )
    if parser is not None:
        parsed = parses_by_event(spacy_parser.parser(parser)(events))
        return (parsed, None) if parses is None else (parses_by_event(read_parses(parses)), parsed)
    assert parses is not None
    second_parses = parses_by_event(read_parses(reparses)) if reparses is not None else None
    return parses_by_event(read_parses(parses)), second_parses


def _installed_wordnet() -> WordNet | None:
    """The WordNet that is installed; says on stderr where there is none."""
    installed = wordnet.find_wordnet()
    if installed is None:
        say(
            "WordNet is not installed, so verbs get no concepts. "
            "Install it (on Debian: apt install wordnet-base)."
        )
    return installed


async def _run(
    curation: Curation, folder: Path, at_once: Callable[[], int], *, resume: bool, as_json: bool
) -> None:
    total, line = len(curation.instances), ProgressLine()
    curating = pipeline.curate(curation, folder, resume=resume, at_once=at_once)
    async with aclosing(curating) as steps:
        async for done in steps:
            line.show(f"{done:,} of {total:,} instances")
    line.clear()
    report = pipeline.report(curation, folder)
    if as_json:
        out_json(_report_json(report, folder))
    else:
        _print_report(report, folder)


def _report_json(report: Report, folder: Path) -> dict[str, object]:
    return {
        "folder": str(folder),
        "events": report.events,
        "dropped": {rule.value: count for rule, count in report.dropped.items()},
        "kept": report.kept,
        "instances": {relation.value: n for relation, n in report.instances.items()},
        "concepts": {relation.value: n for relation, n in report.concepts.items()},
        "negatives": report.negatives,
        "missing": report.missing,
        "senses": dict(report.senses),
        "refused": dict(report.refused),
        "unread": report.unread,
        "tuples": report.tuples,
    }


def _print_report(report: Report, folder: Path) -> None:
    out(f"{report.kept:,} of {report.events:,} events kept")
    for rule, count in report.dropped.items():
        out(f"  {count:6,} dropped: {RULES[rule]}")
    if Rule.CHANGED not in report.dropped:
        out("  The events were parsed once only, so incomplete ones may be among them.")
    counts = ", ".join(f"{n:,} {relation}s" for relation, n in report.instances.items())
    out(f"{sum(report.instances.values()):,} instances: {counts}")
    for how, count in sorted(report.senses.items()):
        out(f"  {count:6,} verbs: {_SENSES[how]}")
    counts = ", ".join(f"{n:,} of {relation}s" for relation, n in report.concepts.items())
    out(f"{sum(report.concepts.values()):,} concepts: {counts}; {report.negatives:,} negatives")
    for reason, count in sorted(report.refused.items()):
        out(f"  {count:6,} refused: {reason}")
    if report.unread:
        out(f"  {report.unread:6,} answers were not a list")
    if report.missing:
        out(f"  {report.missing:6,} concepts that were asked for are missing")
    out(f"{report.tuples:,} tuples without labels in {folder / 'tuples.jsonl'}")


_SENSES = {
    "scored": "sense chosen by the model",
    "first": "first sense, as nothing scored them",
    "only": "one sense only",
    "unknown": "not in WordNet",
}
