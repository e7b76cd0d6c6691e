"""GITA as a benchmark: Italian stories, asked about in three dependent layers.

Readers and views are imported when they are used, which keeps the start of the program short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from core.benchmarks.gita import questions, switches
from core.benchmarks.gita.item import StoryItem
from core.benchmarks.gita.profiles import PROFILES
from core.contract.authoring import Author
from core.contract.benchmark import Benchmark, LoggedDocument
from core.contract.collection import Collection
from core.contract.prompt_parts import PromptPart
from core.contract.question import Question, Shot, Verdict
from core.contract.setting import Setting, Switch
from core.contract.summary import Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import View
from core.text.language import N_


class Gita(Benchmark[StoryItem]):
    """The benchmark, as the rest of the program knows it."""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "gita"
    cluster_tag: ClassVar[str] = "story_id"
    title: ClassVar[str] = "GITA"
    summary: ClassVar[str] = N_(
        "Short Italian stories: is a story physically plausible, which sentences conflict, "
        "and which physical state makes them?"
    )
    paper: ClassVar[str] = (
        "Giulia Pensa, Ekhi Azurmendi, Julen Etxaniz, Begoña Altuna and Itziar Gonzalez-Dios "
        "(2024). GITA4CALAMITA - Evaluating the Physical Commonsense Understanding of Italian "
        "LLMs in a Multi-layered Approach: A CALAMITA Challenge. CLiC-it 2024."
    )
    layers: ClassVar[tuple[TaskLayer, ...]] = questions.LAYERS
    profiles: ClassVar[tuple[str, ...]] = tuple(PROFILES)
    profile_notes: ClassVar[Mapping[str, str]] = PROFILES
    item_help: ClassVar[str] = N_("""
    ## The story

    Its sentences. `●` brings about a state that `■` contradicts; there the story breaks. A line
    leads from the one to the other. `△` differs from the plausible story of the family. Where
    physical states are annotated, a table shows them before and after each sentence. Move a
    sentence, retype one, or show the next variant, and ask again.
    """)
    shot_traits: ClassVar[tuple[str, ...]] = questions.SHOT_TRAITS
    harness_tasks: ClassVar[Mapping[str, str]] = {
        questions.STORY: questions.STORY,
        questions.CONFLICT: questions.CONFLICT,
        questions.STATE: questions.STATE,
        # The names in CALAMITA-AILC/calamita-eval.
        "gita_story_class": questions.STORY,
        "gita_conflict_detect": questions.CONFLICT,
        "gita_physical_state": questions.STATE,
    }

    @property
    def author(self) -> Author | None:
        from core.benchmarks.gita.author import StoryAuthor

        return StoryAuthor()

    def samples(self) -> Path:
        from core.files.shipped import samples

        return samples() / "gita" / "stories.json"

    def open(self, path: Path) -> Collection[StoryItem]:
        from core.benchmarks.gita.collection import open_stories

        return open_stories(path)

    def switches(self, item: StoryItem) -> tuple[Switch, ...]:
        """The story's variant, order and texts, and the language of the instructions."""
        return (*switches.switches(item), questions.INSTRUCTIONS)

    def view(self, item: StoryItem, setting: Setting) -> View:
        from core.benchmarks.gita.view import view

        return view(item, questions.story_setting(setting))

    def contrasts(self, item: StoryItem, setting: Setting) -> Sequence[tuple[str, Setting]]:
        """The stories of the family as they were made: plausible, order and cloze."""
        kept = {k: v for k, v in setting.items() if k == questions.INSTRUCTIONS.key}
        return switches.contrasts(item, Setting.of(self.switches(item), kept))

    def question(
        self, item: StoryItem, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        return questions.question(item, setting, layer, shots)

    def prompt_parts(
        self, item: StoryItem, setting: Setting, question: Question
    ) -> Sequence[PromptPart]:
        """The sentences of the story: breakpoint, conflict, others."""
        return questions.prompt_parts(item, setting, question)

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        """Accuracy, Consistency and Verifiability, overall and by kind of story."""
        from core.benchmarks.gita.scoring import summarise

        return summarise(verdicts, profile, totals)

    def meets_every_layer(self, verdict: Verdict) -> bool:
        """Whether its story is implausible: in a plausible one there is no conflict to look for."""
        return verdict.tags.get("plausible") == "false"

    def from_harness(self, documents: Sequence[LoggedDocument]) -> Sequence[StoryItem]:
        from core.benchmarks.gita.logged_stories import items

        return items(documents)

    def logged_question(self, item: StoryItem, layer: str) -> Question | None:
        return questions.logged_question(item, layer)
