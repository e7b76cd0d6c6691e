"""The figures of GITA4CALAMITA over a run's verdicts.

Accuracy, Consistency and Verifiability (Pensa et al., 2024, section 4) are the right answers of
the three layers, where a layer counts only for stories that were right in the layers before.
The denominator is all stories in the first layer and all implausible ones in the others. Each
figure is broken down by kind of story. The release has wrong ids and labels, so "kind",
"implausible" and "right before" have several readings; a profile is one of them.

* `unified`: the evaluation script behind the published figures. The kind is the letter in the
  id as released; implausible stories are those with that label.
* `by-type`: the tasks of CALAMITA-AILC/calamita-eval. The kind is the field `type`, and
  implausible stories are those with a type. The second layer asks every story with an annotated
  breakpoint, and a layer asks a story when its id was right in the layer before, even if that
  was another story with the same id.
* `repaired`: as `unified`, with the letter of the repaired key.

Where a layer is not yet asked about every story that was right before, its figure is not known:
what was right so far is a lower bound, and no estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from core.benchmarks.gita.baselines import TrivialAnswers
from core.benchmarks.gita.item import Kind
from core.benchmarks.gita.profiles import PROFILES, RULES, Profile
from core.benchmarks.gita.questions import CONFLICT, LAYERS, STATE, STORY
from core.contract.question import Scoring, Status, Verdict
from core.contract.summary import Figure, Summary, Totals, check_profile
from core.statistics.cluster_interval import mean_interval
from core.text.language import N_, _, ngettext

FIGURES = {STORY: N_("Accuracy"), CONFLICT: N_("Consistency"), STATE: N_("Verifiability")}
"""The figure of each layer, named as in the released metrics."""
_FIGURES_BY_KIND = {
    STORY: {
        Kind.CLOZE: N_("Cloze Accuracy"),
        Kind.ORDER: N_("Order Accuracy"),
        Kind.PLAUSIBLE: N_("Plausible Accuracy"),
    },
    CONFLICT: {Kind.CLOZE: N_("Cloze Consistency"), Kind.ORDER: N_("Order Consistency")},
    STATE: {Kind.CLOZE: N_("Cloze Verifiability"), Kind.ORDER: N_("Order Verifiability")},
}
_BEFORE = {CONFLICT: STORY, STATE: CONFLICT}
_TOO_FEW_FAMILIES = N_("too few families of stories")
_TITLES = {layer.id: layer.title for layer in LAYERS}


@dataclass(frozen=True, slots=True)
class _LayerReading:
    """The verdicts of a run in one layer, read under a profile."""

    counted: Sequence[Verdict] = ()
    """Verdicts that count: on stories that the layer asks and that were right before."""
    ignored: int = 0
    """The number of verdicts that do not count."""
    due: Sequence[Verdict] = ()
    """First-layer verdicts on the stories that the layer asks."""
    waiting: Sequence[Verdict] = ()
    """Those of `due` without an answer in this layer."""
    lacking: Sequence[Verdict] = ()
    """First-layer verdicts on the stories that are still to be asked about, in this layer or in
    those before. Stories in `waiting` that were wrong themselves are never asked about."""
    passed: frozenset[str] | None = None
    """Names of the stories that were right; None where this is not recorded."""


@dataclass(slots=True)
class _Run:
    """A run's verdicts, read under a profile."""

    profile: Profile
    verdicts: Mapping[str, Sequence[Verdict]]
    """Those with a gold answer, by layer."""
    answered: Set[tuple[str, str]]
    """Layer and item of every answer, also where the gold answer is not known."""
    totals: Mapping[str, Totals]
    trivial: TrivialAnswers
    readings: dict[str, _LayerReading] = field(default_factory=dict)

    @property
    def stories(self) -> Sequence[Verdict]:
        """The first layer's verdicts, whose tags give the denominators."""
        return self.verdicts[STORY]


def summarise(
    verdicts: Sequence[Verdict], profile: str, totals: Mapping[str, Totals] | None = None
) -> Summary:
    """The ten figures under a profile, over the verdicts so far.

    Verdicts without a gold answer are left out. `totals` stands in for layers without verdicts;
    figures that do not follow from it have no value. Raises `NotFoundError` for an unknown profile.
    """
    check_profile(profile, PROFILES)
    rules = RULES[profile]
    scored = {
        layer: [v for v in verdicts if v.layer == layer and v.gold is not None] for layer in FIGURES
    }
    answered = {(v.layer, v.item) for v in verdicts}
    run = _Run(rules, scored, answered, totals or {}, TrivialAnswers(rules, scored))
    for layer in FIGURES:
        run.readings[layer] = _read(run, layer)
    figures = [_figure(run, layer, None) for layer in FIGURES]
    figures += [_figure(run, layer, kind) for layer in FIGURES for kind in _FIGURES_BY_KIND[layer]]
    goldless = sum(1 for v in verdicts if v.layer in FIGURES and v.gold is None)
    return Summary(profile, tuple(figures), _counts(run), (_(rules.note), *_notes(run, goldless)))


def _read(run: _Run, layer: str) -> _LayerReading:
    verdicts = run.verdicts[layer]
    name = run.profile.name
    if layer == STORY:
        passed = frozenset(name(v) for v in verdicts if v.right) if verdicts else None
        return _LayerReading(counted=verdicts, due=verdicts, passed=passed)
    reading_before = run.readings[_BEFORE[layer]]
    before = reading_before.passed
    asks = run.profile.asks[layer]

    def is_due(verdict: Verdict) -> bool:
        return asks(verdict.tags) and (before is None or name(verdict) in before)

    counted = [v for v in verdicts if is_due(v)]
    due = [v for v in run.stories if is_due(v)] if before is not None else []
    answered = {v.item for v in counted}
    waiting = [v for v in due if v.item not in answered]
    lacking = [*reading_before.lacking, *_to_be_asked(run, layer, waiting)]
    # Without verdicts the layer is unknown, unless no story was right in the layer before.
    known = bool(verdicts) or (before is not None and not due and not lacking)
    passed = frozenset(name(v) for v in counted if v.right) if known else None
    return _LayerReading(counted, len(verdicts) - len(counted), due, waiting, lacking, passed)


def _to_be_asked(run: _Run, layer: str, waiting: Sequence[Verdict]) -> list[Verdict]:
    """Those of `waiting` about which a run asks: implausible ones that were right themselves.

    `by-type` also waits for stories that no run asks about, because another one with their id was
    right, or because they are labelled plausible.
    """
    right = {v.item for v in run.verdicts[_BEFORE[layer]] if v.right}
    return [
        v
        for v in waiting
        if v.item in right
        and v.tags["plausible"] == "false"
        and (layer, v.item) not in run.answered
    ]


def _figure(run: _Run, layer: str, kind: Kind | None) -> Figure:
    title = FIGURES[layer] if kind is None else _FIGURES_BY_KIND[layer][kind]
    reading = run.readings[layer]
    total = run.totals.get(layer) if kind is None and reading.passed is None else None

    def of_kind(verdicts: Iterable[Verdict]) -> list[Verdict]:
        return [v for v in verdicts if kind is None or run.profile.kind(v.tags) is kind]

    if not run.stories:
        if layer == STORY and total is not None:
            return Figure(title, total.right, total.n, note=_("Known as a total only."))
        note = _("The first layer's answers are not recorded.")
        if any(answered_layer == STORY for answered_layer, _item in run.answered):
            note = _("What is right in the first layer is not known.")
        return Figure(title, None, 0, note=note)
    within = of_kind(run.stories)
    if layer != STORY:
        within = [v for v in within if run.profile.implausible(v.tags)]
    n = len(within)
    baselines = run.trivial.baselines(layer, kind, n)
    if reading.passed is None:
        right = None if total is None else total.right
        note = _("not asked yet") if total is None else _("known as a total only")
        return Figure(title, right, n, baselines, note)
    counted = of_kind(reading.counted)
    right = sum(1 for v in counted if v.right)
    if right > n:
        note = _("There are more right answers than such stories.")
        return Figure(title, None, n, baselines, note)
    inferred = any(v.scoring is Scoring.INFERRED for v in counted)
    waiting = len(of_kind(reading.waiting))
    remarks = [_("Taken from the stories that the next layer was asked about.")] if inferred else []
    if waiting:
        remark = _("Stories without an answer yet: {waiting} of {stories}.")
        remarks.append(remark.format(waiting=waiting, stories=len(of_kind(reading.due))))
    if of_kind(reading.lacking):
        return Figure(title, None, n, baselines, " ".join(remarks) or _("not asked yet"))
    right_items = {v.item for v in counted if v.right}
    outcomes = [(v.tags.get("story_id") or v.item, float(v.item in right_items)) for v in within]
    # Layers that are linked by released ids may have counted other stories than those within.
    linked = sum(score for _family, score in outcomes) == right
    interval = mean_interval(outcomes) if linked else None
    withheld = _TOO_FEW_FAMILIES if linked and n and interval is None else ""
    return Figure(
        title,
        right,
        n,
        baselines,
        " ".join(remarks),
        own_interval=interval,
        withheld=withheld,
    )


def _counts(run: _Run) -> dict[str, int]:
    """Denominators, and questions, right answers and ties by layer."""
    counts: dict[str, int] = {}
    if run.stories:
        implausible = sum(1 for v in run.stories if run.profile.implausible(v.tags))
        counts |= {"stories": len(run.stories), "implausible": implausible}
    for layer, verdicts in run.verdicts.items():
        total = None if verdicts else run.totals.get(layer)
        counts[f"{layer} asked"] = total.n if total else len(verdicts)
        counts[f"{layer} right"] = total.right if total else sum(1 for v in verdicts if v.right)
        counts[f"{layer} ties"] = sum(1 for v in verdicts if v.status is Status.TIE)
        if waiting := len(run.readings[layer].waiting):
            counts[f"{layer} waiting"] = waiting
    return counts


def _notes(run: _Run, goldless: int) -> list[str]:
    notes = []
    if goldless:
        notes.append(
            ngettext(
                "{answers} answer is left out: its right answer is not annotated.",
                "{answers} answers are left out: their right answer is not annotated.",
                goldless,
                answers=goldless,
            )
        )
    for layer, reading in run.readings.items():
        figure, title = _(FIGURES[layer]), _(_TITLES[layer])
        total = run.totals.get(layer)
        if reading.passed is None:
            note = _("“{layer}” has no answers, so {figure} is not known.")
            if total is not None:
                note = _("“{layer}” is known as a total only, so {figure} has no breakdown.")
            notes.append(note.format(layer=title, figure=figure))
            if total is not None and reading.due and total.n != len(reading.due):
                notes.append(
                    ngettext(
                        "The total of “{layer}” is over {stories} story; due: {due}.",
                        "The total of “{layer}” is over {stories} stories; due: {due}.",
                        total.n,
                        layer=title,
                        stories=total.n,
                        due=len(reading.due),
                    )
                )
        elif reading.lacking:
            note = _("Not every story that “{layer}” asks has an answer, so {figure} is not known.")
            notes.append(note.format(layer=title, figure=figure))
        elif reading.waiting:
            notes.append(
                _(
                    "“{layer}”: stories without an answer, {waiting} of {stories}, count as wrong, "
                    "so {figure} is at least this.",
                    waiting=len(reading.waiting),
                    stories=len(reading.due),
                    layer=title,
                    figure=figure,
                )
            )
        if reading.ignored:
            notes.append(
                ngettext(
                    "{answers} answer to “{layer}” does not count: its story was wrong before, or "
                    "is none that the layer asks.",
                    "{answers} answers to “{layer}” do not count: their stories were wrong before, "
                    "or are none that the layer asks.",
                    reading.ignored,
                    answers=reading.ignored,
                    layer=title,
                )
            )
    return notes
