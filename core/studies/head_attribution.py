"""What each head adds by itself to the answer of every valid pair's own prompt.

The direct logit attribution of one prompt (`core.models.llama.attribution`) over a collection. It
is a projection and no effect: what a head does by way of later blocks is counted there, and nothing
is changed, so a head that always says the same option is not told from one that reads the prompt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from core.studies.cells import MeasuredCase, own_figures
from core.studies.conducting import Report, StudyProgress
from core.studies.pairs import Pair
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.text.errors import ModelError
from core.text.language import N_, _

ATTRIBUTING = N_("attribution")
ATTRIBUTION = "attribution"
"""The name of the mean attribution in a result, and how the keys of kept ones begin."""


class KeptAttribution(msgspec.Struct, frozen=True):
    """What the heads add to one margin."""

    heads: list[list[float]] = []
    """In logits, (blocks, heads); empty where it cannot be computed."""


Attributions = Mapping[str, KeptAttribution]
"""By item, of those that have one."""


async def attribute_pairs(
    subject: Subject, pairs: Sequence[Pair], kept: KeptValues, report: Report
) -> Attributions:
    """Attribute the margin of every pair's own prompt to heads.

    A prompt whose options no single token tells apart, and a model whose parts do not add up to the
    margin, have none. Raises `ModelError` for a model that has ended.
    """
    found: dict[str, KeptAttribution] = {}
    for number, pair in enumerate(pairs, 1):
        item = pair.case.item.id
        attribution = await kept.measured(
            f"{ATTRIBUTION}/{item}", KeptAttribution, item, partial(_attribution, subject, pair)
        )
        if attribution is not None and attribution.heads:
            found[item] = attribution
        report(StudyProgress(_(ATTRIBUTING), number, len(pairs)))
    return found


async def _attribution(subject: Subject, pair: Pair) -> KeptAttribution:
    options = pair.case.question.continuations()
    right, other = (options[option] for option in pair.kept.options)
    try:
        read = await subject.blocks.attribute(pair.case.prompt, right, other, heads=True)
    except ModelError:
        # A model that has ended is told here.
        await subject.model.score(pair.case.prompt, options)
        return KeptAttribution()
    return KeptAttribution([list(row) for row in read.heads])


def attribution_figures(
    cases: Sequence[MeasuredCase], attributions: Attributions, blocks: int, heads: int
) -> dict[str, Any]:
    """The mean attribution of every head with its interval, (blocks, heads), and of how many items.

    As JSON; null where no item has one.
    """
    known = [case for case in cases if case.item in attributions]
    rows = [
        {str(block): row for block, row in enumerate(attributions[case.item].heads)}
        for case in known
    ]
    own = own_figures(
        rows, [case.cluster for case in known], [str(block) for block in range(blocks)], heads
    )
    return {
        ATTRIBUTION: own["effect"],
        "attribution_interval": own["interval"],
        "n_attribution": len(known),
    }
