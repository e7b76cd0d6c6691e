"""The task layers of AbsPyramid: one per concept climbed, per invalid one, and generation."""

from __future__ import annotations

from core.contract.task_layer import TaskLayer
from core.text.language import N_

PROFILES = {
    "paper": N_("Every labelled concept counts once; an answer that cannot be read is wrong.")
}
"""One line on each scoring profile."""
MOST_CONCEPTS = 24
"""Most valid concepts, and most invalid concepts, of an item that are asked about."""
CONCEPT = "rung-"
FALSE = "false-"
GENERATION = "generation"
LAYERS = (
    *(
        TaskLayer(
            f"{CONCEPT}{i}",
            f"{N_('Concept')} {i}",
            N_("Does it believe that the concept holds?"),
            optional=True,
        )
        for i in range(1, MOST_CONCEPTS + 1)
    ),
    *(
        TaskLayer(
            f"{FALSE}{i}",
            N_("Invalid"),
            N_("Does it see that the concept does not hold?"),
            optional=True,
            aside=True,
            fault=N_("says yes where no is right"),
        )
        for i in range(1, MOST_CONCEPTS + 1)
    ),
    TaskLayer(
        GENERATION,
        N_("In its own words"),
        N_("Which concept does it name itself?"),
        optional=True,
        aside=True,
    ),
)


def detection_layers() -> tuple[str, ...]:
    """The ids of all layers that ask whether a concept is valid."""
    return tuple(layer.id for layer in LAYERS if layer.id != GENERATION)
