"""ACCORD as a benchmark: questions with reasoning trees, asked hop by hop.

Readers and views are imported when they are used, which keeps the start of the program short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from core.benchmarks.accord.task_layers import HEADLINES, LAYERS
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.prompt_parts import PromptPart
from core.contract.question import Question, Shot, Verdict
from core.contract.review import Review, Suggestion
from core.contract.setting import Setting, Switch
from core.contract.summary import Inference, Summary, Totals, check_profile
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.text.language import N_, _

if TYPE_CHECKING:
    from core.benchmarks.accord.item import AccordItem


class Accord(Benchmark["AccordItem"]):
    """The benchmark, as the rest of the program knows it."""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "accord"
    cluster_tag: ClassVar[str] = "pairing"
    title: ClassVar[str] = "ACCORD"
    summary: ClassVar[str] = N_(
        "Reasoning trees: does a model follow statements hop by hop, or does it answer from memory?"
    )
    paper: ClassVar[str] = (
        "François Roewer-Després, Jinyue Feng, Zining Zhu and Frank Rudzicz (2024). ACCORD: "
        "Closing the Commonsense Measurability Gap."
    )
    layers: ClassVar[tuple[TaskLayer, ...]] = LAYERS
    headlines: ClassVar[Mapping[str, Sequence[str]]] = HEADLINES
    lettered_layers: ClassVar[Sequence[str]] = tuple(layer.id for layer in LAYERS)
    makes_remarks: ClassVar[bool] = True
    profiles: ClassVar[tuple[str, ...]] = ("paper", "parsed")
    profile_notes: ClassVar[Mapping[str, str]] = {
        "paper": N_("Every answer counts; one that cannot be read is wrong."),
        "parsed": N_("Only answers that could be read count."),
    }
    item_help: ClassVar[str] = N_("""
    ## The question and its statements

    The question to the model, and the statements that it must assume first, in the order in which
    it reads them. The letter before a statement is the answer that the statement is about. `◇`
    marks the implied answer and the statements that lead to it, `≁` a distractor, which leads
    nowhere. *Common sense* is the answer to the question alone.

    *Soundness* lists the requirements of the paper, met `✓` or not `✗`; *grounding* shows how each
    term was drawn.
    """)
    graph_help: ClassVar[str] = N_("""
    ## The reasoning tree

    The terms of the implied answer. Each link is a statement about two terms and shows their
    relation. `◆` is the term in the question, `◉` the answer, and the path lies between them. `≁`
    marks a term off the path; its dotted links are distractors.

    `f` folds the path one step at a time. The link `⇒` follows from the steps so far, which are
    cut (`╳`). Below the tree is the derivation of the term under the cursor.

    `+` `-` `d` `D` grow and cut the tree, which keeps its terms. *Added* marks the terms that the
    tree of 2 hops and 1 distractor does not have, `△` those on the path.
    """)
    reviewed: ClassVar[str] = "pairing templates"
    edit_help: ClassVar[str] = (
        "Write skill(term, source or target): surface, with {} twice and one [[positive|negative]]."
    )

    def samples(self) -> Path:
        """The bundled questions."""
        from core.files.shipped import samples

        return samples() / "accord"

    def open(self, path: Path) -> Collection[AccordItem]:
        """Open questions, a suite, a sweep or the authors' artefacts; raises `DataError`."""
        from core.benchmarks.accord.collection import open_collection
        from core.benchmarks.accord.suites.artefact_collection import is_artefacts, open_artefacts
        from core.benchmarks.accord.suites.collection import is_suite, open_suite
        from core.benchmarks.accord.suites.sweep import is_sweep, open_sweep

        if is_sweep(path):
            return open_sweep(path)
        if is_suite(path):
            return open_suite(path)
        return open_artefacts(path) if is_artefacts(path) else open_collection(path)

    def more_samples(self) -> Mapping[Path, str]:
        """A sweep over the bundled questions."""
        return {self.samples() / "sweep.yaml": N_("a grid of all hops and distractors")}

    def switches(self, item: AccordItem) -> tuple[Switch, ...]:
        """The implied answer, the tree, its grounding and its wording."""
        from core.benchmarks.accord.switches import switches

        return switches(item)

    def view(self, item: AccordItem, setting: Setting) -> View:
        """The tree, the question, the statements, the flags and the grounding."""
        from core.benchmarks.accord.view import view

        return view(item, setting)

    def contrasts(self, item: AccordItem, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """The factual item, then the anti-factual one for each other answer."""
        from core.benchmarks.accord.switches import implied_switch

        if not item.question.pairings or item.bare:
            return [("bare question", setting)]
        switch = implied_switch(item)
        first = item.question.answer
        labels = (first, *(label for label in item.question.labels if label != first))
        return [
            (
                f"{'factual' if label == first else 'anti-factual'}: {switch.name(label)}",
                setting.with_value(switch, label),
            )
            for label in labels
        ]

    def question(
        self, item: AccordItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """The bare question, a hop of the path, the whole tree, or the comparison."""
        from core.benchmarks.accord.questions import question

        return question(item, setting, layer, shots)

    def prompt_parts(
        self, item: AccordItem, setting: Setting, question: Question
    ) -> Sequence[PromptPart]:
        """The statements by hop or as distractors, and the options."""
        from core.benchmarks.accord.questions import prompt_parts

        return prompt_parts(item, setting, question)

    def question_in_order(
        self,
        item: AccordItem,
        setting: Setting,
        layer: str,
        order: Sequence[int],
        shots: Sequence[Shot] = (),
    ) -> Question | None:
        """The same with the texts of the choices beside other letters."""
        from core.benchmarks.accord.questions import question

        return question(item, setting, layer, shots, order)

    def skip_reason(self, item: AccordItem, setting: Setting, layer: str) -> str:
        """Why a hop cannot be asked."""
        from core.benchmarks.accord.questions import skip_reason

        return skip_reason(item, setting, layer)

    def remark(self, verdict: Verdict) -> str:
        """A sentence if the model answered from memory."""
        from core.benchmarks.accord.scoring import unfaithful

        if not unfaithful(verdict):
            return ""
        return _("Context unfaithful: it gave the default answer, and another one is implied.")

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """Accuracies of both variants, by hops, distractors and skills."""
        from core.benchmarks.accord.scoring import summarise

        check_profile(profile, self.profiles)
        return summarise(verdicts, profile, totals)

    def infer(self, verdicts: Sequence[Verdict], profile: str) -> Inference | None:
        """The factual minus anti-factual gap, and what each hop and distractor costs."""
        from core.benchmarks.accord.inference import infer

        return infer(verdicts, profile)

    def suggestions(self, item: AccordItem) -> Sequence[Suggestion]:
        """The question's pairing templates."""
        if item.suggested is None or item.reviews is None:
            return ()
        return item.reviews.suggestions(item.suggested)

    def review(self, item: AccordItem, suggestion: str, review: Review, text: str = "") -> None:
        """Store a person's decision about a pairing template; raises `DataError`."""
        if item.suggested is not None and item.reviews is not None:
            item.reviews.review(item.suggested, int(suggestion), review, text, item.grounds.skills)
