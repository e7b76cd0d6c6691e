"""`study`: findings over a collection, with their controls.

Help and completion come to this module too, so what the commands do their work with is imported
when one is run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tui.cli import completion
from tui.cli.options import ForceOption, JsonOption, LinesOption, LogOptions, StoreOption
from tui.cli.study_options import StudyOptions, ToOption

VectorOption = Annotated[
    Path | None,
    typer.Option(
        "--vector",
        metavar="FILE",
        help="Also write the direction of the block that does most, learned on all groups, into "
        "this .npy file for `patch --add`.",
    ),
]
StudyArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The id of a study, or how it begins, as `study list` prints it.",
        autocompletion=completion.studies,
    ),
]


def trace(
    *,
    part: Annotated[
        str,
        typer.Option(
            "--part", metavar="PART", help="What is copied of each block: residual, attn or ffn."
        ),
    ] = "residual",
    asked: StudyOptions,
    log: LogOptions,
) -> None:
    """Trace all valid pairs; average by role of the span and block.

    Copies each span of each block from an item's prompt into its contrast prompt, as `trace` does
    for one item, and gives the mean effect in nats for each role that the benchmark knows, with
    intervals over whole clusters, beside the contrast prompt of another item as a control. Items
    without a valid pair are left out and counted by reason. The same command goes on with a study
    that was stopped.
    """
    _conduct(asked, "trace", part=part)


def heads(asked: StudyOptions, log: LogOptions) -> None:
    """Copy each attention head in all valid pairs, and average.

    Each head's output at every position is copied from an item's prompt into its contrast prompt.
    Gives the mean effect in nats of every head, and the ten that matter most with intervals over
    whole clusters, beside the same control as `study trace`. Beside each stands what the head adds
    by itself to the right option, in logits (direct attribution), over the same pairs.
    """
    _conduct(asked, "heads")


def probe(asked: StudyOptions, log: LogOptions) -> None:
    """Probe whether the right answer is decodable after each block.

    Questions have the same two options; without --task-layer those of every layer with these
    options are put. Where a layer has none, as in ACCORD, each option is probed where the prompt
    shows it. Folds hold whole families, graphs, skeletons or head events, and the block is chosen
    inside them. "Encoded, not used" is said only where the probe ranks the right answers better
    than the model's own margin, a bag of words, the embeddings and a probe of shuffled labels.
    Needs the extra `studies`.
    """
    _conduct(asked, "probe")


def direction(
    *,
    vector: VectorOption = None,
    worlds: Annotated[
        bool,
        typer.Option(
            "--worlds",
            help="Learn it from items asked about in two worlds, as they are and with an event "
            "forced or the statements changed so that another option is right.",
        ),
    ] = False,
    asked: StudyOptions,
    log: LogOptions,
) -> None:
    """Learn a direction on some groups, and add it on others.

    The direction is the difference of the means over counterfactual pairs: questions of one family,
    graph or head event with either right answer, or with --worlds, and where no question has two
    options, the same item as it is and in a changed world (factual and anti-factual, without and
    with do). Gives the change of the margin in nats by block and strength, beside random directions
    of the same norm, and what it does to other task layers and to the bundled collections of the
    other benchmarks.
    """
    _conduct(asked, "direction", worlds=worlds, vector=vector)


def list_studies(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the recorded studies, the oldest first."""
    from tui.cli.studies import print_studies

    print_studies(store, as_json=as_json)


def show_study(
    study: StudyArgument,
    to: ToOption = None,
    force: ForceOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
    as_lines: LinesOption = False,
) -> None:
    """Print what a study found, or write it to a file."""
    from tui.cli.studies import print_recorded

    print_recorded(study, store, to, force=force, as_json=as_json, as_lines=as_lines)


def _conduct(
    asked: StudyOptions,
    kind: str,
    *,
    part: str = "",
    worlds: bool = False,
    vector: Path | None = None,
) -> None:
    from tui.cli.studies import conduct_and_print

    conduct_and_print(asked, kind, part=part, worlds=worlds, vector=vector)
