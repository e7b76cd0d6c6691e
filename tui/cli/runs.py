"""`runs`: lists recorded runs, prints the figures of one, and how far several agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from core.contract.summary import Summary
from core.exchange.published.comparability import Comparability
from core.layout.plain_text import cells
from core.runs import listing
from core.runs.agreement import agreement
from core.runs.blocks import BlockTable
from core.runs.records import Run
from core.runs.repeats import RepeatedFigures, repeated_figures, with_repeats
from core.runs.replay import conditions
from core.runs.summaries import blocks_of, is_complete, profiles_of, summarise
from core.text.errors import RunError
from core.text.escaping import quoted
from core.text.quantities import counted
from tui.cli import completion
from tui.cli.agreement import agreement_json, print_agreement
from tui.cli.comparability import comparability_json, print_comparability, published_beside
from tui.cli.figures import blocks_json, print_summary, print_table, summary_json, table_width
from tui.cli.lookup import check_named_once, open_store
from tui.cli.options import JsonOption, RunArgument, StoreOption
from tui.cli.output import out, out_json, out_note, say

_IMPORTANT = (
    "run", "right", "layer", "model", "unread", "benchmark", "state", "date", "shots", "limit",
    "scoring", "form", "setting", "repeat", "items", "collection", "time",
)  # fmt: skip
"""The columns of the list of runs, the last to leave a narrow terminal first."""


def list_runs(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the recorded runs, the oldest first.

    The figure of a run is its share of right answers in the first task layer, in ACCORD's whole
    tree or in all concepts of AbsPyramid, with the 95 % interval that it has if items are
    independent; `runs show` takes into account which items are alike. Where nothing was asked of
    that, it is a layer that was. "part" says that the run has not ended or asked only some of the
    items; written answers of that layer that were not read count as wrong, and stand in a column
    of their own.
    Columns that a narrow terminal has no room for are left out; --json has them all.
    """
    with open_store(store, create=False) as opened:
        runs, damaged = listing.list_runs(opened), opened.damaged_runs()
    for error in damaged:
        if not runs:
            raise error
        say(str(error))
    if as_json:
        out_json({"runs": [_listed_json(each) for each in runs]})
        return
    if not runs:
        say("No run is recorded yet: commonsense-tui evaluate BENCH records one.")
        return
    texts = {
        name: [column.heading, *map(column.text, runs)] for name, column in listing.COLUMNS.items()
    }
    shown = listing.fitting(texts, _IMPORTANT, table_width() - 2, cells)
    rows = zip(*(texts[name][1:] for name in shown), strict=True)
    print_table("Runs", tuple(texts[name][0] for name in shown), list(rows))
    out(" Intervals as if items were independent; runs show takes alike items into account.")


def show_run(
    run: RunArgument,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", help="Score by this profile; by the benchmark's default when left out."
        ),
    ] = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the figures of a run.

    Each figure has its denominator, a 95 % interval where there is one, and trivial baselines.
    Below are their mean and spread over the finished repeats of the run, which differ from it
    only in the seed of the worked examples or the order of the options. Then follow the published
    figures that the run may be compared with, or why there is none.
    """
    with open_store(store, create=False) as opened:
        recorded = opened.run(run)
        summary = summarise(opened, recorded, profile or "")
        repeated = repeated_figures(opened, recorded, summary.profile)
        table = blocks_of(opened, recorded)
        beside = published_beside(opened, recorded, summary)
    print_run(recorded, summary, table, beside, repeated, as_json=as_json)


def agree(
    names: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Two or more runs.", autocompletion=completion.runs),
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print how far several runs agree.

    Compares the answers to the questions that all of the runs answered, people's or models', with
    the same options in the same order.

    Observed agreement is the share of pairs of answerers that picked the same option. Kappa
    corrects it for chance: Cohen's for two runs, Fleiss' for more, for each task layer by itself.
    Its 95 % interval is a percentile bootstrap over questions, 1,000 draws with a fixed seed.
    """
    if len(names) < 2:
        raise typer.BadParameter("Name two runs or more.", param_hint="RUN")
    check_named_once(names)
    with open_store(store, create=False) as opened:
        runs = [opened.run(name) for name in names]
        result = agreement([opened.verdicts(run.id) for run in runs])
    if result is None:
        raise RunError(
            "These runs share no question with the same options.",
            hint="Name two or more runs over the same items with the same setting.",
        )
    if as_json:
        out_json(agreement_json(runs, result))
    else:
        print_agreement(runs, result)


def _listed_json(listed: listing.ListedRun) -> dict[str, Any]:
    """A run with its headline: right answers of `n_first` questions.

    `first_layer` is the layer of the headline, and null where that is of several.
    """
    figure = listed.headline
    return _run_json(listed.run) | {
        "headline": figure.name if figure else None,
        "first_layer": listed.layers[0] if len(listed.layers) == 1 else None,
        "right": figure.right if figure else None,
        "n_first": figure.n if figure else None,
        "not_read": listed.unread,
        "interval": figure.interval if figure else None,
    }


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
        "likelihoods": run.plan.likelihoods or None,
        "scorings": [scoring.value for scoring in run.scorings],
        "shots": run.plan.shots,
        "shot_rule": run.plan.shot_rule,
        "seed": run.plan.seed,
        "order": run.plan.order,
        "temperature": run.plan.sampling.temperature,
        "max_tokens": run.plan.sampling.max_tokens or None,
        "chosen": list(run.plan.chosen),
        "batch": run.plan.batch,
        "gpu_layers": run.plan.gpu_layers,
        "computed_by": run.computed_by or None,
        "prompts": {layer: asdict(template) for layer, template in run.plan.prompts},
        "setting": dict(run.plan.setting),
        "skipped": None if run.plan.skipped is None else asdict(run.plan.skipped),
        "limit": run.plan.limit,
        "demo": run.plan.demo,
        "origin": run.plan.origin or None,
        "blocks_read": run.plan.blocks,
    }


def _described(run: Run) -> Iterator[str]:
    """Lines on how and when a run was asked."""
    plan = run.plan
    verb = "imported" if run.imported else "begun"
    yield f"{conditions(plan)}, {verb} {_date(run)}"
    if run.computed_by:
        yield f"Computed by {run.computed_by}"
    if run.scorings:
        yield f"Answers: {', '.join(run.scorings)}"
    if plan.shots:
        yield f"Worked examples: {plan.shot_rule}, seed {plan.seed}"
    for layer, template in plan.prompts:
        yield f"Prompt of {layer}: {quoted(template.instruction + template.text)}"
    if plan.origin:
        yield f"Model from {plan.origin}"
    yield f"{counted(run.items, 'item')}, {counted(run.verdicts, 'verdict')}, of {plan.collection}"


def _date(run: Run) -> str:
    return f"{run.created[:16].replace('T', ' ')} UTC"


def print_run(
    run: Run,
    summary: Summary,
    table: BlockTable | None,
    beside: Comparability,
    repeated: Sequence[RepeatedFigures],
    *,
    as_json: bool,
) -> None:
    """Print what a run asked, its figures, those over its repeats, and published ones."""
    summary = with_repeats(summary, repeated)
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
                "repeats": [_repeats_json(each) for each in repeated],
                "blocks": None if table is None else blocks_json(table),
                "published": comparability_json(beside),
            }
        )
        return
    out(f"{run.id}: {run.plan.model} on {run.plan.benchmark}, {run.state}")
    for line in _described(run):
        out_note(line)
    profiles = profiles_of(run)
    if len(profiles) > 1:
        out(f" Profiles: {', '.join(profiles)}; --profile chooses.")
    print_summary(f"Profile {summary.profile}", summary)
    print_comparability(beside)


def _repeats_json(repeated: RepeatedFigures) -> dict[str, Any]:
    """The figures over repeats: their values in the order of `runs`, and their spread."""
    repeats, letters = repeated.repeats, repeated.letters
    return {
        "k": len(repeats.runs),
        "orders": repeats.orders,
        "seeds": repeats.seeds,
        "wordings": repeats.wordings,
        "runs": [
            {
                "run": run.id,
                "seed": run.plan.seed,
                "order": run.plan.order,
                "prompts": {layer: asdict(template) for layer, template in run.plan.prompts},
            }
            for run in repeats.runs
        ],
        "values": repeated.values,
        "spread": {
            name: {
                "k": len(spread.values),
                "mean": spread.mean,
                "sd": spread.sd,
                "min": min(spread.values),
                "max": max(spread.values),
            }
            for name, spread in repeated.spreads.items()
        },
        "letters": {
            letter: {"chosen": letters.chosen[letter], "right": letters.right[letter]}
            for letter in letters.letters
        },
    }
