"""What identifies a study: which model is measured about which questions, and how."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from core.contract.question import Form
from core.runs.columns import NamedValues
from core.runs.records import RunState

METHOD = 2
"""Raised when a study of the same plan would measure something else than before: its values are not
those of a study that was begun earlier. 2: the contrast prompt is the smallest valid change."""
_SINCE_METHOD_2 = ("prompts", "method", "exact")
"""Fields that plans of older programs lack."""


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
    setting: NamedValues = ()
    """Values set on every item, canonical and sorted, without defaults."""
    options: NamedValues = ()
    """The options of its kind of study, sorted by name."""
    seed: int = 0
    limit: int | None = None
    """Only the first so many items are looked at."""
    gpu_layers: int = 0
    demo: bool = False
    """Whether the model is the bundled demonstration model."""
    prompts: str = ""
    """SHA-256 of all prompts and options that the model gets about the items as they are."""
    method: int = 1
    exact: bool = False
    """Whether the model keeps keys and values as 32-bit numbers."""

    @property
    def id(self) -> str:
        """The kind, and a hash of all that is compared."""
        compared = msgspec.to_builtins(msgspec.structs.replace(self, model="", collection=""))
        if self.method == 1:
            compared = {k: v for k, v in compared.items() if k not in _SINCE_METHOD_2}
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
