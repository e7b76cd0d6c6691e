"""A lesson as one page that works without the program, the network and scripts.

The reader opens each step's answer with a click; printed, everything is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.contract.view import Graph, Role, Section, Statements, View
from core.exchange.exporters.document import source_lines
from core.exchange.exporters.graph_tables import link_columns, node_columns
from core.exchange.exporters.heat_html import heat_map_section
from core.exchange.exporters.inline_drawing import drawing_style, inline_drawing, narrow_drawing
from core.exchange.exporters.lesson_answers import answer_row, score, toggled, who_answered
from core.exchange.exporters.looks import legend_words
from core.exchange.exporters.page_words import table_words
from core.exchange.exporters.self_contained import (
    escape_texts,
    heat_grounds,
    legend,
    package_file,
    policy,
    template,
    variables,
)
from core.layout.counts import count_sentence, share_words
from core.layout.rows import SIGNS
from core.lessons.bound_lesson import BoundStep
from core.lessons.narration import narration
from core.lessons.progress_file import clock_time
from core.lessons.reveal import Revealed, said_after
from core.lessons.transcript import TranscribedStep, Transcript
from core.statistics.count import Count
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext

_LABELS = {
    "who": N_("Who answered"),
    "steps": N_("Steps"),
    "links": N_("What belongs together"),
    "scroll": N_("A drawing; it can be scrolled"),
    "in_words": N_("The drawing in words"),
    "more": N_("More about this item"),
    "legend": N_("Signs"),
    "look": N_("Look at"),
    "reveal": N_("Show what the model answered"),
    "reveal_fact": N_("Show what is so"),
    "true": N_("It came true"),
    "none_true": N_("None of these came true."),
    "otherwise": N_("This step was written for another answer."),
    "answers": N_("The model's answers"),
    "question": N_("question"),
    "answer": N_("answer"),
    "gold": N_("right answer"),
    "verdict": N_("verdict"),
    "shares": N_("shares among the options"),
    "unread": N_("What happens between the blocks is not shown here."),
    "notes": N_("For the speaker"),
    "source": N_("Source"),
}
"""The headings and labels of the page by their names in the template."""


def lesson_page(transcript: Transcript, *, notes: bool = False) -> str:
    """The page of a lesson, with the speaker's notes if `notes` is true.

    Equal transcripts give equal pages. Raises `ExportError` for a graph that is too large.
    """
    lesson, language = transcript.bound_lesson.lesson, transcript.language
    spoken = lesson.title.languages
    style = _style()
    return (
        template("lesson.html.j2").render(
            policy=policy((style,), ()),
            style=style,
            say=table_words() | {name: _(text) for name, text in _LABELS.items()},
            language=language,
            # A lesson in one language does not say in which.
            told_in=language if language in spoken else next(iter(spoken), ""),
            # A gloss is the English of an Italian story.
            glosses=language == "en",
            title=escape_control_characters(lesson.title.spoken(language)),
            about=escape_control_characters(lesson.about.spoken(language)),
            facts=_facts(transcript),
            who=who_answered(transcript),
            remarks=_remarks(transcript),
            steps=[_step(transcribed, transcript, notes=notes) for transcribed in transcript.steps],
            signs={role: sign.strip() for role, sign in SIGNS.items()},
            source_lines=escape_texts(source_lines(transcript.bound_lesson.collection.about)),
        )
        + "\n"
    )


def _facts(transcript: Transcript) -> list[str]:
    """Duration, size and benchmark of the lesson, and how to run it."""
    lesson = transcript.bound_lesson.lesson
    about = _(
        "About {minutes}, {steps}. {benchmark}.",
        minutes=ngettext("{n} minute", "{n} minutes", lesson.minutes, n=lesson.minutes),
        steps=ngettext("{n} step", "{n} steps", len(lesson.steps), n=len(lesson.steps)),
        benchmark=transcript.bound_lesson.benchmark.title,
    )
    keys = _("Keys that the texts name are those of the program: {command}")
    return [
        about,
        keys.format(command=f"commonsense-tui lesson run {escape_control_characters(lesson.name)}"),
    ]


def _remarks(transcript: Transcript) -> list[str]:
    """Warnings against reading the answers as results."""
    remarks = []
    if transcript.answers:
        remarks.append(_("The items were chosen to show something: this is no accuracy."))
    if transcript.info.demo:
        remarks.append(_("The bundled model is a demonstration: its figures are no results."))
    return remarks


def _step(transcribed: TranscribedStep, transcript: Transcript, *, notes: bool) -> dict[str, Any]:
    """A step for the template; only `narration` supplies HTML."""
    step, language, revealed = transcribed.step, transcript.language, transcribed.revealed
    spoken = narration(step.say.spoken(language), titled=True)
    after = said_after(step, revealed, language) if revealed is not None else ""
    last = transcribed.view_at_last
    return {
        "number": transcribed.number,
        "heading": spoken.heading or _("Step {number}", number=transcribed.number),
        "say": spoken.html,
        "again": _(
            "As in the step before: {item}", item=escape_control_characters(transcribed.view.title)
        )
        if transcribed.again
        else "",
        "view": _view(transcribed.view, transcribed.bound_step, transcript),
        "at": escape_control_characters(transcribed.at),
        "ask": escape_control_characters(step.prediction.ask.spoken(language))
        if step.prediction
        else "",
        "options": [
            {
                "text": escape_control_characters(text),
                "true": revealed is not None and index in revealed.true,
            }
            for index, text in enumerate(transcribed.options)
        ],
        "asked": last is None,
        "lacking": _lacking(revealed, transcribed.unread) if revealed is not None else "",
        "otherwise": [escape_control_characters(text) for text in revealed.otherwise]
        if revealed
        else [],
        "after": narration(after).html,
        "last": [
            _section(section)
            for section in last.sections
            if isinstance(section, Graph) or step.hidden
        ]
        if last is not None
        else [],
        "like": count_sentence(transcribed.like, ended=True) if transcribed.like else "",
        "figures": _figures(transcribed, language),
        "timing": _timing(transcribed.number, transcript) if notes else "",
        "at_last": escape_control_characters(transcribed.at_last),
        "answers": [answer_row(answer, transcribed, transcript) for answer in transcribed.answers],
        "score": score(transcribed.answers),
        "reading": heat_map_section(transcribed.reading, transcribed.number, 3)
        if transcribed.reading
        else "",
        "unread": escape_control_characters(transcribed.unread),
        "notes": narration(step.notes.spoken(language)).html if notes and step.notes else "",
    }


def _figures(transcribed: TranscribedStep, language: str) -> dict[str, Any] | None:
    """A step's figures over the collection as a table; None where none were counted."""
    figures = transcribed.step.figures
    known = [count for row in transcribed.counts for count in row if count is not None]
    if figures is None or not known:
        return None
    return {
        "caption": escape_control_characters(figures.caption.spoken(language)),
        "columns": [escape_control_characters(head.spoken(language)) for head in figures.columns],
        "rows": [
            (
                escape_control_characters(label.spoken(language)),
                [_count_words(count) if count is not None and count.n else "…" for count in row],
            )
            for label, row in zip(figures.rows, transcribed.counts, strict=True)
        ],
    }


def _count_words(count: Count) -> str:
    return f"{share_words(count)}, {_('{held} of {n}', held=count.held, n=count.n)}"


def _timing(number: int, transcript: Transcript) -> str:
    """The minutes of a step for its speaker: one that asks the room takes twice as long."""
    lesson = transcript.bound_lesson.lesson
    weights = [2 if step.prediction is not None else 1 for step in lesson.steps]
    minute = lesson.minutes / sum(weights)
    begins, ends = (minute * sum(weights[:end]) for end in (number - 1, number))
    return _(
        "Minutes {begins} to {ends} of about {minutes}",
        begins=clock_time(60 * begins),
        ends=clock_time(60 * ends),
        minutes=lesson.minutes,
    )


def _lacking(revealed: Revealed, unread: str) -> str:
    """Why nothing came true; empty where something did. The page shows `unread` elsewhere."""
    if not revealed.lacking:
        return ""
    if revealed.recorded:
        return _("The recording has no answer to this.")
    if unread:
        return _("With this model it cannot be told what comes true here.")
    message = _("With this model it cannot be told what comes true here: {why}")
    return message.format(why=escape_control_characters(revealed.lacking))


def _view(view: View, bound_step: BoundStep, transcript: Transcript) -> dict[str, Any]:
    switches = transcript.bound_lesson.benchmark.switches(bound_step.item)
    setting = toggled(switches, bound_step.setting)
    return {
        "title": escape_control_characters(view.title),
        "subtitle": escape_control_characters(view.subtitle),
        "setting": _("Setting: {setting}", setting=setting) if setting else "",
        "badges": escape_texts([asdict(badge) for badge in view.badges]),
        "blocks": [_section(section) for section in view.sections],
    }


def _section(section: Section) -> dict[str, Any]:
    known: dict[str, Any] = escape_texts(asdict(section))
    known = {"kind": type(section).__name__.lower(), "note": ""} | known
    if isinstance(section, Graph):
        texts = {node.id: escape_control_characters(node.text) for node in section.nodes}
        return known | {
            "svg": inline_drawing(section),
            "narrow": narrow_drawing(section) if section.nodes else "",
            "node_columns": node_columns(known["nodes"]),
            "link_columns": link_columns(known["links"]),
            "legend": [entry for entry in legend([section]) if entry["role"] is not Role.PLAIN],
            "looks": legend_words([section]),
            "links": _named(known["links"], section, texts),
        }
    if isinstance(section, Statements):
        texts = {
            statement.id: escape_control_characters(statement.number or statement.text)
            for statement in section.statements
        }
        return known | {"links": _named(known["links"], section, texts)}
    return known


def _named(
    links: list[dict[str, Any]], section: Graph | Statements, texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Links with the texts of their ends instead of ids."""
    return [
        entry | {"source": texts.get(link.source, ""), "target": texts.get(link.target, "")}
        for entry, link in zip(links, section.links, strict=True)
    ]


def _style() -> str:
    sheets = package_file("page.css") + drawing_style() + package_file("lesson.css")
    return f"{variables()}\n{sheets}{heat_grounds()}"
