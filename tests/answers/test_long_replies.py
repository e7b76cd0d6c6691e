"""Replies that are long, or repeat one thing for ever, are read soon and as their ends say."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.reader import MOST_READ, Reading, read
from core.contract.question import Status

OPTIONS = ["It rains.", "The road is wet.", "Nothing."]
SIGNS = st.text(st.sampled_from("\n .'\"[](){}*-#<>:,;|/!?=_\t~✅❌。，"), min_size=1, max_size=4)


@given(SIGNS)
def test_signs_that_go_on_and_on_say_no_more_than_a_few_of_them(signs: str) -> None:
    few, many = (f"The answer is B.{signs * times}" for times in (30, 3_000))
    assert read(many, OPTIONS) == read(few, OPTIONS)


@pytest.mark.parametrize(
    "part",
    [
        "\n",
        ".",
        "'",
        "[",
        "</answer>",
        "second ",
        "yesA.",
        "2;",
        "A.",
        "}❌和;",
        "no:",
        "不",
        "< '\n",
    ],
)
@pytest.mark.parametrize("options", [OPTIONS, ["yes", "no"]], ids=["options", "yes or no"])
def test_a_reply_that_repeats_one_thing_is_read_soon(part: str, options: list[str]) -> None:
    text = "A" + part * (400_000 // len(part))
    started = time.process_time()
    read(text, options)
    read(text, options, multiple=True)
    assert time.process_time() - started < 5


def test_of_a_long_reply_beginning_and_end_are_read() -> None:
    much = "Rain falls on the hills and the rivers rise. " * (2 * MOST_READ // 45)
    for text in (f"The answer is B.\n{much}", f"{much}\nThe answer is B."):
        assert read(text, OPTIONS) == Reading(Status.OK, (1,))
    assert read(f"{much}\nThe answer is B.\n{much}", OPTIONS).status is Status.NO_ANSWER
    thinking = f"<think>{much}The answer is A.</think>The answer is B."
    assert read(thinking, OPTIONS) == Reading(Status.OK, (1,))
