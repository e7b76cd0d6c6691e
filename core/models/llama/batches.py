"""Scores options, or continues prompts, of several questions in the same forward passes.

llama.cpp rounds differently in batches of other shapes, so what comes out is not, to the last
digit, what each question has by itself. The same questions in the same order have the same answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.models.llama.completion import (
    EncodedOptions,
    GreedyText,
    check_length,
    common_prefix_length,
    log_normaliser,
    score_options,
    shared_length,
)
from core.models.llama.decoder import BRANCHES, Decoder, Entry
from core.models.llama.engine import Engine


def score_together(
    engine: Decoder, questions: Sequence[EncodedOptions], batch: int
) -> list[list[tuple[float, int]]]:
    """What `score_options` returns for each question, of at most `batch` questions at a time.

    The prompts are evaluated side by side, then all their options. What all prompts begin with is
    evaluated once. Raises `ModelError` as `score_options` does, `Interrupted`.
    """
    scores: list[list[tuple[float, int]]] = []
    for _, sequences in questions:
        check_length(engine, max(map(len, sequences)))
    for group in _groups(engine, questions, batch):
        if len(group) == 1:
            scores.append(score_options(engine, *group[0]))
        else:
            scores += _score_group(engine, group)
    return scores


def _groups(
    engine: Decoder, questions: Sequence[EncodedOptions], batch: int
) -> Iterator[Sequence[EncodedOptions]]:
    """Questions that fit the context at once."""
    group: list[EncodedOptions] = []
    cells, branches = engine.cells, BRANCHES
    for question in questions:
        _, sequences = question
        needed = max(map(len, sequences)) + sum(map(len, _tails(sequences)))
        needed_branches = 1 + len(sequences)
        if group and (len(group) == batch or needed > cells or needed_branches > branches):
            yield group
            group, cells, branches = [], engine.cells, BRANCHES
        group.append(question)
        cells -= needed
        branches -= needed_branches
    if group:
        yield group


def _score_group(engine: Decoder, group: Sequence[EncodedOptions]) -> list[list[tuple[float, int]]]:
    sums = [[0.0] * len(sequences) for _, sequences in group]
    common = shared_length([sequence for _, sequences in group for sequence in sequences])
    common = min(common, *(start - 1 for start, _ in group))
    with engine.request():
        engine.read(group[0][1][0][:common], common)
        entries: list[Entry] = []
        for branch, (start, sequences) in enumerate(group, 1):
            engine.copy(0, branch)
            entries += [
                Entry(sequences[0][position], position, branch, position >= start - 1)
                for position in range(common, shared_length(sequences))
            ]
        for entry, row in engine.evaluate(entries):
            normaliser = log_normaliser(row)
            for option, sequence in enumerate(group[entry.sequence - 1][1]):
                logit = float(row[sequence[entry.position + 1]])
                sums[entry.sequence - 1][option] += logit - normaliser
        entries = []
        owners: dict[int, tuple[int, int]] = {}
        for question, (start, sequences) in enumerate(group):
            shared = shared_length(sequences)
            for option, tail in enumerate(_tails(sequences)):
                if not tail:
                    continue
                branch = len(group) + 1 + len(owners)
                owners[branch] = question, option
                engine.copy(question + 1, branch)
                entries += [
                    Entry(token, position, branch, position >= start - 1)
                    for position, token in enumerate(tail, shared)
                ]
        for entry, row in engine.evaluate(entries):
            question, option = owners[entry.sequence]
            token = group[question][1][option][entry.position + 1]
            sums[question][option] += float(row[token]) - log_normaliser(row)
    return [
        [(total, len(sequence) - start) for total, sequence in zip(totals, sequences, strict=True)]
        for totals, (start, sequences) in zip(sums, group, strict=True)
    ]


def _tails(sequences: Sequence[list[int]]) -> list[list[int]]:
    """The tokens that are evaluated of each option alone."""
    shared = shared_length(sequences)
    return [sequence[shared:-1] for sequence in sequences]


@dataclass(frozen=True, slots=True)
class Continuation:
    """A prompt in tokens that is continued."""

    prompt: Sequence[int]
    max_tokens: int
    stop: Sequence[str]


@dataclass(slots=True)
class _Active:
    """A text that is being written."""

    index: int
    text: GreedyText
    todo: Sequence[int]
    """Its tokens that are evaluated next; the last of them gives the next token."""
    cells: int
    """How much of the context is kept for it."""


def generate_together(
    engine: Engine, questions: Sequence[Continuation], batch: int
) -> list[list[tuple[str, bool]]]:
    """What `generate_greedily` yields for each prompt; `batch` texts are written side by side.

    A text that ends makes room for the next one. What all prompts begin with is evaluated once.
    Raises `ModelError` as `generate_greedily` does, `Interrupted`.
    """
    texts = [GreedyText(engine, len(each.prompt), each.max_tokens, each.stop) for each in questions]
    common = common_prefix_length([list(each.prompt) for each in questions])
    common = min(common, min(len(each.prompt) for each in questions) - 1)
    written: list[list[tuple[str, bool]]] = [[] for _ in questions]
    waiting = deque(range(len(questions)))
    active: dict[int, _Active] = {}
    free = list(range(1, min(batch, BRANCHES) + 1))
    cells = engine.cells - common
    with engine.request():
        engine.read(questions[0].prompt[:common], common)
        while waiting or active:
            while waiting and free:
                index = waiting[0]
                question = questions[index]
                whole = min(len(question.prompt) + question.max_tokens, engine.context)
                if active and whole - common > cells:
                    break
                waiting.popleft()
                cells -= whole - common
                sequence = free.pop(0)
                engine.copy(0, sequence)
                todo = question.prompt[common:]
                active[sequence] = _Active(index, texts[index], todo, whole - common)
            entries = [
                Entry(token, position, sequence, position == each.text.position)
                for sequence, each in active.items()
                for position, token in enumerate(each.todo, each.text.position - len(each.todo) + 1)
            ]
            for entry, row in engine.evaluate(entries):
                each = active[entry.sequence]
                written[each.index] += each.text.take(row)
                each.todo = [each.text.token]
                if each.text.ended:
                    engine.drop(entry.sequence)
                    cells += each.cells
                    del active[entry.sequence]
                    free.append(entry.sequence)
    return written
