"""The task layers of ACCORD: one per hop, then the whole tree; two more for comparison."""

from __future__ import annotations

from core.contract.task_layer import TaskLayer
from core.text.language import N_

MOST_HOPS = 8
"""Most hops of a path; each hop has a task layer."""
BARE = "bare"
HOP = "hop-"
ANSWER = "answer"
TWIN = "twin"
LAYERS = (
    TaskLayer(BARE, N_("Bare question"), N_("What does the model answer from memory?"), aside=True),
    *(
        TaskLayer(
            f"{HOP}{h}",
            f"{N_('Hop')} {h}",
            N_("Does it follow the path up to here?"),
            optional=True,
        )
        for h in range(1, MOST_HOPS + 1)
    ),
    TaskLayer(ANSWER, N_("Whole tree"), N_("Does it still, among the distractors?")),
    TaskLayer(
        TWIN,
        N_("Factual twin"),
        N_("Does it, when the statements imply what common sense says?"),
        optional=True,
        aside=True,
    ),
)
HEADLINES = {
    layer.title: (layer.id,)
    for layer in sorted(LAYERS, key=lambda layer: layer.id != ANSWER)
    if not layer.aside
}
"""Figures for lists of runs: the whole tree, which the paper scores; a hop if that is missing."""
