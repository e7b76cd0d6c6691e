"""What a probe of options is fitted on: every option of a question is a case, one of them right.

Options are compared inside their question only, so what all options of one share can say nothing;
it is taken from every feature before a fit, as conditional logistic regression does (Chamberlain
1980, "Analysis of Covariance with Qualitative Data"). What an option's place says is taken away too
(`core.studies.probe_fits.held_out`), from the states and from the model's own scores alike, so that
neither is right because letters are not equally often right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from core.studies.probe_cases import Truths
from core.studies.probe_fits import Features, held_out, less_means
from core.studies.ranking import Floats, Integers, Ranked, ranked_options

PLACE = "place"
"""The control that knows the place of an option and nothing else."""


@dataclass(frozen=True, slots=True)
class OptionCases:
    """The options of questions, those of one question together: all arrays are (options, ...)."""

    blocks: Sequence[Features]
    """Centred on the mean of the question's options, as the surfaces are."""
    labels: Integers
    """1 for the right option of each question."""
    questions: Integers
    """The number of the question, ascending."""
    places: Integers
    """Where the prompt shows it among the options of its question, from 0."""
    clusters: Integers
    logprobs: Floats
    """The model's own log-likelihood of the option, in nats."""
    lengths: Integers
    """UTF-8 bytes of what that is the likelihood of."""
    texts: Integers
    """Equal for options of the same text."""
    surfaces: Mapping[str, Features] = field(default_factory=dict)

    @property
    def own_rights(self) -> Truths:
        """Whether the model finds the right option likelier than each other one."""
        return self.rights(self.logprobs)

    @property
    def question_clusters(self) -> Integers:
        """(questions,)."""
        clusters: Integers = self.clusters[self.labels == 1]
        return clusters

    @property
    def base_rate(self) -> float:
        """The share of right options at the place that has most of them."""
        places = self.places[self.labels == 1]
        return float(np.bincount(places).max() / len(places))

    @property
    def chance(self) -> float:
        """How often an option that is drawn at random is right."""
        return float(np.mean(1 / np.unique(self.questions, return_counts=True)[1]))

    def held_out(self, features: Features, folds: Integers) -> Floats:
        """Log-odds of being right from fits of the other folds, without what the place says."""
        return held_out(features, self.labels, folds, self.places)

    def recalibrated(self, folds: Integers) -> Floats:
        """The model's own log-likelihoods and the lengths of the options, fitted as a probe is.

        With the lengths a fit can undo that longer options are less likely.
        """
        figures = np.stack([self.logprobs, self.lengths], axis=1).astype(np.float64)
        return self.held_out(less_means(figures, self.questions), folds)

    def surface_scores(self, folds: Integers) -> Mapping[str, Floats]:
        """Held-out scores of each feature that needs no block of the model, and of the place."""
        scores = {name: self.held_out(features, folds) for name, features in self.surfaces.items()}
        places = np.eye(int(self.places.max()) + 1)[self.places]
        return scores | {PLACE: held_out(places, self.labels, folds)}

    def ranking(self, scores: Floats, folds: Integers) -> Ranked:
        """Pairs of the right option and a wrong one of the same question."""
        return ranked_options(scores, self.labels, self.questions, self.clusters, folds)

    def rights(self, scores: Floats) -> Truths:
        """Whether the right option has the highest score of its question, and no other has it."""
        best_wrong = np.full(int(self.questions.max()) + 1, -np.inf)
        wrong = self.labels != 1
        np.maximum.at(best_wrong, self.questions[wrong], scores[wrong])
        right = self.labels == 1
        truths: Truths = scores[right] > best_wrong[self.questions[right]]
        return truths

    def shuffled(self, folds: Integers, seed: int) -> Self:
        """In every question an option drawn at random is called right."""
        return self._highest(np.random.default_rng(seed).random(len(self.labels)))

    def control_task(self, seed: int) -> Self:
        """One random figure for all options of the same text; in a question the highest is right.

        Texts of options take the place of the word types of Hewitt & Liang (2019).
        """
        drawn = np.random.default_rng(seed).random(int(self.texts.max()) + 1)
        return self._highest(drawn[self.texts])

    def ungrouped(self) -> Self:
        """The same options with each question a cluster of its own."""
        return replace(self, clusters=self.questions)

    def _highest(self, figures: Floats) -> Self:
        """The same cases with the first option of the highest figure called right."""
        order = np.lexsort((-figures, self.questions))
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = self.questions[order][1:] != self.questions[order][:-1]
        labels = np.zeros(len(order), dtype=np.int64)
        labels[order[first]] = 1
        return replace(self, labels=labels)
