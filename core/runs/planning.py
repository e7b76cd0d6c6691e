"""What identifies a run: who is asked which questions, in which way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.contract.question import Form, Scoring
from core.models.protocol import Model, Remote, Sampling
from core.runs.common_setting import common_setting
from core.runs.questions import QuestionSource, scoring_of_plan
from core.runs.records import Plan
from core.runs.run_rows import MOST_BLOCKS
from core.runs.shots import RANDOM, SEED
from core.text.errors import DataError, SettingError
from core.text.language import _

_USUAL = Sampling()
LARGEST = 2**63 - 1
"""The largest whole number that SQLite records."""
MOST_IN_A_BATCH = 32
"""Most questions that a local model is asked in one forward pass."""
MOST_TEMPERATURE = 2
"""The highest temperature that servers take."""


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
    Raises `SettingError` when no item can take it and for a number that cannot be, and `DataError`
    when there is nothing to ask or the collection is not the one that was opened.
    """
    if source.limit is not None:
        check_number("limit", source.limit, 1)
    check_number("shots", shots, 0)
    check_number("seed", seed, -LARGEST - 1)
    check_number("blocks", blocks, 0, MOST_BLOCKS)
    check_number("batch", batch, 0, MOST_IN_A_BATCH)
    check_number("max_tokens", sampling.max_tokens, 0)
    _check_temperature(sampling.temperature)
    common = common_setting(source)
    _check_something_is_asked(source, path, chosen)
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


def _check_something_is_asked(source: QuestionSource, path: Path, chosen: Sequence[int]) -> None:
    """Raise `DataError` where no item has a question: such a run would be done at once."""
    for _number, layer in source.layers:
        if next(source.questions(layer, None, chosen or None), None) is not None:
            return
    errors = source.collection.errors
    raise DataError(
        _("There is nothing to ask here: no item that can be read has a question."),
        where=path,
        hint=_("The first that could not be read: {error}", error=errors[0]) if errors else "",
    )


def check_number(name: str, number: int, least: int, most: int = LARGEST) -> None:
    """Raise `SettingError` unless a whole number that a person gave is in its range.

    The command line checks its options itself; from Python any number comes here.
    """
    if isinstance(number, int) and least <= number <= most:
        return
    if most < LARGEST or number > most:
        hint = _("Write a whole number from {least} to {most}.", least=least, most=most)
    else:
        hint = _("Write a whole number, {least} or more.", least=least)
    raise SettingError(_("This cannot be {number}.", number=number), where=name, hint=hint)


def _check_temperature(temperature: float) -> None:
    # A comparison with what is no number is false.
    if not 0 <= temperature <= MOST_TEMPERATURE:
        raise SettingError(
            _("This cannot be {number}.", number=temperature),
            where="temperature",
            hint=_("Write a number from {least} to {most}.", least=0, most=MOST_TEMPERATURE),
        )
