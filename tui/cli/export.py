"""`export`: writes an item to a file, or a benchmark as tasks of another engine.

Help and completion come to this module too, so the command imports what it does its work with.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.contract import registry
from core.runs.shots import RANDOM, SEED
from core.text.errors import SettingError
from core.text.language import ENGLISH, LANGUAGES, speak
from tui.cli import completion
from tui.cli.lookup import check_choice, open_item
from tui.cli.options import (
    BenchmarkArgument,
    ContrastOption,
    DataOption,
    ForceOption,
    ModelOption,
    ScoringOption,
    SeedOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
    TaskLayerOption,
)
from tui.cli.output import out, say

if TYPE_CHECKING:
    from core.contract.setting import Setting
    from core.contract.view import Grid
    from core.layout.heatmap import HeatMap


_NO_ITEM = ("A whole benchmark is exported, and no item is asked about.", "Leave it out.")
_NO_SUITE = ("Only a benchmark takes this.", "Export it for lm-eval or inspect, without an ID.")
_NO_GALLERY = ("Only a gallery shows the answers of a run.", "Write export gallery, without an ID.")
_GALLERY = "gallery"
_ENGINES = ("lm-eval", "inspect")
"""The engines whose suites are formats of their own."""


def export(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="Of an item: html, svg, md, text, json, graphml, dot or mermaid. Of a benchmark: "
            "gallery, lm-eval or inspect.",
        ),
    ],
    benchmark: BenchmarkArgument,
    to: Annotated[
        Path,
        typer.Option(
            "--to", "--out", metavar="FILE", help="Write to this file; a gallery or suite, folder."
        ),
    ],
    item: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="The id of an item, or a file that holds one item; none for a benchmark.",
            autocompletion=completion.items,
        ),
    ] = None,
    data: DataOption = None,
    settings: SetOption = None,
    force: ForceOption = False,
    blocks: Annotated[
        bool, typer.Option("--blocks", help="Add the scores of the options after each block.")
    ] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Add the causal trace of a task layer.")
    ] = False,
    contrast: ContrastOption = None,
    task_layer: TaskLayerOption = None,
    model: ModelOption = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, metavar="N", help="Of a benchmark: only the first N items."),
    ] = None,
    shots: ShotsOption = 0,
    seed: SeedOption = SEED,
    shot_rule: ShotRuleOption = RANDOM,
    scoring: ScoringOption = None,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Of a gallery: show what this run answered about every item.",
            autocompletion=completion.runs,
        ),
    ] = None,
    store: StoreOption = None,
    lang: Annotated[
        str,
        typer.Option(
            "--lang",
            help="Write pages (html, gallery) in this language: en or it.",
            autocompletion=completion.languages,
        ),
    ] = ENGLISH,
) -> None:
    """Write an item to a file, or a benchmark as pages or suites.

    Prints the path.

    `export gallery BENCH --to FOLDER` writes a folder of pages that works offline: an index with
    pictures and filters, and a page an item, with --run also the answers of a run. It takes --data,
    --set and --limit.

    `export lm-eval BENCH --to FOLDER` writes tasks of lm-evaluation-harness, `export inspect BENCH
    --to FOLDER` a task of Inspect AI. They ask what `evaluate` asks, with --shots, --seed,
    --shot-rule, --limit, --set and --data as there; `import` reads the logs.

    With --model its answers in every state stand in the file. With --blocks or --trace what happens
    between its blocks does: about the task layer that --task-layer names; when left out, about all
    layers for --blocks and the first for --trace.
    """
    from core.exchange.exporters import files, formats
    from core.exchange.exporters.document import document_of

    check_choice(lang, LANGUAGES, "language", "--lang")
    if form in registry.names():
        raise SettingError(
            f"{form} is a benchmark, and the format comes first.",
            where="FORMAT",
            hint=f"Write export html {form} ID --to FILE.",
        )
    check_choice(form, [*formats.FORMATS, _GALLERY, *_ENGINES], "format", "FORMAT")
    if lang != ENGLISH and form != _GALLERY and not formats.format_named(form).translated:
        raise SettingError(
            "Only pages are written in other languages.",
            where="--lang",
            hint="Write html or gallery, or leave it out.",
        )
    of_items = {"ID": item, "--blocks": blocks, "--trace": trace, "--contrast": contrast}
    of_items |= {"--task-layer": task_layer, "--model": model}
    for_suites = {"--shots": shots, "--scoring": scoring}
    for_suites |= {"--seed": seed != SEED, "--shot-rule": shot_rule != RANDOM}
    for_galleries = {"--run": run, "--store": store}
    if form == _GALLERY:
        from tui.cli.gallery import GalleryOptions, make_gallery

        _check_none(of_items, _NO_ITEM)
        _check_none(for_suites, _NO_SUITE)
        shown = GalleryOptions(benchmark, data, settings, limit, run, store)
        # Messages printed before this stay English.
        speak(lang)
        out(str(make_gallery(shown, to, force=force)))
        return
    _check_none(for_galleries, _NO_GALLERY)
    if form in _ENGINES:
        from tui.cli.suites import SuiteOptions, write_suite

        _check_none(of_items, _NO_ITEM)
        options = SuiteOptions(benchmark, data, settings, limit, shots, seed, shot_rule, scoring)
        out(str(write_suite(form, options, to, force=force)))
        return
    known = formats.format_named(form)
    _check_none(for_suites | {"--limit": limit}, _NO_SUITE)
    if item is None:
        raise SettingError(
            "This format holds one item, and none is named.",
            where="ID",
            hint=f"Name one after the benchmark: export {form} {benchmark} ID --to FILE.",
        )
    heat_maps: tuple[HeatMap, ...] = ()
    if model is not None and not known.readings:
        raise SettingError(
            "A model's answers cannot be in this format.",
            where="--model",
            hint=formats.no_heat_maps_reason(form),
        )
    if contrast and blocks and not trace:
        raise SettingError("Only a trace compares.", where="--contrast", hint="Add --trace.")
    if not blocks and not trace:
        for_blocks = {"--contrast": contrast, "--task-layer": task_layer}
        _check_none(for_blocks, ("No block is read here.", "Add --blocks or --trace."))
        bench, collection, exported, setting = open_item(benchmark, item, data, settings)
    else:
        from tui.cli.item_heat_maps import read_blocks
        from tui.cli.item_question import ItemQuestion

        if not known.readings:
            raise SettingError(
                "What is read between a model's blocks cannot be in this format.",
                where="--blocks" if blocks else "--trace",
                hint=formats.no_heat_maps_reason(form),
            )
        files.check_free(to, force=force)
        asked = ItemQuestion(benchmark, item, task_layer, data, settings, None)
        bench, collection, exported = asked.benchmark, asked.collection, asked.item
        setting = asked.setting
        heat_maps = read_blocks(asked, model, blocks=blocks, trace=trace, contrast=contrast)
    about = collection.about
    speak(lang)
    answers: Mapping[Setting, Grid] = {}
    if model is not None:
        from tui.cli.state_answers import ask_states

        files.check_free(to, force=force)
        states: list[Setting] = []
        document_of(bench, exported, setting, about, answers=states.append)
        answers = ask_states(model, bench, exported, list(dict.fromkeys(states)))
    document = document_of(bench, exported, setting, about, heat_maps, answers=answers.get)
    warning = formats.warning(form, document)
    path = files.write(to, formats.export(form, document), force=force)
    if warning:
        say(warning)
    out(str(path))


def _check_none(given: Mapping[str, object], error: tuple[str, str]) -> None:
    """Raise `SettingError` with this text and hint for an option that does not fit here."""
    for name, value in given.items():
        if value:
            raise SettingError(error[0], where=name, hint=error[1])
