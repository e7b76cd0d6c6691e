"""Proves on a server that it scores options, before any of its log-likelihoods is used.

Servers answer the same request with numbers that mean different things: of the token before, after
the temperature, of the written text alone. So a few texts are scored whose sums are known from
elsewhere.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace

from core.contract.question import OptionScore
from core.models.openai.likelihoods import WAYS, Likelihoods
from core.models.openai.requests import Requests
from core.text.errors import ModelError
from core.text.language import _

_PROBES = (
    ("The capital of France is Paris, and the capital of Italy is", " Rome", " of course"),
    ("Maria apre la porta e poi la chiude. La porta è", " chiusa", " a chiave"),
    ("There are three blocks on the table. The block at the top is", " a small", " red cube"),
    ("Question: can a stone swim?\nAnswer:", " no", " it cannot"),
    ("Anna puts the ball into the box. Then she takes", " the ball", " out again"),
    ("One, two, three, four, five,", " six", " seven eight"),
)
"""A prompt, and an option in two parts."""
_FEWEST = 2
"""Fewest probes on which each comparison has to be possible."""
_ENOUGH = 3
"""Probes after which no more are tried."""
_TOLERANCE = 0.1
"""Most nats a token by which two figures may differ that ought to be equal: half precision and
batches of other shapes round so much."""
_EXACT = 1e-3
"""Most nats between equal figures that were computed in batches of different shapes."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a server scores options, and how well."""

    likelihoods: Likelihoods
    exact: bool
    """Whether it gave the same figures again, beside other requests, and rounds little."""
    difference: float
    """The largest difference in nats between figures that ought to be equal."""

    def __str__(self) -> str:
        if self.exact:
            return f"exact ({self.likelihoods.name})"
        # Rounded up, so that it is a bound.
        bound = max(1e-6, math.ceil(self.difference * 1e6) / 1e6)
        return f"approximate to {bound:.6f} nats ({self.likelihoods.name})"


async def proved(requests: Requests, model: str) -> Proof:
    """The first way of scoring options that is proved on the server.

    Raises `ModelError`, which says of each way why it is not.
    """
    # A way that a server does not offer may fail as if it were busy.
    limits = replace(requests.limits, tries=min(2, requests.limits.tries))
    trying = requests.with_limits(limits)
    reasons = []
    for way in WAYS:
        try:
            proof = await _proof(way(trying, model))
        except ModelError as error:
            reasons.append(f"{way.name}: {error.what}")
        else:
            return replace(proof, likelihoods=way(requests, model))
    raise ModelError(
        _("This server does not score options so that it could be proved.")
        + " "
        + " ".join(reasons),
        where=requests.where,
        hint=_("Let it write its answers, or use a model file on this machine."),
    )


async def _proof(likelihoods: Likelihoods) -> Proof:
    """Compare what is equal where a server scores options; raises `ModelError` where it differs."""
    wholes: list[OptionScore] = []
    sums: list[float] = []
    written: list[float] = []
    certain = True
    probes = iter(_PROBES)
    while min(len(written), len(sums)) < _ENOUGH and (probe := next(probes, None)):
        prompt, first, second = probe
        text, logprob = await likelihoods.written(prompt)
        if text.strip():
            scored = await likelihoods.option(prompt, text)
            if scored.tokens == 1:
                written.append(abs(scored.logprob - logprob))
                certain = certain and logprob == 0
        whole = await likelihoods.option(prompt, first + second)
        parts = [
            await likelihoods.option(prompt, first),
            await likelihoods.option(prompt + first, second),
        ]
        wholes.append(whole)
        if whole.tokens == sum(part.tokens for part in parts):
            difference = whole.logprob - math.fsum(part.logprob for part in parts)
            sums.append(abs(difference) / whole.tokens)
    if min(len(written), len(sums)) < _FEWEST:
        raise _unproved(_("too little of what it writes can be compared"))
    if certain:
        raise _unproved(_("what it writes has the probability 1, so it is not the model's"))
    if _largest(written) > _TOLERANCE:
        raise _unproved(
            _(
                "a token scores {nats:.2f} nats otherwise in a prompt than when it is written",
                nats=_largest(written),
            )
        )
    if _largest(sums) > _TOLERANCE:
        raise _unproved(_("the tokens of an option do not sum up to the option"))
    repeated = await asyncio.gather(
        *(
            likelihoods.option(prompt, first + second)
            for prompt, first, second in _PROBES[: len(wholes)]
        )
    )
    again = _largest([abs(a.logprob - b.logprob) for a, b in zip(wholes, repeated, strict=True)])
    if again > _TOLERANCE:
        raise _unproved(
            _("an option scores {nats:.2f} nats otherwise when asked again", nats=again)
        )
    largest = _largest([*written, *sums, again])
    return Proof(likelihoods, again == 0 and largest <= _EXACT, largest)


def _largest(differences: list[float]) -> float:
    """The largest difference; infinite where one is not a number."""
    return max(math.inf if math.isnan(each) else each for each in differences)


def _unproved(why: str) -> ModelError:
    return ModelError(_("not proved, {why}.", why=why))
