"""States at the options of questions, in which what can be decoded is known."""

from __future__ import annotations

import numpy as np

from core.studies.option_cases import OptionCases
from core.studies.probe_fits import less_means


def option_states(
    seed: int,
    *,
    groups: int = 40,
    options: int = 5,
    planted: float = 0.0,
    said: float = 0.0,
    favourite: float = 0.0,
    in_words: bool = False,
) -> OptionCases:
    """Two questions a group and three blocks of width 16, in all of which an option's place stands.

    Block 1 holds whether an option is right with strength `planted`, the model's own scores with
    strength `said`; the share `favourite` of questions has the right option at place 1, beside
    those that have it there by chance.
    """
    generator = np.random.default_rng(seed)
    count = 2 * groups
    questions = np.repeat(np.arange(count), options)
    places = np.tile(np.arange(options), count)
    gold = generator.integers(0, options, count)
    gold[generator.random(count) < favourite] = 1
    labels = (places == gold[questions]).astype(np.int64)
    sign = 2.0 * labels - 1

    def noise() -> np.ndarray:
        shared = generator.normal(size=(groups, 16))[questions // 2]
        states = generator.normal(size=(len(labels), 16)) + shared
        states[np.arange(len(labels)), 1 + places] += 3.0
        return states

    blocks = [noise(), noise(), noise()]
    blocks[1][:, 0] += planted * sign
    logprobs = said * sign + generator.normal(size=len(labels)) - (places == 3)
    words = less_means(blocks[1] if in_words else noise(), questions)
    return OptionCases(
        [less_means(features, questions) for features in blocks],
        labels,
        questions,
        places,
        questions // 2,
        logprobs,
        np.full(len(labels), 2),
        np.arange(len(labels)),
        {"bag_of_words": words},
    )
