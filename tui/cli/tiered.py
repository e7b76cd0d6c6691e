"""`import tiered`: the figures of GITA v1's tiered logs, which are scored by pairs of stories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tui.cli.figures import print_summary, summary_json
from tui.cli.find import JsonOption
from tui.cli.output import out, out_json

if TYPE_CHECKING:
    from core.benchmarks.gita.tiered_results import Pair


def add_to(imports: typer.Typer) -> None:
    """Put the command among the others of `import`."""
    imports.command("tiered")(import_tiered)


def import_tiered(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Tiered logs of GITA v1.", show_default=False),
    ],
    as_json: JsonOption = False,
) -> None:
    """Print the figures of tiered logs, over pairs of stories. Nothing is recorded.

    A pair is correct when the implausible story was found, consistent when the conflicting
    sentences were too, verifiable when also the physical states were.
    """
    from core.benchmarks.gita.tiered_results import read

    # All of them first: a bad file leaves no half of the figures behind.
    logs = [(file, read(file)) for file in files]
    if as_json:
        out_json({"files": [_json(file, pairs) for file, pairs in logs]})
        return
    for i, (file, pairs) in enumerate(logs):
        if i:
            out()
        _print(file, pairs)


def _print(file: Path, pairs: list[Pair]) -> None:
    from core.benchmarks.gita.tiered_results import kinds, summarise

    by_kind = ", ".join(f"{n} {kind}" for kind, n in kinds(pairs).items())
    out(f"{file}: {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'} of stories ({by_kind})")
    print_summary("Correct, consistent, verifiable", summarise(pairs))


def _json(file: Path, pairs: list[Pair]) -> dict[str, Any]:
    from core.benchmarks.gita.tiered_results import kinds, summarise

    summary = summarise(pairs)
    correct, consistent, verifiable = (figure.right for figure in summary.figures)
    return {
        "file": str(file),
        "kinds": kinds(pairs),
        "pairs": len(pairs),
        "correct": correct,
        "consistent": consistent,
        "verifiable": verifiable,
        **summary_json(summary),
    }
