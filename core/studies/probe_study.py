"""The study `probe`: is the right answer linearly decodable after a block, and is that news?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import numpy as np

from core.files.installation import command_to_add_extra
from core.studies.conducting import StudyProgress, StudyResult, StudyWork
from core.studies.items_behind import ITEMS
from core.studies.plan import Study, StudyPlan
from core.studies.probe import (
    FEWEST,
    FOLDS,
    INNER_FOLDS,
    INVERSE_PENALTY,
    SHUFFLES,
    ProbeCases,
    ProbeFinding,
    ProbeVerdict,
    probe,
)
from core.studies.probed_questions import probed_questions
from core.studies.ranking import Floats
from core.studies.report import (
    Curve,
    CurvePlot,
    StudyReport,
    StudyTable,
    interval_ends,
    layer_shown,
    origin,
)
from core.studies.state_capture import (
    KEPT,
    ONE_LAYER,
    AnswerStates,
    capture_answers,
    two_option_cases,
)
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.text.errors import SettingError
from core.text.language import N_, _

TITLE = N_("Is the right answer linearly decodable?")
PROBING = N_("probes")
_MOST_WORDS = 5_000
WORDS, EMBEDDINGS = "bag_of_words", "embedding"


def probe_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a probe study: states case by case, then the probes."""

    async def work(kept: KeptValues) -> AsyncGenerator[StudyProgress | StudyResult, None]:
        _check_installed()
        cases = two_option_cases(subject, alike=plan.option("layers") != ONE_LAYER)
        _check_enough([case.question.gold for case in cases], [case.cluster for case in cases])
        states: AnswerStates | None = None
        async for step in capture_answers(subject, cases, kept):
            if isinstance(step, StudyProgress):
                yield step
            else:
                states = step
        assert states is not None
        yield StudyProgress(_(PROBING), 0, 1)
        # In a thread, so that a screen goes on meanwhile.
        result = await asyncio.to_thread(probe_states, states, plan.seed)
        kept.drop(KEPT)
        yield StudyProgress(_(PROBING), 1, 1)
        yield StudyResult(result)

    return work


def probe_states(states: AnswerStates, seed: int) -> dict[str, Any]:
    """The result of a study whose states were read; raises `SettingError` for too few."""
    labels, clusters = states.labels, states.clusters
    _check_enough(labels.tolist(), clusters.tolist())
    surfaces = {WORDS: bag_of_words([case.question.text for case in states.cases])}
    if states.embeddings is not None:
        surfaces[EMBEDDINGS] = states.embeddings.astype(np.float64)
    blocks = [states.states[:, block] for block in range(states.states.shape[1])]
    finding = probe(ProbeCases(blocks, labels, clusters, states.margins, surfaces), seed=seed)
    question = states.cases[0].question
    return _document(finding) | {
        "options": question.options,
        "layers": list(dict.fromkeys(case.question.layer for case in states.cases)),
        "left_out": states.left_out,
        ITEMS: probed_questions(states, finding, seed),
    }


def bag_of_words(texts: Sequence[str]) -> Floats:
    """The words of each text, (texts, words): counts weighted by rarity (TF-IDF)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectors = TfidfVectorizer(max_features=_MOST_WORDS, token_pattern=r"(?u)\w+")
    features: Floats = vectors.fit_transform(texts).toarray()
    return features


def _check_installed() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise SettingError(
            _("Probes need scikit-learn."), hint=command_to_add_extra("studies")
        ) from None


def _check_enough(labels: Sequence[int | None], clusters: Sequence[object]) -> None:
    counts = Counter(labels)
    groups = len(set(clusters))
    if groups < FEWEST or min(counts[0], counts[1]) < FEWEST:
        raise SettingError(
            _(
                "There are {groups} groups with {first} right answers of one kind and {second} of "
                "the other; a probe needs {fewest} of each.",
                groups=groups,
                first=counts[0],
                second=counts[1],
                fewest=FEWEST,
            ),
            hint=_("Read a larger collection, or choose another --task-layer."),
        )


def _document(finding: ProbeFinding) -> dict[str, Any]:
    """The figures as JSON; an interval is null where there are too few groups for one."""
    document = {
        "n": finding.cases,
        "groups": finding.clusters,
        "blocks": [
            {
                "block": number,
                "auc": block.auc.value,
                "interval": block.auc.interval,
                "shuffled_auc": block.shuffled,
                "accuracy": block.accuracy,
            }
            for number, block in enumerate(finding.blocks)
        ],
        "chosen_blocks": finding.chosen,
        "selectivity": finding.selectivity,
        "base_rate": finding.base_rate,
        "accuracy": finding.accuracy,
        "own_accuracy": finding.own_accuracy,
        "verdict": finding.verdict.value,
        "encoded_not_used": finding.verdict is ProbeVerdict.ENCODED_NOT_USED,
    }
    document |= finding.probe.named("auc") | finding.margin.named("margin_auc")
    document |= finding.shuffled.named("shuffled_auc")
    document |= finding.over_margin.named("difference")
    document |= finding.over_shuffled.named("over_shuffled")
    document |= finding.naive.named("naive_difference")
    for name, surface in finding.surfaces.items():
        document |= surface.named(f"{name}_auc")
        document |= finding.over_surfaces[name].named(f"over_{name}")
    return document


def probe_report(study: Study) -> StudyReport:
    """What a finished probe study shows."""
    result = study.result or {}
    rows = tuple(
        (
            block["block"],
            block["auc"],
            *(block["interval"] or (None, None)),
            block["shuffled_auc"],
            block["accuracy"],
        )
        for block in result["blocks"]
    )
    columns = (
        N_("block"), "AUC", N_("low"), N_("high"), N_("AUC of shuffled labels"), N_("accuracy"),
    )  # fmt: skip
    intervals = tuple(interval_ends(block["interval"]) for block in result["blocks"])
    picture = CurvePlot(
        _(TITLE),
        _("AUC on held-out groups"),
        (
            Curve(_("probe"), tuple(block["auc"] for block in result["blocks"]), intervals),
            Curve(_("shuffled labels"), tuple(b["shuffled_auc"] for b in result["blocks"])),
        ),
        (
            (_("the model's own margin"), result["margin_auc"]),
            (_("bag of words"), result["bag_of_words_auc"]),
        ),
    )
    return StudyReport(
        _(TITLE), _findings(result), _method(study, result), StudyTable(columns, rows), picture
    )


def _findings(result: dict[str, Any]) -> tuple[str, ...]:
    """The verdict with the figures it rests on, and what a look at accuracy would have said."""
    figures = {
        "auc": _figure(result, "auc"),
        "margin": _figure(result, "margin_auc"),
        "difference": _figure(result, "difference"),
        "words": _figure(result, "over_bag_of_words"),
    }
    verdicts = {
        ProbeVerdict.ENCODED_NOT_USED: N_(
            "Encoded, not used: a probe ranks the right answers of held-out groups with AUC {auc}, "
            "the model's own margin with {margin}; the difference is {difference}."
        ),
        ProbeVerdict.NOT_MORE_THAN_SAID: N_(
            "Nothing beyond what the model says: a probe's AUC is {auc}, that of the model's own "
            "margin {margin}; the difference, {difference}, is not shown to be above 0."
        ),
        ProbeVerdict.IN_THE_WORDS: N_(
            "No work of the model is shown: a probe's AUC is {auc}, but features without the "
            "model's work do as well: the difference to a bag of words is {words}."
        ),
        ProbeVerdict.NOT_ENCODED: N_(
            "The right answer is not shown to be decodable: a probe's AUC is {auc}; .5 is chance."
        ),
    }
    findings = [_(verdicts[ProbeVerdict(result["verdict"])], **figures)]
    interval = result["naive_difference_interval"]
    if interval is not None and interval[0] > 0 and not result["encoded_not_used"]:
        findings.append(
            _(
                "The best block's probe is right more often than the model, by {naive}. That is no "
                "finding: {rate} of the answers are of one kind, and a probe may learn just that.",
                naive=_figure(result, "naive_difference"),
                rate=f"{result['base_rate']:.0%}",
            )
        )
    return tuple(findings)


def _figure(result: dict[str, Any], name: str) -> str:
    """A figure with its interval: `.550 [.480, .621]`."""
    interval = result[f"{name}_interval"]
    ends = "" if interval is None else f" [{_short(interval[0])}, {_short(interval[1])}]"
    return _short(result[name]) + ends


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1)


def _method(study: Study, result: dict[str, Any]) -> tuple[str, ...]:
    first, second = result["options"]
    plan = study.plan
    return (
        _(
            "{n} questions of {groups} groups ({layers}) with the options “{first}” and "
            "“{second}”; {left_out} more had no finite score or were longer than the context. "
            "{rate} have the commoner right answer; the model is right about {own}, the probe "
            "about {accuracy}.",
            n=result["n"],
            groups=result["groups"],
            layers=", ".join(layer_shown(plan.benchmark, layer) for layer in result["layers"]),
            first=first,
            second=second,
            left_out=result["left_out"],
            rate=f"{result['base_rate']:.1%}",
            own=f"{result['own_accuracy']:.1%}",
            accuracy=f"{result['accuracy']:.1%}",
        ),
        _(
            "Logistic regression (L2, C {penalty}, standardised) on the residual stream at the "
            "answer position; {folds} folds of whole groups; the block is chosen in {inner} folds "
            "inside each training part: {chosen}. Pairs of one fold are ranked; 95 % intervals by "
            "bootstrap over groups.",
            penalty=INVERSE_PENALTY,
            folds=FOLDS,
            inner=INNER_FOLDS,
            chosen=", ".join(map(str, result["chosen_blocks"])),
        ),
        _(
            "Controls: shuffled labels (mean of {shuffles}) {shuffled}; bag of words {words}; "
            "embeddings at the answer position {embedding}; the model's own margin, recalibrated "
            "in the same folds, {margin}; selectivity {selectivity} over a random label for each "
            "group.",
            shuffles=SHUFFLES,
            shuffled=_figure(result, "shuffled_auc"),
            words=_figure(result, "bag_of_words_auc"),
            embedding=_figure(result, "embedding_auc")
            if "embedding_auc" in result
            else _("not readable"),
            margin=_figure(result, "margin_auc"),
            selectivity=_short(result["selectivity"]),
        ),
        *origin(plan),
    )
