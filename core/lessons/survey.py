"""Counts for how many items of a collection a claim about one item holds.

A claim that holds for one item may hold for few others; its count says so. Items are taken in an
order drawn with a fixed seed, so where time or their number ends a count early, those that were
counted are a random sample of the collection.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

from core.lessons.claim import Asked, Claim
from core.lessons.count_store import store_count, store_key, stored_count
from core.lessons.evidence import Evidence
from core.models.protocol import Answering
from core.statistics.cluster_interval import mean_interval
from core.statistics.count import Count
from core.text.errors import DataError, ModelError, NotFoundError, SettingError
from core.text.language import _

MOST_ITEMS = 500
"""Most items for which a claim is counted; larger collections are sampled."""
SECONDS = 30.0
"""Seconds after which a count ends with the items that were counted."""
SEED = 1
LANGUAGE = "language"
"""The tag of a question's language, where a benchmark has several."""


async def count(
    asked: Asked, evidence: Evidence, *, most: int | None = None, seconds: float = SECONDS
) -> AsyncGenerator[Count, None]:
    """Count for how many items a claim holds, and yield the count after each.

    A count that is stored is yielded at once, and one that ends is stored. One that ran out of time
    is counted again, and the one of more items is kept. Items in another language than that of the
    evidence are left out, and items that ask the same as one before are counted once. Raises
    `ModelError` where the model cannot answer; what a recording lacks is left out.

    Args:
        asked: what is counted.
        evidence: the evidence about the item that the claim is made of first; gives the collection
            and the model.
        most: most items that are looked at; `MOST_ITEMS` by default.
        seconds: time after which no further item is begun.
    """
    if isinstance(evidence.model, Answering):
        message = _("Nobody is asked hundreds of questions: counts need a model.")
        raise ModelError(message)
    most = MOST_ITEMS if most is None else most
    recorded = bool(evidence.model.info.recorded)
    key = await asyncio.to_thread(_key, asked, evidence, most)
    stored = None if recorded else await asyncio.to_thread(stored_count, key)
    if stored is not None and not stored.out_of_time:
        yield stored
        return
    counted = Count(0, 0, None, complete=True)
    async with aclosing(_counts(asked, evidence, most, seconds)) as counts:
        async for each in counts:
            yield (counted := each)
    if stored is not None and stored.n > counted.n:
        yield stored
    elif counted.n and not recorded:
        await asyncio.to_thread(store_count, key, counted)


async def known_count(asked: Asked, evidence: Evidence) -> Count | None:
    """The count that was stored, if any; nothing is asked."""
    if evidence.model.info.recorded:
        return None
    return await asyncio.to_thread(lambda: stored_count(_key(asked, evidence, MOST_ITEMS)))


async def last_count(asked: Asked, evidence: Evidence) -> Count:
    """The last count of `count`; raises `ModelError`."""
    last = Count(0, 0, None, complete=True)
    async with aclosing(count(asked, evidence)) as counts:
        async for each in counts:
            last = each
    return last


async def _counts(
    asked: Asked, evidence: Evidence, most: int, seconds: float
) -> AsyncGenerator[Count, None]:
    began, values = time.monotonic(), dict(asked.values)
    size = len(evidence.collection)
    order = random.Random(SEED).sample(range(size), min(size, most))
    language, cluster = _tag(evidence, LANGUAGE), evidence.benchmark.cluster_tag
    seen: set[tuple[str, ...]] = set()
    outcomes: list[tuple[str, float]] = []
    for looked_at, position in enumerate(order, 1):
        if time.monotonic() - began > seconds:
            yield replace(_counted(outcomes, complete=False), out_of_time=True)
            return
        if evidence.on_looked_at is not None:
            evidence.on_looked_at(looked_at, len(order))
        outcome = await _find(asked, evidence, position, values, language, seen)
        if outcome is not None:
            other, holds = outcome
            outcomes.append((_tag(other, cluster) or other.item.id, float(holds)))
            yield _counted(outcomes, complete=False)
    yield _counted(outcomes, complete=len(order) == size)


def _counted(outcomes: Sequence[tuple[str, float]], *, complete: bool) -> Count:
    held = sum(int(value) for _, value in outcomes)
    return Count(held, len(outcomes), mean_interval(outcomes), complete)


def _key(asked: Asked, evidence: Evidence, most: int) -> str:
    """All that a count depends on. The item's own questions stand for the wording of all."""
    questions = (evidence.find_question(layer.id) for layer in evidence.benchmark.layers)
    return store_key(
        evidence.benchmark.name,
        evidence.collection.content_hash,
        evidence.model.info.fingerprint,
        evidence.form,
        asked.text,
        _tag(evidence, LANGUAGE),
        f"{SEED} {most}",
        *(question.digest() for question in questions if question is not None),
    )


async def _find(
    asked: Asked,
    evidence: Evidence,
    position: int,
    values: Mapping[str, str],
    language: str,
    seen: set[tuple[str, ...]],
) -> tuple[Evidence, bool] | None:
    """The evidence about an item and whether the claim holds; None where it is not counted."""
    try:
        other = evidence.about(position, values)
        asked.claim.validate(other)
        if _tag(other, LANGUAGE) != language:
            return None
        same = tuple(other.question(layer).digest() for layer in asked.claim.layers or other.asked)
    except (NotFoundError, SettingError, DataError):
        # The item lacks a switch, a layer or an option that the claim names.
        return None
    try:
        if same in seen or not await _fits(asked.of, other):
            return None
        seen.add(same)
        finding = await asked.claim.judge(other)
        return (other, finding.holds) if finding.applies else None
    except SettingError:
        # It cannot be compared with itself under other values.
        return None
    except ModelError:
        if not evidence.model.info.recorded:
            raise
        return None


async def _fits(facts: Sequence[Claim], other: Evidence) -> bool:
    """Whether all facts that can be said of an item hold for it."""
    for fact in facts:
        try:
            fact.validate(other)
        except NotFoundError:
            continue
        if not (await fact.judge(other)).holds:
            return False
    return True


def _tag(evidence: Evidence, name: str) -> str:
    """A tag of the first question about an item; empty where there is none."""
    questions = (evidence.find_question(layer.id) for layer in evidence.benchmark.layers)
    return next((question.tags.get(name, "") for question in questions if question), "")
