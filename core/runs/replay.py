"""Opens a recorded run as a model that repeats its answers, and matches its verdicts to items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Answer, Form, Scoring, Status, Verdict
from core.models.protocol import ModelInfo
from core.models.replay import REPLAY_PREFIX, ReplayModel
from core.runs.option_order import as_shown
from core.runs.questions import QuestionSource, recorded_source
from core.runs.records import Plan, Run, replace_surrogates
from core.runs.store import Store
from core.text.errors import DataError, SettingError
from core.text.language import _, ngettext
from core.text.quantities import chosen_in_words, questions_in_words

_DAY = len("2026-01-31")


def replay(store: Path, run_id: str) -> ReplayModel:
    """A model that repeats the answers of a run; raises `NotFoundError` for an unknown run.

    Inferred verdicts cannot be replayed, nor those of which only a grade was recorded.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        verdicts = opened.verdicts(run.id)
    record = {}
    for v in verdicts:
        if v.digest and (v.scores or v.scoring.written):
            # Letters keep their order: only the texts beside them were shuffled.
            for options in {v.options, as_shown(v.options, v.order)}:
                record[v.digest, v.layer, options] = _answer(v)
    return ReplayModel(
        run.plan.model,
        record,
        source=f"{REPLAY_PREFIX}{run.id}",
        fingerprint=f"{REPLAY_PREFIX}{run.plan.fingerprint}",
        recorded=_("run {id}, {conditions}", id=run.id, conditions=conditions(run.plan)),
        demo=run.plan.demo,
    )


def recorded_on(store: Path, info: ModelInfo) -> str:
    """The day (UTC) on which the run that a model replays was started; empty for other models.

    Raises `NotFoundError` for an unknown run.
    """
    run_id = replayed_run(info)
    if not run_id:
        return ""
    with Store(store, create=False) as opened:
        return opened.run(run_id).created[:_DAY]


def replayed_run(info: ModelInfo) -> str:
    """The id of the run that a model replays; empty for other models."""
    run_id = info.source.removeprefix(REPLAY_PREFIX)
    return run_id if info.recorded and run_id != info.source else ""


def fullest_run(store: Path, info: ModelInfo, collection: Collection, form: Form) -> Run | None:
    """A model's run over a collection as it is that has the most answers; None without one.

    That is a run in this form under no setting, in the benchmark's own order and wording: the
    newest that asked all items to the end, else the newest of those that asked about the most.
    """
    with Store(store, create=False) as opened:
        runs = opened.runs_of(info.fingerprint, collection.content_hash)
    plain = [
        run
        for run in runs
        if run.plan.form is form
        and run.verdicts
        and not (run.plan.setting or run.plan.order or run.plan.prompts)
    ]
    return max(plain, key=lambda run: (not run.partial, run.items), default=None)


@dataclass(frozen=True, slots=True)
class RecordedAnswers:
    """A run's answers about items as they are in a collection."""

    verdicts: Sequence[Verdict]
    whole: bool
    """Whether the run has ended, even if it asked some of the items only."""
    partly_asked: frozenset[str]
    """The recorded ids of items of which a complete run asked some counted layers only: another
    program may ask a single one, and other orders of options concern layers with letters."""
    source: QuestionSource
    """The questions of the run about the items of the collection."""
    asked_as: str
    """How the run was asked, in a few words."""


def answers_on(
    store: Path, run_id: str, benchmark: Benchmark, collection: Collection
) -> RecordedAnswers:
    """A run's answers about the unchanged items of a collection.

    An item about which the run asked something else, in another file, is left out with all of its
    verdicts. Raises `RunError`, and `NotFoundError` for an unknown run.
    """
    with Store(store, create=False) as opened:
        run = opened.run(run_id)
        recorded = opened.verdicts(run_id) if run.plan.benchmark == benchmark.name else []
    by_item = defaultdict(list)
    for verdict in recorded:
        by_item[verdict.item].append(verdict)
    source = recorded_source(run.plan, benchmark, collection)
    occurring = {verdict.layer for verdict in recorded}
    may_lack = run.ended and (run.imported or bool(run.plan.order))
    counted = {layer.id for layer in benchmark.layers if not layer.aside and may_lack}
    layers = [layer.id for layer in benchmark.layers if layer.id in occurring | counted]
    verdicts: list[Verdict] = []
    partly_asked = set()
    same = collection.content_hash == run.plan.collection_hash
    positions = source.positions if same else range(len(collection))
    for position in positions if by_item else ():
        try:
            # A setting may show a variant, which has an id of its own.
            if source.values or replace_surrogates(collection.entry(position).id) in by_item:
                known, lacking = _answers_about(collection.item(position), source, layers, by_item)
                verdicts += known
                if lacking & counted:
                    partly_asked |= {replace_surrogates(verdict.item) for verdict in known}
        except (DataError, SettingError):
            continue
    return RecordedAnswers(
        verdicts, run.ended, frozenset(partly_asked), source, conditions(run.plan)
    )


def _answers_about(
    item: Item,
    source: QuestionSource,
    layers: Sequence[str],
    by_item: Mapping[str, Sequence[Verdict]],
) -> tuple[Sequence[Verdict], set[str]]:
    """The verdicts about an item, and the layers that ask something but have none.

    There are no verdicts unless each answers what its layer asks.

    Raises `SettingError` for an item that cannot take the setting of the run.
    """
    setting = source.setting(item)
    asked = (source.asked(item, setting, layer) for layer in layers)
    digests = {each.layer: (each.item, each.digest()) for each in asked if each is not None}
    names = {replace_surrogates(name) for name, _digest in digests.values()}
    known = [verdict for name in names for verdict in by_item.get(name, ())]
    own = {layer: digest for layer, (_name, digest) in digests.items()}
    if not all(own.get(each.layer) == each.digest for each in known):
        known = []
    return known, own.keys() - {each.layer for each in known}


def conditions(plan: Plan, read_by: Sequence[Scoring] = ()) -> str:
    """How a run was asked, in a few words: "3-shot, base prompt, generated answers".

    `read_by` is how answers were read where the plan leaves that to the questions.
    """
    sampling = plan.sampling
    scorings = (plan.scoring,) if plan.scoring else read_by
    words = [
        f"{plan.shots}-shot" if plan.shots else "zero-shot",
        _("{form} prompt", form=plan.form),
    ]
    words += [_("{scoring} answers", scoring=_(scoring)) for scoring in scorings]
    if plan.likelihoods:
        words.append(_("log-likelihoods {how}", how=plan.likelihoods))
    words += [f"{key}={value}" for key, value in plan.setting]
    if plan.prompts:
        words.append(_("prompts in other words"))
    if plan.order:
        words.append(_("options in drawn order {order}", order=plan.order))
    if sampling.temperature:
        temperature = f"{sampling.temperature:g}"
        # The seed of an imported run is that of its worked examples.
        words.append(
            _("temperature {value}", value=temperature)
            if plan.of_log
            else _("temperature {value} with seed {seed}", value=temperature, seed=plan.seed)
        )
    if sampling.max_tokens:
        most = sampling.max_tokens
        words.append(
            ngettext(
                "at most {n:,} token an answer", "at most {n:,} tokens an answer", most, n=most
            )
        )
    if plan.chosen:
        words.append(chosen_in_words(len(plan.chosen)))
    if plan.batch:
        words.append(_("{questions} in a forward pass", questions=questions_in_words(plan.batch)))
    if plan.gpu_layers:
        layers = plan.gpu_layers
        words.append(
            ngettext(
                "{n} layer on an accelerator", "{n} layers on an accelerator", layers, n=layers
            )
        )
    if plan.blocks:
        words.append(_("read after each of {n} blocks", n=plan.blocks))
    return ", ".join(words)


def _answer(verdict: Verdict) -> Answer:
    """The answer as it was given, with scores in the order in which the options were shown."""
    return Answer(
        as_shown(verdict.scores, verdict.order),
        verdict.text,
        verdict.scoring,
        verdict.output_tokens,
        complete=verdict.status is not Status.TRUNCATED,
    )
