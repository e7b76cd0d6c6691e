"""`evaluate`, `runs list` and `runs show`: recorded runs and their figures."""

from __future__ import annotations

import sys
import time
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.text.errors import ModelError, SettingError
from tui.cli import agreement
from tui.cli.figures import blocks_json, print_summary, print_table, summary_json
from tui.cli.find import (
    BenchmarkArgument,
    DataOption,
    FormOption,
    JsonOption,
    ModelOption,
    RunArgument,
    ScoringOption,
    SeedOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
    load_benchmark,
    open_collection,
    open_store,
    parse_form,
    parse_scoring,
    words,
)
from tui.cli.models import run_async, with_model
from tui.cli.output import WorkFailedError, out, out_json, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.contract.summary import Summary
    from core.models.protocol import Model
    from core.runs.blocks import BlockTable
    from core.runs.evaluation import Evaluation, Progress
    from core.runs.records import Run


_SECONDS = 5.0
"""Least time between two lines about a run where there is no terminal."""


def add_to(app: typer.Typer) -> None:
    """Put the commands of this module on the command line."""
    runs = typer.Typer(
        rich_markup_mode=None, no_args_is_help=True, help="List and read recorded runs."
    )
    runs.command("list")(list_runs)
    runs.command("show")(show_run)
    agreement.add_to(runs)
    app.command("evaluate")(evaluate)
    app.add_typer(runs, name="runs")


def evaluate(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    model: ModelOption = None,
    store: StoreOption = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help="Only the first so many items; the figures are not comparable."
        ),
    ] = None,
    shots: ShotsOption = 0,
    seed: SeedOption = 1234,
    shot_rule: ShotRuleOption = "random",
    form: FormOption = None,
    scoring: ScoringOption = None,
    settings: SetOption = None,
    blocks: Annotated[
        bool,
        typer.Option(
            "--blocks", help="Read every question after each block too: where do answers settle?"
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a model a whole collection, and record every verdict.

    A run that was stopped goes on when the same command is given again.
    """
    from core.contract.question import Scoring
    from core.contract.setting import typed_values

    bench = load_benchmark(benchmark)
    chosen, reading = parse_form(form), parse_scoring(scoring)
    values = typed_values(words(settings))
    path, collection = open_collection(bench, data)
    if blocks and reading is Scoring.GENERATED:
        raise SettingError(
            "Of answers that a model writes nothing is read after each block.",
            where="--blocks",
            hint="Leave --blocks out, or write --scoring log-likelihood.",
        )

    async def work(loaded: Model) -> None:
        from core.blocks.access import readable
        from core.runs.asking import natural_form, natural_scoring
        from core.runs.evaluation import Evaluation, plan_for

        count = (await readable(loaded))[1].blocks if blocks else 0
        used = chosen or natural_form(loaded.info)
        plan = plan_for(
            loaded,
            bench,
            collection,
            path,
            form=used,
            shots=shots,
            seed=seed,
            shot_rule=shot_rule,
            setting=values,
            limit=limit,
            scoring=reading or natural_scoring(loaded.info, used),
            blocks=count,
        )
        with open_store(store, create=True) as opened:
            evaluation = Evaluation(opened, plan, loaded, bench, collection)
            say(_greeting(evaluation.run))
            await _ask_all(evaluation)
            summary, table = evaluation.summary(), evaluation.block_table()
            _print_run(evaluation.run, summary, table, as_json=as_json)

    run_async(with_model(model, store, work))


def list_runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the recorded runs, the oldest first."""
    with open_store(store, create=False) as opened:
        runs = opened.runs()
    if as_json:
        out_json({"runs": [_run_json(run) for run in runs]})
        return
    if not runs:
        say("No run is recorded yet: commonsense-tui evaluate BENCH records one.")
        return
    columns = ("run", "model", "benchmark", "state", "items", "verdicts", "created")
    rows = [
        (
            run.id,
            run.plan.model,
            run.plan.benchmark,
            run.state.value,
            str(run.items),
            str(run.verdicts),
            _date(run),
        )
        for run in runs
    ]
    print_table("Runs", columns, rows)


def show_run(
    run: RunArgument,
    profile: Annotated[
        str | None,
        typer.Option("--profile", help="The scoring profile; the default when left out."),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the figures of a run."""
    from core.runs.summaries import blocks_of, summarise

    with open_store(store, create=False) as opened:
        found = opened.run(run)
        summary = summarise(opened, found.id, profile or "")
        table = blocks_of(opened, found)
    _print_run(found, summary, table, as_json=as_json)


async def _ask_all(evaluation: Evaluation) -> None:
    """Ask until the end, telling on stderr how far it is."""
    teller = _Teller()
    try:
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                teller.tell(progress)
    except ModelError as error:
        teller.end()
        say(f"What was answered is kept in run {evaluation.run.id}; the same command goes on.")
        raise WorkFailedError(error) from error
    except BaseException:
        teller.end()
        say(
            f"Stopped. What was answered is kept in run {evaluation.run.id}; "
            "the same command goes on."
        )
        raise
    teller.end()


class _Teller:
    """Tells how far a run is: in one line that changes on a terminal, in few lines elsewhere."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._layer = ""
        self._open = False
        self._next = time.monotonic() + _SECONDS
        self._untold: dict[str, str] = {}

    def tell(self, progress: Progress) -> None:
        """Tell it, if there is something new to tell."""
        if not progress.total and progress.layer.optional:
            return
        if progress.layer.id != self._layer:
            self.end_line()
            self._layer = progress.layer.id
        line = _progress_line(progress)
        if self._live:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
            self._open = True
            return
        self._untold[progress.layer.id] = line
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _SECONDS
            self._tell_last()

    def end(self) -> None:
        """Tell how far it was when it ended."""
        self.end_line()
        self._tell_last()

    def _tell_last(self) -> None:
        if self._untold:
            say("; ".join(self._untold.values()))
        self._untold.clear()

    def end_line(self) -> None:
        """Leave the changing line as it stands."""
        if self._open:
            print(file=sys.stderr, flush=True)
            self._open = False


def _progress_line(progress: Progress) -> str:
    from core.text.escaping import escape_control_characters

    head = (
        f"{escape_control_characters(progress.layer.title)}: {progress.done}/{progress.total} asked"
    )
    left = ""
    if progress.seconds_left:
        minutes, seconds = divmod(round(progress.seconds_left), 60)
        left = f", {minutes}:{seconds:02} left in this layer"
    right = f", {progress.right} right" if progress.judged or not progress.done else ""
    return f"{head}{right}{left}"


def _greeting(run: Run) -> str:
    from core.runs.records import RunState
    from core.runs.replay import conditions

    if not run.verdicts:
        return f"Run {run.id}: {run.plan.model}, {conditions(run.plan)}."
    recorded = f"{run.verdicts} verdicts are recorded and not asked again."
    if run.state is RunState.DONE:
        return f"Run {run.id} finished earlier: {recorded}"
    return f"Run {run.id} goes on: {recorded}"


def _run_json(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "model": run.plan.model,
        "benchmark": run.plan.benchmark,
        "state": run.state.value,
        "n": run.items,
        "verdicts": run.verdicts,
        "created": run.created,
        "collection": run.plan.collection,
        "form": run.plan.form.value,
        "scoring": run.plan.scoring.value if run.plan.scoring else None,
        "scorings": [scoring.value for scoring in run.scorings],
        "shots": run.plan.shots,
        "shot_rule": run.plan.shot_rule,
        "seed": run.plan.seed,
        "setting": dict(run.plan.setting),
        "limit": run.plan.limit,
        "demo": run.plan.demo,
        "blocks_read": run.plan.blocks,
    }


def _described(run: Run) -> Iterator[str]:
    """How and when a run was asked, in lines."""
    from core.runs.records import RunState
    from core.runs.replay import conditions

    plan = run.plan
    verb = "imported" if run.state is RunState.IMPORTED else "begun"
    yield f"{conditions(plan)}, {verb} {_date(run)}"
    if run.scorings:
        yield f"Answers: {', '.join(run.scorings)}"
    if plan.shots:
        yield f"Worked examples: {plan.shot_rule}, seed {plan.seed}"
    if plan.setting:
        yield f"Set: {', '.join(f'{key}={value}' for key, value in plan.setting)}"
    yield f"{run.items} items, {run.verdicts} verdicts, of {plan.collection}"


def _date(run: Run) -> str:
    return run.created[:16].replace("T", " ")


def _print_run(run: Run, summary: Summary, table: BlockTable | None, *, as_json: bool) -> None:
    from core.runs.summaries import is_complete, profiles_of

    if as_json:
        described = {k: v for k, v in _run_json(run).items() if k != "id"}
        out_json(
            {
                "run": run.id,
                **described,
                "profile": summary.profile,
                "profiles": profiles_of(run),
                "complete": is_complete(run),
                **summary_json(summary),
                "blocks": None if table is None else blocks_json(table),
            }
        )
        return
    out(f"{run.id}: {run.plan.model} on {run.plan.benchmark}, {run.state}")
    for line in _described(run):
        out(f" {line}")
    profiles = profiles_of(run)
    if len(profiles) > 1:
        out(f" Profiles: {', '.join(profiles)}; --profile chooses.")
    print_summary(f"Profile {summary.profile}", summary)
