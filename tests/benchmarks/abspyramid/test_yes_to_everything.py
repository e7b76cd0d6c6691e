"""Who says yes to every concept is right on the ladder, and told with it where yes is wrong."""

from __future__ import annotations

from collections.abc import Iterator

from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.questions import NO, YES
from core.benchmarks.abspyramid.task_layers import FALSE
from core.contract.question import Answer, OptionScore
from core.contract.rungs import Rung, build_rungs, with_verdict
from core.contract.setting import Setting
from core.layout.ladder import answered_ladder, outcome

BENCH = AbsPyramid()


def ladders(answer: int) -> Iterator[list[Rung]]:
    """Every bundled item's ladder, with the same answer to every concept."""
    collection = BENCH.open(BENCH.samples())
    said = Answer(tuple(OptionScore(-0.1 if option == answer else -3.0) for option in (YES, NO)))
    for index in range(len(collection)):
        yield [
            with_verdict(BENCH, rung, BENCH.score(rung.question, said))
            if rung.question is not None and not rung.question.open
            else rung
            for rung in build_rungs(BENCH, collection.item(index), Setting())
        ]


def test_the_share_of_yes_to_concepts_that_do_not_hold_is_reported() -> None:
    with_false = 0
    for rungs in ladders(YES):
        false = sum(rung.layer.id.startswith(FALSE) for rung in rungs)
        said = outcome(rungs)[0]
        assert answered_ladder(rungs).first_failure is None
        assert ("says yes where no is right" in said) is (false > 0)
        assert not false or said.endswith(f"({false} of {false})")
        with_false += false > 0
    assert with_false


def test_a_model_that_never_says_yes_gets_no_note_about_yes() -> None:
    for rungs in ladders(NO):
        said = outcome(rungs)[0]
        assert "says yes" not in said
        on_the_ladder = any(not rung.layer.aside for rung in rungs)
        assert said.startswith("First failure: layer 1" if on_the_ladder else "No layer applies")
