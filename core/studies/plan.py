"""What identifies a study: which model is measured about which questions, and how."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from core.contract.question import Form
from core.runs.records import RunState

Pairs = tuple[tuple[str, str], ...]


class StudyPlan(msgspec.Struct, frozen=True):
    """What a study measures. Equal plans give equal results."""

    kind: str
    """One of `core.studies.kinds.KINDS`."""
    model: str
    """The model's own name; ignored when plans are compared."""
    fingerprint: str
    benchmark: str
    collection: str
    """Where the items were; ignored when plans are compared."""
    collection_hash: str
    layer: str
    """Id of the task layer whose questions are put."""
    form: Form = Form.BASE
    setting: Pairs = ()
    """Values set on every item, canonical and sorted, without defaults."""
    options: Pairs = ()
    """The options of its kind of study, sorted by name."""
    seed: int = 0
    limit: int | None = None
    """Only the first so many items are looked at."""
    gpu_layers: int = 0
    demo: bool = False
    """Whether the model is the bundled demonstration model."""

    @property
    def id(self) -> str:
        """The kind, and a hash of all that is compared."""
        compared = msgspec.structs.replace(self, model="", collection="")
        digest = hashlib.sha256(msgspec.json.encode(compared, order="sorted")).hexdigest()
        return f"{self.kind}-{digest[:10]}"

    def option(self, name: str) -> str:
        """An option; empty if the study has none of this name."""
        return dict(self.options).get(name, "")


class Study(msgspec.Struct, frozen=True):
    """A recorded study."""

    id: str
    plan: StudyPlan
    state: RunState
    created: str
    """When it was started: ISO 8601, UTC."""
    result: dict[str, Any] | None = None
    """What the kind of study found; None until it is done."""
