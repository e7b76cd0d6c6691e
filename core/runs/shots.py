"""Draws the worked examples that stand before a question.

`draw` takes them from the questions of the same layer, `draw_across` from those of several
layers; never the question itself, nor a question without a gold answer.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from core.contract.question import Question, Shot
from core.text.errors import NotFoundError
from core.text.suggestions import suggestion

RANDOM = "random"
"""Draws as lm-evaluation-harness does; the default."""
VARIED = "varied"
"""The same few examples for all questions, chosen to differ from each other."""
FIXED = "fixed"
"""The same few examples for all questions, drawn once. Prompts that begin alike are evaluated in
less time; no published protocol draws so."""
RULES = (RANDOM, VARIED, FIXED)

SEED = 1234
"""Default seed of worked examples: that of lm-evaluation-harness."""


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
    elif rule == FIXED:
        drawn = _fixed(len(pool), sources, k, seed)
    else:
        raise _unknown(rule)
    shots = {i: shot(pool[i]) for i in sources}
    return [tuple(shots[i] for i in indices) for indices in drawn]


def draw_across(
    rule: str,
    questions: Sequence[Question],
    pool: Sequence[Question],
    k: int,
    seed: int,
    *,
    agree: str,
    differ: str,
    traits: Sequence[str] = (),
) -> list[tuple[Shot, ...]]:
    """`k` worked examples from `pool` for each of `questions`; fewer where there are fewer.

    Examples have the question's value of the tag `agree`, and another one of the tag `differ`.
    Random ones stand in random order, so that neither which nor where they are tells an answer;
    varied ones have all different values of `differ`, and their answers take turns; fixed ones are
    the first that may stand there of one random order. `rule`, `traits` and what is raised are as
    of `draw`.
    """
    if rule not in RULES:
        raise _unknown(rule)
    groups: dict[str, list[Question]] = {}
    for each in pool:
        if _target(each):
            groups.setdefault(each.tags.get(agree, ""), []).append(each)
    if rule == VARIED:
        groups = {
            value: [known[i] for i in _spread(known, range(len(known)), k, seed, traits, differ)]
            for value, known in groups.items()
        }
    elif rule == FIXED:
        groups = {
            value: random.Random(seed).sample(known, len(known)) for value, known in groups.items()
        }
    alike = Counter((value, each.tags.get(differ)) for value in groups for each in groups[value])
    generator = random.Random(seed)
    drawn = []
    for question in questions:
        value, own = question.tags.get(agree, ""), question.tags.get(differ)
        known = groups.get(value, [])
        if rule == RANDOM:
            known = generator.sample(known, min(len(known), k + alike[value, own]))
        others = [each for each in known if each.tags.get(differ) != own]
        drawn.append(tuple(shot(each) for each in others[:k]))
    return drawn


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
    drawn = []
    for i in range(n):
        sampled = generator.sample(sources, k + 1) if len(sources) > k else sources
        drawn.append(tuple(j for j in sampled if j != i)[:k])
    return drawn


def _fixed(n: int, sources: Sequence[int], k: int, seed: int) -> list[tuple[int, ...]]:
    """`k` examples for all questions; one that is among them gets another in its place."""
    chosen = random.Random(seed).sample(sources, min(k + 1, len(sources)))
    return [tuple(j for j in chosen if j != i)[:k] for i in range(n)]


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
    chosen = _spread(pool, sources, k, seed, traits)
    return [tuple(j for j in chosen if j != i)[:k] for i in range(len(pool))]


def _spread(
    pool: Sequence[Question],
    sources: Sequence[int],
    k: int,
    seed: int,
    traits: Sequence[str],
    differ: str = "",
) -> list[int]:
    """`k` + 1 questions as `_varied` chooses them, no two with one value of the tag `differ`."""
    values = {i: _values(pool[i], traits) for i in sources}
    left = list(sources)
    random.Random(seed).shuffle(left)
    uses = [Counter[str]() for _ in range(len(traits) + 1)]
    chosen: list[int] = []
    while left and len(chosen) <= k:
        best = min(left, key=lambda i: [uses[n][value] for n, value in enumerate(values[i])])
        left.remove(best)
        if differ:
            left = [i for i in left if pool[i].tags.get(differ) != pool[best].tags.get(differ)]
        chosen.append(best)
        for used, value in zip(uses, values[best], strict=True):
            used[value] += 1
    return chosen


def _unknown(rule: str) -> NotFoundError:
    return NotFoundError(
        f"There is no way of drawing worked examples called “{rule}”.",
        hint=suggestion("Choose one of", RULES, rule),
    )


def _values(question: Question, traits: Sequence[str]) -> tuple[str, ...]:
    return (*(question.tags.get(trait, "") for trait in traits), _target(question))


def _target(question: Question) -> str:
    """The right option, in multiple select all of them; empty where nobody knows."""
    return ", ".join(question.options[index] for index in question.right_options)
