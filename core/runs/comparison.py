"""Two runs beside each other, question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath

from core.contract import registry
from core.runs.figure_comparison import FigureComparison, compare_figures
from core.runs.garbage import gc_paused
from core.runs.pairs import Flip, PairedScores, flips, paired_scores
from core.runs.records import Plan, Run, RunState
from core.runs.store import Store
from core.statistics.paired import (
    PairedDifference,
    detectable_difference,
    mcnemar,
    paired_difference,
    permutation_p,
)
from core.text.errors import RunError
from core.text.language import N_, _

ALL_RIGHT = N_("all right")
"""Stands for the first wrong layer of an item that has none."""
NONE_WRONG = N_("none wrong so far")
"""The same in a run that stopped early: it may not have asked every layer of the item."""
_WRONG = 'SELECT item, layer FROM verdicts WHERE run = ? AND "right" = 0'

_SHOWN_WORDING = 24
"""Characters of a wording that are shown."""


class NotComparableError(RunError):
    """Two runs that have nothing to compare: no question in common, or not asked alike."""


@dataclass(frozen=True, slots=True)
class LayerComparison:
    """Two runs in one task layer, over the questions that both answered and whose gold is known."""

    layer: str
    both_right: int
    first_only: int
    """Questions that only the first run has right."""
    second_only: int
    both_wrong: int
    difference: PairedDifference
    """Difference of the shares of right answers, its interval clustered as the benchmark says."""
    p: float | None
    """p-value of the exact McNemar test; None where scipy is not installed."""
    soft: PairedDifference | None
    """Difference of the soft scores, in a layer of multiple select."""
    soft_p: float | None
    """p-value of a paired permutation test by cluster, for the soft scores."""
    detectable: float | None = None
    """The smallest difference that these questions would show with a power of 80 %."""
    holm_p: float | None = None
    """`p` adjusted for all tests that are shown; None where it is not adjusted."""
    soft_holm_p: float | None = None
    """`soft_p`, adjusted in the same way."""
    unread: tuple[int, int] = (0, 0)
    """Answers of either run that could not be read, which count as wrong."""
    ties: tuple[int, int] = (0, 0)
    """Answers of either run whose highest scores tie."""
    right_ties: tuple[int, int] = (0, 0)
    """Those of `ties` that count as right."""
    inferred: tuple[int, int] = (0, 0)
    """Answers of either run that are right or wrong by what a later layer was asked about."""

    @property
    def n(self) -> int:
        """The number of questions."""
        return self.difference.n


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the questions that both answered."""

    first: Run
    second: Run
    layers: tuple[LayerComparison, ...]
    figures: tuple[FigureComparison, ...]
    """The benchmark's own under `profile`; none where they cannot be compared."""
    flips: tuple[Flip, ...]
    """The questions that one run has right and the other wrong, in the order of the first."""
    first_failures: Mapping[tuple[str, str], int]
    """Items by the first wrong layer in the first run and in the second, or what `without_failure`
    says of the run."""
    unlike: tuple[str, ...]
    """What else but the model makes the runs unlike, each in a few words."""
    only_first: int
    """Questions that only the first run answered; they are not compared."""
    only_second: int
    same_questions: int | None = None
    """Of runs that are paired by item, the pairs that were asked the same; None for all."""
    profile: str = ""
    """The benchmark's default rules for counting; empty where it is not installed."""
    why_no_figures: str = ""
    """Why the benchmark's own figures are not compared, in a sentence; empty where they are."""

    @property
    def of_one_model(self) -> bool:
        """Whether one model was asked twice."""
        return self.first.plan.fingerprint == self.second.plan.fingerprint


@gc_paused()
def compare(store: Store, first_id: str, second_id: str) -> Comparison:
    """Compare two runs of a store.

    Questions are the same when layer, item, text, setting and options are. Two runs over one
    collection with other settings or wordings are paired by layer and item. Raises `NotFoundError`
    for an unknown run, and `NotComparableError` for a run and itself, and for runs of two
    benchmarks or without a common question.
    """
    first, second = store.run(first_id), store.run(second_id)
    if first.id == second.id:
        raise NotComparableError(
            _("Run {run} would be compared with itself.", run=first.id),
            hint=_("Name each run once."),
        )
    if first.plan.benchmark != second.plan.benchmark:
        raise NotComparableError(
            _(
                "These are runs of two benchmarks: {first} and {second}.",
                first=first.plan.benchmark,
                second=second.plan.benchmark,
            ),
            hint=_("Choose two runs of one benchmark; the list of runs names it."),
        )
    if first.plan.order != second.plan.order:
        raise NotComparableError(
            _(
                "The options stood in different orders: {first} and {second}.",
                first=_order(first),
                second=_order(second),
            ),
            hint=_(
                "Name runs of one order. `commonsense-tui runs show RUN` prints the figures of a "
                "run over its orders."
            ),
        )
    benchmark = registry.installed(first.plan.benchmark)
    by_item = _are_two_conditions(first.plan, second.plan)
    tag = benchmark.cluster_tag if benchmark else ""
    pairs = paired_scores(store, first.id, second.id, tag, by_item=by_item)
    unlike = tuple(_unlike(store, first, second))
    if not pairs:
        raise NotComparableError(
            _("Runs {first} and {second} share no question.", first=first.id, second=second.id),
            hint=_why_none(first, second),
        )
    by_layer: dict[str, list[PairedScores]] = {}
    for pair in pairs:
        if pair.first_right is not None and pair.second_right is not None:
            by_layer.setdefault(pair.layer, []).append(pair)
    counted = [layer.id for layer in benchmark.layers if not layer.aside] if benchmark else []
    known = {pair.item for asked in by_layer.values() for pair in asked}
    if benchmark is None:
        figures: tuple[FigureComparison, ...] = ()
        why = _("The benchmark's own figures are not compared: it is not installed.")
    else:
        figures, why = compare_figures(store, benchmark, (first, second), by_item=by_item)
    return Comparison(
        first=first,
        second=second,
        layers=tuple(_compare_layer(layer, asked) for layer, asked in by_layer.items()),
        figures=figures,
        flips=flips(store, first.id, second.id, by_item=by_item),
        first_failures=_first_failures(store, (first, second), counted or list(by_layer), known),
        unlike=unlike,
        only_first=first.verdicts - len(pairs),
        only_second=second.verdicts - len(pairs),
        same_questions=sum(pair.same_question for pair in pairs) if by_item else None,
        profile=benchmark.profiles[0] if benchmark else "",
        why_no_figures=why,
    )


def _are_two_conditions(first: Plan, second: Plan) -> bool:
    """Whether runs over one collection set other values or word their prompts otherwise."""
    if first.collection_hash != second.collection_hash:
        return False
    return (first.setting, first.prompts) != (second.setting, second.prompts)


def without_failure(run: Run) -> str:
    """How an item without a wrong answer is labelled."""
    return ALL_RIGHT if run.ended else NONE_WRONG


def _order(run: Run) -> str:
    if not run.plan.order:
        return _("the benchmark's own in {run}", run=run.id)
    return _("the drawn order {order} in {run}", order=run.plan.order, run=run.id)


def _compare_layer(layer: str, pairs: Sequence[PairedScores]) -> LayerComparison:
    cells = Counter((bool(pair.first_right), bool(pair.second_right)) for pair in pairs)
    clusters = [pair.cluster for pair in pairs]
    first_right = [float(pair.first_right or 0) for pair in pairs]
    second_right = [float(pair.second_right or 0) for pair in pairs]
    first_credit = [pair.first_credit or 0.0 for pair in pairs]
    second_credit = [pair.second_credit or 0.0 for pair in pairs]
    is_soft = (first_credit, second_credit) != (first_right, second_right)
    return LayerComparison(
        layer=layer,
        both_right=cells[True, True],
        first_only=cells[True, False],
        second_only=cells[False, True],
        both_wrong=cells[False, False],
        difference=paired_difference(first_right, second_right, clusters),
        p=mcnemar(cells[True, False], cells[False, True]),
        detectable=detectable_difference(len(pairs), cells[True, False] + cells[False, True]),
        soft=paired_difference(first_credit, second_credit, clusters) if is_soft else None,
        soft_p=permutation_p(first_credit, second_credit, clusters) if is_soft else None,
        unread=(sum(p.first_unread for p in pairs), sum(p.second_unread for p in pairs)),
        ties=(sum(p.first_tie for p in pairs), sum(p.second_tie for p in pairs)),
        right_ties=(
            sum(1 for p in pairs if p.first_tie and p.first_right),
            sum(1 for p in pairs if p.second_tie and p.second_right),
        ),
        inferred=(sum(p.first_inferred for p in pairs), sum(p.second_inferred for p in pairs)),
    )


def _first_failures(
    store: Store, runs: tuple[Run, Run], layers: Sequence[str], items: Set[str]
) -> Counter[tuple[str, str]]:
    """How many of the items have each pair of first wrong layers."""
    places = {layer: place for place, layer in enumerate(layers)}

    def first_wrong(run: Run) -> dict[str, int]:
        first = dict.fromkeys(items, len(layers))
        for item, layer in store.select(_WRONG, (run.id,)):
            if item in first and layer in places:
                first[item] = min(first[item], places[layer])
        return first

    (first, second), ends = map(first_wrong, runs), map(without_failure, runs)
    of_first, of_second = ((*layers, end) for end in ends)
    return Counter((of_first[first[item]], of_second[second[item]]) for item in items)


def _why_none(first: Run, second: Run) -> str:
    """Why two runs share no question, as far as their plans tell."""
    empty = [run.id for run in (first, second) if not run.verdicts]
    if empty:
        return _(
            "Nothing is answered yet in these runs: {runs}. Go on with them, or name others.",
            runs=", ".join(empty),
        )
    questions = {**_questions(first.plan, second.plan), **_collections(first.plan, second.plan)}
    unlike = "; ".join(_named_values(questions))
    hint = _("Name two runs over the same items.")
    return f"{hint} {_('These are unlike: {unlike}.', unlike=unlike)}" if unlike else hint


def _questions(plan: Plan, other: Plan) -> dict[str, tuple[object, object]]:
    """What decides which questions two runs ask."""
    return {
        N_("setting"): (plan.setting, other.setting),
        N_("limit of items"): (plan.limit, other.limit),
        N_("own wording"): _wordings(plan, other),
        N_("chosen items"): (len(plan.chosen), len(other.chosen)),
    }


def _collections(plan: Plan, other: Plan) -> dict[str, tuple[object, object]]:
    # A copy under another name has the same items.
    if plan.collection_hash == other.collection_hash:
        return {}
    return {N_("items"): (_items(plan), _items(other))}


def _unlike(store: Store, first: Run, second: Run) -> Iterator[str]:
    """In which conditions two runs differ; their models are expected to."""
    plan, other_plan = first.plan, second.plan
    conditions: dict[str, tuple[object, object]] = {
        N_("prompt form"): (plan.form, other_plan.form),
        N_("worked examples"): (plan.shots, other_plan.shots),
        N_("choice of worked examples"): (plan.shot_rule, other_plan.shot_rule),
        N_("temperature"): (plan.sampling.temperature, other_plan.sampling.temperature),
        N_("most tokens of an answer"): (plan.sampling.max_tokens, other_plan.sampling.max_tokens),
        N_("how log-likelihoods were computed"): (plan.likelihoods, other_plan.likelihoods),
        N_("scoring"): (_scoring(first), _scoring(second)),
        **_questions(plan, other_plan),
        N_("questions in a forward pass"): (plan.batch or 1, other_plan.batch or 1),
        N_("layers on an accelerator"): (plan.gpu_layers, other_plan.gpu_layers),
    }
    if plan.draws and other_plan.draws:
        conditions[N_("seed")] = (plan.seed, other_plan.seed)
    quantisations = [store.made_with(run.id)["quantisation"] for run in (first, second)]
    if all(quantisations):
        conditions[N_("quantisation")] = (quantisations[0], quantisations[1])
    # The items of an imported run are those of its log; the questions that both asked are equal.
    if RunState.IMPORTED not in {first.state, second.state}:
        conditions |= _collections(plan, other_plan)
    yield from _named_values(conditions)


def _named_values(conditions: Mapping[str, tuple[object, object]]) -> Iterator[str]:
    """The conditions whose two values differ, each with both."""
    for name, (value, other_value) in conditions.items():
        if value != other_value:
            yield f"{_(name)}: {_value(value)} / {_value(other_value)}"


def _scoring(run: Run) -> str:
    return ", ".join(_(each) for each in run.read_by)


def _wordings(plan: Plan, other: Plan) -> tuple[str, str]:
    """A person's own wordings in two plans in short; equal only where they are."""
    first, second = (
        ", ".join(f"{layer} “{_beginning(wording.text)}”" for layer, wording in each.prompts)
        for each in (plan, other)
    )
    if first != second or plan.prompts == other.prompts:
        return first, second
    return f"{first} ({_short_hash(plan)})", f"{second} ({_short_hash(other)})"


def _beginning(text: str) -> str:
    return text if len(text) <= _SHOWN_WORDING else f"{text[:_SHOWN_WORDING]}…"


def _short_hash(plan: Plan) -> str:
    return sha256(repr(plan.prompts).encode("utf-8", "replace")).hexdigest()[:8]


def _items(plan: Plan) -> str:
    """The name of a collection, and the beginning of the hash of its content."""
    return f"{PurePath(plan.collection).name} ({plan.collection_hash[:8]})"


def _value(value: object) -> str:
    if isinstance(value, tuple):
        value = ", ".join(f"{key}={each}" for key, each in value)
    return str(value) if value not in {None, ""} else _("none")
