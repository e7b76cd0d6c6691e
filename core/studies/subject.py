"""What a study is about: a loaded model, and one task layer's questions about a collection."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.blocks.alignment import Aligner
from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Form, Prompt, Question
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer, layer_id
from core.models.block_requests import Blocks
from core.models.blocks import BlockAccess
from core.models.inspectable import readable
from core.models.protocol import Model
from core.runs.asking import natural_form, prompt_of
from core.runs.common_setting import common_setting
from core.runs.questions import QuestionSource, check_ids
from core.runs.records import prompt_hash
from core.runs.shards import Shard
from core.studies.plan import METHOD, StudyPlan
from core.text.errors import SettingError
from core.text.language import _


@dataclass(frozen=True, slots=True)
class Case:
    """An item of the collection, with what it is asked."""

    item: Item
    setting: Setting
    question: Question
    prompt: Prompt
    cluster: str
    """Cases of one cluster are not independent: one family of stories, one graph, one event."""
    world: str = ""
    """In which of two worlds the item is asked about; empty where it is asked about in one."""

    @property
    def key(self) -> str:
        """What tells it from the other cases of a study."""
        return "/".join(filter(None, (self.question.layer, self.item.id, self.world)))


@dataclass(frozen=True, slots=True)
class Subject:
    """A model whose blocks can be read, and the questions of one task layer."""

    model: Model
    blocks: Blocks
    access: BlockAccess
    source: QuestionSource
    path: Path
    """Where the collection was opened from."""
    layer: TaskLayer
    form: Form
    _lengths: dict[str, int] = field(default_factory=dict)

    @classmethod
    async def of(
        cls,
        model: Model,
        source: QuestionSource,
        path: Path,
        layer: TaskLayer,
        form: Form | None = None,
    ) -> Subject:
        """The subject, for a model that is loaded; raises `ModelError` if no block can be read."""
        blocks, access = await readable(model)
        return cls(model, blocks, access, source, path, layer, form or natural_form(model.info))

    @property
    def benchmark(self) -> Benchmark:
        """Whose questions are put."""
        return self.source.benchmark

    def cases(self) -> list[Case]:
        """The items that the layer asks about, with one right option of several, in order.

        Raises `DataError` where two have the same id: what is measured is kept under it.
        """
        cases = [
            self._case(position, question)
            for position, question in self.source.questions(self.layer, None)
            if not question.open and not question.multiple and question.gold is not None
        ]
        check_ids(case.item.id for case in cases)
        return cases

    def items_of(self, shard: Shard) -> frozenset[str]:
        """The ids of a shard's items, which are those that the same shard of a run has."""
        ours = shard.positions(len(self.source.positions))
        return frozenset(self.source.collection.item(position).id for position in ours)

    def prompt(self, question: Question) -> Prompt:
        """A question as the model gets it."""
        return prompt_of(question, self.form, self.model.info)

    def aligner(self, case: Case) -> Aligner:
        """Finds the spans and the contrast prompt of a case."""
        return Aligner(
            self.blocks,
            self.benchmark,
            case.item,
            case.setting,
            case.question,
            self.prompt,
            self._length,
        )

    async def _length(self, sentence: str) -> int:
        """The tokens of a sentence as it stands inside a text, counted once."""
        if sentence not in self._lengths:
            tokens = await self.blocks.tokens(f" {sentence}", (" A",))
            self._lengths[sentence] = len(tokens)
        return self._lengths[sentence]

    def plan(self, kind: str, options: Mapping[str, str], seed: int = 0) -> StudyPlan:
        """The plan of a study of this subject; it reads every item."""
        info, source = self.model.info, self.source
        return StudyPlan(
            kind=kind,
            model=info.source if info.demo else info.name,
            fingerprint=info.fingerprint,
            benchmark=source.benchmark.name,
            collection=str(self.path),
            collection_hash=source.collection.content_hash,
            layer=self.layer.id,
            form=self.form,
            setting=tuple(common_setting(source).values.items()),
            options=tuple(sorted(options.items())),
            seed=seed,
            limit=source.limit,
            gpu_layers=info.gpu_layers,
            demo=info.demo,
            prompts=self._prompts_hash(),
            method=METHOD,
            exact=info.exact,
        )

    def _prompts_hash(self) -> str:
        digest = hashlib.sha256()
        for case in self.cases():
            asked = prompt_hash(case.prompt), case.item.id, *case.question.continuations()
            digest.update(json.dumps(asked).encode())
        return digest.hexdigest()

    def _case(self, position: int, question: Question) -> Case:
        item = self.source.collection.item(position)
        cluster = question.tags.get(self.benchmark.cluster_tag, "") or item.id
        setting = self.source.setting(item)
        return Case(item, setting, question, self.prompt(question), cluster)


def task_layer(source: QuestionSource, name: str | None) -> TaskLayer:
    """The layer with an id, or whose id alone begins so; by default the first with options to ask.

    Raises `NotFoundError`, `SettingError`.
    """
    layers = source.benchmark.layers
    if name is None:
        for layer in layers:
            questions = (question for _, question in source.questions(layer, None))
            if not layer.aside and any(not question.open for question in questions):
                return layer
        # Nothing is asked either where no item can take the setting, and this says so.
        common_setting(source)
        raise SettingError(_("No layer has options to choose among here."), where="--task-layer")
    by_id = {layer.id: layer for layer in layers}
    return by_id[layer_id(by_id, name)]
