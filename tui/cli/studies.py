"""What the commands of `study` do: conduct one, and print or write what it found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from core.blocks.edits import parse_part
from core.contract.setting import typed_values
from core.exchange.exporters import files
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.study_table import TABLES
from core.exchange.exporters.vector_file import ENDING, write_vector
from core.exchange.plots.writing import ENDINGS, check, write_study_plot
from core.files import paths
from core.layout.heatmap import HeatMap
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.plain_text import cells
from core.layout.rows import plain
from core.models.protocol import Model
from core.runs.questions import QuestionSource
from core.runs.records import RunState
from core.runs.shards import Shard
from core.studies.conducting import StudyProgress, conduct
from core.studies.kinds import KINDS, report_of
from core.studies.plan import Study
from core.studies.report import StudyReport, cell_text
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from core.studies.world_cases import CONTRAST, WORLDS
from core.text.errors import SettingError
from tui.cli.answer_options import parse_form
from tui.cli.figures import print_table
from tui.cli.lookup import named_benchmark, open_collection, words
from tui.cli.model_loading import run_with_model
from tui.cli.output import out, out_json, out_json_line, say, width
from tui.cli.progress import resumable_progress
from tui.cli.study_options import StudyOptions


def conduct_and_print(
    asked: StudyOptions, kind: str, *, part: str, worlds: bool, vector: Path | None
) -> None:
    """Conduct a study, or go on with one, and print or write what it found.

    A shard that is measured before the others says what comes next. Raises `SettingError` and the
    other errors of what is opened, and `WorkFailedError`.

    Args:
        asked: what is asked, as it was typed.
        kind: the kind of study.
        part: what a trace copies of each block.
        worlds: whether a direction is learned from items in two worlds.
        vector: the file for the direction that is learned; None for none.
    """
    options = _options(asked, kind, part, worlds=worlds)
    shard = None if asked.shard is None else Shard.parse(asked.shard)
    if shard is not None and (asked.to is not None or vector is not None):
        raise SettingError(
            "A shard has no result that could be written.",
            where="--shard",
            hint=f"Leave {'--to' if vector is None else '--vector'} out.",
        )
    if asked.to is not None:
        _check_file(asked.to, force=asked.force)
    if vector is not None:
        files.check_free(vector, force=asked.force, ending=ENDING)
    form = parse_form(asked.form)
    bench, data = named_benchmark(asked.benchmark, asked.data)
    path, collection = open_collection(bench, data)
    source = QuestionSource(
        bench, collection, typed_values(words(asked.settings)), limit=asked.limit
    )
    layer = task_layer(source, asked.task_layer)

    async def work(loaded: Model) -> None:
        subject = await Subject.of(loaded, source, path, layer, form)
        plan = subject.plan(kind, options, asked.seed)
        with StudyStore(asked.store or paths.runs()) as store:
            study = store.start(plan, restart=asked.restart)
            say(_greeting(study))
            await _conduct(store, study, subject, shard)
            done = store.study(study.id)
        if shard is not None and done.state is not RunState.DONE:
            say(
                f"Shard {shard} of study {done.id} is measured. Merge the stores of all shards "
                "with `runs merge`; the same command without --shard goes on in the merged store."
            )
            if asked.as_json:
                out_json(_listed(done))
            return
        if vector is not None:
            learned = done.result["vector"] if done.result else {}
            written = write_vector(vector, learned["numbers"], force=asked.force)
            say(
                f"Try it: commonsense-tui patch {plan.benchmark} ID "
                f"--add residual:{learned['block']}@answer={written}"
            )
        _print(done, asked.to, force=asked.force, as_json=asked.as_json, as_lines=asked.as_lines)

    run_with_model(asked.model, asked.store, work, context=asked.context, exact=asked.exact)


def _options(asked: StudyOptions, kind: str, part: str, *, worlds: bool) -> dict[str, str]:
    """The options of a study of this kind; raises `SettingError`."""
    if kind == "trace":
        copied, head = parse_part(part)
        if head is not None:
            raise SettingError(
                "A single head cannot be averaged by role.",
                where="--part",
                hint="`study heads` measures all of them.",
            )
        return {"part": copied.value}
    if worlds:
        return {CONTRAST: WORLDS}
    return dict(KINDS[kind].one_layer) if asked.task_layer else {}


async def _conduct(store: StudyStore, study: Study, subject: Subject, shard: Shard | None) -> None:
    """Do the work of a study, or of a shard of it, with progress on stderr."""
    phase = ""
    kept = f"What was measured is kept in study {study.id}; the same command goes on."
    work = KINDS[study.plan.kind].work(subject, study.plan)
    own = None if shard is None else subject.items_of(shard)
    with resumable_progress(kept) as line:

        def report(progress: StudyProgress) -> None:
            nonlocal phase
            if progress.phase != phase:
                phase = progress.phase
                line.next_part()
            line.show(_progress_text(progress), part=phase)

        await conduct(store, study, work, report, own)


def print_studies(store: Path | None, *, as_json: bool) -> None:
    """Print the recorded studies."""
    with StudyStore(store or paths.runs(), create=False) as opened:
        studies, damaged = opened.studies(), opened.damaged_studies()
    for error in damaged:
        if not studies:
            raise error
        say(str(error))
    if as_json:
        out_json({"studies": [_listed(study) for study in studies]})
        return
    if not studies:
        say("No study is recorded yet: commonsense-tui study trace BENCH records one.")
        return
    heads = ("study", "kind", "model", "benchmark", "layer", "state", "date UTC")
    rows = [
        (
            study.id,
            study.plan.kind,
            study.plan.model,
            study.plan.benchmark,
            study.plan.layer,
            study.state.value,
            study.created[:10],
        )
        for study in studies
    ]
    print_table("Studies", heads, rows)


def print_recorded(
    study_id: str,
    store: Path | None,
    to: Path | None,
    *,
    force: bool,
    as_json: bool,
    as_lines: bool,
) -> None:
    """Print or write what a recorded study found; raises `RunError` for one that is not done."""
    if to is not None:
        _check_file(to, force=force)
    with StudyStore(store or paths.runs(), create=False) as opened:
        study = opened.study(study_id)
    _print(study, to, force=force, as_json=as_json, as_lines=as_lines)


def _print(study: Study, to: Path | None, *, force: bool, as_json: bool, as_lines: bool) -> None:
    report = report_of(study)
    if to is not None:
        written = _write(study, report, to, force=force)
        if not as_json and not as_lines:
            out(str(written))
    if as_json:
        out_json(study_document(study))
    elif as_lines:
        for row in report.exported.rows:
            out_json_line(dict(zip(report.exported.columns, row, strict=True)))
    elif to is None:
        _print_report(report)


def study_document(study: Study) -> dict[str, Any]:
    """A study with its plan and what it found; the figures stand beside the plan."""
    report = report_of(study)
    return _listed(study) | dict(study.result or {}) | {
        "findings": report.findings,
        "method": report.method,
    }  # fmt: skip


def _listed(study: Study) -> dict[str, Any]:
    plan = msgspec.to_builtins(study.plan)
    plan |= {name: dict(plan[name]) for name in ("setting", "options")}
    return {"id": study.id, **plan, "state": study.state.value, "created": study.created}


def _check_file(path: Path, *, force: bool) -> None:
    """Raise what writing to this path would raise, before anything is measured."""
    ending = path.suffix.lower()
    if ending in TABLES:
        files.check_free(path, force=force)
    elif ending in ENDINGS:
        check(path, force=force)
    else:
        raise ExportError(
            f"A study cannot be written as “{ending}”.",
            where=path,
            hint=f"Its name ends in one of {', '.join([*TABLES, *ENDINGS])}.",
        )


def _write(study: Study, report: StudyReport, path: Path, *, force: bool) -> Path:
    ending = path.suffix.lower()
    if ending in TABLES:
        return files.write(path, TABLES[ending](report), force=force)
    return write_study_plot(report, path, demo=study.plan.demo, force=force)


def _print_report(report: StudyReport) -> None:
    wide = min(width(), 120)
    if isinstance(report.picture, HeatMap):
        out(plain(draw_heat_map(report.picture, wide, cells)))
    else:
        for sentence in (report.title, *report.findings):
            out(sentence)
        for table in (report.table, report.side_effects):
            if table is not None:
                rows = [tuple(map(cell_text, row)) for row in table.rows]
                print_table(table.title, table.columns, rows)
        for sentence in report.method:
            out(sentence)


def _greeting(study: Study) -> str:
    plan = study.plan
    about = (
        f"Study {study.id}: {plan.model}, {plan.benchmark}, layer {plan.layer}, {plan.form} prompt"
    )
    return f"{about}. It is done already." if study.state is RunState.DONE else f"{about}."


def _progress_text(progress: StudyProgress) -> str:
    return f"{progress.phase}: {progress.done}/{progress.total}"
