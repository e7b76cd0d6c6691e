"""`export gallery`: a collection as a folder of pages, with the answers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.contract.setting import typed_values
from core.exchange.gallery.cards import GallerySource, RunOfItems
from core.exchange.gallery.gallery import write_gallery
from core.runs.questions import QuestionSource
from core.runs.replay import answers_on
from core.runs.source import source_of
from core.text.errors import NotFoundError, SettingError
from core.text.quantities import counted
from tui.cli.lookup import named_benchmark, open_collection, open_store, words
from tui.cli.output import say
from tui.cli.progress import ProgressLine


@dataclass(frozen=True, slots=True)
class GalleryOptions:
    """What was asked for on the command line."""

    benchmark: str
    data: Path | None
    settings: list[str] | None
    limit: int | None
    run: str | None
    store: Path | None


def make_gallery(options: GalleryOptions, to: Path, *, force: bool) -> Path:
    """Write a gallery; return its folder. Raises `NotFoundError`, `DataError`, `SettingError`."""
    source = _with_run(options, options.run) if options.run else _plain(options)
    progress = ProgressLine()
    path, missing = write_gallery(
        source,
        to,
        force=force,
        on_item=lambda done, total: progress.show(f"item {done:,} of {total:,}"),
    )
    progress.end()
    if missing:
        say(f"{counted(len(missing), 'item')} without a page; the first: {missing[0]}")
    say(f"Open {path / 'index.html'} in a browser.")
    return path


def _plain(options: GalleryOptions) -> GallerySource:
    bench, data = named_benchmark(options.benchmark, options.data)
    _, collection = open_collection(bench, data)
    values = typed_values(words(options.settings))
    return GallerySource(QuestionSource(bench, collection, values, options.limit))


def _with_run(options: GalleryOptions, run_id: str) -> GallerySource:
    """The items that a run asked about, with its answers."""
    if options.settings:
        raise SettingError(
            "The items are shown as the run asked about them.", where="--set", hint="Leave it out."
        )
    bench, data = named_benchmark(options.benchmark, options.data)
    with open_store(options.store, create=False) as store:
        run = store.run(run_id)
        if run.plan.benchmark != bench.name:
            raise NotFoundError(
                f"This run is about {run.plan.benchmark}, not {bench.name}.",
                where=run_id,
                hint=f"Write export gallery {run.plan.benchmark} --run {run_id}.",
            )
        asked_about = source_of(store, run, bench, data)
        if asked_about is None:
            raise NotFoundError(
                "The items of this run are not here.",
                where=run_id,
                hint="Name the file or folder that the run asked about with --data.",
            )
        recorded = answers_on(store.path, run.id, bench, asked_about.collection)
    source = recorded.source
    if options.limit is not None:
        source.limit = min(options.limit, len(source.positions))
    return GallerySource(source, RunOfItems.of(run, recorded.verdicts))
