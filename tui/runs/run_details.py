"""Everything about a recorded run in a few lines."""

from __future__ import annotations

from pathlib import Path

from core.files import paths
from core.layout.figures import proportion
from core.runs.listing import ListedRun, RepeatedHeadline
from core.runs.replay import conditions
from core.text.language import _, ngettext, translated
from core.text.quantities import items_in_words


def describe(listed: ListedRun) -> str:
    """A run, how it was asked, what it came to, and where its items are."""
    run, plan = listed.run, listed.run.plan
    first = [run.id, plan.model, plan.benchmark, conditions(plan)]
    if plan.demo:
        first.insert(2, _("a demonstration, not a result"))
    if plan.shots:
        first.append(_("{rule}, seed {seed}", rule=plan.shot_rule, seed=plan.seed))
    if plan.limit is not None:
        first.append(
            ngettext("the first item only", "the first {n:,} items only", plan.limit, n=plan.limit)
        )
    count = items_in_words(run.items)
    second = [
        _(run.state.value),
        f"{run.created[:16].replace('T', ' ')} UTC",
        count,
        paths.shortened(Path(plan.collection)),
    ]
    figure = listed.headline
    if figure is not None and figure.value is not None and figure.interval is not None:
        share = _(
            "{layer} {value} right, {count}, 95 % interval {low} to {high} if items were "
            "independent",
            layer=translated(figure.name),
            value=proportion(figure.value),
            low=proportion(figure.interval[0]),
            high=proportion(figure.interval[1]),
            count=figure.counted,
        )
        second.insert(0, share)
    lines = [" · ".join(first), " · ".join(second)]
    if listed.repeated is not None:
        lines.append(_over_repeats(listed.repeated))
    return "\n".join(lines)


def _over_repeats(repeated: RepeatedHeadline) -> str:
    spread = repeated.spread
    return _(
        "over {repeats}: {layer} {mean} right on average, standard deviation {sd}, {low} to {high}",
        repeats=repeated.repeats.title,
        layer=translated(repeated.layer),
        mean=proportion(spread.mean),
        sd=proportion(spread.sd),
        low=proportion(min(spread.values)),
        high=proportion(max(spread.values)),
    )
