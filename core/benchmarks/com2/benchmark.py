"""Com² as a benchmark: causal event graphs, asked link by link and then as a whole.

Readers and views are imported on use to keep the start of the program fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from core.benchmarks.com2 import questions, switches
from core.benchmarks.com2.item import Com2Item
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.prompt_parts import PromptPart
from core.contract.question import Question, Shot, Verdict
from core.contract.setting import Setting, Switch
from core.contract.summary import Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.text.language import N_


class Com2(Benchmark[Com2Item]):
    """Com² behind the interface of all benchmarks."""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "com2"
    cluster_tag: ClassVar[str] = "graph"
    title: ClassVar[str] = "Com²"
    summary: ClassVar[str] = N_(
        "Causal event graphs: what follows in the long run, when someone intervenes, "
        "and had things been otherwise?"
    )
    paper: ClassVar[str] = (
        "Kai Xiong et al. (2025). Com²: A Causal-Guided Benchmark for Exploring Complex "
        "Commonsense Reasoning in Large Language Models. ACL 2025."
    )
    layers: ClassVar[tuple[TaskLayer, ...]] = questions.LAYERS
    lettered_layers: ClassVar[Sequence[str]] = (questions.ANSWER,)
    can_save: ClassVar[bool] = True
    profiles: ClassVar[tuple[str, ...]] = tuple(questions.PROFILES)
    profile_notes: ClassVar[Mapping[str, str]] = questions.PROFILES
    item_help: ClassVar[str] = N_("""
    ## The question

    The question to the model about the graph, and the endings to choose from. `✓` marks the right
    ones: *derived* ones follow from the graph, *released* ones come from the authors of the data.
    The reason is below. A detective case also has the facts, and the suspect (`✓`) that they point
    to with and without the essential clue.
    """)
    graph_help: ClassVar[str] = N_("""
    ## The graph

    Events, from causes to effects. `i` intervenes (do): it prevents an event that happens, or
    makes one happen that does not; a second press does the opposite, a third frees the event. `o`
    observes the event (see), `I` imagines it otherwise. `◆` was set from outside, `◉` observed,
    `◌` imagined, `○` does not happen, `△` happens only since the change. Brackets show why an
    event does not happen: `╣○╠` prevented, `⟦○⟧` observed not to happen, `{○}` imagined not to
    happen. A dashed link with `╳` is cut, one that ends in `⊥` prevents its target, a dotted one
    has a fault, which is described below the graph. *p* is the probability of an event, where it
    is not certain. Below the graph is the reason why the event under the cursor happens.
    """)
    shots_agree: ClassVar[str] = "language"
    shots_differ: ClassVar[str] = "graph"

    def samples(self) -> Path:
        """The bundled graphs and cases."""
        from core.files.shipped import samples

        return samples() / "com2"

    def more_samples(self) -> Mapping[Path, str]:
        """A causal graph of everyday events in the format of CauseNet."""
        from core.files.shipped import samples

        return {samples() / "causenet": N_("one large graph of causes and effects")}

    def open(self, path: Path) -> Collection[Com2Item]:
        """Open a file or folder of graphs; raises `DataError`."""
        from core.benchmarks.com2.collection import open_items

        return open_items(path)

    def recognises(self, path: Path) -> bool:
        """Whether the data is CauseNet's, which may have millions of relations."""
        from core.benchmarks.com2.recognition import is_causenet

        return is_causenet(path)

    def switches(self, item: Com2Item) -> tuple[Switch, ...]:
        """The scenario, the state of each event, the mechanism and edits."""
        return switches.switches(item)

    def view(self, item: Com2Item, setting: Setting) -> View:
        """The graph in the world of the setting, the question and the derived answer."""
        from core.benchmarks.com2.view import view

        return view(item, setting)

    def contrasts(self, item: Com2Item, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """The item's own world, then that of each scenario."""
        scenario = switches.scenario_switch(item)
        if scenario is None:
            return [("as it is", Setting())]
        kept = {
            key: value
            for key, value in setting.items()
            if key in (switches.EDITS.key, switches.MECHANISM.key)
        }
        every = self.switches(item)
        return [
            (scenario.name(value), Setting.of(every, {**kept, scenario.key: value}))
            for value in scenario.values
        ]

    def question(
        self, item: Com2Item, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """A link of the chain, or the question of the scenario."""
        return questions.question(item, setting, layer, shots)

    def prompt_parts(
        self, item: Com2Item, setting: Setting, question: Question
    ) -> Sequence[PromptPart]:
        """Premises by what is set, observed or imagined; cause and effect, or the options."""
        return questions.prompt_parts(item, setting, question)

    def question_in_order(
        self,
        item: Com2Item,
        setting: Setting,
        layer: str,
        order: Sequence[int],
        shots: Sequence[Shot] = (),
    ) -> Question | None:
        """The question of the scenario with its endings beside other letters."""
        return questions.question(item, setting, layer, shots, order)

    def shot_layers(self, layer: str) -> Sequence[str]:
        """For links the first and the broken ones, so that both answers occur; else the layer."""
        return (layer,) if layer == questions.ANSWER else questions.SHOT_LAYERS

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """Scores by scenario, macro averages and links."""
        from core.benchmarks.com2.scoring import summarise

        return summarise(verdicts, profile, totals)

    def save(self, item: Com2Item, setting: Setting) -> Path:
        """Write the graph as it is under the setting to the person's own collection."""
        from core.benchmarks.com2.writer import save

        return save(item, setting)
