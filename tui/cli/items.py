"""`show`, `questions` and `ask`: one item, or the questions of a collection.

Help and completion come to this module too, so each command imports what it does its work with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.contract import registry
from core.text.errors import ModelError
from tui.cli import completion
from tui.cli.lookup import (
    check_choice,
    open_collection,
    open_item,
    open_store,
    parse_form,
    parse_scoring,
    words,
)
from tui.cli.models import run_with_model
from tui.cli.options import (
    BenchmarkArgument,
    DataOption,
    FormOption,
    ItemArgument,
    JsonOption,
    LinesOption,
    ModelOption,
    ScoringOption,
    SeedOption,
    SetOption,
    ShotRuleOption,
    ShotsOption,
    StoreOption,
)
from tui.cli.output import WorkFailedError, out, out_json, out_json_line, say, width

if TYPE_CHECKING:
    from core.contract.benchmark import Benchmark
    from core.contract.question import Form, Prompt, Question, Verdict
    from core.contract.rungs import RungState
    from core.contract.setting import Setting, Switch
    from core.models.protocol import Model


def show(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    data: DataOption = None,
    settings: SetOption = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print text (the default).")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show an item under a setting.

    Prints the structure as text, as wide as the terminal, or with --json the view and its switches.
    """
    if plain and as_json:
        raise typer.BadParameter("--plain and --json cannot both be given.")
    from core.contract.view import view_document
    from core.layout.plain_text import view_text

    bench, _, opened, setting = open_item(benchmark, item, data, settings)
    view = bench.view(opened, setting)
    if not as_json:
        out(view_text(view, width()))
        return
    out_json(
        {
            "benchmark": bench.name,
            "item": opened.id,
            "setting": dict(setting),
            "switches": [_switch(switch, setting) for switch in bench.switches(opened)],
            "view": view_document(view),
        }
    )


def questions(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    task_layer: Annotated[
        str | None,
        typer.Option("--task-layer", help="Print the questions of this task layer only."),
    ] = None,
    shots: ShotsOption = 0,
    seed: SeedOption = 1234,
    shot_rule: ShotRuleOption = "random",
    survivors: Annotated[
        str | None,
        typer.Option(
            "--survivors",
            metavar="RUN",
            help="In gated layers keep only the items that this run got right one layer before.",
            autocompletion=completion.runs,
        ),
    ] = None,
    form: FormOption = None,
    system: Annotated[
        bool,
        typer.Option(
            "--system/--no-system",
            help="With --form chat: put the instructions into a system turn, or into the user's.",
        ),
    ] = True,
    settings: SetOption = None,
    store: StoreOption = None,
    as_lines: LinesOption = False,
) -> None:
    """Print the questions of a collection as a model gets them.

    Each comes with its options and the gold answer. No model is asked.
    """
    from core.contract.question import Form
    from core.contract.setting import typed_values
    from core.runs.questions import (
        Examples,
        QuestionSource,
        common_setting,
        gate_of,
        layer_questions,
    )
    from core.runs.summaries import skipped_text

    bench = registry.load(benchmark)
    base = parse_form(form) is not Form.CHAT
    if task_layer is not None:
        names = [layer.id for layer in bench.layers]
        check_choice(task_layer, names, "task layer", "--task-layer")
    layers = [layer for layer in bench.layers if task_layer in {None, layer.id}]
    _, collection = open_collection(bench, data)
    answered = None
    if survivors is not None:
        with open_store(store, create=False) as opened:
            answered = opened.answered(opened.run(survivors).id)
    source = QuestionSource(bench, collection, typed_values(words(settings)))
    common = common_setting(source)
    if common.skipped is not None:
        say(skipped_text(common.skipped, common.values))
    examples = Examples(shots, shot_rule, seed)
    for layer in layers:
        gate = None if answered is None else gate_of(bench, layer, answered)
        for pending in layer_questions(source, layer, gate, examples):
            question = source.full_question(pending, layer)
            prompt = question.base() if base else question.chat(system=system)
            _print_question(question, prompt, as_line=as_lines)


def ask(
    benchmark: BenchmarkArgument,
    item: ItemArgument,
    data: DataOption = None,
    settings: SetOption = None,
    model: ModelOption = None,
    form: FormOption = None,
    scoring: ScoringOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a model every task layer of an item.

    Prints the answer at each layer and the first layer that fails.
    """
    from core.contract.rungs import build_rungs
    from core.runs.asking import prepared
    from core.runs.ladder import ask_rungs

    chosen, reading = parse_form(form), parse_scoring(scoring)
    bench, _, opened, setting = open_item(benchmark, item, data, settings)
    rungs = build_rungs(bench, opened, setting)

    async def work(loaded: Model) -> None:
        try:
            used, read_as = await prepared(loaded, chosen, reading)
            asked = await ask_rungs(loaded, bench, rungs, form=used, scoring=read_as)
        except ModelError as error:
            raise WorkFailedError(error) from error
        if as_json:
            out_json(_ladder_json(bench, opened.id, setting, loaded, used, asked))
        else:
            _print_ladder(asked, loaded)

    run_with_model(model, store, work)


def _switch(switch: Switch, setting: Setting) -> dict[str, Any]:
    described = {"kind": type(switch).__name__.lower(), "value": setting.value(switch)}
    return asdict(switch) | {"default": switch.default} | described


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
    rungs: Sequence[RungState],
) -> dict[str, Any]:
    from core.layout.ladder import answered_ladder

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
            if verdict.scoring.value == "generated"
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


def _print_ladder(rungs: Sequence[RungState], model: Model) -> None:
    from core.answers.cleaner import thinking_of
    from core.layout.ladder import draw_ladder, outcome
    from core.layout.options import folded_thinking
    from core.layout.plain_text import cells
    from core.layout.rows import plain
    from core.runs.summaries import DEMO
    from core.text.escaping import escape_control_characters

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
