"""AbsPyramid as a benchmark: abstractions of nouns, verbs and events.

Readers and views are imported on use to keep the start of the program fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from core.benchmarks.abspyramid.task_layers import GENERATION, LAYERS, PROFILES, detection_layers
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.question import (
    Answer,
    Question,
    Shot,
    Status,
    Verdict,
    score_by_likelihood,
    verdict_on,
)
from core.contract.setting import Setting, Switch
from core.contract.summary import Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.text.language import N_, _

if TYPE_CHECKING:
    from core.benchmarks.abspyramid.item import AbsItem


class AbsPyramid(Benchmark["AbsItem"]):
    """AbsPyramid behind the interface of all benchmarks."""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "abspyramid"
    cluster_tag: ClassVar[str] = "head"
    # A model that always says yes is right about every valid concept.
    headlines: ClassVar[Mapping[str, Sequence[str]]] = {N_("Concepts"): detection_layers()}
    title: ClassVar[str] = "AbsPyramid"
    summary: ClassVar[str] = N_(
        "Abstraction pyramids: how far up does a model still see what a thing, an act or an event "
        "is an instance of?"
    )
    paper: ClassVar[str] = (
        "Zhaowei Wang, Haochen Shi, Weiqi Wang, Tianqing Fang, Hongming Zhang, Sehyun Choi, Xin "
        "Liu and Yangqiu Song (2024). AbsPyramid: Benchmarking the Abstraction Ability of Language "
        "Models with a Unified Entailment Graph. Findings of NAACL 2024."
    )
    layers: ClassVar[tuple[TaskLayer, ...]] = LAYERS
    makes_remarks: ClassVar[bool] = True
    profiles: ClassVar[tuple[str, ...]] = tuple(PROFILES)
    profile_notes: ClassVar[Mapping[str, str]] = PROFILES
    item_help: ClassVar[str] = N_("""
    ## The climb

    The event, and then the event with each concept in place of the word, from the narrowest to the
    broadest. The number is the level; `·` means that the order of the concepts is not known.
    `◇` marks the present concept: `+` and `-` climb up and down. `✗` marks a concept that does not
    hold in this event. Below are other events with the same word, and other words under the
    present concept.
    """)
    graph_help: ClassVar[str] = N_("""
    ## The pyramid

    Concepts, each above the words that it abstracts. `◆` is the word to abstract; `+` and `-`
    climb up and down from it. `✓` are the concepts below the present one, `◇` is the present one.
    `○` does not hold in this event, and its dashed link is cut (`╳`); `?` means that nobody has
    labelled it. The pyramids beside it belong to the other parts of the event: `v` goes to the
    next one.
    """)
    shots_agree: ClassVar[str] = "relation"
    shots_differ: ClassVar[str] = "head"

    def samples(self) -> Path:
        """The bundled head events."""
        from core.files.shipped import samples

        return samples() / "abspyramid"

    def open(self, path: Path) -> Collection[AbsItem]:
        """Open a folder or file of tuples; raises `DataError`."""
        from core.benchmarks.abspyramid.collection import open_collection

        return open_collection(path)

    def recognises(self, path: Path) -> bool:
        """Whether it is a folder in the released layout, or a file that begins with a tuple."""
        from core.benchmarks.abspyramid.dataset_files import is_released

        return is_released(path)

    def switches(self, item: AbsItem) -> tuple[Switch, ...]:
        """The component, the context, the climbed concepts, what is drawn, and the prompt."""
        from core.benchmarks.abspyramid.switches import switches

        return switches(item)

    def view(self, item: AbsItem, setting: Setting) -> View:
        """The pyramid, the climb, and related facts from the collection."""
        from core.benchmarks.abspyramid.view import view

        return view(item, setting)

    def contrasts(self, item: AbsItem, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """The head event, then each step of the climb."""
        from core.benchmarks.abspyramid.switches import apply_setting, climbed_switch

        situation, switch = apply_setting(item, setting), climbed_switch(item)
        steps = [(N_("head event"), setting.with_value(switch, "0"))]
        for number, (_level, concept) in enumerate(situation.steps, 1):
            steps.append((concept.text, setting.with_value(switch, str(number))))
        return steps

    def question(
        self, item: AbsItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """Whether a concept is valid, or the request to name one."""
        from core.benchmarks.abspyramid.questions import question

        return question(item, setting, layer, shots)

    def shot_layers(self, layer: str) -> Sequence[str]:
        """All layers with yes or no, so that both answers occur; for generation only its own."""
        return (GENERATION,) if layer == GENERATION else detection_layers()

    def score(self, question: Question, answer: Answer) -> Verdict:
        """Score by log-likelihood, or a named concept by whether it is one of the references."""
        if question.layer != GENERATION:
            return score_by_likelihood(question, answer)
        from core.answers.reader import read
        from core.benchmarks.abspyramid.predictions import first_line
        from core.benchmarks.abspyramid.pyramids import concept_key

        named = first_line(answer.text)
        # Quotes and markup are removed for this lookup only, not for BLEU, ROUGE and METEOR.
        key = concept_key(named.strip("\"'“”*_`. "))
        same = [i for i, text in enumerate(question.options) if concept_key(text) == key]
        same = same or list(read(answer.text, question.options, lettered=False).picked)
        return verdict_on(question, answer, Status.OK if named else Status.NO_ANSWER, (*same[:1],))

    def remark(self, verdict: Verdict) -> str:
        """How similar a generated concept is to the references."""
        if verdict.layer != GENERATION:
            return ""
        from core.benchmarks.abspyramid.predictions import first_line
        from core.benchmarks.abspyramid.pyramids import concept_key
        from core.benchmarks.abspyramid.scoring import nearest_reference

        nearest, similarity = nearest_reference(verdict)
        named = first_line(verdict.text)
        if not named:
            return _("It named nothing.")
        if not similarity:
            return _("It named “{named}”, which shares no word with any reference.", named=named)
        if similarity == 1 or concept_key(named) == concept_key(nearest):
            return _("It named “{named}”, which is one of the references.", named=named)
        return _(
            "It named “{named}”; nearest is “{nearest}” (ROUGE-L {likeness:.2f}).",
            named=named,
            nearest=nearest,
            likeness=similarity,
        )

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """Detection (pooled and by relation), beliefs by level, and generation."""
        from core.benchmarks.abspyramid.scoring import summarise

        return summarise(verdicts, profile, totals)
