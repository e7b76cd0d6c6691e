"""The base class of every benchmark.

Screens, the runner, the exporters and lessons know a benchmark only through this class and the
other modules of this package. A package that names a subclass in the entry-point group
`commonsense_tui.benchmarks` can be browsed, toggled, asked, scored and exported without a line
changed elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic

from core.contract.authoring import Author
from core.contract.collection import Collection, ItemT
from core.contract.prompt_parts import PromptPart, placeholder_parts
from core.contract.question import Answer, Question, Shot, Verdict, score_by_likelihood
from core.contract.review import Review, Suggestion
from core.contract.setting import Setting, Switch
from core.contract.summary import Inference, Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import View

API_VERSION = 1
"""The version of this base class that a benchmark must state as its `api_version`. It is
incremented when a benchmark that was written for the class before would no longer work."""


@dataclass(frozen=True, slots=True)
class LoggedDocument:
    """A document in a log of lm-evaluation-harness."""

    where: str
    """`file:line` of its first occurrence."""
    fields: Mapping[str, Any]


class Benchmark(ABC, Generic[ItemT]):
    """A benchmark: pure functions from items to views, questions, verdicts and figures.

    Subclasses define the class attributes without a value and the abstract methods. The defaults
    of all others mean that the benchmark does not offer this. `Benchmark` without a parameter is
    one whose kind of items is not known: it is given items of its own collections only.
    """

    api_version: ClassVar[int]
    """The `API_VERSION` for which the benchmark was written, as a number."""
    name: ClassVar[str]
    """The name that is typed on the command line."""
    title: ClassVar[str]
    summary: ClassVar[str]
    """The subject of the benchmark, in one sentence."""
    paper: ClassVar[str] = ""
    """What to cite for its prompts and rules, beginning with the authors before the first bracket;
    empty where there is no such paper."""
    layers: ClassVar[tuple[TaskLayer, ...]]
    profiles: ClassVar[tuple[str, ...]]
    """Scoring profiles, the default first."""

    profile_notes: ClassVar[Mapping[str, str]] = {}
    """One line on each scoring profile, by its name."""
    item_help: ClassVar[str] = ""
    """Help on every sign in the views of items, in Markdown."""
    graph_help: ClassVar[str] = ""
    """Help on the graphs of the views, in Markdown."""
    shot_traits: ClassVar[tuple[str, ...]] = ()
    """Tags of a question in which its worked examples should differ, the most important first."""
    shots_agree: ClassVar[str] = ""
    """A tag whose value is the same in a question and its worked examples from several layers."""
    shots_differ: ClassVar[str] = ""
    """A tag in which worked examples from several layers must differ from the question."""
    cluster_tag: ClassVar[str] = ""
    """A tag that dependent questions share, such as that of a family of stories. Intervals of
    comparisons resample by it; empty if the questions about one item alone are dependent."""
    headlines: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Figures for lists of runs: for each title, the ids of the layers that it counts together.
    The first one with answers is shown. If there are none, each layer is a figure by itself."""
    lettered_layers: ClassVar[Sequence[str]] = ()
    """Ids of the layers whose prompts show the options with letters, in an order that
    `question_in_order` can change."""
    harness_tasks: ClassVar[Mapping[str, str]] = {}
    """Ids of layers by the names of their tasks in lm-evaluation-harness, whose logs can then be
    imported with `from_harness` and `logged_question`."""
    makes_remarks: ClassVar[bool] = False
    """Whether `remark` may return a sentence."""
    can_save: ClassVar[bool] = False
    """Whether `save` is implemented."""
    reviewed: ClassVar[str] = ""
    """What a person may review, in two words ("pairing templates"); empty without `review`."""
    edit_help: ClassVar[str] = ""
    """How an edited suggestion must be written, in a sentence."""

    @abstractmethod
    def samples(self) -> Path:
        """The collection that ships with the benchmark."""

    def more_samples(self) -> Mapping[Path, str]:
        """Further collections that ship with the benchmark, and what each is in a few words."""
        return {}

    @abstractmethod
    def open(self, path: Path) -> Collection[ItemT]:
        """Open a file or folder; raises `DataError` when nothing in it can be read."""

    def recognises(self, path: Path) -> bool:
        """Whether the beginning of a file or folder shows that it belongs to this benchmark.

        Large data is then not tried by other benchmarks first. False also means "not known".
        """
        return False

    @abstractmethod
    def switches(self, item: ItemT) -> tuple[Switch, ...]:
        """What may be toggled on an item."""

    @abstractmethod
    def view(self, item: ItemT, setting: Setting) -> View:
        """What the item looks like under a setting. Pure."""

    def contrasts(self, item: ItemT, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """Labels and settings of the states to show beside the present one, in order. Pure.

        The present setting may be among them, which gives it a label.
        """
        return ()

    @abstractmethod
    def question(
        self, item: ItemT, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """The question of a layer under a setting; None where it has nothing to ask. Pure."""

    def question_in_order(
        self,
        item: ItemT,
        setting: Setting,
        layer: str,
        order: Sequence[int],
        shots: Sequence[Shot] = (),
    ) -> Question | None:
        """The question of one of `lettered_layers` with its options in another order. Pure.

        `order` has the index of the option that is shown at each place; `Question.order` repeats
        it. Raises `SettingError` where the setting fixes the order.
        """
        raise NotImplementedError

    def prompt_parts(
        self, item: ItemT, setting: Setting, question: Question
    ) -> Sequence[PromptPart]:
        """The parts of a question's text by their role in the item, in order. Pure.

        By default those that fill the placeholders of the wording, with their names as roles.
        """
        return placeholder_parts(question)

    def skip_reason(self, item: ItemT, setting: Setting, layer: str) -> str:
        """Why a layer has nothing to ask, in a sentence; empty where that is obvious."""
        return ""

    def shot_layers(self, layer: str) -> Sequence[str]:
        """The layers whose questions are worked examples for a layer.

        Where a layer's right answer is always the same, its own examples would give it away.
        Empty for the layer alone, chosen without regard to `shots_agree` and `shots_differ`.
        """
        return ()

    def score(self, question: Question, answer: Answer) -> Verdict:
        """Score an answer, by default by log-likelihood. Pure."""
        return score_by_likelihood(question, answer)

    def remark(self, verdict: Verdict) -> str:
        """A sentence on what an answer shows beyond right or wrong; may be empty. Pure."""
        return ""

    @abstractmethod
    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """The benchmark's own figures over a run's verdicts, given in run order.

        `totals` stands in for layers whose verdicts were not recorded.
        """

    def meets_every_layer(self, verdict: Verdict) -> bool:
        """Whether every layer has something to ask about the item of a verdict.

        Where layers are gated, the plot of what is left after each counts no other items.
        """
        return True

    def infer(self, verdicts: Sequence[Verdict], profile: str) -> Inference | None:
        """What follows from a run's verdicts by models that take longer than `summarise`, if any.

        It is computed where a run is shown, not while it goes.
        """
        return None

    @property
    def author(self) -> Author | None:
        """Leads a person through writing an item of their own."""
        return None

    def save(self, item: ItemT, setting: Setting) -> Path:
        """Write the item as it is under a setting to the person's own collection.

        Returns the file; raises `DataError` or `SettingError` when it cannot be written.
        """
        raise NotImplementedError

    def suggestions(self, item: ItemT) -> Sequence[Suggestion]:
        """What there is to review about an item, decided or not, in order."""
        return ()

    def review(self, item: ItemT, suggestion: str, review: Review, text: str = "") -> None:
        """Store a person's decision about a suggestion, given by its id.

        `text` replaces that of an edited one. The collection gives the item as decided from then
        on. Raises `DataError`.
        """
        raise NotImplementedError

    def from_harness(self, documents: Sequence[LoggedDocument]) -> Sequence[ItemT]:
        """One item for each document of a log, in order, with new ids.

        Raises `DataError` naming the first document that is not as expected.
        """
        raise NotImplementedError

    def logged_question(self, item: ItemT, layer: str) -> Question | None:
        """The question that a harness task asked of an item from its log, if any. Pure."""
        raise NotImplementedError
