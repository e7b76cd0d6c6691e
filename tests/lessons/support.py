"""Lessons written for a test, and a model whose answers are known beforehand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from textwrap import dedent, indent

from core.contract.question import OptionScore, Prompt
from core.lessons.lesson import Lesson
from core.lessons.lesson_reader import read_lesson
from core.models.protocol import Ability, ModelInfo, Token

HEAD = """\
title: One
about: Nothing much.
benchmark: {benchmark}
minutes: 1
steps:
"""


class FirstOption:
    """Finds the first option likeliest, then the second, and so on, whatever it is asked."""

    def __init__(self) -> None:
        self.info = ModelInfo("First option", "first", "f" * 64, frozenset({Ability.SCORE}))
        self.asked = 0

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.asked += 1
        return tuple(OptionScore(-float(place), 1, 1) for place in range(len(options)))

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        yield Token("no")

    async def close(self) -> None:
        pass


def write(path: Path, steps: str, benchmark: str = "gita") -> Path:
    """Write a lesson in one language with these steps."""
    body = indent(dedent(steps).strip("\n"), "  ")
    path.write_text(HEAD.format(benchmark=benchmark) + body + "\n", encoding="utf-8")
    return path


def lesson(folder: Path, steps: str, benchmark: str = "gita") -> Lesson:
    """Read a lesson in one language with these steps."""
    return read_lesson(write(folder / "one.yaml", steps, benchmark))


def with_check(folder: Path, item: str, check: str, benchmark: str, setting: str = "{}") -> Lesson:
    """Read a lesson of one step with one claim to check."""
    step = f"- say: Look.\n  item: {item}\n  set: {setting}\n  check:\n    - {check}\n"
    return lesson(folder, step, benchmark)
