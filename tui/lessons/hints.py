"""What to press next in a lesson."""

from __future__ import annotations

from core.models.protocol import Answering
from core.text.language import _
from tui.lessons.counting import counts_by_itself
from tui.lessons.player import LessonPlayer
from tui.shell.command import Place
from tui.shell.program import Program


def next_key(player: LessonPlayer, program: Program) -> str:
    """The keys that matter in the present step."""
    options = len(player.options)
    if options and player.result is None:
        key = program.key(f"{Place.LESSON}.reveal")
        if player.votes is not None:
            room = program.key(f"{Place.LESSON}.room")
            return _("{room} shows where to vote · {key} reveals", room=room, key=key)
        return _("1-{options} count hands · {key} reveals", options=options, key=key)
    if _counts_when_asked(player, program):
        reveal = program.key(f"{Place.LESSON}.reveal")
        return _("{key} counts over the whole collection", key=reveal)
    if player.index + 1 == len(player.lesson.steps):
        return the_end(program)
    return _("{key} goes on", key=program.key(f"{Place.LESSON}.next_step"))


def _counts_when_asked(player: LessonPlayer, program: Program) -> bool:
    """Whether there is something to count, and the model is not asked that by itself."""
    model = program.model_state.model
    something = player.step.figures is not None or player.step.asks_model
    return (
        model is not None
        and something
        and not counts_by_itself(model)
        and not player.counts.begun
        and not isinstance(model, Answering)
    )


def the_end(program: Program) -> str:
    """That the lesson is at its end."""
    return _("The end. {key} leaves.", key=program.key(f"{Place.LESSON}.leave"))
