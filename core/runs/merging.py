"""Puts the shards of runs together: verdicts of equal plans in several stores become one run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from core.contract import registry
from core.files.regular_file import opened
from core.runs.questions import recorded_source
from core.runs.records import Plan, Run, RunState, new_run_id, verdict_key
from core.runs.run_rows import plan_row
from core.runs.shards import missing_questions
from core.runs.source import collection_of
from core.runs.store import Store
from core.runs.transfer import adopt, extend
from core.runs.verdict_rows import RecordedVerdict, verdict_row
from core.text.errors import RunError

_MAY_LACK = ("priors", "block_scores")
"""What is asked later, and what programs of before did not record."""


@dataclass(frozen=True, slots=True)
class MergedRun:
    """A run that was put together."""

    run: Run
    added: int
    """How many verdicts the store lacked."""
    missing: Mapping[str, int | None] | None
    """Questions without an answer by layer, as `missing_questions` counts them; empty where there
    is none, and None where the items are not at hand."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The verdicts of one plan in one store."""

    path: Path
    run: Run
    rows: Sequence[RecordedVerdict]
    made_with: Mapping[str, str | None]


def merge(
    paths: Iterable[Path],
    into: Path,
    items: Path | None = None,
    also: Callable[[Store], None] | None = None,
) -> list[MergedRun]:
    """Merge the runs in the stores at `paths` into the store `into`, those of each plan into one.

    All verdicts are added or none. A run that was imported is known by its log. `items` is where
    the items of the runs are now; by default where they were, or what ships with the benchmark.
    `also` adds more to the store `into`, with the verdicts or not at all. A run is done where no
    question is left, and otherwise as paused as any that can go on. Raises `DataError` for what is
    no regular file, and `RunError` for two different verdicts on one question, for damaged stores,
    where there is nothing to merge, and where a program just records a run of `into`.
    """
    plans: dict[tuple[str, bool], list[_Part]] = {}
    for path in paths:
        for part in _parts(path):
            alike = str(plan_row(part.run.plan)), part.run.imported
            plans.setdefault(alike, []).append(part)
    with Store(into) as store:
        store.check_readable()
        merged = _merged(plans.values(), store, also)
        finished = [_finished(store, *each, items) for each in merged]
        store.database.keep_in_one_file()
    return finished


def _merged(
    plans: Iterable[list[_Part]], store: Store, also: Callable[[Store], None] | None
) -> list[tuple[str, int, bool]]:
    """Add the verdicts of each plan, and more, in one transaction.

    Returns the runs, how many verdicts were new, and whether one of the parts was done.
    """
    merged: list[tuple[str, int, bool]] = []
    with ExitStack() as held, store.transaction():
        for parts in plans:
            imported = parts[0].run.imported
            run = store.latest(parts[0].run.plan, imported=imported)
            if run is not None:
                held.enter_context(store.hold(run.id))
                known = store.recorded_verdicts(run)
                parts.insert(0, _Part(store.path, run, known, store.made_with(run.id)))
            union = _union(parts)
            done = any(part.run.state is RunState.DONE for part in parts)
            if run is None:
                run = _begun(parts, {each.id for each in store.runs()})
                adopt(store, run, union, parts[0].made_with)
                added = len(union)
            else:
                added = extend(store, run.id, union, _notes(parts))
                if any(part.run.prior for part in parts):
                    store.mark_prior(run.id)
            merged.append((run.id, added, done))
        if also is not None:
            also(store)
    return merged


def _parts(path: Path) -> list[_Part]:
    with opened(path, name="The store"):
        pass
    with Store(path, create=False) as source:
        source.database.check()
        source.check_readable()
        parts = [
            _Part(path, run, source.recorded_verdicts(run), source.made_with(run.id))
            for run in source.runs()
        ]
        studies = source.select("SELECT 1 FROM studies LIMIT 1")
    if not parts and not studies:
        raise RunError("There is no run and no study to merge in this store.", where=path)
    for part in parts:
        # An imported run has nothing left to ask, so it may be of a benchmark that is not here.
        if not part.run.imported:
            registry.load(part.run.plan.benchmark)
    return parts


def _begun(parts: Sequence[_Part], taken: set[str]) -> Run:
    """A new run of the plan of some parts, begun when the first of them was."""
    plan, totals = parts[0].run.plan, parts[0].run.totals
    state = RunState.IMPORTED if parts[0].run.imported else RunState.PAUSED
    begun = min(part.run.created for part in parts)
    prior = any(part.run.prior for part in parts)
    run_id = new_run_id(plan, taken)
    return Run(run_id, plan, state, begun, notes=_notes(parts), prior=prior, totals=totals)


def _notes(parts: Sequence[_Part]) -> tuple[str, ...]:
    """What is noted of any of the parts, each note once."""
    return tuple(dict.fromkeys(note for part in parts for note in part.run.notes))


def _union(parts: Iterable[_Part]) -> list[RecordedVerdict]:
    """The verdicts of all parts in run order; raises `RunError` where two differ."""
    union: dict[tuple[str, str], RecordedVerdict] = {}
    came_from: dict[tuple[str, str], _Part] = {}
    at: dict[int, tuple[str, str]] = {}
    for part in parts:
        for row in part.rows:
            key = verdict_key(row.verdict)
            known = union.get(key, row)
            if at.setdefault(row.seq, key) != key or known.seq != row.seq:
                raise RunError(
                    f"The questions of run {part.run.id} stand in another order than before.",
                    where=part.path,
                    hint="Merge only shards of one collection.",
                )
            if _answer(known) != _answer(row):
                raise _different(key, came_from[key], part)
            union[key] = replace(
                known,
                verdict=known.verdict._replace(priors=known.verdict.priors or row.verdict.priors),
                blocks=known.blocks if known.blocks and known.blocks.scores else row.blocks,
            )
            came_from.setdefault(key, part)
    return sorted(union.values(), key=lambda row: row.seq)


def _different(key: tuple[str, str], one: _Part, other: _Part) -> RunError:
    """Two parts with different verdicts on a question; one store may hold both, asked again."""
    layer, item = key
    message = f"Layer {layer} of item “{item}” has two different verdicts"
    if one.path == other.path:
        return RunError(
            f"{message}: {one.run.id} and {other.run.id} asked the same questions, and got other "
            "answers.",
            where=one.path,
            hint="Write the one that you mean to a file, with `runs pack RUN --to FILE`, and merge "
            "that instead of the store.",
        )
    return RunError(
        f"{message}.", where=f"{one.path}, {other.path}", hint="Leave one of these stores out."
    )


def _answer(row: RecordedVerdict) -> dict[str, object]:
    """What two verdicts on one question have in common: all but time, and what one may lack."""
    recorded = verdict_row(row.verdict, row.blocks) | {"prompt": row.measured["prompt_hash"]}
    return {name: value for name, value in recorded.items() if name not in _MAY_LACK}


def _finished(store: Store, run_id: str, added: int, done: bool, items: Path | None) -> MergedRun:
    """A merged run, marked as done if it is."""
    run = store.run(run_id)
    if run.imported:
        return MergedRun(run, added, {})
    missing = {} if done else _missing(run, store, items)
    if missing is not None and not any(missing.values()) and None not in missing.values():
        missing = {}
        store.set_state(run_id, RunState.DONE)
    return MergedRun(store.run(run_id), added, missing)


def _missing(run: Run, store: Store, items: Path | None) -> Mapping[str, int | None] | None:
    plan: Plan = run.plan if items is None else replace(run.plan, collection=str(items))
    benchmark = registry.load(plan.benchmark)
    collection = collection_of(replace(run, plan=plan), benchmark)
    if collection is None:
        return None
    source = recorded_source(plan, benchmark, collection)
    return missing_questions(source, store.answered(run.id), plan.chosen)
