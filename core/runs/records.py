"""A recorded run: its plan and its state."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from core.contract.prompt_template import PromptTemplate
from core.contract.question import Form, Prompt, Scoring, Verdict
from core.contract.summary import Totals
from core.contract.task_layer import MOST_LAYERS
from core.models.protocol import Sampling
from core.text.errors import RunError
from core.text.language import N_, _

if TYPE_CHECKING:
    from core.models.blocks import OptionRows

LOG_PREFIX = "log:"
"""Begins the fingerprint of an imported run, in the place of a model's: `log_hash` follows."""
BlockAnswers = tuple[tuple[int, ...], ...]
"""The options that each block's output would pick; empty for a tie or without a number."""


@dataclass(frozen=True, slots=True)
class RecordedBlocks:
    """What the blocks of a model said of one question."""

    answers: BlockAnswers
    """By the raw lens."""
    scores: OptionRows = ()
    """The log-likelihood of each option after each block, to 0.0001 nat; empty in runs that were
    recorded before it was."""


class RunState(StrEnum):
    """How far a run is."""

    RUNNING = N_("running")
    PAUSED = N_("paused")
    """Stopped before its end, by a person or because its program ended; it can go on."""
    DONE = N_("done")
    CANCELLED = N_("cancelled")
    IMPORTED = N_("imported")


@dataclass(frozen=True, slots=True)
class SkippedItems:
    """Items that a run skips: they cannot take its setting, or it makes them another item."""

    items: int
    of: int
    """All items that it would ask about without the setting."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run asks, which model, and how. Equal plans are the same run."""

    model: str
    """The model's own name; ignored when plans are compared."""
    fingerprint: str
    benchmark: str
    collection: str
    """Where the items were; ignored when plans are compared."""
    collection_hash: str
    form: Form = Form.BASE
    shots: int = 0
    shot_rule: str = ""
    """How worked examples are drawn; empty for none."""
    seed: int = 0
    setting: tuple[tuple[str, str], ...] = ()
    """Values set on every item, canonical and sorted, without defaults."""
    limit: int | None = None
    """Only the first so many items are asked."""
    demo: bool = False
    """Whether the model is the bundled demonstration model."""
    scoring: Scoring | None = None
    """How every answer is read; None for how each question prefers it."""
    blocks: int = 0
    """How many blocks of the model are read for every question; 0 where none are."""
    prompts: tuple[tuple[str, PromptTemplate], ...] = ()
    """A person's own wordings by layer, sorted; empty where all are the benchmark's."""
    origin: str = ""
    """Where the model's file was published, `hf:OWNER/REPO/FILE@COMMIT`; empty where that is not
    known. Ignored when plans are compared: the fingerprint identifies the weights."""
    server: str = ""
    """The address of the model's server, without a key; empty for any other model, and in what
    another store brought. Ignored when plans are compared: the fingerprint has it too."""
    sampling: Sampling = field(default_factory=Sampling)
    """How answers are written; `seed` is also that of drawing their tokens."""
    likelihoods: str = ""
    """How a server's log-likelihoods were got and how exact they are, "exact (echo)"; empty for
    other runs. Ignored when plans are compared."""
    skipped: SkippedItems | None = None
    """Follows from the setting and the items, so it is ignored when plans are compared; None where
    every item is asked about."""
    order: int = 0
    """The number of the order in which questions with letters show their options; 0 for the
    benchmark's own."""
    batch: int = 0
    """How many questions a local model is asked in one forward pass, which rounds differently; 0
    where each question is asked alone."""
    gpu_layers: int = 0
    """How many layers of the model an accelerator computes, which rounds differently."""
    chosen: tuple[int, ...] = ()
    """The positions of the items that are asked about, where a person chose some; empty for all.
    Worked examples are drawn as for all of them."""

    @property
    def draws(self) -> bool:
        """Whether the seed decides anything: the worked examples, or what the model writes.

        In an imported run it is that of the worked examples alone.
        """
        writing = self.sampling.temperature and not self.of_log
        return bool((self.shots and self.shot_rule) or writing)

    @property
    def of_log(self) -> bool:
        """Whether it is of an imported run, which is known by its log."""
        return self.fingerprint.startswith(LOG_PREFIX)


@dataclass(frozen=True, slots=True)
class Run:
    """A recorded run."""

    id: str
    plan: Plan
    state: RunState
    created: str
    """When it was started or imported: ISO 8601, UTC."""
    items: int = 0
    """How many items have a verdict."""
    verdicts: int = 0
    scorings: tuple[Scoring, ...] = ()
    """How the recorded answers were read."""
    notes: tuple[str, ...] = ()
    prior: bool = False
    """Whether the priors of its options are asked too."""
    computed_by: str = ""
    """The llama.cpp that computed its answers, and with how many threads; empty where there is
    none. No answer depends on the number of threads."""
    totals: Mapping[str, Totals] = field(default_factory=dict)
    """Right answers and questions of the layers whose verdicts were not recorded."""

    @property
    def ended(self) -> bool:
        """Whether it came to its end; one that stopped early may lack answers to any item."""
        return self.state in {RunState.DONE, RunState.IMPORTED}

    @property
    def imported(self) -> bool:
        """Whether another program asked its questions."""
        return self.state is RunState.IMPORTED

    @property
    def partial(self) -> bool:
        """Whether it asked only some of the items, or stopped before its end."""
        return not self.ended or self.plan.limit is not None or bool(self.plan.chosen)

    @property
    def read_by(self) -> tuple[Scoring, ...]:
        """How its answers were read; without answers, how the plan says they will be."""
        known = tuple(each for each in self.scorings if each is not Scoring.INFERRED)
        return known or tuple(filter(None, (self.plan.scoring,)))


def new_run_id(plan: Plan, taken: Collection[str]) -> str:
    """A short id that is not taken: benchmark, model, number."""
    stem = f"{_slug(plan.benchmark, 'run')}-{_slug(plan.model.rpartition('/')[2], 'model')}"
    return next(name for n in count(1) if (name := f"{stem}-{n}") not in taken)


def _slug(name: str, otherwise: str) -> str:
    """A name in lower-case letters, digits and single dashes: safe in a file name."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:32].strip("-") or otherwise


def log_hash(path: Path) -> str:
    """SHA-256 of a log: of a file, or of a folder's files with their names in it.

    Raises `RunError` when something in it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        path.stat()
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        for file in files:
            if file is not path:
                digest.update(file.relative_to(path).as_posix().encode("utf-8", "replace") + b"\0")
            with file.open("rb") as handle:
                digest.update(hashlib.file_digest(handle, "sha256").digest())
    except OSError as error:
        raise RunError(f"This cannot be read: {error.strerror}.", where=path) from error
    return digest.hexdigest()


def prompt_hash(prompt: Prompt) -> str:
    """SHA-256 of a prompt: of its text, or of its turns as JSON."""
    if not isinstance(prompt, str):
        prompt = json.dumps([[turn.role, turn.content] for turn in prompt])
    return hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()


def replace_surrogates(text: str) -> str:
    """Text that SQLite accepts: lone surrogates become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def verdict_key(verdict: Verdict) -> tuple[str, str]:
    """Layer and item as they are recorded; unique in a run."""
    return verdict.layer, replace_surrogates(verdict.item)


def check_recordable(verdicts: Iterable[Verdict], where: str) -> None:
    """Raise `RunError` for an item with two verdicts in one layer, and for too many layers."""
    counted = Counter(map(verdict_key, verdicts))
    if len({layer for layer, _item in counted}) > MOST_LAYERS:
        raise RunError(
            _("These verdicts are of more than {most:,} layers.", most=MOST_LAYERS), where=where
        )
    for (layer, item), times in counted.items():
        if times > 1:
            raise RunError(
                _(
                    "Item “{item}” occurs {count} times in layer {layer}.",
                    item=item,
                    count=times,
                    layer=layer,
                ),
                where=where,
                hint=_("An item has one verdict in a layer: give every item its own id."),
            )
