"""`lesson`: lists, runs, follows, checks, writes and exports lessons."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from core.contract import registry
from core.contract.question import Form
from core.exchange.exporters import files
from core.files import config
from core.lessons.bound_lesson import BoundLesson, bind
from core.lessons.checker import CheckedClaim, UntrueLessonError, candidates
from core.lessons.checker import check as check_lesson
from core.lessons.lesson import LANGUAGES, Lesson
from core.lessons.library import bundled, named, read_all
from core.lessons.skeleton import skeleton
from core.lessons.transcript import transcribe_now
from core.lessons.typicality import check_typicality
from core.models.protocol import Model
from core.text.errors import DataError, ModelError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import speak, spoken
from core.text.quantities import counted
from tui.app.opening import open_follower, open_lesson
from tui.cli import completion
from tui.cli.answer_options import parse_form
from tui.cli.lookup import check_choice, open_collection
from tui.cli.model_loading import run_with_model
from tui.cli.options import (
    DataOption,
    ForceOption,
    FormOption,
    JsonOption,
    LangOption,
    ModelOption,
    StoreOption,
)
from tui.cli.output import WorkFailedError, complain, error_json, out, out_json, out_line, say
from tui.cli.progress import ProgressLine
from tui.shell.language_choice import speak as speak_chosen

_MARKS = {True: "✓", False: "✗", None: "?"}
_SUGGESTED = 5
"""Most items that are suggested in the place of one whose claim no longer holds."""
LessonArgument = Annotated[
    str,
    typer.Argument(
        metavar="LESSON",
        help="The name of a lesson, as `lesson list` prints it, or a file.",
        autocompletion=completion.lessons,
    ),
]
TextsLangOption = Annotated[
    str,
    typer.Option(
        "--lang",
        help="Print the texts in this language: en or it.",
        autocompletion=completion.languages,
    ),
]


def list_lessons(lang: TextsLangOption = "en", as_json: JsonOption = False) -> None:
    """List the bundled lessons and yours.

    Each with its title, benchmark, minutes and steps.
    """
    check_choice(lang, LANGUAGES, "language of lessons", "--lang")
    lessons, failed = read_all()
    if as_json:
        rows = [
            {
                "name": lesson.name,
                "title": lesson.title.spoken(lang),
                "about": lesson.about.spoken(lang),
                "benchmark": lesson.benchmark,
                "minutes": lesson.minutes,
                "steps": len(lesson.steps),
                "languages": lesson.title.languages,
                "path": str(lesson.path),
            }
            for lesson in lessons
        ]
        out_json({"lessons": rows, "problems": [error_json(error) for error in failed]})
    else:
        for lesson in lessons:
            length = f"{lesson.minutes} min, {counted(len(lesson.steps), 'step')}"
            out_line(lesson.name)
            out_line(f"    {lesson.title.spoken(lang)} ({lesson.benchmark}, {length})")
            out_line(f"    {lesson.about.spoken(lang)}")
        say("Run one with: commonsense-tui lesson run NAME [--lang it]")
    # The lessons that can be read are listed all the same.
    for error in failed[:-1]:
        complain(error)
    if failed:
        raise failed[-1]


def run(
    lesson: LessonArgument,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang",
            help="Speak this language: en or it; the configured one when left out.",
            autocompletion=completion.languages,
        ),
    ] = None,
    model: ModelOption = None,
    data: DataOption = None,
    present: Annotated[
        bool,
        typer.Option(
            "--present", help="Present to a room: one pane at a time, in the theme for projectors."
        ),
    ] = False,
    step: Annotated[
        int | None,
        typer.Option(
            "--step",
            min=1,
            metavar="N",
            help="Begin at this step; where the lesson was left when left out.",
        ),
    ] = None,
) -> None:
    """Run a lesson on the screen.

    Narration stands beside the item; hands are counted and the model's answers revealed.
    """
    if lang is not None:
        check_choice(lang, LANGUAGES, "language of lessons", "--lang")
    speak_chosen(lang, config.read_or_defaults()[0])
    bound = bind(named(lesson, spoken()), data)
    if step is not None and step > len(bound.lesson.steps):
        steps = len(bound.lesson.steps)
        raise SettingError(
            f"{bound.lesson.name} has {steps} steps.", where="--step", hint="Choose one of them."
        )
    raise typer.Exit(open_lesson(bound, lang, model, presenting=present, step=step))


def follow(
    lesson: Annotated[
        str,
        typer.Argument(
            metavar="[LESSON]",
            help="The name of the lesson; the one that runs when left out.",
            autocompletion=completion.lessons,
        ),
    ] = "",
    language: LangOption = None,
) -> None:
    """Follow a lesson that runs in another terminal.

    Shows the speaker's notes, the hands, the time and the next step. No model is loaded. Of several
    running lessons it follows the one that began last.
    """
    raise typer.Exit(open_follower(named(lesson).name if lesson else "", language))


def check(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LESSON]...",
            help="Names of lessons, or files; every bundled lesson when left out.",
            autocompletion=completion.lessons,
        ),
    ] = None,
    model: ModelOption = None,
    data: DataOption = None,
    form: FormOption = None,
    store: StoreOption = None,
    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest", help="Where a claim no longer holds, name items for which it would."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check every claim, and for how many items the same holds.

    The model is asked what the lesson says that it answers, of other items too: up to 500, for
    half a minute a claim; counts are kept. Exits with 1 if a claim does not hold, or holds for
    fewer than half of the items while its step does not say `exception: yes`.
    """
    names = lessons or [path.stem for path in bundled()]
    bound_lessons = [
        (bind(lesson, data), language) for name in names for lesson, language in _in_languages(name)
    ]
    chosen = parse_form(form)
    rows: list[dict[str, Any]] = []
    broken = 0

    async def work(loaded: Model) -> None:
        nonlocal broken
        for bound, language in bound_lessons:
            failed: list[CheckedClaim] = []
            held = 0
            async for checked in _checks(bound, loaded, chosen):
                if checked.holds and not checked.surprising:
                    held += checked.count is None
                else:
                    failed.append(checked)
                if not as_json and (checked in failed[-1:] or checked.count is not None):
                    out_line(_remark(bound, checked))
                rows.append({"lesson": bound.lesson.name, "language": language} | asdict(checked))
            broken += len(failed)
            if not as_json:
                mark = _MARKS[not failed]
                told = f" ({language})" if language else ""
                share = f"{held} of {counted(held + len(failed), 'claim')}"
                out_line(f"{mark} {bound.lesson.name}{told}: {share} true")
            if suggest and failed:
                await _suggest(bound, {checked.step for checked in failed}, loaded, chosen)

    run_with_model(model, store, work)
    if as_json:
        out_json({"checks": rows, "broken": broken})
    if broken:
        raise WorkFailedError(
            UntrueLessonError(
                f"{broken} of {len(rows)} do not with this model.",
                hint="Choose other items (--suggest names some), or change what is claimed.",
            )
        )


def _in_languages(name: str) -> list[tuple[Lesson, str]]:
    """A lesson, once for each language if it is about other items in each, else for none."""
    lessons = [(named(name, language), language) for language in LANGUAGES]
    items = [
        [(step.item, step.setting, [claim.text for claim in step.claims]) for step in lesson.steps]
        for lesson, _language in lessons
    ]
    return lessons if items.count(items[0]) < len(items) else [(lessons[0][0], "")]


async def _checks(
    bound: BoundLesson, model: Model, form: Form | None
) -> AsyncIterator[CheckedClaim]:
    async for checked in check_lesson(bound, model, form):
        yield checked
    async for checked in check_typicality(bound, model, form):
        yield checked


async def _suggest(bound: BoundLesson, steps: set[int], model: Model, form: Form | None) -> None:
    """Name on stderr items for which the scenes with these steps would hold."""
    number = 0
    for scene in bound.scenes():
        numbers = range(number + 1, number + len(scene) + 1)
        number += len(scene)
        if steps.isdisjoint(numbers):
            continue
        items = [item async for item in candidates(bound, scene, model, _SUGGESTED, form)]
        where = f"{bound.lesson.path}:{scene[0].item_line}"
        found = ", ".join(items) or "no item would do"
        say(escape_control_characters(f"{where}: in the place of {scene[0].item}: {found}"))


def new(
    path: Annotated[Path, typer.Argument(help="The file to write.")],
    benchmark: Annotated[
        str, typer.Option("--benchmark", help="Write it about this benchmark.")
    ] = "gita",
    data: DataOption = None,
    force: ForceOption = False,
) -> None:
    """Write a small lesson to begin with.

    It runs as it is; its comments explain what a lesson may say.
    """
    bench = registry.load(benchmark)
    _, collection = open_collection(bench, data)
    if not len(collection):
        raise DataError("There is no item that a lesson could be about.", where=data or "")
    written = files.write(path, skeleton(bench, collection).encode(), force=force)
    out(str(written))


def export(
    lesson: LessonArgument,
    to: Annotated[
        Path, typer.Option("--out", "--to", metavar="FILE", help="Write to this file (HTML).")
    ],
    lang: TextsLangOption = "en",
    model: ModelOption = None,
    data: DataOption = None,
    form: FormOption = None,
    store: StoreOption = None,
    notes: Annotated[bool, typer.Option("--notes", help="Include the speaker's notes.")] = False,
    force: ForceOption = False,
) -> None:
    """Write a lesson as one HTML page.

    The page needs neither this program nor the network. The model is asked now; with --model
    replay:RUN its recorded answers are taken. They are folded below each question, and open in
    print. Prints the path.
    """
    # Its Markdown and pages take longer to import than all the other commands of lessons need.
    from core.exchange.exporters.lesson_page import lesson_page

    check_choice(lang, LANGUAGES, "language of lessons", "--lang")
    chosen = parse_form(form)
    bound = bind(named(lesson, lang), data)
    files.check_free(to, force=force)
    line, live = ProgressLine(), sys.stderr.isatty()

    async def work(loaded: Model) -> None:
        # Messages printed before this stay English.
        speak(lang)
        try:
            transcript = await transcribe_now(
                bound,
                lang,
                loaded,
                lambda number, steps: line.show(f"step {number} of {steps}", now=live),
                store=store,
                form=chosen,
            )
        except ModelError as error:
            raise WorkFailedError(error) from error
        finally:
            line.clear()
        path = files.write(to, lesson_page(transcript, notes=notes).encode(), force=force)
        out(str(path))

    run_with_model(model, store, work)


def _remark(bound: BoundLesson, checked: CheckedClaim) -> str:
    # A prediction that no claim of the lesson's own stands for has no line.
    line = f":{checked.line}" if checked.line else ""
    where = f"{bound.lesson.path}{line}"
    if checked.surprising:
        return (
            f"{where}: step {checked.step} is an exception: {checked.claim}. {checked.found} "
            "Choose another item, or say so and add exception: yes."
        )
    if checked.count is not None:
        return f"  step {checked.step}: {checked.claim}: {checked.found}"
    verb = "cannot be checked" if checked.holds is None else "does not hold"
    return f"{where}: step {checked.step} {verb}: {checked.claim}. {checked.found}"
