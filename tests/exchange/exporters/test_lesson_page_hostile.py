"""A lesson's page whatever its texts are: they stay text, and no script that gets in runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.contract.question import Status
from core.exchange.exporters.lesson_page import lesson_page
from core.lessons.lesson import Words
from core.lessons.transcript import Transcript
from tests.exchange.exporters.chromium import quiet
from tests.exchange.exporters.documents import HOSTILE, hostile
from tests.exchange.exporters.lesson_pages import OPEN_ALL, TEXT, Shows, transcript
from tests.lessons.support import lesson

RUN = "window.__ran = 1"
STEPS = """
- say: Look.
  item: 0-O0
  point: {statement: break}
- say: Predict.
  predict: {ask: What is it, layer: story_class}
  after: So it is.
  notes: For one only.
- say: Between.
  predict:
    ask: Which
    options:
      - {text: right, when: {right: story_class}, then: Right it was.}
      - {text: wrong, when: {wrong: story_class}}
"""


def hostile_lesson(original: Transcript) -> Transcript:
    """The same with hostile texts wherever a person or a model can have written one."""
    texts = iter(HOSTILE * 20)

    def words(*_: Any) -> Words:
        return Words((("", next(texts) + "\n\n## " + next(texts) + "\n\n`" + next(texts)),))

    view = hostile().first.view
    steps = []
    for one in original.steps:
        prediction = one.step.prediction
        if prediction is not None:
            options = tuple(
                replace(option, text=words(), then=words()) for option in prediction.options
            )
            prediction = replace(prediction, ask=words(), options=options)
        step = replace(
            one.step,
            say=words(),
            notes=words(),
            after=words() if one.step.after else None,
            prediction=prediction,
        )
        revealed = one.revealed and replace(one.revealed, otherwise=(next(texts), next(texts)))
        answers = []
        for answer in one.answers:
            options_of = tuple(next(texts) for _ in answer.question.options)
            question = replace(answer.question, options=options_of, meanings=options_of)
            verdict = answer.verdict._replace(options=options_of, status=Status.TIE)
            layer = replace(answer.layer, title=next(texts), asks=next(texts))
            answers.append(replace(answer, layer=layer, question=question, verdict=verdict))
        steps.append(
            replace(
                one,
                step=step,
                view=view,
                view_at_last=view if one.revealed else None,
                revealed=revealed,
                at=next(texts),
                at_last=next(texts),
                options=tuple(next(texts) for _ in one.options),
                answers=tuple(answers),
                unread=next(texts),
            )
        )
    shown = replace(original.bound_lesson.lesson, title=words(), about=words(), name=next(texts))
    info = replace(original.info, name=next(texts), recorded=next(texts), quantisation=next(texts))
    return replace(
        original,
        bound_lesson=replace(original.bound_lesson, lesson=shown),
        steps=tuple(steps),
        info=info,
        when="x<b>",
    )


SINKS = "img,iframe,object,embed,form,link,base,video,audio,math,textarea,[onload],[onerror],script"


async def test_hostile_texts_run_no_script_and_load_nothing(tmp_path: Path, shows: Shows) -> None:
    original = hostile_lesson(await transcript(lesson(tmp_path, STEPS)))
    file = tmp_path / "hostile.html"
    text = lesson_page(original, notes=True)
    file.write_text(text, encoding="utf-8")
    page = shows(file)
    page.js(OPEN_ALL)
    for x in range(60, 1100, 120):
        page.hover(x, 420)
        page.click(x, 420)
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert page.js(f"document.querySelectorAll('{SINKS}').length") == 0
    assert page.js("document.querySelectorAll('style').length") == 1
    assert page.js(
        "[...document.links].every(one => /^#step-\\d+$/.test(one.getAttribute('href')))"
    )
    assert page.js("[...document.querySelectorAll('input')].every(one => one.type === 'radio')")
    assert page.js("document.querySelectorAll('h1').length") == 1
    shown = page.js(TEXT)
    assert "tracker.invalid" in shown
    assert not set("\u202e\u2066\x1b\x07\ufeff") & set(shown)
    assert quiet(page), page.said + page.requests


@pytest.mark.parametrize(
    "markup", [f"<script>{RUN}</script>", f"<img src='data:,x' onerror='{RUN}'>"]
)
async def test_the_policy_stops_a_script_that_got_in(
    markup: str, tmp_path: Path, shows: Shows
) -> None:
    text = lesson_page(await transcript(lesson(tmp_path, STEPS)))
    assert "script-src &#39;none&#39;" in text
    file = tmp_path / "page.html"
    file.write_text(text.replace("</main>", markup + "</main>"), encoding="utf-8")
    page = shows(file)
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    assert any("Content Security Policy" in line for line in page.said)
