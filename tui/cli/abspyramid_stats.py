"""`abspyramid stats`: counts abstraction tuples as the paper's tables do."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.abspyramid.dataset_files import Split
from core.benchmarks.abspyramid.dataset_statistics import (
    NO_SPLIT,
    DetectionStatistics,
    GenerationStatistics,
    Share,
    statistics,
)
from core.benchmarks.abspyramid.tuple_store import TupleStore
from tui.cli.figures import print_table
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json, say

_NOTHING = "-"
_MOST_PRINTED = 3


def stats(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="The released folder, with Detection or Generation in it, or a file of tuples.",
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Count tuples by relation and split.

    With positive rates, vocabulary and uniqueness, as in Tables 1 to 3 of the paper. Each rate has
    its denominator.
    """
    store = TupleStore(folder)
    counts = statistics(store)
    if as_json:
        out_json(
            {
                "tuples": store.tuple_count,
                "head_events": len(store),
                "detection": {n: _detection_json(each) for n, each in counts.detection.items()},
                "generation": {n: _generation_json(each) for n, each in counts.generation.items()},
                "errors": [str(error) for error in store.errors],
                "repairs": [f"{repair.where}: {repair.what}" for repair in store.repairs],
                "notes": store.notes,
            }
        )
        return
    out(f"Tuples: {store.tuple_count:,}. Head events: {len(store):,}.")
    if counts.detection:
        _print_detection(counts.detection)
    if counts.generation:
        _print_generation(counts.generation)
    _print_problems(store)


def _detection_json(each: DetectionStatistics) -> dict[str, Any]:
    shares = {
        "positive_rate": each.positive,
        "unique_rate": each.unique,
        "social_rate": each.social,
    }
    return {
        "n": each.tuples,
        "by_split": each.by_split,
        **{name: share.rate for name, share in shares.items()},
        "vocabulary": each.vocabulary,
        "counts": {name.removesuffix("_rate"): share.count for name, share in shares.items()},
        "denominators": {name: share.total for name, share in shares.items()},
    }


def _generation_json(each: GenerationStatistics) -> dict[str, Any]:
    return {
        "n": each.references,
        "by_split": each.by_split,
        "average_references": each.average_references,
        "denominators": {"average_references": each.instances},
    }


def _print_detection(lines: Mapping[str, DetectionStatistics]) -> None:
    splits = _splits(lines)
    out()
    print_table(
        "Detection (Tables 1 and 2)",
        ("relation", "tuples", *splits, "valid", "words", "unique", "social"),
        [
            (
                name,
                f"{each.tuples:,}",
                *(f"{each.by_split.get(split, 0):,}" for split in splits),
                _percent(each.positive),
                f"{each.vocabulary:,}",
                _percent(each.unique),
                _percent(each.social),
            )
            for name, each in lines.items()
        ],
    )
    out("valid: of labelled tuples; unique: of concepts; social: of different head events.")


def _print_generation(lines: Mapping[str, GenerationStatistics]) -> None:
    splits = _splits(lines)
    out()
    print_table(
        "Generation (Table 3)",
        ("relation", "references", *splits, "instances", "references an instance"),
        [
            (
                name,
                f"{each.references:,}",
                *(f"{each.by_split.get(split, 0):,}" for split in splits),
                f"{each.instances:,}",
                _NOTHING if each.average_references is None else f"{each.average_references:.2f}",
            )
            for name, each in lines.items()
        ],
    )


def _splits(lines: Mapping[str, DetectionStatistics | GenerationStatistics]) -> list[str]:
    """The splits of the data in the paper's order, then the tuples that belong to no split."""
    known = {split for each in lines.values() for split in each.by_split}
    return [split for split in (*Split, NO_SPLIT) if split in known]


def _percent(share: Share) -> str:
    return _NOTHING if share.rate is None else f"{100 * share.rate:.2f} % of {share.total:,}"


def _print_problems(store: TupleStore) -> None:
    """Print on stderr the first defects of the data, and how many more there are."""
    for note in store.notes:
        say(note)
    problems = [str(error) for error in store.errors]
    problems += [f"{repair.where}: {repair.what}." for repair in store.repairs]
    for problem in problems[:_MOST_PRINTED]:
        say(problem)
    if len(problems) > _MOST_PRINTED:
        say(f"{len(problems) - _MOST_PRINTED:,} more remarks like these: see them with --json.")
