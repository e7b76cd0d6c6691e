"""The stages of synthesis, and the placeholders that their texts may use."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.synthesis.prompts import Wording, folder, wording


class Stage(StrEnum):
    """One request to the model, named like the file of its texts."""

    EVENTS_ABSTRACT = "events-abstract"
    EVENTS_CONCRETE = "events-concrete"
    CHAIN_DIRECT = "chain-direct"
    CHAIN_DECISION = "chain-decision"
    CHAIN_TRANSITION = "chain-transition"
    CHAIN_INTERVENTION = "chain-intervention"
    CHAIN_COUNTERFACTUAL = "chain-counterfactual"
    QUESTION_DIRECT = "question-direct"
    QUESTION_DECISION = "question-decision"
    QUESTION_TRANSITION = "question-transition"
    QUESTION_INTERVENTION = "question-intervention"
    QUESTION_COUNTERFACTUAL = "question-counterfactual"
    THINKING = "thinking"
    STORY = "story"
    CRIMINAL = "criminal"
    PUZZLE = "puzzle"
    CASE_THINKING = "case-thinking"
    CASE_COURSE = "case-course"


class Make(StrEnum):
    """The kinds of items: one of the five scenarios, or a detective case."""

    DIRECT = "direct"
    DECISION = "decision"
    TRANSITION = "transition"
    INTERVENTION = "intervention"
    COUNTERFACTUAL = "counterfactual"
    CASE = "case"

    @property
    def scenario(self) -> Scenario:
        """The scenario of its question."""
        return Scenario.INTERVENTION if self is Make.CASE else Scenario(self.value)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Its stages, in order."""
        if self is Make.CASE:
            return (Stage.EVENTS_CONCRETE, *_CASE)
        seed = Stage.EVENTS_CONCRETE if self is Make.COUNTERFACTUAL else Stage.EVENTS_ABSTRACT
        return (seed, Stage(f"chain-{self}"), Stage(f"question-{self}"), Stage.THINKING)


CHAIN_NAMES = {
    Make.DIRECT: ("Chain",),
    Make.DECISION: ("High probability", "Low probability"),
    Make.TRANSITION: ("Sound", "With scene drift", "With threshold effect"),
    Make.INTERVENTION: ("High probability", "Low probability"),
    Make.COUNTERFACTUAL: ("Normal", "Counterfactual"),
}
"""The names of each scenario's chains in the model's reply, in this order."""
_CASE = (Stage.STORY, Stage.CRIMINAL, Stage.PUZZLE, Stage.CASE_THINKING)
OWN_CASE = (
    Stage.CRIMINAL,
    Stage.PUZZLE,
    Stage.CASE_THINKING,
    Stage.CASE_COURSE,
    Stage.QUESTION_DECISION,
    Stage.QUESTION_COUNTERFACTUAL,
    Stage.THINKING,
)
"""The stages of the three tasks about a person's own story."""
_QUESTION = frozenset({"root", "tail", "chains", "other_tails", "other_root"})
_KNOWN = {
    Stage.EVENTS_ABSTRACT: frozenset({"events", "next"}),
    Stage.EVENTS_CONCRETE: frozenset({"events", "next"}),
    Stage.THINKING: frozenset({"question", "options", "chains", "answer", "wrong"}),
    Stage.STORY: frozenset({"event"}),
    Stage.CRIMINAL: frozenset({"story"}),
    Stage.PUZZLE: frozenset({"story", "criminal"}),
    Stage.CASE_COURSE: frozenset({"story"}),
    Stage.CASE_THINKING: frozenset(
        {"crime", "facts", "clue", "question", "options", "answer", "wrong"}
    ),
}


@cache
def _wording(stage: Stage, _folder: str) -> Wording:
    if stage in _KNOWN:
        known = _KNOWN[stage]
    else:
        known = frozenset({"root"}) if stage.startswith("chain-") else _QUESTION
    return wording(stage.value, known)


def stage_wording(stage: Stage) -> Wording:
    """The texts of a stage; raises `DataError`."""
    return _wording(stage, str(folder()))
