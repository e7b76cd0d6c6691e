"""Names of the relations for display."""

from __future__ import annotations

from core.benchmarks.abspyramid.tuples import Relation

RELATIONS = {
    Relation.NOUN: "Noun-Entail",
    Relation.VERB: "Verb-Entail",
    Relation.EVENT: "Event-Entail",
}
"""Names in the paper."""
