"""What a person reads of relations."""

from __future__ import annotations

from core.benchmarks.abspyramid.tuples import Relation

RELATIONS = {
    Relation.NOUN: "Noun-Entail",
    Relation.VERB: "Verb-Entail",
    Relation.EVENT: "Event-Entail",
}
"""The relations as the paper calls them."""
