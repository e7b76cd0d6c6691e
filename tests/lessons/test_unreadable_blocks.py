"""A lesson about what happens between blocks, with a model whose blocks cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.exchange.exporters.lesson_page import lesson_page
from core.lessons.bound_lesson import bind
from core.lessons.evidence import UnreadableError
from core.lessons.library import named
from core.lessons.reveal import evaluate_step
from core.lessons.transcript import Transcript, transcribe
from core.models.resolver import load_model
from core.text.errors import ModelError
from tests.gguf_files import not_a_number
from tests.lessons.support import FirstOption, lesson
from tests.runs.models import HashingModel

BETWEEN = """
- say: Between.
  item: 0-O0
  predict:
    ask: When does it know
    options:
      - {text: at once, when: {settles: {layer: story_class, at most: 0}}}
      - {text: later, when: {settles: {layer: story_class, at least: 1}}}
  after: So it is.
- say: Outside.
  predict: {ask: What is it, layer: story_class}
  check: [{settles: {layer: story_class, at least: 0}}]
  after: And so is this.
"""


async def of(name: str, model: FirstOption | HashingModel) -> Transcript:
    return await transcribe(bind(named(name)), "en", model, "2026-01-02")


async def test_a_page_says_at_that_step_why_it_cannot_be_read() -> None:
    transcript = await of("6", FirstOption())
    page = lesson_page(transcript)
    lacking = [one for one in transcript.steps if one.revealed is not None and one.revealed.lacking]
    assert [one.step.show is not None for one in lacking] == [True, True]
    assert page.count("With this model it cannot be told what comes true here.") == 2
    assert page.count("What happens between the blocks is not shown here.") == 2
    assert page.count("it does not run in this program") == 2
    assert "The recording has no answer" not in page
    # What the model was asked outside its blocks is there.
    assert any(one.answers for one in transcript.steps)


async def test_it_says_why_also_where_nothing_would_be_drawn(tmp_path: Path) -> None:
    transcript = await transcribe(
        bind(lesson(tmp_path, BETWEEN)), "en", FirstOption(), "2026-01-02"
    )
    between, outside = transcript.steps
    assert between.revealed is not None
    assert between.revealed.true == ()
    assert outside.revealed is not None
    assert (outside.revealed.true, outside.revealed.lacking) == ((0,), "")
    page = lesson_page(transcript)
    why = "With this model it cannot be told what comes true here: The blocks of this model cannot"
    assert why in page
    assert "So it is." not in page
    assert "And so is this." in page


async def test_a_file_that_computes_no_numbers_is_told_of_too(tmp_path: Path) -> None:
    model = await load_model(str(not_a_number(tmp_path / "m.gguf")))
    try:
        transcript = await transcribe(bind(named("6")), "en", model, "2026-01-02")
    finally:
        await model.close()
    page = lesson_page(transcript)
    assert page.count("The model computes no numbers") == 2
    assert str(tmp_path) not in page


async def test_a_model_that_does_not_answer_is_still_a_failure() -> None:
    with pytest.raises(ModelError, match="The engine ended"):
        await of("6", HashingModel(fails_after=0))


async def test_on_a_screen_it_is_told_apart_from_not_answering(tmp_path: Path) -> None:
    on = bind(lesson(tmp_path, BETWEEN))
    step = on.lesson.steps[0]
    with pytest.raises(UnreadableError, match="does not run in this program"):
        await evaluate_step(step, on.evidence(on.bind_step(step), FirstOption()))
    with pytest.raises(ModelError) as raised:
        await evaluate_step(step, on.evidence(on.bind_step(step)))
    assert not isinstance(raised.value, UnreadableError)
