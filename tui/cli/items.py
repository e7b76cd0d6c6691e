"""`show`, `questions` and `ask`: one item, or the questions of a collection.

Help and completion come to this module too, so each command imports what it does its work with.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.contract.task_layer import layer_id
from core.runs.shots import RANDOM, SEED
from tui.cli import completion
from tui.cli.lookup import named_benchmark, open_collection, open_item, open_store, words
from tui.cli.model_loading import run_with_model
from tui.cli.options import (
    BenchmarkArgument,
    ContextOption,
    DataOption,
    FormOption,
    ItemArgument,
    ItemOrNoneArgument,
    JsonOption,
    LinesOption,
    ModelOption,
    ScoringOption,
    SeedOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
)
from tui.cli.output import out, out_json, width

if TYPE_CHECKING:
    from core.models.protocol import Model


def show(
    benchmark: BenchmarkArgument,
    item: ItemOrNoneArgument = None,
    data: DataOption = None,
    settings: SetOption = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print text (the default).")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show an item under a setting, or list the items.

    Prints the structure as text, as wide as the terminal, or with --json the view and its switches.
    Without an ID the items are listed, each with its id.
    """
    if plain and as_json:
        raise typer.BadParameter("--plain and --json cannot both be given.")
    if item is None:
        if settings:
            raise typer.BadParameter("--set needs the ID of an item.")
        _list_items(benchmark, data, as_json=as_json)
        return
    from core.contract.view import view_document
    from core.layout.plain_text import view_text
    from tui.cli.item_answers import switch_json

    bench, _, opened, setting = open_item(benchmark, item, data, settings)
    view = bench.view(opened, setting)
    if not as_json:
        out(view_text(view, width()))
        return
    out_json(
        {
            "benchmark": bench.name,
            "item": opened.id,
            "setting": dict(setting),
            "switches": [switch_json(switch, setting) for switch in bench.switches(opened)],
            "view": view_document(view),
        }
    )


def _list_items(benchmark: str, data: Path | None, *, as_json: bool) -> None:
    """Print the id of every item, with its label."""
    loaded, data = named_benchmark(benchmark, data)
    _, collection = open_collection(loaded, data)
    entries = map(collection.entry, range(len(collection)))
    if as_json:
        out_json([{"id": e.id, "label": e.label, "detail": e.detail} for e in entries])
        return
    for entry in entries:
        said = " · ".join(text for text in (entry.label, entry.detail) if text and text != entry.id)
        out(f"{entry.id}  {said}".rstrip())


def questions(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    task_layer: Annotated[
        str | None,
        typer.Option("--task-layer", help="Print the questions of this task layer only."),
    ] = None,
    shots: ShotsOption = 0,
    seed: SeedOption = SEED,
    shot_rule: ShotRuleOption = RANDOM,
    survivors: Annotated[
        str | None,
        typer.Option(
            "--survivors",
            metavar="RUN",
            help="In gated layers keep only the items that this run got right one layer before.",
            autocompletion=completion.runs,
        ),
    ] = None,
    form: FormOption = None,
    system: Annotated[
        bool,
        typer.Option(
            "--system/--no-system",
            help="With --form chat: put the instructions into a system turn, or into the user's.",
        ),
    ] = True,
    settings: SetOption = None,
    store: StoreOption = None,
    as_lines: LinesOption = False,
) -> None:
    """Print the questions of a collection as a model gets them.

    Each comes with its options and the gold answer. No model is asked.
    """
    from tui.cli.item_answers import print_questions

    bench, data = named_benchmark(benchmark, data)
    if task_layer is not None:
        task_layer = layer_id((layer.id for layer in bench.layers), task_layer)
    _, collection = open_collection(bench, data)
    answered = None
    if survivors is not None:
        with open_store(store, create=False) as opened:
            answered = opened.answered(opened.run(survivors).id)
    print_questions(
        bench,
        collection,
        words(settings),
        [layer for layer in bench.layers if task_layer in {None, layer.id}],
        (shots, shot_rule, seed),
        answered,
        form,
        system=system,
        as_lines=as_lines,
    )


def ask(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    scoring: ScoringOption = None,
    store: StoreOption = None,
    context: ContextOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a model every task layer of an item.

    Prints the answer at each layer and the first layer that fails.
    """
    from tui.cli.answer_options import parse_form, parse_scoring
    from tui.cli.item_answers import ask_item

    chosen, reading = parse_form(form), parse_scoring(scoring)
    bench, _, opened, setting = open_item(benchmark, item, data, settings)

    async def work(loaded: Model) -> None:
        await ask_item(loaded, bench, opened, setting, chosen, reading, as_json=as_json)

    run_with_model(model, store, work, context=context)
