"""The figures of Com² over a run's verdicts, as in the paper's Table 2.

Single choice counts right answers. Multiple select has a soft score (section 3.1): 1 for exactly
the right options, their share for some of them and no wrong one, else 0. The average of a part is
the unweighted mean over its scenarios, and the overall figure is the mean of the averages of
Com²-main and Com²-hard. Questions about one graph are one cluster in the interval of a scenario;
intervals of averages are combined from those of the scenarios.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from core.benchmarks.com2.item import HARD_SCENARIOS, Scenario, letter
from core.benchmarks.com2.questions import ANSWER, BROKEN, LINK, PROFILES
from core.contract.question import UNREAD, Verdict
from core.contract.summary import Baseline, Figure, Summary, Totals, check_profile, interval_of_mean
from core.statistics.cluster_interval import mean_interval
from core.text.language import N_, _

PARTS: Mapping[str, tuple[Scenario, ...]] = {
    "main": tuple(Scenario),
    "hard": HARD_SCENARIOS,
}
_CHANCE = N_("chance")
_LETTER = N_("best letter")
_SOFT = N_("soft score; the count is of exact answers")
_TOO_FEW_GRAPHS = N_("too few graphs")


def macro(scores: Sequence[float]) -> float:
    """The unweighted mean of the scenarios' scores (Table 2, "Avg.")."""
    return sum(scores) / len(scores)


def summarise(
    verdicts: Sequence[Verdict], profile: str, totals: Mapping[str, Totals] | None = None
) -> Summary:
    """Scores by part and scenario, averages, links, broken links, and how answers were read.

    Raises `NotFoundError` for an unknown profile.
    """
    check_profile(profile, PROFILES)
    counts = _counts(verdicts)
    counted = [v for v in verdicts if profile != "parsed" or v.status not in UNREAD]
    answers = [v for v in counted if v.layer == ANSWER and v.credit is not None]
    figures: list[Figure] = []
    averages: list[Figure] = []
    missing: list[str] = []
    for part, scenarios in PARTS.items():
        scores: list[Figure] = []
        absent: list[str] = []
        for scenario in scenarios:
            scored = [
                v
                for v in answers
                if v.tags.get("part") == part and v.tags.get("scenario") == scenario
            ]
            name = f"{part} {scenario.value}"
            if scored:
                scores.append(_scenario(name, scored))
            else:
                absent.append(name)
        if scores:
            averages.append(_mean(f"{part} average", scores, absent))
            figures += [*scores, averages[-1]]
            missing += absent
    if len(averages) == len(PARTS):
        figures.append(_mean("overall", averages, missing))
    for name, layer in (("links", LINK), ("broken links", BROKEN)):
        links = [v for v in counted if v.layer.startswith(layer) and v.right is not None]
        if links:
            right = sum(bool(v.right) for v in links)
            interval = _interval(links, [float(bool(v.right)) for v in links])
            figures.append(
                Figure(
                    name,
                    right,
                    len(links),
                    _link_baselines(links),
                    own_interval=interval,
                    withheld="" if interval else _TOO_FEW_GRAPHS,
                )
            )
    return Summary(profile, tuple(figures), counts, _notes(verdicts, profile))


def _scenario(name: str, verdicts: Sequence[Verdict]) -> Figure:
    n = len(verdicts)
    baselines = _baselines(verdicts)
    tokens = _tokens(verdicts)
    soft = any(verdict.multiple for verdict in verdicts)
    scores = [verdict.credit or 0.0 for verdict in verdicts]
    interval = _interval(verdicts, scores)
    return Figure(
        name,
        sum(bool(v.right) for v in verdicts),
        n,
        baselines,
        "; ".join(filter(None, (_(_SOFT) if soft else "", tokens))),
        mean=sum(scores) / n if soft else None,
        own_interval=interval,
        withheld=_TOO_FEW_GRAPHS if interval is None and n > 1 else "",
    )


def _tokens(verdicts: Sequence[Verdict]) -> str:
    """Mean output tokens of an answer (the paper's Figure 5), in words; empty without any."""
    written = [v.output_tokens for v in verdicts if v.output_tokens]
    if not written:
        return ""
    return _("{tokens:.0f} output tokens an answer", tokens=sum(written) / len(written))


def _interval(verdicts: Sequence[Verdict], scores: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean score; questions without a graph are taken as independent."""
    clusters = (v.tags.get("graph") or index for index, v in enumerate(verdicts))
    return mean_interval(zip(clusters, scores, strict=True))


def _chance(verdict: Verdict) -> float:
    """The expected score of a random option, or of a random non-empty set of options."""
    options = len(verdict.options)
    if not verdict.multiple:
        return 1 / options if options else 0.0
    right = len(verdict.golds)
    # Sets of k right options and no wrong one: C(right, k) of the 2^options - 1 non-empty sets.
    total = sum(math.comb(right, k) * k / right for k in range(1, right + 1))
    return float(total / (2**options - 1))


def _baselines(verdicts: Sequence[Verdict]) -> dict[str, Baseline]:
    """Guessing, and the letter that scores most when it is always picked, alone."""
    n = len(verdicts)
    chance = math.fsum(map(_chance, verdicts)) / n
    words = _("each option equally often")
    if any(verdict.multiple for verdict in verdicts):
        words = _("each set of one or more options equally often")
    scores: dict[int, float] = {}
    for verdict in verdicts:
        for right in verdict.right_options:
            place = verdict.place(right)
            scores[place] = scores.get(place, 0.0) + 1 / len(verdict.right_options)
    baselines = {_CHANCE: Baseline(chance, words)}
    if scores:
        best, score = max(scores.items(), key=lambda pair: pair[1])
        baselines[_LETTER] = Baseline(score / n, _("always {letter}", letter=letter(best)))
    return baselines


def _link_baselines(links: Sequence[Verdict]) -> dict[str, Baseline]:
    n, yes = len(links), sum(v.gold == 0 for v in links)
    return {
        _CHANCE: Baseline(math.fsum(map(_chance, links)) / n, _("yes and no equally often")),
        N_("always yes"): Baseline(yes / n, _("yes to every link")),
        N_("always no"): Baseline((n - yes) / n, _("no to every link")),
    }


def _baselines_of_mean(parts: Sequence[Figure]) -> dict[str, Baseline]:
    """The means of the baselines that all parts have."""
    words = {
        _CHANCE: _("each option, or set of options, equally often"),
        _LETTER: _("always the best letter of each scenario"),
    }
    return {
        name: Baseline(macro([part.baselines[name].value for part in parts]), answers)
        for name, answers in words.items()
        if all(name in part.baselines for part in parts)
    }


def _mean(name: str, of: Sequence[Figure], missing: Sequence[str]) -> Figure:
    mean = macro([figure.value or 0.0 for figure in of])
    interval = interval_of_mean([(figure.value or 0.0, figure.interval) for figure in of])
    note = _("macro average, every scenario weighs the same")
    if name == "overall":
        note = _("mean of the two averages")
    if interval is not None:
        note += "; " + _("its interval from theirs (Zou, Huang and Zhang 2009)")
    if missing:
        without = _("without {scenarios}, so not comparable with the paper's")
        note = f"{note}; {without.format(scenarios=', '.join(missing))}"
    n = sum(figure.n for figure in of)
    baselines = _baselines_of_mean(of)
    return Figure(name, None, n, baselines, note, mean=mean, own_interval=interval)


def _counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    answers = [v for v in verdicts if v.layer == ANSWER]
    counts = {"asked": len(verdicts), "answers": len(answers)}
    counts["without gold"] = sum(v.credit is None for v in answers)
    counts |= {f"status {k}": n for k, n in sorted(Counter(v.status for v in answers).items())}
    written = [v.output_tokens for v in answers if v.output_tokens]
    if written:
        counts["output tokens"] = sum(written)
        counts["output tokens per answer"] = round(sum(written) / len(written))
    return counts


def _notes(verdicts: Sequence[Verdict], profile: str) -> tuple[str, ...]:
    notes = []
    kinds = {v.scoring for v in verdicts if v.layer == ANSWER}
    if len(kinds) > 1:
        notes.append(_("Answers were read in different ways, which must not be compared."))
    if profile == "parsed":
        notes.append(_("Only answers that could be read are counted; compare with all of them."))
    if any(v.tags.get("thinking") for v in verdicts):
        notes.append(_("Slow thinking was given with the question (the condition of Figure 6)."))
    return tuple(notes)
