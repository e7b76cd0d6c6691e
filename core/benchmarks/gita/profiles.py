"""The scoring profiles of GITA: readings of the released ids and labels.

`core.benchmarks.gita.scoring` says what they are for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.benchmarks.gita.item import Kind, kind_of
from core.benchmarks.gita.questions import CONFLICT, STATE
from core.contract.question import Verdict
from core.text.language import N_

Tags = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Profile:
    """One reading of the released ids and labels."""

    summary: str
    """One line for lists of profiles."""
    kind: Callable[[Tags], Kind]
    implausible: Callable[[Tags], bool]
    """Whether a story is in the denominators of the second and third layer."""
    asks: Mapping[str, Callable[[Tags], bool]]
    """Whether the second and third layer ask a story that was right in the layer before."""
    name: Callable[[Verdict], str]
    """The name that links the verdicts on a story from layer to layer."""
    note: str
    """A note that belongs to every quotation of its figures."""


def _labelled_implausible(tags: Tags) -> bool:
    return tags["plausible"] == "false"


def _kind_by_type(tags: Tags) -> Kind:
    return {"order": Kind.ORDER, "cloze": Kind.CLOZE}.get(tags["type"], Kind.PLAUSIBLE)


_BY_LABEL = {CONFLICT: _labelled_implausible, STATE: _labelled_implausible}
RULES: Mapping[str, Profile] = {
    N_("unified"): Profile(
        summary=N_("The kind of a story is read from its id, as in the published figures."),
        kind=lambda tags: kind_of(tags["example_id"]),
        implausible=_labelled_implausible,
        asks=_BY_LABEL,
        name=lambda verdict: verdict.item,
        note=N_(
            "Kinds are read from the ids as released, wrong ones included, as in the published "
            "figures; each figure's n is the denominator that follows."
        ),
    ),
    N_("by-type"): Profile(
        summary=N_("Kinds by the field “type”, as CALAMITA-AILC/calamita-eval scores."),
        kind=_kind_by_type,
        implausible=lambda tags: _kind_by_type(tags) is not Kind.PLAUSIBLE,
        asks={CONFLICT: lambda tags: bool(tags["pair"]), STATE: _labelled_implausible},
        name=lambda verdict: verdict.tags["example_id"],
        note=N_(
            "Scored as CALAMITA-AILC/calamita-eval does: kinds and denominators by the field "
            "“type”, layers linked by released id. Not comparable with the published figures."
        ),
    ),
    N_("repaired"): Profile(
        summary=N_("Like unified, but wrong ids are corrected before the kind is read from them."),
        kind=lambda tags: kind_of(tags["key"]),
        implausible=_labelled_implausible,
        asks=_BY_LABEL,
        name=lambda verdict: verdict.item,
        note=N_(
            "Kinds are read from the repaired keys: the breakdown is not comparable with the "
            "published one."
        ),
    ),
}
"""The profiles by name, the default first."""
PROFILES = {name: profile.summary for name, profile in RULES.items()}
"""One line on each scoring profile, by name, the default first."""
