"""How a run over a released collection is known: by a hash of its questions, or by their numbers.

The hash is that of `questions_hash`: of ids, questions and right answers. It is known where
the released files were at hand. Where they were not, the numbers of questions that the paper
prints have to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.runs.records import Run
from core.runs.store import Store


@dataclass(frozen=True, slots=True)
class ReleasedCollection:
    """What a benchmark's authors released, as far as a run over it shows."""

    counts: Mapping[str, int]
    """The number of questions by figure, or by what its name begins with before a colon."""
    layer: str = ""
    """The layer whose questions have `hash`; empty where no hash is known."""
    hash: str = ""
    items: int = 0
    """The number of items with a question in `layer`."""
    prompts: frozenset[str] = field(default_factory=frozenset)
    """The published names of the prompts that this program's questions have unless changed."""


_COM2_HARD = dict.fromkeys(("hard decision", "hard intervention", "hard counterfactual"), 418)
_COM2_MAIN = dict.fromkeys(
    (
        "main direct",
        "main decision",
        "main transition",
        "main intervention",
        "main counterfactual",
    ),
    500,
)
_ABSPYRAMID_PROMPTS = frozenset({"Abs. (Table 12)"})
RELEASED: Mapping[tuple[str, str], ReleasedCollection] = {
    ("gita", ""): ReleasedCollection(
        counts={},
        layer="story_class",
        hash="4c85e3b0b1d0acb2fa1493bdeb9c1e67c0093cf2940fd7a35c3612c3899247f0",
        items=356,
        prompts=frozenset({"the released tasks"}),
    ),
    ("com2", ""): ReleasedCollection(
        counts=_COM2_MAIN
        | _COM2_HARD
        | {"main average": 2500, "hard average": 1254, "overall": 3754},
        prompts=frozenset({"analysis first and then the answer (appendix B)"}),
    ),
    ("abspyramid", "test"): ReleasedCollection(
        counts={"noun": 9875, "verb": 5934, "event": 6247, "": 22056},
        prompts=_ABSPYRAMID_PROMPTS,
    ),
    ("abspyramid", "validation"): ReleasedCollection(
        counts={"noun": 9874, "verb": 5939, "event": 6237, "": 22050},
        prompts=_ABSPYRAMID_PROMPTS,
    ),
}
"""By benchmark and split; the split is empty where there is one only.

Sources: GITA, the 356 documents that all logs in the authors' repository share; Com², Table 1;
AbsPyramid, Table 1.
"""


def is_released(store: Store, run: Run) -> bool:
    """Whether a run is known to be over what its benchmark's authors released.

    Raises `RunError`.
    """
    released = RELEASED.get((run.plan.benchmark, ""))
    if released is None or not released.hash:
        return False
    return questions_hash(store, run.id, released.layer) == released.hash


def questions_hash(store: Store, run_id: str, layer: str) -> str:
    """SHA-256 of a layer's items, questions and right answers, in any order.

    Raises `RunError`.
    """
    rows = store.select(
        "SELECT item, digest, gold, golds FROM verdicts WHERE run = ? AND layer = ?",
        (run_id, layer),
    )
    asked = sorted(json.dumps(row) for row in rows)
    return hashlib.sha256("\n".join(asked).encode("utf-8", "replace")).hexdigest()
