"""`runs agree`: how far people, or models, agree on the questions that all of them answered."""

from __future__ import annotations

from typing import Annotated

import typer

from core.text.errors import RunError
from tui.cli import completion
from tui.cli.find import JsonOption, StoreOption, open_store
from tui.cli.output import out, out_json


def add_to(runs: typer.Typer) -> None:
    """Put the command among the others of `runs`."""
    runs.command("agree")(agree)


def agree(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Two or more runs.",
            show_default=False,
            autocompletion=completion.runs,
        ),
    ],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print how far the answerers of several runs agree, question by question.

    Observed agreement is the share of pairs of answerers that picked the same; Fleiss' kappa
    takes off what chance would give. Its 95 % interval is the percentile bootstrap over questions,
    1,000 draws of a fixed seed.
    """
    from core.runs.agreement import agreement

    with open_store(store, create=False) as opened:
        runs = [opened.run(name) for name in names]
        found = agreement([opened.verdicts(run.id) for run in runs])
    if found is None:
        raise RunError(
            "These runs share no question.",
            hint="Name two or more runs over the same items with the same setting.",
        )
    if as_json:
        out_json(
            {
                "runs": [{"id": run.id, "model": run.plan.model} for run in runs],
                "n": found.n,
                "observed": found.observed,
                "expected": found.expected,
                "kappa": found.kappa,
                "kappa_interval": found.ratings.interval,
                "majority_right": found.majority_right,
                "with_gold": found.with_gold,
            }
        )
        return
    kappa = "undefined: every answer is the same" if found.kappa is None else f"{found.kappa:.3f}"
    if found.ratings.interval is not None:
        kappa += " [{:.3f}, {:.3f}]".format(*found.ratings.interval)
    out(f"Answerers: {', '.join(run.plan.model for run in runs)}")
    out(f"Questions that all answered: {found.n}")
    out(f"Observed agreement: {found.observed:.3f}, by chance {found.expected:.3f}")
    out(f"Fleiss' kappa: {kappa}")
    out(f"Most frequent answer right: {found.majority_right} of {found.with_gold}")
