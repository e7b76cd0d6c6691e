"""`runs merge`: the shards of runs and studies, put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.runs.merging import MergedRun
from core.studies.merging import MergedStudy, merge_stores
from core.text.quantities import counted
from tui.cli.options import DataOption, JsonOption, LogOptions
from tui.cli.output import out, out_json


def merge_runs(
    *,
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE...", help="Stores with shards of runs or studies."),
    ],
    into: Annotated[
        Path, typer.Option("--into", metavar="STORE", help="Add what they hold to this store.")
    ],
    data: DataOption = None,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Put together the shards of runs and studies of several machines.

    Runs that ask the same, of the same weights, become one run: with the order and figures of a run
    that was never divided. Two different verdicts on one question are refused, and then nothing is
    added. Merging again adds only what is new. A run with questions left is paused: `evaluate` goes
    on with it. Studies are merged alike, and the command of one goes on with what was measured.
    Imported runs are taken over, each log once.
    """
    merged, studies = merge_stores(stores, into, data)
    if as_json:
        runs = [_json(each) for each in merged]
        verdicts = sum(each.run.verdicts for each in merged)
        out_json({"runs": runs, "verdicts": verdicts, "studies": list(map(_study_json, studies))})
        return
    for each in merged:
        run = each.run
        out(f"{run.id}: {run.state}, {counted(run.verdicts, 'verdict')}, {each.added} of them new")
        if each.missing is None:
            out(" The items are not at hand to see what is missing: name them with --data.")
            continue
        for layer, count in each.missing.items():
            if count is None:
                out(f" Layer {layer}: what it asks is not known yet.")
            elif count:
                out(f" Layer {layer}: {counted(count, 'question')} missing.")
    for one in studies:
        values = counted(one.values, "value")
        out(f"{one.study.id}: {one.study.state}, {values}, {one.added} of them new")


def _json(merged: MergedRun) -> dict[str, Any]:
    run = merged.run
    return {
        "id": run.id,
        "model": run.plan.model,
        "benchmark": run.plan.benchmark,
        "state": run.state.value,
        "n": run.items,
        "verdicts": run.verdicts,
        "added": merged.added,
        "missing": merged.missing,
    }


def _study_json(merged: MergedStudy) -> dict[str, Any]:
    study = merged.study
    return {
        "id": study.id,
        "kind": study.plan.kind,
        "model": study.plan.model,
        "benchmark": study.plan.benchmark,
        "state": study.state.value,
        "values": merged.values,
        "added": merged.added,
    }
