"""Stores of made-up verdicts, as plots need them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.contract.question import Form, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store

PLAN = Plan("org/Model-1", "", "shapes", "/data/items.json", "c" * 64, form=Form.CHAT)


def verdict(
    item: str, layer: str, right: bool | None, gold: int = 0, options: int = 2, **tags: str
) -> Verdict:
    """A verdict on a question with some options; without `right` its gold is not known."""
    return Verdict(
        item,
        layer,
        Setting(),
        tuple("abcdefgh"[:options]),
        (),
        gold if right else (gold + 1) % options,
        None if right is None else gold,
        Status.OK,
        Scoring.GENERATED,
        tags=tags,
        digest=f"{item} {layer}",
    )


def add(store: Store, benchmark: str, verdicts: list[Verdict], **plan: Any) -> Run:
    """Add an imported run; the name of its model tells it from others."""
    model = plan.pop("model", PLAN.model)
    made = replace(PLAN, benchmark=benchmark, model=model, fingerprint=model, **plan)
    return store.add(made, verdicts, {})


def own_run(store: Store, plan: Plan, verdicts: list[Verdict]) -> str:
    """Add a run that the program recorded itself and ended; return its id."""
    run = store.start(plan)
    for place, each in enumerate(verdicts):
        store.record(run.id, place, each, "", 0.0)
    store.set_state(run.id, RunState.DONE)
    return run.id


def tree(item: str, right: bool, hops: int, distractors: int, variant: str, pair: str) -> Verdict:
    """A verdict on a whole tree of ACCORD."""
    return verdict(
        item,
        "answer",
        right,
        options=5,
        hops=str(hops),
        distractors=str(distractors),
        variant=variant,
        pairing=pair,
        question=pair,
    )


def trees() -> list[Verdict]:
    """Answers of both variants in a triangle of hops and distractors, and the bare questions."""
    answers = [
        tree(
            f"{pair}-{hops}-{more}-{variant}",
            (pair + hops) % 3 > 0,
            hops,
            more,
            variant,
            f"p{pair}",
        )
        for pair in range(4)
        for hops in (1, 2, 3)
        for more in range(3 - hops + 1)
        for variant in ("factual", "anti-factual")
    ]
    bare = [
        verdict(f"{pair}", "bare", pair > 0, options=5, pairing=f"p{pair}", question=f"p{pair}")
        for pair in range(4)
    ]
    return [*bare, *answers]
