"""`com2 case`: makes a case from a person's own detective story."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from core.benchmarks.com2.item import HARD_SCENARIOS
from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.own_story import ITEM, make_from_story, read_own_story
from core.benchmarks.com2.synthesis.stages import Make
from core.models.protocol import Model
from core.runs.asking import natural_form
from tui.cli.answer_options import parse_form
from tui.cli.com2_synthesise import timestamp
from tui.cli.engines import EngineOptions, parse_engine
from tui.cli.model_loading import run_with_model
from tui.cli.options import FormOption, JsonOption, LogOptions, ModelOption
from tui.cli.output import out, out_json


def case(
    *,
    story: Annotated[
        Path, typer.Argument(help="A text file with a detective story of yours, in English.")
    ],
    folder: Annotated[Path, typer.Option("--out", help="Write the case to this folder.")],
    model: ModelOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Draw mistakes with this seed.")] = 0,
    tries: Annotated[
        int,
        typer.Option("--tries", min=1, help="Ask at most this many times for each part."),
    ] = 3,
    thinking: Annotated[
        bool,
        typer.Option(
            "--thinking/--no-thinking",
            help="Also make a line of slow thinking for each question, or not.",
        ),
    ] = True,
    form: FormOption = None,
    engine: EngineOptions,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Make a case from a detective story of yours.

    A model finds the criminal, the clue and the course of events, and asks all three questions of
    the hard set: what would have prevented the crime, who did it once the clue is found, and what
    would have come of another beginning. Exits with 1 if the case is rejected.
    """
    text, chosen = read_own_story(story), parse_form(form)
    spread = parse_engine(engine)

    async def work(loaded: Model) -> None:
        natural = chosen or natural_form(loaded.info)
        request = Request(Make.CASE, 1, seed, tries, thinking)
        attempt = await make_from_story(loaded, folder, request, text, natural, timestamp)
        file = folder / f"{ITEM}.yaml"
        if as_json:
            scenarios = [scenario.value for scenario in HARD_SCENARIOS] if attempt.accepted else []
            rejected = {} if attempt.accepted else {"stage": attempt.stage, "why": attempt.detail}
            out_json({"file": str(file), "scenarios": scenarios, "rejected": rejected})
        elif attempt.accepted:
            names = ", ".join(scenario.value for scenario in HARD_SCENARIOS)
            out(f"{file}: {names}")
        else:
            out(f"rejected in {attempt.stage}: {attempt.detail}")
        if not attempt.accepted:
            raise typer.Exit(1)

    run_with_model(model, None, work, spread)
