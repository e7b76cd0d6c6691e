"""What identifies a run: who is asked which questions, in which way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.contract.question import Form, Scoring
from core.models.protocol import Model, Remote, Sampling
from core.runs.questions import QuestionSource, common_setting, scoring_of_plan
from core.runs.records import Plan
from core.runs.shots import RANDOM, SEED

_USUAL = Sampling()


def plan_for(
    model: Model,
    source: QuestionSource,
    path: Path,
    *,
    form: Form,
    shots: int = 0,
    seed: int = SEED,
    shot_rule: str = RANDOM,
    scoring: Scoring | None = None,
    blocks: int = 0,
    sampling: Sampling = _USUAL,
    batch: int = 0,
    chosen: Sequence[int] = (),
) -> Plan:
    """The plan of a run over the collection of `source`, which was opened from `path`.

    Args:
        model: who is asked.
        source: the questions.
        path: recorded with the run.
        form: one text or turns.
        shots: worked examples before each question.
        seed: of drawing them, and the tokens of an answer at a temperature above 0.
        shot_rule: how they are drawn, one of `core.runs.shots.RULES`.
        scoring: how every answer is read; by default as each question prefers it.
        blocks: how many blocks the model has, where the options are scored after each of them.
        sampling: how answers are written.
        batch: how many questions a local model is asked in one forward pass; 0 for one by one.
        chosen: the positions of the items to ask about; all where it is empty.

    With a setting every item is read, to find the canonical values and the items that are skipped.
    Raises `SettingError` when no item can take it, and `DataError` when the collection is not the
    one that was opened.
    """
    common = common_setting(source)
    return Plan(
        model=model.info.source if model.info.demo else model.info.name,
        fingerprint=model.info.fingerprint,
        benchmark=source.benchmark.name,
        collection=str(path),
        collection_hash=source.collection.content_hash,
        form=form,
        shots=shots,
        shot_rule=shot_rule if shots else "",
        seed=seed if shots or sampling.temperature else 0,
        sampling=sampling,
        setting=tuple(common.values.items()),
        prompts=tuple(sorted(source.wording.items(), key=lambda each: each[0])),
        skipped=common.skipped,
        limit=source.limit,
        demo=model.info.demo,
        origin=model.info.origin,
        server=model.info.source if isinstance(model, Remote) else "",
        scoring=scoring_of_plan(source, scoring),
        likelihoods=model.info.likelihoods if scoring is Scoring.LOGLIKELIHOOD else "",
        blocks=blocks,
        order=source.order,
        batch=batch,
        chosen=tuple(sorted(chosen)),
        gpu_layers=model.info.gpu_layers,
    )
