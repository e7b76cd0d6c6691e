"""`evaluate`: asks a model a whole collection and records every verdict."""

from __future__ import annotations

from tui.cli.engines import EngineOptions, parse_engine
from tui.cli.evaluate_options import EvaluateOptions
from tui.cli.options import JsonOption, LogOptions


def evaluate(
    *,
    asked: EvaluateOptions,
    engine: EngineOptions,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Ask a model a whole collection and record every verdict.

    Shows progress on stderr and prints the figures. The same command continues a stopped run and
    asks no question twice. With --set, items that cannot take the setting are skipped and counted.

    With --permute, --seeds or several wordings in --prompts each repeat is a run of its own. The
    figures are those of the first, with its wording in the benchmark's own order; beside them stand
    mean, standard deviation, lowest and highest over the repeats. Every wording is asked in every
    order and with every seed.
    """
    # Help and completion come to this module too, and need nothing that asks a model.
    from tui.cli.evaluation import evaluate_collection

    evaluate_collection(asked, parse_engine(engine), as_json=as_json)
