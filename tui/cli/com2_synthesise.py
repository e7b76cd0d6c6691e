"""`com2 synthesise`: new items made with a model."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.com2.synthesis.pipeline import Request, Synthesis
from core.benchmarks.com2.synthesis.pipeline import synthesise as run
from core.benchmarks.com2.synthesis.provenance import Outcome
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make
from core.models.protocol import Model
from core.runs.asking import natural_form
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion
from tui.cli.lookup import parse_form
from tui.cli.models import run_with_model
from tui.cli.options import FormOption, JsonOption, ModelOption
from tui.cli.output import out, out_json, say


def synthesise(
    folder: Annotated[
        Path, typer.Option("--out", help="The folder for the items.", show_default=False)
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--kind", help="direct, decision, transition, intervention, counterfactual or case."
        ),
    ],
    model: ModelOption = None,
    count: Annotated[int, typer.Option("--n", min=1, help="How many items are tried.")] = 10,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the examples.")] = 0,
    shots: Annotated[
        Path | None,
        typer.Option(
            "--shots", help="Graphs, or a .txt of events, to draw examples from; else ours."
        ),
    ] = None,
    tries: Annotated[int, typer.Option("--tries", min=1, help="Most answers to a request.")] = 3,
    thinking: Annotated[
        bool,
        typer.Option("--thinking/--no-thinking", help="Whether slow thinking is made as well."),
    ] = True,
    form: FormOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make new items with a model; what does not meet the requirements is rejected.

    A run that was stopped goes on when the same command is given again. Every answer of the model
    is kept in provenance.jsonl beside the items.
    """
    if kind not in set(Make):
        raise NotFoundError(
            f"No “{kind}” can be made.", where="--kind", hint=suggestion("Kinds", Make, kind)
        )
    make, chosen = Make(kind), parse_form(form)
    examples = read_shots(shots, make)

    async def work(loaded: Model) -> None:
        request = Request(make, count, seed, tries, thinking)
        natural = chosen or natural_form(loaded.info)
        making = Synthesis(loaded, folder, request, examples, natural, _now)
        counts = await run(making, _tell)
        accepted = counts.pop("accepted", 0)
        if as_json:
            rejected = dict(counts.most_common())
            out_json({"folder": str(folder), "accepted": accepted, "rejected": rejected})
            return
        out(f"{accepted} of {count} items accepted, in {folder}")
        for reason, number in counts.most_common():
            out(f"{number:6} rejected in {reason}")

    run_with_model(model, None, work)


def _tell(outcome: Outcome) -> None:
    if outcome.accepted:
        say(f"{outcome.item}: accepted")
    else:
        say(f"{outcome.item}: rejected in {outcome.stage}: {outcome.detail}")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
