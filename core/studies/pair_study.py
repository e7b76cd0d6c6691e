"""The work that studies of valid pairs share: find the pairs, measure each, count the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.studies.cells import MeasuredCase
from core.studies.conducting import Report, StudyWork
from core.studies.head_attribution import ATTRIBUTION, Attributions, attribute_pairs
from core.studies.pairs import Pairs, find_pairs
from core.studies.plan import StudyPlan
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.studies.traced_pairs import WRONG, Measure, measure_pairs


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """The pairs of a study with what was measured of each."""

    of: int
    """How many cases there are, with a pair or without."""
    pairs: Pairs
    cases: Sequence[MeasuredCase]
    attributions: Attributions = field(default_factory=dict)
    """Of the valid pairs, where a study attributes."""

    @property
    def valid(self) -> list[MeasuredCase]:
        """The cases that the model is right about."""
        return [case for case in self.cases if case.group != WRONG]

    def document(self) -> dict[str, Any]:
        """How many cases have a valid pair, why the others have none, and each case, as JSON."""
        margins = {pair.case.item.id: pair.kept.margins for pair in self.pairs.pairs}
        return {
            "n": len(self.valid),
            "of": self.of,
            "clusters": len({case.cluster for case in self.valid}),
            "excluded": self.pairs.excluded,
            "items": [
                {
                    "item": case.item,
                    "cluster": case.cluster,
                    "group": case.group,
                    "valid": case.group != WRONG,
                    "margins": margins[case.item],
                    "effects": case.effects,
                    "control": case.control,
                }
                | self._attribution(case.item)
                for case in self.cases
            ],
        }

    def _attribution(self, item: str) -> dict[str, Any]:
        known = self.attributions.get(item)
        return {} if known is None else {ATTRIBUTION: known.heads}


def pair_work(
    subject: Subject,
    plan: StudyPlan,
    measure: Measure,
    figures: Callable[[MeasuredPairs], dict[str, Any]],
    *,
    attributes: bool = False,
) -> StudyWork:
    """The work of a study that measures every valid pair.

    Args:
        subject: what is studied.
        plan: gives the seed.
        measure: measures the cells of one pair.
        figures: the figures over all pairs; they stand in the result beside `document`.
        attributes: whether the margin of each valid pair's own prompt is attributed to the heads.
    """

    async def work(kept: KeptValues, report: Report) -> dict[str, Any]:
        # Reading a large collection must not hold up a screen.
        cases = await asyncio.to_thread(subject.cases)
        pairs = await find_pairs(subject, cases, kept, report)
        own = pairs.right if attributes else ()
        attributions = await attribute_pairs(subject, own, kept, report)
        of_pairs = await measure_pairs(subject, cases, pairs, kept, plan.seed, measure, report)
        measured = MeasuredPairs(len(cases), pairs, of_pairs, attributions)
        return measured.document() | figures(measured)

    return work
