"""Answers of the model and what they add up to: shares, intervals and the majority baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """One story with its gold labels; `pair` and `state` are None when it is plausible."""

    sentences: tuple[str, ...]
    pair: tuple[int, int] | None
    state: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether each layer was right. Layers 2 and 3 are asked of implausible stories only."""

    item: Item
    layer1: bool
    layer2: bool | None
    layer3: bool | None


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion with its 95 % Wilson score interval (Wilson 1927)."""

    right: int
    n: int

    @property
    def value(self) -> float:
        return self.right / self.n if self.n else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound; NaN for no observation."""
        if not self.n:
            return (math.nan, math.nan)
        z = 1.959964
        p, n = self.value, self.n
        centre = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (max(0.0, centre - half), min(1.0, centre + half))

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}] ({self.right}/{self.n})"


@dataclass(frozen=True, slots=True)
class Result:
    """What one set of stories gave, and what always giving the commonest answer would give."""

    name: str
    answers: tuple[Answer, ...]

    def share(self, values: Iterable[bool | None]) -> Share:
        known = [value for value in values if value is not None]
        return Share(sum(known), len(known))

    @property
    def measures(self) -> dict[str, Share]:
        """The layers one by one, then chained as GITA chains them (section 6)."""
        bad = [answer for answer in self.answers if answer.item.pair is not None]
        good = [answer for answer in self.answers if answer.item.pair is None]
        return {
            "Layer 1, all stories": self.share(answer.layer1 for answer in self.answers),
            "Layer 1, plausible stories": self.share(answer.layer1 for answer in good),
            "Layer 1, implausible stories": self.share(answer.layer1 for answer in bad),
            "Layer 2, every implausible story": self.share(answer.layer2 for answer in bad),
            "Layer 3, every implausible story": self.share(answer.layer3 for answer in bad),
            "Chained: accuracy": self.share(answer.layer1 for answer in self.answers),
            "Chained: consistency": self.share(answer.layer1 and answer.layer2 for answer in bad),
            "Chained: verifiability": self.share(
                answer.layer1 and answer.layer2 and answer.layer3 for answer in bad
            ),
        }

    @property
    def majority(self) -> dict[str, Share]:
        """The commonest gold label of each layer as the answer to every story."""
        items = [answer.item for answer in self.answers]
        bad = [item for item in items if item.pair is not None]
        return {
            "Layer 1, all stories": _commonest([item.pair is None for item in items]),
            "Layer 2, every implausible story": _commonest([item.pair for item in bad]),
            "Layer 3, every implausible story": _commonest([item.state for item in bad]),
        }

    def by_distance(self) -> dict[int, tuple[Share, Share]]:
        """Layers 1 and 2 on implausible stories by the distance of the two sentences."""
        groups: dict[int, list[Answer]] = {}
        for answer in self.answers:
            if answer.item.pair is not None:
                groups.setdefault(answer.item.pair[1] - answer.item.pair[0], []).append(answer)
        return {
            distance: (
                self.share(answer.layer1 for answer in group),
                self.share(answer.layer2 for answer in group),
            )
            for distance, group in sorted(groups.items())
        }


def _commonest(labels: Sequence[object]) -> Share:
    return Share(Counter(labels).most_common(1)[0][1] if labels else 0, len(labels))
