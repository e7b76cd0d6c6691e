"""`com2 synthesise`: makes new items with a model."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import Synthesis
from core.benchmarks.com2.synthesis.pipeline import synthesise as run
from core.benchmarks.com2.synthesis.provenance import Outcome
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make
from core.models.protocol import Model
from core.runs.asking import natural_form
from tui.cli.answer_options import parse_form
from tui.cli.engines import EngineOptions, parse_engine, places_of
from tui.cli.lookup import check_choice
from tui.cli.model_loading import run_with_model
from tui.cli.options import FormOption, JsonOption, LogOptions, ModelOption
from tui.cli.output import out, out_json, say


def synthesise(
    *,
    folder: Annotated[Path, typer.Option("--out", help="Write the items to this folder.")],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            help="Make items of this kind: direct, decision, transition, intervention, "
            "counterfactual or case.",
        ),
    ],
    model: ModelOption = None,
    count: Annotated[int, typer.Option("--n", min=1, help="Try to make this many items.")] = 10,
    seed: Annotated[int, typer.Option("--seed", help="Draw the examples with this seed.")] = 0,
    shots: Annotated[
        Path | None,
        typer.Option(
            "--shots",
            help="Draw examples from this file of graphs or .txt of events; from the bundled ones "
            "when left out.",
        ),
    ] = None,
    tries: Annotated[
        int,
        typer.Option(
            "--tries", min=1, help="Ask at most this many times for each part of an item."
        ),
    ] = 3,
    thinking: Annotated[
        bool,
        typer.Option(
            "--thinking/--no-thinking",
            help="Also make a line of slow thinking for each item, or not.",
        ),
    ] = True,
    form: FormOption = None,
    engine: EngineOptions,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Make new items with a model.

    Items that do not meet the requirements are rejected. The same command continues a stopped run.
    Every answer of the model is kept in provenance.jsonl beside the items.
    """
    check_choice(kind, Make, "kind", "--kind")
    make, chosen = Make(kind), parse_form(form)
    examples = read_shots(shots, make)
    spread = parse_engine(engine)

    async def work(loaded: Model) -> None:
        request = Request(make, count, seed, tries, thinking)
        natural = chosen or natural_form(loaded.info)
        at_once = partial(places_of, loaded)
        making = Synthesis(loaded, folder, request, examples, natural, timestamp, at_once)
        counts = await run(making, _print_outcome)
        accepted = counts.pop("accepted", 0)
        if as_json:
            rejected = dict(counts.most_common())
            out_json({"folder": str(folder), "accepted": accepted, "rejected": rejected})
            return
        out(f"{accepted} of {count} items accepted, in {folder}")
        for reason, number in counts.most_common():
            out(f"{number:6} rejected in {reason}")

    run_with_model(model, None, work, spread)


def _print_outcome(outcome: Outcome) -> None:
    if outcome.accepted:
        say(f"{outcome.item}: accepted")
    else:
        say(f"{outcome.item}: rejected in {outcome.stage}: {outcome.detail}")


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
