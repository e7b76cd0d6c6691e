"""`runs cite`: what to cite for the figures of runs."""

from __future__ import annotations

import dataclasses
from importlib.metadata import version

from core.exchange.published.released import is_released
from core.runs.citation import references
from tui.cli.lookup import open_store
from tui.cli.options import JsonOption, RunsArgument, StoreOption
from tui.cli.output import out, out_json


def cite_runs(
    names: RunsArgument,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what to cite for the figures of runs.

    The program, the items with the references that came with them, the paper of the benchmark where
    these do not name it, and the models with repository, file and commit where these were recorded.
    """
    with open_store(store, create=False) as opened:
        runs = [opened.run(name) for name in dict.fromkeys(names)]
        released = {run.id for run in runs if is_released(opened, run)}
    cited = references(runs, version("commonsense-tui"), released)
    if as_json:
        out_json({"cite": [dataclasses.asdict(reference) for reference in cited]})
        return
    for reference in cited:
        licence = f", {reference.licence}" if reference.licence else ""
        of = f" ({', '.join(reference.runs)})" if reference.runs else ""
        out(f"{reference.kind}: {reference.name}{licence}{of}")
        for line in reference.cite:
            out(f"    {' '.join(line.split())}")
