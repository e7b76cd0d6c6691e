"""What a paper that reports runs should cite: this program, the items and the models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.runs.records import Plan, Run
from core.runs.source import collection_of

PROGRAM = "The commonsense-tui contributors. commonsense-tui, version {version}."


@dataclass(frozen=True, slots=True)
class Reference:
    """One thing to cite."""

    kind: str
    """program, items, benchmark or model."""
    name: str
    runs: tuple[str, ...]
    """The runs that used it; empty for the program, which made all of them."""
    licence: str
    """Empty where it is not known, or not of importance for a citation."""
    cite: tuple[str, ...]
    """References, or what is known of the source where nobody has named one."""


def references(
    runs: Sequence[Run], version: str, released: Collection[str] = ()
) -> list[Reference]:
    """What to cite for the figures of these runs; equal items and models are named once.

    `released` are the ids of runs that are known to be over what their benchmark released. A
    benchmark's paper is named where the references of the items do not name it already.
    """
    program = PROGRAM.format(version=version)
    of_items = _groups(runs, lambda run: (run.plan.benchmark, run.plan.collection_hash))
    items = [_items(each, registry.load(each[0].plan.benchmark), released) for each in of_items]
    named = " ".join(" ".join(each.cite) for each in items)
    of_benchmark = _groups(runs, lambda run: run.plan.benchmark)
    papers = [_paper(each, registry.load(each[0].plan.benchmark)) for each in of_benchmark]
    return [
        Reference("program", "commonsense-tui", (), "MIT", (program,)),
        *items,
        *(each for each in papers if each.cite and not _is_named(each.cite[0], named)),
        *(_model(each) for each in _groups(runs, lambda run: run.plan.fingerprint)),
    ]


def _groups(runs: Sequence[Run], key: Callable[[Run], object]) -> list[list[Run]]:
    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault(key(run), []).append(run)
    return list(groups.values())


def _paper(runs: Sequence[Run], benchmark: Benchmark) -> Reference:
    cite = (benchmark.paper,) if benchmark.paper else ()
    return Reference("benchmark", benchmark.title, tuple(run.id for run in runs), "", cite)


def _is_named(paper: str, references: str) -> bool:
    """Whether references name a paper, maybe with words before it: its authors stand in them."""
    authors = paper.partition("(")[0].strip()
    return authors in " ".join(references.split())


def _items(runs: Sequence[Run], benchmark: Benchmark, released: Collection[str]) -> Reference:
    names = tuple(run.id for run in runs)
    collection = collection_of(runs[0], benchmark)
    if collection is None:
        unknown = "The items are not at hand; cite what came with them."
        if any(name in released for name in names):
            unknown = "The collection that the benchmark's authors released."
        return Reference("items", benchmark.title, names, "", (unknown,))
    about = collection.about
    unnamed = (f"No citation came with the items. Their origin: {about.origin or 'not stated'}.",)
    return Reference("items", about.title, names, about.licence, about.citation or unnamed)


def _model(runs: Sequence[Run]) -> Reference:
    plan = runs[0].plan
    return Reference("model", plan.model, tuple(run.id for run in runs), "", _weights(plan))


def _weights(plan: Plan) -> tuple[str, ...]:
    if plan.demo:
        return ("The bundled demonstration model: its figures are no results.",)
    if plan.origin:
        return (plan.origin, "Cite it as the page of that repository asks.")
    return (f"Fingerprint {plan.fingerprint}", "Cite it as its makers ask.")
