"""What a lesson tells of a model's blocks: of which prompt, how it was put, and what nothing is."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.blocks.pairing import Pairing
from core.blocks.trace import TraceTable
from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.lessons.bound_lesson import bind
from core.lessons.claim import describe_verdict
from core.lessons.lesson import Lesson
from core.lessons.transcript import transcribe
from core.models.llama.client import LlamaModel
from core.models.resolver import load_model
from core.runs.asking import natural_form, prompt_of
from tests.gguf_files import Tiny
from tests.lessons.support import lesson
from tests.models.blocks import changed

SHOWN = """
- say: What restores it.
  item: "bean-row:direct"
  point: {{rung: link-1}}
  show: {what}
"""
RESTORED = """
- say: What restores it.
  item: "bean-row:direct"
  check: [{restores: {layer: link-1, at least: 0}}]
"""


async def notes_of(on: Lesson) -> tuple[str, int, int]:
    """The notes of what is shown, and how many tokens are asked and traced."""
    model = await load_model("demo")
    try:
        transcript = await transcribe(bind(on), "en", model, "2026-01-02")
        assert isinstance(model, LlamaModel)
        (only,) = transcript.steps
        bound_lesson = bind(on)
        evidence = bound_lesson.evidence(bound_lesson.bind_step(on.steps[0]), model)
        form = natural_form(model.info)
        asked = evidence.question("link-1")
        table, _changed = await evidence.trace("link-1", {})
        lengths = [
            len(await model.blocks.tokens(prompt_of(one, form, model.info), one.continuations()))
            for one in (asked, table.question)
        ]
    finally:
        await model.close()
    assert only.reading is not None, only.unread
    return " ".join(only.reading.notes), lengths[0], lengths[1]


async def test_a_trace_is_told_of_the_prompt_that_was_traced(tmp_path: Path) -> None:
    on = lesson(tmp_path, SHOWN.format(what="trace"), "com2")
    notes, asked, traced = await notes_of(on)
    assert asked != traced
    assert f"on {traced} tokens. Zero-shot, base prompt, log-likelihood." in notes
    assert "so that both prompts have the same length." in notes


async def test_blocks_are_told_of_the_prompt_that_was_asked(tmp_path: Path) -> None:
    on = lesson(tmp_path, SHOWN.format(what="blocks"), "com2")
    notes, asked, _traced = await notes_of(on)
    assert f"on {asked} tokens. Zero-shot, base prompt, log-likelihood." in notes


async def test_no_contrast_is_told_apart_from_nothing_to_compare(tmp_path: Path) -> None:
    on = lesson(tmp_path, RESTORED, "com2")
    bound_lesson = bind(on)
    (claim,) = on.steps[0].claims
    # Of a model that finds everything equally likely no two margins differ.
    file = changed(
        tmp_path / "flat.gguf",
        Tiny(context=4096),
        ["output.weight"],
        lambda _, drawn: np.zeros_like(drawn),
    )
    model = await load_model(str(file))
    try:
        evidence = bound_lesson.evidence(bound_lesson.bind_step(on.steps[0]), model)
        alike = await claim.judge(evidence)
        table, _changed = await evidence.trace("link-1", {})
    finally:
        await model.close()
    assert not alike.holds
    assert "differ by less than 1 nat" in alike.found
    nothing = TraceTable(table.question, table.contrast, Pairing((), ()), table.blocks)
    evidence._traces["link-1", ()] = nothing, ""
    assert "Nothing can be compared" in (await claim.judge(evidence)).found


def verdict(answer: int | None, gold: int | None) -> Verdict:
    scoring, status = Scoring.LOGLIKELIHOOD, Status.OK
    return Verdict("item", "layer", Setting(), ("yes", "no"), (), answer, gold, status, scoring)


def test_what_is_right_is_told_only_where_somebody_knows_it() -> None:
    assert describe_verdict(verdict(1, None)) == "It answers “no”."
    assert describe_verdict(verdict(1, 0)) == "It answers “no”; right is “yes”."
    assert describe_verdict(verdict(0, 0)) == "It answers “yes”, which is right."
