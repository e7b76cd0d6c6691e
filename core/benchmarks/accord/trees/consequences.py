"""Everything that follows from some statements by the reduction matrix, in whatever order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.tree import Template
from core.text.errors import DataError

MOST_CLAIMS = 10_000
"""Most claims that are derived; a sound item of 20 templates and 5 choices gives some 1,000."""


class ConsequencesError(DataError):
    """Statements from which more follows than is looked through."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement about two terms."""

    source: str
    skill: str
    target: str


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a claim comes about."""

    claim: Claim
    parents: tuple[Claim, Claim] | None = None
    """The two that it was reduced from; None where it was said."""


def consequences(said: Iterable[Claim], matrix: Matrix) -> dict[Claim, Derivation]:
    """All claims that follow from what was said, those included, each with one derivation.

    Any two claims that share one term are reduced, until nothing new comes of it.

    Raises `ConsequencesError` beyond `MOST_CLAIMS`.
    """
    numbers: dict[str, int] = {}
    found: dict[Template, tuple[Template, Template] | None] = {}
    for claim in said:
        ends = (numbers.setdefault(term, len(numbers)) for term in (claim.source, claim.target))
        found.setdefault(Template(next(ends), claim.skill, next(ends)), None)
    terms = list(numbers)
    at: defaultdict[int, list[Template]] = defaultdict(list)
    waiting = [template for template in found if template.source != template.target]
    # The list grows while it is read; two claims meet when the later of them is.
    for template in waiting:
        if len(found) > MOST_CLAIMS:
            raise ConsequencesError(f"More than {MOST_CLAIMS:,} claims follow from the statements.")
        for variable in (template.source, template.target):
            for other in at[variable]:
                reduced = matrix.reduce(template, other)
                if reduced is not None and reduced.template not in found:
                    found[reduced.template] = template, other
                    waiting.append(reduced.template)
        at[template.source].append(template)
        at[template.target].append(template)

    def named(template: Template) -> Claim:
        return Claim(terms[template.source], template.skill, terms[template.target])

    return {
        named(template): Derivation(
            named(template), None if parents is None else (named(parents[0]), named(parents[1]))
        )
        for template, parents in found.items()
    }
