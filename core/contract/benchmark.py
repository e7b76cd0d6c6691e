"""The contract that every benchmark fulfils.

Screens, the runner, the exporters and lessons know a benchmark only through this module. A
package that defines a `Benchmark` and names it in the entry-point group
`commonsense_tui.benchmarks` can be browsed, toggled, asked, scored and exported without a line
changed elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from core.contract.question import Answer, Question, Shot, Verdict
from core.contract.setting import Setting, Switch
from core.contract.summary import Summary
from core.contract.view import View
from core.text.errors import DataError
from core.text.language import numbered


@dataclass(frozen=True, slots=True)
class TaskLayer:
    """One task layer: a sub-question that a benchmark asks of an item."""

    id: str
    title: str
    asks: str
    """The sub-question in a person's words ("Is the story plausible?")."""
    gated: bool = False
    """Whether a run asks it only of items that were right in the layer before."""
    optional: bool = False
    """Whether a ladder leaves it out where it has nothing to ask."""
    aside: bool = False
    """Whether it is asked beside the ladder, to compare: it neither fails nor counts."""
    fault: str = ""
    """What a model does that is wrong there, told of one that is right elsewhere ("says yes where
    no is right"); empty where being wrong says nothing about that."""

    @property
    def shown(self) -> str:
        """Its title in the language that is spoken."""
        return numbered(self.title)


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection's line about one item: enough to list it without opening it."""

    id: str
    label: str
    detail: str = ""
    group: str = ""
    """Entries that follow each other with the same group are shown as one family."""


@dataclass(frozen=True, slots=True)
class About:
    """Where a collection comes from and what one may do with it."""

    title: str
    origin: str = ""
    licence: str = "unknown"
    citation: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """A defect that was read without loss, and how it was repaired."""

    where: str
    what: str


class Item(Protocol):
    """One thing to look at."""

    @property
    def id(self) -> str:
        """The item's id, unique in its collection."""
        ...


class Collection(Protocol):
    """A file of items, opened lazily: entries are cheap, items are decoded when asked for.

    It is read from several threads. Ids of items are unique in it.
    """

    @property
    def about(self) -> About:
        """Origin, licence and citation."""
        ...

    @property
    def repairs(self) -> Sequence[Repair]:
        """Defects repaired on reading."""
        ...

    @property
    def errors(self) -> Sequence[DataError]:
        """Items that could not be read; the others are there."""
        ...

    @property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal of what was opened: equal exactly where the items are equal.

        Runs are recorded under it. It may be computed when it is first asked for. Raises
        `DataError` when the items are no longer those that were opened.
        """
        ...

    def __len__(self) -> int:
        """How many items there are."""
        ...

    def entry(self, index: int) -> Entry:
        """The line about the item at a position."""
        ...

    def item(self, index: int) -> Any:
        """The item at a position, as the benchmark that opened the collection knows it."""
        ...

    def find(self, item_id: str) -> int:
        """The position of an id; raises `NotFoundError` naming the nearest ids."""
        ...

    def matching(self, text: str) -> Sequence[int]:
        """Positions of the items whose id or text contains `text`, ignoring case, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step of making an item of one's own: a switch to set, with its explanation."""

    switch: Switch
    help: str
    problem: str = ""
    """Why the answer that was given cannot stand; empty where none was given."""


class Author(Protocol):
    """How a person makes an item of their own, a step at a time.

    The answers so far are all the state there is, so a draft can be stored and resumed.
    """

    def next_step(self, answers: Mapping[str, str]) -> Step | None:
        """The first step that `answers` does not settle; None when the draft is complete."""
        ...

    def preview(self, answers: Mapping[str, str]) -> View:
        """What the draft looks like so far."""
        ...

    def save(self, answers: Mapping[str, str], path: Path) -> tuple[str, ...]:
        """Add the finished items to the collection at `path`; return their ids."""
        ...


@dataclass(frozen=True, slots=True)
class Totals:
    """Right answers and questions of a layer known only as a total, without single verdicts."""

    right: int
    n: int


class Benchmark(Protocol):
    """One benchmark: pure functions from items to views, questions, verdicts and figures."""

    name: ClassVar[str]
    """As typed on the command line."""
    title: ClassVar[str]
    summary: ClassVar[str]
    """What the benchmark is about, in one sentence."""
    layers: ClassVar[tuple[TaskLayer, ...]]
    profiles: ClassVar[tuple[str, ...]]
    """Scoring profiles, the default first."""

    @property
    def author(self) -> Author | None:
        """How to make an item of one's own; None where that is not offered."""
        ...

    def samples(self) -> Path:
        """The collection that ships with the program."""
        ...

    def open(self, path: Path) -> Collection:
        """Open a file or folder; raises `DataError` when nothing in it can be read."""
        ...

    def switches(self, item: Any) -> tuple[Switch, ...]:
        """What may be toggled on an item."""
        ...

    def view(self, item: Any, setting: Setting) -> View:
        """What a setting of the item looks like. Pure."""
        ...

    def question(
        self, item: Any, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        """What a layer asks under a setting; None where it has nothing to ask. Pure."""
        ...

    def score(self, question: Question, answer: Answer) -> Verdict:
        """Judge an answer. Pure."""
        ...

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """The benchmark's own figures over a run's verdicts, in run order.

        `totals` stands in for layers whose verdicts were not recorded.
        """
        ...


@dataclass(frozen=True, slots=True)
class LoggedDocument:
    """A document of an evaluation harness' log."""

    where: str
    """`file:line` of its first occurrence."""
    fields: Mapping[str, Any]


@runtime_checkable
class HarnessBenchmark(Protocol):
    """What a benchmark may add so that logs of lm-evaluation-harness can be imported."""

    harness_tasks: ClassVar[Mapping[str, str]]
    """The layer that each task of the harness is, by the task's name."""

    def from_harness(self, documents: Sequence[LoggedDocument]) -> Sequence[Any]:
        """The item of each document of a log, in order, with ids of their own.

        Raises `DataError` naming the first document that is not as expected.
        """
        ...

    def logged_question(self, item: Any, layer: str) -> Question | None:
        """What the task asked of an item that its log has; None where it cannot have. Pure."""
        ...


@runtime_checkable
class VariedShots(Protocol):
    """What a benchmark may add so that worked examples can be chosen for their variability."""

    shot_traits: ClassVar[tuple[str, ...]]
    """Tags of a question in which worked examples should differ, the most important first."""


@runtime_checkable
class SharedShots(Protocol):
    """What a benchmark may add so that worked examples come from several layers.

    Where a layer's right answer is always the same, examples of that layer alone would tell it.
    """

    shots_agree: ClassVar[str]
    """A tag: a question and its worked examples have the same value of it."""
    shots_differ: ClassVar[str]
    """A tag: no worked example has the question's value of it."""

    def shot_layers(self, layer: str) -> Sequence[str]:
        """The layers whose questions are worked examples for those of a layer."""
        ...


@runtime_checkable
class Recognising(Protocol):
    """What a benchmark may add so that large data of its own is not first tried by others."""

    def recognises(self, path: Path) -> bool:
        """Whether data is its own by a look at the beginning; False where that does not tell."""
        ...


@runtime_checkable
class ExplainedProfiles(Protocol):
    """What a benchmark may add so that a person knows what its scoring profiles are."""

    profile_notes: ClassVar[Mapping[str, str]]
    """What each profile does, in a line, by its name."""


@runtime_checkable
class ExplainedViews(Protocol):
    """What a benchmark may add so that help says what its views show: every sign, in Markdown."""

    item_help: ClassVar[str]
    graph_help: ClassVar[str]
    """Of the graphs of its views; empty where it has none."""


@runtime_checkable
class ShipsMore(Protocol):
    """What a benchmark may add so that more than one bundled collection is offered."""

    def also_shipped(self) -> Sequence[Path]:
        """The collections that ship with the program beside `Benchmark.samples`."""
        ...


@runtime_checkable
class Remarks(Protocol):
    """What a benchmark may add so that a verdict is named for what it shows."""

    def remark(self, verdict: Verdict) -> str:
        """What an answer shows beyond right or wrong, in a sentence; empty where nothing. Pure."""
        ...


@runtime_checkable
class TellsSilence(Protocol):
    """What a benchmark may add so that a layer with nothing to ask says why."""

    def skip_reason(self, item: Any, setting: Setting, layer: str) -> str:
        """Why a layer has nothing to ask, in a sentence; empty where that goes without saying."""
        ...


@runtime_checkable
class Saving(Protocol):
    """What a benchmark may add so that an item under a setting becomes an item of one's own."""

    def save(self, item: Any, setting: Setting) -> Path:
        """Write the item as it is under the setting to the person's own collection.

        Returns the file; raises `DataError` or `SettingError` when it cannot be written.
        """
        ...


class Review(StrEnum):
    """What a person can say of a suggestion."""

    CONFIRM = "confirm"
    EDIT = "edit"
    REJECT = "reject"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something of an item that a person wrote or is to look at."""

    id: str
    text: str
    """As it would be edited."""
    state: str
    """"unreviewed", "confirmed" and so on, in a word or two."""
    decided: bool
    """Whether a person has decided about it."""


@runtime_checkable
class Reviewing(Protocol):
    """What a benchmark may add so that what the program suggests is reviewed by a person."""

    reviewed: ClassVar[str]
    """What is reviewed, in two words ("pairing templates")."""
    edited_as: ClassVar[str]
    """How what is edited must be written, in a sentence."""

    def suggestions(self, item: Any) -> Sequence[Suggestion]:
        """What there is to review of an item, decided or not, in order."""
        ...

    def review(self, item: Any, suggestion: str, review: Review, text: str = "") -> None:
        """Keep what a person says of a suggestion; `text` is what they made of an edited one.

        The collection gives the item as decided from then on. Raises `DataError`.
        """
        ...


@runtime_checkable
class Contrasting(Protocol):
    """What a benchmark may add so that states of an item are exported side by side."""

    def contrasts(self, item: Any, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """The states that belong beside a setting, each with what to call it, in order. Pure.

        The setting itself may be one of them, which tells what to call it.
        """
        ...
