"""Coverage: how often the program's 95 % intervals hold the value that they are about.

python performance/coverage.py [--tries N] [--markdown]

Simulates data of which the value is known, and computes each kind of interval by the program's own
functions. An interval that is withheld counts neither way; how often that is, is printed too.
Shares of independent items are not simulated, their coverage is summed over all outcomes. With
`--markdown`, one line for each kind, as docs/numbers.md has them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core.benchmarks.abspyramid.detection import score_detection
from core.benchmarks.abspyramid.generation import score_generation
from core.benchmarks.abspyramid.predictions import DetectionPrediction, GenerationPrediction
from core.contract.summary import interval_of_mean
from core.statistics.cluster_interval import mean_interval
from core.statistics.jackknife import jackknife_interval
from core.statistics.kappa import ratings
from core.statistics.paired import paired_difference
from core.statistics.proportion import proportion_interval

SEED = 5
NUMBERS = (5, 7, 10, 28, 100)
SHARES = (0.02, 0.05, 0.2, 0.5, 0.8, 0.95, 0.98)
CLUSTERS = (3, 5, 28, 100)
CORRELATIONS = (0.0, 0.2, 0.5)
LEAST = 0.92
"""Least coverage of a nominal 95 %."""

Interval = tuple[float, float] | None
Random = np.random.Generator
Case = tuple[int, float]
"""Cluster and score."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The coverage of one kind of interval under one condition."""

    kind: str
    condition: str
    coverage: float | None
    """Share of the intervals given that hold the true value; None if none was given."""
    given: float
    """Share of the samples that have an interval."""


def exact_cells() -> Iterator[Cell]:
    """Shares of independent items, over all outcomes."""
    for n in NUMBERS:
        for share in SHARES:
            covered = sum(
                math.comb(n, right) * share**right * (1 - share) ** (n - right)
                for right in range(n + 1)
                if _holds(proportion_interval(right, n), share)
            )
            yield Cell("share of independent items", f"n={n}, share {share}", covered, 1.0)


def simulated_cells(tries: int) -> Iterator[Cell]:
    """All other kinds, `tries` samples for each condition."""
    for soft in (False, True):
        kind = "mean of soft scores" if soft else "share of clustered items"
        if soft:
            for n in NUMBERS:
                for share in SHARES:
                    yield _cell(
                        f"{kind}, independent",
                        f"n={n}, mean {share}",
                        share,
                        lambda random, n=n, share=share: mean_interval(
                            enumerate(_scores(random, share, n, soft=True))
                        ),
                        tries,
                    )
            kind += ", clustered"
        for clusters in CLUSTERS:
            for icc in CORRELATIONS:
                for share in SHARES:
                    yield _cell(
                        kind,
                        f"{clusters} clusters, correlation {icc}, {share}",
                        share,
                        lambda random, c=clusters, i=icc, s=share, soft=soft: mean_interval(
                            clustered_cases(random, c, i, s, soft=soft)
                        ),
                        tries,
                    )
    for n in NUMBERS:
        shares = (0.2, 0.5, 0.8, 0.95)
        yield _cell(
            "average of four shares",
            f"n={n} each",
            sum(shares) / 4,
            lambda random, n=n, shares=shares: _average(random, shares, n),
            tries,
        )
    for clusters in (*CLUSTERS, *NUMBERS):
        single = clusters not in CLUSTERS
        for icc in (0.0,) if single else CORRELATIONS:
            for share in SHARES:
                yield _cell(
                    "difference of two runs",
                    f"{clusters} {'items' if single else f'clusters, correlation {icc}'}, {share}",
                    0.0,
                    lambda random, c=clusters, i=icc, s=share, m=single: _difference(
                        random, c, i, s, single=m
                    ),
                    tries,
                )
    for heads, icc, valid, distance in product(
        (10, 28, 100), (0.0, 0.5), (0.1, 0.4, 0.6, 0.9), (0.5, 2.0, 3.5)
    ):
        yield from _detection_cells(heads, Detector(icc, valid, distance), max(100, tries // 2))
    for heads in (10, 28, 100):
        yield from _generation_cells(heads, max(100, tries // 5))
    for n in (10, 28, 100):
        yield _cell(
            "Fleiss' kappa", f"{n} items, five raters", 0.36, lambda r, n=n: _kappa(r, n), tries
        )
    for clusters in (10, 28, 100):
        yield _cell(
            "difference of a gated figure",
            f"{clusters} clusters",
            0.0,
            lambda random, c=clusters: _gated(random, c),
            tries,
        )
    yield from _odds_cells(max(50, tries // 20))


def clustered_cases(
    random: Random, clusters: int, icc: float, share: float, *, soft: bool, single: bool = False
) -> list[Case]:
    """Cases in clusters of 2 to 10, whose shares are beta-distributed with a correlation."""
    made: list[Case] = []
    for cluster in range(clusters):
        own = share
        if icc:
            spread = 1 / icc - 1
            own = float(random.beta(share * spread, (1 - share) * spread))
        size = 1 if single else 2 + 3 * cluster % 9
        made += [(cluster, score) for score in _scores(random, own, size, soft=soft)]
    return made


def _scores(random: Random, share: float, n: int, *, soft: bool) -> list[float]:
    """Right or wrong, or half of them the share of three right options."""
    right = (random.random(n) < share).astype(float)
    if soft:
        right = np.where(random.random(n) < 0.5, right, random.binomial(3, share, n) / 3)
    return [float(score) for score in right]


def _average(random: Random, shares: Sequence[float], n: int) -> Interval:
    parts = []
    for share in shares:
        right = int(random.binomial(n, share))
        parts.append((right / n, proportion_interval(right, n)))
    return interval_of_mean(parts)


def _difference(
    random: Random, clusters: int, icc: float, share: float, *, single: bool
) -> Interval:
    """Of two equally good answerers, who agree on half of the items and on hard clusters."""
    first, second = [], []
    for cluster in range(clusters):
        own = share
        if icc:
            spread = 1 / icc - 1
            own = float(random.beta(share * spread, (1 - share) * spread))
        for _ in range(1 if single else 2 + 3 * cluster % 9):
            one, other = random.random(2) < own
            first.append((cluster, float(one)))
            second.append(float(one if random.random() < 0.5 else other))
    return paired_difference(
        [score for _, score in first], second, [cluster for cluster, _ in first]
    ).interval


@dataclass(frozen=True, slots=True)
class Detector:
    """How a made-up detector and the tuples that it is asked about are."""

    correlation: float
    """Of the scores of a head event; at 0 every head event has one tuple."""
    valid: float
    """Share of valid tuples."""
    distance: float
    """Of the mean scores of valid and invalid tuples, in standard deviations."""


def detector_predictions(
    random: Random, heads: int, detector: Detector
) -> list[DetectionPrediction]:
    """Labelled tuples of head events, one each or 2 to 10."""
    made = []
    own, shared = math.sqrt(1 - detector.correlation), math.sqrt(detector.correlation)
    for head in range(heads):
        shift = random.normal(0, shared)
        for _ in range(2 + 3 * head % 9 if detector.correlation else 1):
            valid = bool(random.random() < detector.valid)
            centre = detector.distance / 2 if valid else -detector.distance / 2
            p_yes = 1 / (1 + math.exp(-(random.normal(centre, own) + shift)))
            made.append(DetectionPrediction(valid, p_yes > 0.5, p_yes, head=f"event {head}"))
    return made


def _detection_cells(heads: int, detector: Detector, tries: int) -> Iterator[Cell]:
    """Figures of detection; the truth is that of a very large sample."""
    random = np.random.default_rng(SEED)
    large = score_detection(detector_predictions(random, 10_000, detector))["all"].figures
    truth = {figure.name: figure.value or 0.0 for figure in large}
    held, given = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(tries):
        for figure in score_detection(detector_predictions(random, heads, detector))["all"].figures:
            if figure.interval is not None:
                given[figure.name] += 1
                held[figure.name] += _holds(figure.interval, truth[figure.name])
    where = (
        f"{heads} head events, correlation {detector.correlation}, {detector.valid} valid, "
        f"distance {detector.distance}"
    )
    for name in truth:
        coverage = held[name] / given[name] if given[name] else None
        yield Cell(f"detection: {name}", where, coverage, given[name] / tries)


def _generation_cells(heads: int, tries: int) -> Iterator[Cell]:
    """BLEU and ROUGE of concepts whose words are right more or less often, by head event."""

    def predictions(random: Random, heads: int) -> list[GenerationPrediction]:
        made = []
        for head in range(heads):
            known = float(random.beta(2, 2))
            for _ in range(2 + 3 * head % 9):
                words = [f"word{i}" for i in random.integers(0, 1000, 2 + head % 3)]
                text = " ".join(w if random.random() < known else "other" for w in words)
                made.append(GenerationPrediction((" ".join(words),), text, head=f"event {head}"))
        return made

    random = np.random.default_rng(SEED)
    large = score_generation(predictions(random, 4_000), None)["all"].figures
    truth = {figure.name: figure.value for figure in large if figure.value}
    held, given = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
    for _ in range(tries):
        for figure in score_generation(predictions(random, heads), None)["all"].figures:
            if figure.interval is not None and figure.name in truth:
                given[figure.name] += 1
                held[figure.name] += _holds(figure.interval, truth[figure.name])
    for name in truth:
        coverage = held[name] / given[name] if given[name] else None
        yield Cell(f"generation: {name}", f"{heads} head events", coverage, given[name] / tries)


def _kappa(random: Random, items: int) -> Interval:
    """Raters who see the truth with 80 %, which has even chances: kappa is .6 squared."""
    counts = []
    for _ in range(items):
        truth = random.random() < 0.5
        yes = int(random.binomial(5, 0.8 if truth else 0.2))
        counts.append({True: yes, False: 5 - yes})
    agreement = ratings(counts)
    return agreement.interval if agreement is not None else None


def _gated(random: Random, clusters: int) -> Interval:
    """Of a second layer that counts where the first is right, in two equally good runs."""
    group_of, rows = [], []
    for cluster in range(clusters):
        ease = random.normal(0, 1)
        for _ in range(2 + 3 * cluster % 9):
            chance = 1 / (1 + math.exp(-ease))
            rows.append([float((random.random(2) < chance).all()) for _run in range(2)])
            group_of.append(cluster)
    table, groups = np.array(rows), np.array(group_of)
    differences = table[:, 1] - table[:, 0]
    without = [float(differences[groups != group].mean()) for group in range(clusters)]
    return jackknife_interval(float(differences.mean()), without)


def _odds_cells(tries: int) -> Iterator[Cell]:
    """Of a hop, a distractor and their difference, in ACCORD's model."""
    from core.statistics.logistic import logistic

    truths = {"hop": -0.5, "distractor": -0.2, "hop − distractor": -0.3}
    weights = {"hop": (0, 1, 0), "distractor": (0, 0, 1), "hop − distractor": (0, 1, -1)}
    for pairings in (10, 28):
        random = np.random.default_rng(SEED)
        held, given = dict.fromkeys(truths, 0), dict.fromkeys(truths, 0)
        for _ in range(tries):
            rows, right, names = [], [], []
            for pairing in range(pairings):
                ease = random.normal(1.5, 0.8)
                for tree in range(16):
                    hops, distractors = 1 + tree % 4, tree // 4
                    log_odds = ease - 0.5 * (hops - 1) - 0.2 * distractors
                    rows.append((float(hops), float(distractors)))
                    right.append(bool(random.random() < 1 / (1 + math.exp(-log_odds))))
                    names.append(pairing)
            fitted = logistic(rows, right, names)
            for name, weight in weights.items():
                interval = fitted.interval(weight) if fitted is not None else None
                if interval is not None:
                    given[name] += 1
                    held[name] += _holds(interval, truths[name])
        for name in truths:
            coverage = held[name] / given[name] if given[name] else None
            yield Cell(
                "log odds ratio", f"{name}, {pairings} pairings", coverage, given[name] / tries
            )


def _cell(
    kind: str, condition: str, truth: float, interval_of: Callable[[Random], Interval], tries: int
) -> Cell:
    random = np.random.default_rng(SEED)
    held = given = 0
    for _ in range(tries):
        interval = interval_of(random)
        if interval is not None:
            given += 1
            held += _holds(interval, truth)
    return Cell(kind, condition, held / given if given else None, given / tries)


def _holds(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def markdown(cells: Sequence[Cell]) -> str:
    """One line for each kind: its least and its mean coverage, and how often it is given."""
    lines = ["| interval | least | mean | given at least |", "|---|---|---|---|"]
    for kind in dict.fromkeys(cell.kind for cell in cells):
        of = [cell for cell in cells if cell.kind == kind and cell.coverage is not None]
        coverages = [cell.coverage for cell in of if cell.coverage is not None]
        given = min(cell.given for cell in cells if cell.kind == kind)
        lines.append(
            f"| {kind} | {min(coverages):.1%} | {sum(coverages) / len(of):.1%} | {given:.0%} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print every cell, those below `LEAST` marked, then the table of kinds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tries", type=int, default=1000, help="samples for each condition")
    parser.add_argument("--markdown", action="store_true", help="print the table of kinds only")
    options = parser.parse_args()
    cells = []
    for cell in chain(exact_cells(), simulated_cells(options.tries)):
        cells.append(cell)
        if not options.markdown:
            covered = "none" if cell.coverage is None else f"{cell.coverage:.3f}"
            mark = " <" if cell.coverage is not None and cell.coverage < LEAST else ""
            print(f"{cell.kind}; {cell.condition}: {covered}, given {cell.given:.2f}{mark}")
    print(markdown(cells))


if __name__ == "__main__":
    main()
