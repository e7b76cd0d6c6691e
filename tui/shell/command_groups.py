"""How commands are grouped for help and menu, which matter in a pane, and words that find them."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.language import N_
from tui.shell.command import Command, Place

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N_("Asking the model"),
        ("ask", "choose_model", "form", "unfold", "next_tab"),
    ),
    (
        N_("Changing the item"),
        (
            *("next_variant", "nth_variant", "toggle_last", "switches", "undo", "redo"),
            *("more", "fewer", "more_noise", "less_noise", "another", "explain_step"),
            *("retype", "move_back", "move_forward", "swap", "glosses", "review"),
        ),
    ),
    (
        N_("The graph"),
        (
            *("intervene", "observe", "imagine", "why", "new_term", "edit_graph"),
            *("as_graph", "zoom_in", "zoom_out", "fit", "turn"),
        ),
    ),
    (
        N_("Inside the model"),
        (
            *("xray", "heads", "parts"),
            *("trace", "contrast", "copied_part", "controls", "replacement", "mark_cell"),
            *("compare_model", "studies"),
        ),
    ),
    (
        N_("Collections, runs and lessons"),
        (
            *("collections", "about", "filter", "failures", "unread", "run_all", "answer_all"),
            *("new_item", "lessons"),
        ),
    ),
    (N_("Copying and writing"), ("copy", "export")),
    (
        N_("Moving about"),
        (
            *("cursor_down", "cursor_up", "cursor_left", "cursor_right", "first", "last"),
            *("page_up", "page_down", "next_pane", "previous_pane"),
            *("pan_up", "pan_down", "pan_left", "pan_right"),
        ),
    ),
)
"""The commands of the screen of items by what one wants to do."""

_OFTEN = (
    *("ask", "next_variant", "toggle_last", "undo", "switches", "cursor_down", "next_pane"),
    *("copy", "choose_model", "collections", "run_all", "export"),
)
"""Commands that matter in every pane, the most important first."""
_IN_PANE = {
    "list": ("filter", "retype"),
    "graph": ("cursor_right", "zoom_in", "zoom_out", "fit", "turn", "why"),
    "view": ("retype", "swap", "glosses"),
    "ladder": ("next_tab", "unfold", "form"),
    "trace": ("retype", "controls", "replacement"),
    "live": ("next_tab", "page_down"),
}
"""Commands that matter in a pane besides those that are named below it."""
MATTER = 10
"""Keys that help lists first."""

EVERYDAY_WORDS = {
    "browse.ask": N_("run, test, question, answer, go"),
    "browse.choose_model": N_("next model, load, switch, change or download a model, gguf"),
    "browse.collections": N_("open a file, dataset, data, download data, another benchmark"),
    "browse.run_all": N_("evaluate everything, score, accuracy, whole dataset, start a run"),
    "browse.compare_model": N_("compare two models side by side"),
    "browse.toggle_last": N_("compare before and after, original, reset"),
    "browse.filter": N_("search, find an item"),
    "browse.failures": N_("errors, mistakes, wrong answers"),
    "browse.export": N_("save, download, share, html, image, pdf"),
    "browse.glosses": N_("language, translate, english"),
    "browse.xray": N_("logit lens, layers, inside, transformer"),
    "browse.trace": N_("patching, causal tracing, inside, transformer"),
    "browse.lessons": N_("teach, course, class, tutorial"),
    "browse.new_item": N_("create, add, write an item, own"),
    "browse.about": N_("licence, cite, source"),
    "browse.intervene": N_("cause, force, set an event"),
    "browse.another": N_("random, shuffle, generate"),
    "app.runs": N_("compare runs, compare models, results, history"),
    "app.next_theme": N_("colours, dark, light, appearance"),
    "app.picture": N_("screenshot"),
    "app.help": N_("keys, shortcuts, manual"),
    "app.menu": N_("commands, list"),
    "app.quit": N_("exit, close, leave"),
    "app.welcome": N_("introduction, start, first steps"),
    "runs.compare": N_("difference between models"),
    "run.pause": N_("begin, go, stop for a while"),
}
"""Other words for what a command does, by its name; the palette finds commands by them."""


def grouped(commands: Sequence[Command]) -> list[tuple[str, list[Command]]]:
    """The commands by group, each with its heading; those of no group under an empty one."""
    by_id = {command.id: command for command in commands if command.where != Place.APP}
    groups = [(title, [by_id.pop(i) for i in ids if i in by_id]) for title, ids in GROUPS]
    rest = [command for command in commands if command.id in by_id]
    return [(title, each) for title, each in [("", rest), *groups] if each]


def that_matter(commands: Sequence[Command], pane: str) -> list[Command]:
    """The commands that matter most in a pane, ten at most."""
    below = [command for command in commands if pane in command.footer]
    by_id = {command.id: command for command in commands}
    wanted = (*_IN_PANE.get(pane, ()), *_OFTEN) if pane in _IN_PANE or "ask" in by_id else ()
    more = [by_id[each] for each in wanted if each in by_id] or list(commands)
    return list(dict.fromkeys((*below, *more)))[:MATTER]
