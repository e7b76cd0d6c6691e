"""What `show`, `questions` and `ask` print of switches, questions and ladders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.answers.cleaner import thinking_of
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Form, Prompt, Question, Scoring, Verdict
from core.contract.rungs import Rung, build_rungs
from core.contract.setting import Setting, Switch, typed_values
from core.contract.task_layer import TaskLayer
from core.layout.ladder import answered_ladder, draw_ladder, outcome
from core.layout.plain_text import cells
from core.layout.replies import folded_thinking
from core.layout.rows import plain
from core.models.demo_figures import chance_note
from core.models.protocol import Model
from core.runs.asking import prepared
from core.runs.common_setting import common_setting
from core.runs.ladder import ask_rungs
from core.runs.questions import Examples, QuestionSource, gate_of, layer_questions
from core.runs.summaries import DEMO, skipped_text
from core.text.errors import ModelError
from core.text.escaping import escape_control_characters
from tui.cli.answer_options import parse_form
from tui.cli.output import WorkFailedError, out, out_json, out_json_line, say, width


def switch_json(switch: Switch, setting: Setting) -> dict[str, Any]:
    """A switch with its value under a setting."""
    described = {"kind": type(switch).__name__.lower(), "value": setting.value(switch)}
    return asdict(switch) | {"default": switch.default} | described


def print_questions(
    bench: Benchmark,
    collection: Collection,
    settings: Sequence[str],
    layers: Iterable[TaskLayer],
    shots: tuple[int, str, int],
    answered: Mapping[tuple[str, str], bool | None] | None,
    form: str | None,
    *,
    system: bool,
    as_lines: bool,
) -> None:
    """Print the questions of some layers.

    `shots` are number, rule and seed of the worked examples; `answered` says which items a gated
    layer asks about; `system` is for chat only. Raises `SettingError` for a value that cannot be
    set.
    """
    chat = parse_form(form) is Form.CHAT
    examples = Examples(*shots)
    source = QuestionSource(bench, collection, typed_values(settings))
    common = common_setting(source)
    if common.skipped is not None:
        say(skipped_text(common.skipped, common.values))
    for layer in layers:
        gate = None if answered is None else gate_of(bench, layer, answered)
        for pending in layer_questions(source, layer, gate, examples):
            question = source.full_question(pending, layer)
            prompt = question.chat(system=system) if chat else question.base()
            _print_question(question, prompt, as_line=as_lines)


async def ask_item(
    model: Model,
    bench: Benchmark,
    item: Item,
    setting: Setting,
    form: Form | None,
    scoring: Scoring | None,
    *,
    as_json: bool,
) -> None:
    """Ask every task layer of an item, and print the ladder; raises `WorkFailedError`."""
    rungs = build_rungs(bench, item, setting)
    try:
        used, read_as = await prepared(model, form, scoring)
        asked = await ask_rungs(model, bench, rungs, form=used, scoring=read_as)
    except ModelError as error:
        raise WorkFailedError(error) from error
    if as_json:
        out_json(_ladder_json(bench, item.id, setting, model, used, asked))
    else:
        _print_ladder(asked, model)
        if note := chance_note(model.info, bench.name, asked):
            say(note)


def _print_question(question: Question, prompt: Prompt, *, as_line: bool) -> None:
    golds = question.right_options
    right = [question.options[gold] for gold in golds]
    if as_line:
        out_json_line(
            {
                "item": question.item,
                "layer": question.layer,
                "prompt": prompt if isinstance(prompt, str) else [asdict(turn) for turn in prompt],
                "options": question.options,
                "gold": right[0] if right and not question.multiple else None,
                "gold_index": question.gold,
                "scoring": question.scoring.value,
            }
            | ({"golds": right, "gold_indices": golds} if question.multiple else {})
        )
        return
    text = prompt
    if not isinstance(prompt, str):
        text = "\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in prompt)
    out(f"── {question.item} · {question.layer} ──\n{text}")
    out(f"options: {' | '.join(question.options)}")
    out(f"gold: {' | '.join(right) or 'unknown'}\n")


def _ladder_json(
    bench: Benchmark,
    item_id: str,
    setting: Setting,
    model: Model,
    form: Form,
    rungs: Sequence[Rung],
) -> dict[str, Any]:
    result = answered_ladder(rungs)
    return {
        "item": item_id,
        "setting": dict(setting),
        "model": model.info.name,
        "source": model.info.source,
        "form": form.value,
        "demo": model.info.demo,
        "verdicts": [
            _verdict_json(rung.verdict)
            | {"counted": rung.counted}
            | ({"remark": bench.remark(rung.verdict)} if bench.makes_remarks else {})
            for rung in result.rungs
        ],
        "first_failure": result.first_failure,
    }


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    options = verdict.options
    return {
        "layer": verdict.layer,
        "options": options,
        "scores": [score.logprob for score in verdict.scores],
        "scores_per_token": [score.per_token for score in verdict.scores],
        "scores_per_byte": [score.per_byte for score in verdict.scores],
        "answer": None if verdict.answer is None else options[verdict.answer],
        "answer_index": verdict.answer,
        "gold": None if verdict.gold is None else options[verdict.gold],
        "gold_index": verdict.gold,
        "right": verdict.right,
        "status": verdict.status.value,
        "scoring": verdict.scoring.value,
        "credit": verdict.credit,
        **(_multiple_json(verdict) if verdict.multiple else {}),
        **(
            {"text": verdict.text, "output_tokens": verdict.output_tokens}
            if verdict.scoring.written
            else {}
        ),
    }


def _multiple_json(verdict: Verdict) -> dict[str, Any]:
    """The further fields of a verdict on a question with several right options."""
    return {
        "answers": [verdict.options[index] for index in verdict.answers],
        "answer_indices": verdict.answers,
        "golds": [verdict.options[index] for index in verdict.golds],
        "gold_indices": verdict.golds,
    }


def _print_ladder(rungs: Sequence[Rung], model: Model) -> None:
    out(plain(draw_ladder(rungs, min(width(), 100), cells)))
    for rung in rungs:
        if rung.verdict is not None and rung.verdict.scoring.written:
            written = rung.verdict.text
            answer = written.removeprefix(thinking_of(written)).strip()
            parts = (folded_thinking(written), escape_control_characters(answer, lines=True))
            out("\n".join((f"\n{rung.layer.title}, the reply:", *filter(None, parts))))
    out(f"\n{outcome(rungs)[0]}")
    if model.info.demo:
        say(DEMO)
