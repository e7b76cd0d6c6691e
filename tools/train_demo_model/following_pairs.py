"""Which pairs of the bundled samples follow from what training tells.

Training says of no bundled pair that it holds. That a spaniel is a beast, and a beast is an animal,
it may have been told.
"""

from __future__ import annotations

from functools import cache

from tools.train_demo_model.bundled_pairs import ASKED, Stems, endings, stems
from tools.train_demo_model.cases import Case
from tools.train_demo_model.concepts import told_to_be


def is_pair(case: Case) -> bool:
    """Whether it asks if a concept holds of a noun or verb."""
    return case.benchmark == "abspyramid" and case.part in ("noun", "verb") and bool(case.options)


def follows(case: Case) -> bool:
    """Whether what training tells of this noun or verb leads to this concept, in whatever form.

    A noun counts where its last words do: "elderly spaniel" with "spaniel".

    Raises:
        ValueError: no noun or verb is asked about.
    """
    asked = ASKED.search(case.text)
    if asked is None:
        raise ValueError(f"no noun or verb: {case.text}")
    part, concept = f"{case.part}s", stems(asked["concept"])
    reached = _reached(part)
    return any(concept in reached.get(word, ()) for word in endings(part, asked["word"]))


@cache
def _reached(part: str) -> dict[Stems, frozenset[Stems]]:
    """By the stems of a word of `nouns` or `verbs`: those of all that is said to be meant by it."""
    found: dict[Stems, frozenset[Stems]] = {}
    for word, concepts in told_to_be(part).items():
        known = found.get(stems(word), frozenset())
        found[stems(word)] = known | {stems(concept) for concept in concepts}
    return found
