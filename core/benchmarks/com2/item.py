"""Com²'s items: a causal event graph with what is asked about it.

Xiong et al. (2025): five scenarios over event graphs (Com²-main) and three of them over detective
stories (Com²-hard).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from string import ascii_uppercase

from core.benchmarks.com2.graph import CausalEventGraph

BETWEEN = ":"
"""Separates the name of a graph from the scenario in an item's id."""


class Scenario(StrEnum):
    """The five scenarios, in the order of the paper's Table 1."""

    DIRECT = "direct"
    DECISION = "decision"
    TRANSITION = "transition"
    INTERVENTION = "intervention"
    COUNTERFACTUAL = "counterfactual"


HARD_SCENARIOS = (Scenario.DECISION, Scenario.INTERVENTION, Scenario.COUNTERFACTUAL)
"""The scenarios of Com²-hard."""
RELEASED_TYPES = {
    **{scenario.value: scenario for scenario in Scenario},
    "reco": Scenario.TRANSITION,
    "trans": Scenario.TRANSITION,
}
"""The scenarios by their names in the paper and in the release."""
LANGUAGES = ("en", "it", "zh")


MOST_OPTIONS = 26
"""Most options of a question, which are lettered A to Z."""


def letter(index: int) -> str:
    """The letter of an option; after Z comes A again."""
    return ascii_uppercase[index % len(ascii_uppercase)]


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a scenario's question."""

    text: str
    event: str = ""
    """The event that the option names: an outcome or, in a case, the suspect's deed."""
    prevents: str = ""
    """The event that is prevented by following this advice (decision)."""


@dataclass(frozen=True, slots=True)
class Task:
    """What one scenario asks about a graph."""

    scenario: Scenario
    question: str
    options: tuple[Option, ...]
    released: frozenset[int] | None = None
    """Indices of the right options in the released data; None where it has none."""
    path: tuple[str, ...] = ()
    """The sound chain, root first; the ladder asks about its links."""
    distractors: tuple[tuple[str, ...], ...] = ()
    """The other chains: drifting, cut, or to a bad outcome."""
    do: Mapping[str, bool] = field(default_factory=dict)
    observe: Mapping[str, bool] = field(default_factory=dict)
    imagine: Mapping[str, bool] = field(default_factory=dict)
    bad: str = ""
    """The unacceptable tail (decision)."""
    thinking: str = ""
    """Slow thinking that leads to the answer, given to the model in the condition of the paper's
    Figure 6."""

    @property
    def multiple(self) -> bool:
        """Whether several options may be right."""
        return self.scenario is Scenario.DECISION


@dataclass(frozen=True, slots=True)
class Case:
    """A detective story."""

    crime: str
    facts: tuple[str, ...]
    """Ids of events, or plain sentences where the graph has no such event."""
    suspects: tuple[str, ...] = ()
    """Ids of the events "this suspect did it"."""
    clue: str = ""
    """Id of the essential clue; empty where it is not known."""


@dataclass(frozen=True, slots=True)
class Com2Item:
    """A causal event graph with its tasks, at most one of each scenario."""

    id: str
    graph: CausalEventGraph
    tasks: tuple[Task, ...] = ()
    title: str = ""
    language: str = "en"
    case: Case | None = None
    hard: bool = False
    """Whether it belongs to Com²-hard."""
    warnings: tuple[str, ...] = ()
    """What was repaired on reading."""

    def task(self, scenario: Scenario) -> Task | None:
        """The task of a scenario, if there is one."""
        return next((task for task in self.tasks if task.scenario is scenario), None)

    @property
    def graph_id(self) -> str:
        """The id without its scenario, which all items of one graph share."""
        suffix = f"{BETWEEN}{self.tasks[0].scenario.value}" if self.tasks else ""
        return self.id.removesuffix(suffix)
