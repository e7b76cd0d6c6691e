"""The commands of a running lesson; what a person may do in its panes is in `browse_commands`."""

from __future__ import annotations

from tui.shell.command import LESSON, Command

_EVERYWHERE = ("lesson",)
"""In whatever pane one is, the keys of the lesson are named."""

ELSEWHERE = frozenset(
    {"filter", "collections", "new_item", "lessons", "funnel", "answer_all", "review"}
)
"""Commands of the browsing screen that lead out of the lesson, or that its own keys do."""

LESSON_COMMANDS: tuple[Command, ...] = (
    Command(
        "next_step",
        ("space",),
        "next",
        "Go to the next step of the lesson. So does enter, except on a trace, where it patches.",
        where=LESSON,
        footer=_EVERYWHERE,
    ),
    Command(
        "previous_step",
        ("backspace",),
        "back",
        "Go to the step before; what was counted and revealed is kept. So does ← in the text.",
        where=LESSON,
        footer=_EVERYWHERE,
    ),
    Command(
        "reveal",
        ("r",),
        "reveal",
        "Ask the model what the audience was asked, and show the answer beside the hands.",
        where=LESSON,
        footer=_EVERYWHERE,
        needs="prediction",
    ),
    Command(
        "count_hand",
        ("1", "2", "3", "4", "5", "6", "7", "8", "9"),
        "count hands",
        "Count one hand for the prediction with this number; in other steps, the variant by "
        "number.",
        where=LESSON,
        footer=_EVERYWHERE,
        numbered=True,
        needs="prediction",
    ),
    Command(
        "take_hand_back",
        ("minus",),
        "one less",
        "Take back the hand that was counted last; in other steps, one hop fewer.",
        where=LESSON,
    ),
    Command(
        "present",
        ("P",),
        "present",
        "Present to a room: one pane at a time, wide margins, the theme for projectors; or stop.",
        where=LESSON,
    ),
    Command(
        "take_away",
        ("f4",),
        "as a page",
        "Write the lesson with the model's answers as one page that needs no program.",
        where=LESSON,
    ),
    Command(
        "leave",
        ("escape",),
        "leave",
        "Leave the lesson; what was counted is not kept.",
        where=LESSON,
        footer=_EVERYWHERE,
    ),
)
