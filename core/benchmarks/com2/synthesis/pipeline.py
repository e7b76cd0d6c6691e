"""The synthesis of items with a model: events, chains, graph, question and slow thinking.

Every item ends as a YAML file or as a rejection with its reason, and every reply of the model is
recorded in `provenance.jsonl` beside the items. The same command resumes a stopped run: no attempt
in the provenance is asked again, and the seed alone decides what is asked.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.synthesis.attempts import Asker, AttemptKey, known_replies
from core.benchmarks.com2.synthesis.formatting import numbered
from core.benchmarks.com2.synthesis.one_item import Request, keep_item, make_case, make_scenario
from core.benchmarks.com2.synthesis.provenance import Journal, Outcome, Plan, Section
from core.benchmarks.com2.synthesis.reply_reader import read_events
from core.benchmarks.com2.synthesis.requirements import LONGEST_EVENT, check_text
from core.benchmarks.com2.synthesis.shots import Shots
from core.benchmarks.com2.synthesis.stages import Make, Stage, stage_wording
from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.ordered_work import in_order
from core.benchmarks.generation.rejection import Reason, Rejected
from core.benchmarks.generation.reply import Reply
from core.contract.question import Form
from core.files.atomic import make_private_folder
from core.files.folder_lock import lock_folder
from core.models.protocol import Ability, Model
from core.text.errors import ConfigError, DataError, ModelError

JOURNAL = "provenance.jsonl"
SHOTS = 8
"""Number of example events in a prompt for event proposal."""
_BATCHES = 3
"""Most proposals in a row without a new event."""


@dataclass(slots=True)
class Synthesis:
    """Makes items in a folder with a model.

    Worked examples are drawn from `shots`; `now` gives the time to record. Raises `ModelError` for
    a model that cannot generate, and `ConfigError` for too few examples.
    """

    model: Model
    folder: Path
    request: Request
    shots: Shots
    form: Form
    now: Callable[[], str]
    at_once: Callable[[], int] = lambda: 1
    """How many items are made at the same time."""
    _known: Mapping[AttemptKey, Reply] = field(init=False)
    _journal: Journal = field(init=False)
    _pool: list[str] = field(init=False, default_factory=list)
    _used: set[str] = field(init=False, default_factory=set)
    _batch: int = field(init=False, default=0)
    _proposing: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        check_writes(self.model, self.form)
        if len(self.shots.events) < SHOTS:
            raise ConfigError(
                f"{len(self.shots.events)} events are too few to show as examples.",
                hint=f"Give a graph with {SHOTS} events or more.",
            )

    async def run(self) -> AsyncGenerator[Outcome, None]:
        """Make the items; yields the outcome of each, including those of earlier runs.

        Raises `ModelError`, after which the run can be resumed, `ConfigError` where the folder
        belongs to another run, and `DataError` where another program writes it.
        """
        stages = self.request.make.stages
        plan = plan_of(self.request, self.model, self.form, stages, self.shots.digest)
        with open_journal(self.folder, plan) as self._journal:
            self._known = known_replies(self._journal)
            async with aclosing(self._outcomes()) as outcomes:
                async for outcome in outcomes:
                    yield outcome

    async def _outcomes(self) -> AsyncGenerator[Outcome, None]:
        numbers = range(1, self.request.count + 1)
        items = [f"{self.request.make}-{number:04d}" for number in numbers]
        settled = {outcome.item: outcome for outcome in self._journal.outcomes()}

        async def make(item_id: str) -> Outcome:
            with self._journal.section() as section:
                return await self._make(item_id, settled.get(item_id), section)

        async with aclosing(in_order(make, items, self.at_once)) as outcomes:
            async for outcome in outcomes:
                yield outcome

    async def _make(self, item_id: str, known: Outcome | None, section: Section) -> Outcome:
        """Make an item; one with a known outcome only takes its event from the pool."""
        asker = Asker(
            self.model,
            self.form,
            section,
            self.now,
            self.request.tries,
            self.request.seed,
            self.shots.examples,
            self._known,
        )
        if known is not None:
            with suppress(Rejected):
                await self._root(asker)
            return known
        return await keep_item(self._item(asker, item_id), asker, item_id, self.folder)

    async def _item(self, asker: Asker, item_id: str) -> Com2Item:
        """Raises `Rejected`."""
        root = await self._root(asker)
        rng = Random(f"{self.request.seed}:{item_id}")
        making = make_case if self.request.make is Make.CASE else make_scenario
        return await making(asker, item_id, self.request, root, rng)

    async def _root(self, asker: Asker) -> str:
        """The next proposed event; asks for more when none is left.

        Raises `Rejected` when the model proposes no new ones.
        """
        stage = self.request.make.stages[0]
        rejected = Rejected(Reason.REPEATED, "The model proposes no new event.")
        # The lock is fair, so items take their events in their order.
        async with self._proposing:
            for _ in range(_BATCHES):
                if self._pool:
                    break
                self._batch += 1
                rng = Random(f"{self.request.seed}:{stage}:{self._batch}")
                shown = rng.sample(list(self.shots.events), SHOTS)
                values = {"events": numbered(shown), "next": str(SHOTS + 1)}
                name = f"{stage}-{self._batch:04d}"
                try:
                    self._pool += await asker.ask(
                        name, stage, values, self._read_events, open_end=True
                    )
                except Rejected as error:
                    rejected = error
            if not self._pool:
                raise rejected
            return self._pool.pop(0)

    def _read_events(self, text: str) -> list[str]:
        """The new, well-formed events of a reply; raises `Rejected` without any."""
        fresh: list[str] = []
        problem = Rejected(Reason.REPEATED, "There is no new event.")
        known = self._used | {normalise(event) for event in self.shots.events}
        for proposal in read_events(text).events:
            event = proposal.rstrip(".").strip()
            try:
                check_text(event, LONGEST_EVENT, "An event")
                if len(event.split()) < 2:
                    raise Rejected(Reason.TEXT, f"“{event}” is no sentence.")
            except Rejected as error:
                problem = error
                continue
            if normalise(event) not in known:
                known.add(normalise(event))
                fresh.append(event)
        if not fresh:
            raise problem
        self._used |= {normalise(event) for event in fresh}
        return fresh


def check_writes(model: Model, form: Form) -> None:
    """Raise `ModelError` for a model that cannot generate in this form."""
    needed = Ability.CHAT if form is Form.CHAT else Ability.GENERATE
    if not {Ability.GENERATE, needed} <= model.info.abilities:
        what = "takes no turns" if needed is Ability.CHAT else "cannot write"
        raise ModelError(f"This model {what}.", where=model.info.source, hint="Choose another.")


@contextmanager
def open_journal(folder: Path, plan: Plan) -> Iterator[Journal]:
    """The journal of a folder, which other programs leave alone meanwhile.

    Raises `ConfigError` where it belongs to another plan, and `DataError` where another program
    writes there.
    """
    try:
        make_private_folder(folder)
        lock = lock_folder(folder, "Another program is writing these items.")
    except OSError as error:
        raise DataError(f"Nothing can be written here: {error.strerror}.", where=folder) from error
    with lock:
        journal = Journal(folder / JOURNAL)
        if journal.plan is None:
            journal.add(plan)
        elif journal.plan != plan:
            raise ConfigError(
                "This folder was begun with another model, seed, kind, form, wording or examples.",
                where=folder,
                hint="Name another folder, or give the command as it was.",
            )
        yield journal


def plan_of(
    request: Request, model: Model, form: Form, stages: Sequence[Stage], given: str
) -> Plan:
    """The plan of a request; `given` is the digest of what the model is shown besides prompts."""
    info = model.info
    return Plan(
        kind=request.make.value,
        seed=request.seed,
        form=form.value,
        model=info.name,
        fingerprint=info.fingerprint,
        source=info.source,
        quantisation=info.quantisation,
        parameters=info.parameters,
        wordings={stage.value: stage_wording(stage).digest for stage in stages},
        shots=given,
        tries=request.tries,
        thinking=request.thinking,
    )


async def synthesise(work: Synthesis, on_outcome: Callable[[Outcome], None]) -> Counter[str]:
    """Run to the end; returns the number of accepted items, and of rejections by reason."""
    counts: Counter[str] = Counter()
    async with aclosing(work.run()) as outcomes:
        async for outcome in outcomes:
            counts["accepted" if outcome.accepted else f"{outcome.stage}: {outcome.reason}"] += 1
            on_outcome(outcome)
    return counts
