"""Draws the worked examples that stand before a question.

They are drawn from the questions that a run asks in the same layer, never the question itself.
Where only some of those have a gold answer, the others are asked but not drawn.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from core.errors import NotFoundError
from core.nearest import one_of
from core.question import Question, Shot

RANDOM = "random"
"""As lm-evaluation-harness draws them; the default."""
VARIED = "varied"
"""A few examples for all questions, chosen to differ from each other."""
RULES = (RANDOM, VARIED)


def draw(
    rule: str, pool: Sequence[Question], k: int, seed: int, traits: Sequence[str] = ()
) -> list[tuple[Shot, ...]]:
    """`k` worked examples for each question of `pool`, in order; fewer where there are fewer.

    `rule` is one of `RULES`; `NotFoundError` is raised for another. `traits` names the tags
    whose values varied examples cover, the most important first.
    """
    sources = [i for i, question in enumerate(pool) if _target(question)]
    if rule == RANDOM:
        drawn = _random(len(pool), sources, k, seed)
    elif rule == VARIED:
        drawn = _varied(pool, sources, k, seed, traits)
    else:
        raise NotFoundError(
            f"There is no way of drawing worked examples called “{rule}”.",
            hint=one_of("Choose one of", RULES, rule),
        )
    made = {i: shot(pool[i]) for i in sources}
    return [tuple(made[i] for i in own) for own in drawn]


def shot(question: Question) -> Shot:
    """A question with its gold answer as a worked example; raises `ValueError` without one."""
    target = _target(question)
    if not target:
        raise ValueError(f"the question about {question.item} has no gold answer")
    return Shot(question.text, target)


def _random(n: int, sources: Sequence[int], k: int, seed: int) -> list[tuple[int, ...]]:
    """Which of `n` questions lm-evaluation-harness takes as examples for each of them.

    One generator serves a whole task: for each document in order it samples `k` + 1 documents,
    drops the document itself if it is among them, and keeps the first `k`. With `k` documents
    or fewer, where the harness stops with an error, every other document is an example.
    """
    generator = random.Random(seed)
    found = []
    for i in range(n):
        enough = len(sources) > k
        sampled = generator.sample(sources, k + 1) if enough else sources
        found.append(tuple(j for j in sampled if j != i)[:k])
    return found


def _varied(
    pool: Sequence[Question], sources: Sequence[int], k: int, seed: int, traits: Sequence[str]
) -> list[tuple[int, ...]]:
    """The same examples for every question, so that all prompts begin alike.

    `k` + 1 of them are chosen one after the other: always one whose value of the first trait
    was chosen least often so far; among those, least often of the second; and so on, the gold
    answer being the last trait. The seed decides among equals. A question that is itself an
    example gets the other `k`; any other gets the first `k`. With `k` = 10 on GITA's second
    layer all ten pairs of sentences occur, as in the paper (section 3.5).
    """
    values = {i: _values(pool[i], traits) for i in sources}
    left = list(sources)
    random.Random(seed).shuffle(left)
    uses = [Counter[str]() for _ in range(len(traits) + 1)]
    chosen: list[int] = []
    while left and len(chosen) <= k:
        best = min(
            left, key=lambda i: [used[value] for used, value in zip(uses, values[i], strict=True)]
        )
        left.remove(best)
        chosen.append(best)
        for used, value in zip(uses, values[best], strict=True):
            used[value] += 1
    return [tuple(j for j in chosen if j != i)[:k] for i in range(len(pool))]


def _values(question: Question, traits: Sequence[str]) -> tuple[str, ...]:
    return (*(question.tags.get(trait, "") for trait in traits), _target(question))


def _target(question: Question) -> str:
    """The right option, in multiple select all of them; empty where nobody knows."""
    golds = question.golds if question.multiple else (question.gold,)
    return ", ".join(question.options[gold] for gold in golds if gold is not None)
