"""Goes on with a recorded run that stopped early: what it needs, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.models.model_files import find_models, fingerprint
from core.models.protocol import Model
from core.models.resolver import DEMO, demo_file
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource, recorded_source
from core.runs.records import Plan, Run, RunState
from core.runs.run_rows import plan_row
from core.text.errors import CommonsenseError, RunError
from core.text.language import _


def check_stopped(run: Run) -> None:
    """Raise `RunError` unless a run stopped before its end, with the reason."""
    reasons = {
        RunState.DONE: _("It is finished."),
        RunState.IMPORTED: _("It was imported: another program asked its questions."),
        RunState.RUNNING: _("Another program is just recording it."),
    }
    if run.state in reasons:
        raise RunError(_("Run {run} cannot go on. {reason}", run=run.id, reason=reasons[run.state]))


def model_name(plan: Plan, folders: Iterable[Path]) -> str:
    """The name under which the model of a run is loaded: its server's address, "demo" or a file.

    Files are looked for in the folders. Raises `RunError` where none has the fingerprint of the
    run's weights.
    """
    if plan.server:
        return plan.server
    if plan.demo and fingerprint(demo_file()) == plan.fingerprint:
        return DEMO
    for file in find_models(folders):
        try:
            if fingerprint(file) == plan.fingerprint:
                return str(file)
        except CommonsenseError:
            continue
    raise _no_model(plan)


def resumed_source(
    run: Run, model: Model, benchmark: Benchmark, collection: Collection
) -> QuestionSource:
    """The questions that a run goes on with.

    Raises `RunError`, or `SettingError`, saying which of model, collection and settings is not
    that of the run. With a setting every item is read.
    """
    plan = run.plan
    check_model(plan, model)
    if collection.content_hash != plan.collection_hash:
        raise RunError(
            _("The items are not those that run {run} was begun with.", run=run.id),
            where=plan.collection,
            hint=_("Put the file back as it was, or begin another run."),
        )
    source = recorded_source(plan, benchmark, collection)
    now = plan_for(
        model,
        source,
        Path(plan.collection),
        form=plan.form,
        shots=plan.shots,
        seed=plan.seed,
        shot_rule=plan.shot_rule,
        scoring=plan.scoring,
        blocks=plan.blocks,
        sampling=plan.sampling,
        batch=plan.batch,
        chosen=plan.chosen,
    )
    # Earlier programs also recorded a limit that leaves no item out.
    before, after = plan_row(replace(plan, limit=source.limit)), plan_row(now)
    differing = [name for name in before if before[name] != after[name]]
    if differing:
        raise RunError(
            _(
                "Run {run} cannot be asked in the same way now: {names}.",
                run=run.id,
                names=", ".join(differing),
            ),
            hint=_("Begin another run."),
        )
    return source


def check_model(plan: Plan, model: Model) -> None:
    """Raise `RunError` unless a model is that of a run, and computes as it did."""
    if model.info.fingerprint != plan.fingerprint:
        raise _no_model(plan)
    if model.info.gpu_layers != plan.gpu_layers:
        raise RunError(
            _(
                "An accelerator computed {before} layers of the model in this run and computes "
                "{now} now: its scores are not quite the same.",
                before=plan.gpu_layers,
                now=model.info.gpu_layers,
            ),
            where=plan.model,
            hint=_(
                "Write gpu_layers: {before} in your configuration and start again, or begin "
                "another run.",
                before=plan.gpu_layers,
            ),
        )


def _no_model(plan: Plan) -> RunError:
    return RunError(
        _("The model of this run, {model}, is not loaded.", model=plan.model),
        where=plan.fingerprint,
        hint=_("Choose it in the list of items first: a file, a server's address or person:NAME."),
    )
