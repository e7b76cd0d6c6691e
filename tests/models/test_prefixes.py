"""First tokens that prompts share are evaluated once, and no bit of a score depends on that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.models.llama.chunks import CHUNK, SHORTEST, boundary_after, boundary_at
from core.models.llama.client import has_matrix_tiles
from core.models.llama.completion import generate_greedily, score_options
from core.models.llama.engine import Engine
from core.models.llama.log import Log
from core.models.llama.prefixes import Prefixes
from tests.gguf_files import Tiny, write

ARCHITECTURES = ("llama", "qwen3", "gemma2", "gemma3", "phi2", "mamba")
_QUIET = Log(lambda line: None)
"""llama.cpp's log, for as long as this process lives."""
LENGTHS = (1, 15, 16, 17, 31, 33, 64, 65, 100, 128, 129, 200, 300)
"""Lengths of what prompts share."""
Encoded = tuple[int, list[list[int]]]


class CountingEngine(Engine):
    """Counts the tokens that it evaluates."""

    evaluated = 0

    def _decode(self, *given: Sequence[int]) -> None:
        self.evaluated += len(given[0])
        super()._decode(*given)  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=ARCHITECTURES)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], CountingEngine]:
    """Opens a model of each architecture anew."""
    spec = Tiny(architecture=request.param, precision="q8_0" if request.param == "llama" else "f32")
    path = write(tmp_path_factory.mktemp("models") / f"{request.param}.gguf", spec)
    return lambda: engine_of(path)


def engine_of(path: Path) -> CountingEngine:
    return CountingEngine(
        str(path),
        512,
        extra_buffers=not has_matrix_tiles(),
        progress=lambda _: None,
        cancelled=lambda: False,
    )


def question(engine: Engine, shared: int, number: int) -> Encoded:
    """A prompt with options; its first `shared` tokens are those of every other number."""
    common = [place * 7 % engine.tokens for place in range(1, shared + 1)]
    own = [(number * 31 + place * 11) % engine.tokens for place in range(5 + number * 13 % 40)]
    prompt = common + own
    tails = ((3, 1), (2, 5, 9), (4,))
    return len(prompt), [prompt + [token % engine.tokens for token in tail] for tail in tails]


def test_prompts_are_split_after_16_32_64_and_then_at_multiples_of_128() -> None:
    ends = [0, 16, 32, 64, *range(128, 2000, 128)]
    for position in range(1900):
        assert boundary_at(position) == max(end for end in ends if end <= position)
        assert boundary_after(position) == min(end for end in ends if end > position)
        assert boundary_after(position) - boundary_at(position) <= CHUNK
    assert boundary_after(0) == SHORTEST


def test_scores_are_those_of_each_question_alone_bit_for_bit(
    opened: Callable[[], CountingEngine],
) -> None:
    asking = opened()
    asked = [
        question(asking, shared, number)
        for number in (1, 2, 3)
        for shared in LENGTHS
        for number in (number, number + 10)
    ]
    together = [score_options(asking, *each) for each in asked]
    evaluated = asking.evaluated
    # Without anything kept, and then also in a context in which nothing was ever asked.
    alone = opened()
    alone.prefixes = None
    found = []
    for each in asked:
        alone.forget(0)
        found.append(score_options(alone, *each))
    assert together == found
    assert score_options(opened(), *asked[-1]) == together[-1]
    assert evaluated < 0.6 * alone.evaluated


def test_written_texts_are_those_of_each_prompt_alone(
    opened: Callable[[], CountingEngine],
) -> None:
    asking, alone = opened(), opened()
    alone.prefixes = None
    for number in range(6):
        _, (prompt, *_) = question(asking, 70, number % 4)
        written = list(generate_greedily(asking, prompt, 8, ()))
        alone.forget(0)
        assert written == list(generate_greedily(alone, prompt, 8, ()))


def test_a_copy_that_changes_a_bit_is_not_used_and_none_is_from_then_on(tiny: Path) -> None:
    asking, alone = engine_of(tiny), engine_of(tiny)
    alone.prefixes = None
    first, again = question(asking, 64, 1), question(asking, 64, 2)
    start, sequences = first
    other = start, [[(token + 1) % asking.tokens for token in each] for each in sequences]
    score_options(asking, *first)
    score_options(asking, *other)
    prefixes = asking.prefixes
    assert prefixes is not None
    kept, wrong = (prefixes.of(each[1][0], 64)[64] for each in (first, other))
    prefixes.copies[kept] = prefixes.copies[wrong]
    assert score_options(asking, *again) == score_options(alone, *again)
    assert asking.prefixes is None
    assert score_options(asking, *first) == score_options(alone, *first)


def test_copies_take_no_more_room_than_they_may_and_the_last_used_stay(tiny: Path) -> None:
    engine = engine_of(tiny)
    prompts = [[number * 50 + place for place in range(20)] for number in range(4)]

    def read(number: int) -> None:
        with engine.request():
            engine.read(prompts[number], 19)

    def kept(prefixes: Prefixes) -> list[int]:
        return [
            number
            for number, prompt in enumerate(prompts)
            if prefixes.of(prompt, 19)[16] in prefixes
        ]

    read(0)
    assert engine.prefixes is not None
    room = 2 * engine.prefixes.bytes + 1
    engine.keep_prefixes(room)
    prefixes = engine.prefixes
    engine.forget(0)
    for number in (0, 1, 0, 2, 3):
        read(number)
        assert 0 < prefixes.bytes <= room
    assert kept(prefixes) == [2, 3]
    for number in (2, 0):
        read(number)
    assert kept(prefixes) == [0, 2]


def test_a_prefix_larger_than_the_room_is_not_kept(tiny: Path) -> None:
    engine = engine_of(tiny)
    engine.keep_prefixes(10)
    start, sequences = question(engine, 64, 1)
    score_options(engine, start, sequences)
    assert engine.prefixes is not None
    assert not engine.prefixes.bytes
