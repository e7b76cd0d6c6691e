"""Finds the nodes that a sentence names, to highlight them while a model reasons."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from core.contract.view import Node
from core.text.text_index import folded

_SENTENCE = re.compile(r"[.!?。！？\n]+")
_WORD = re.compile(r"\w+")
_SHARE = 0.6
"""Least share of a node's longer words that a sentence must have to name it."""
_SHORT = 3
"""Words of at most this many letters are too common to count."""
_LEAST = 2
"""Fewest words that must be shared, unless the whole text is there."""


def last_sentence(text: str) -> str:
    """The last sentence that has ended, with what has begun after it."""
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    start = ends[-2] if len(ends) > 1 else 0
    return text[start:]


def mentioned_nodes(sentence: str, nodes: Iterable[Node]) -> frozenset[str]:
    """The ids of the nodes that a sentence names.

    A node is named by its whole text, whatever the case and the final full stop, or by most of its
    longer words. Scripts without spaces count by pairs of characters.
    """
    searched = folded(sentence)
    words = _parts(searched)
    node_ids = set()
    for node in nodes:
        for text in (node.text, node.gloss):
            own = folded(text).rstrip(".。 ")
            if not own:
                continue
            telling = _parts(own)
            shared = telling & words
            if own in searched or (len(shared) >= _LEAST and len(shared) >= _SHARE * len(telling)):
                node_ids.add(node.id)
    return frozenset(node_ids)


def _parts(text: str) -> frozenset[str]:
    parts: set[str] = set()
    for word in _WORD.findall(text):
        if any(unicodedata.east_asian_width(character) == "W" for character in word):
            parts.update(word[i : i + 2] for i in range(len(word) - 1))
        elif len(word) > _SHORT:
            parts.add(word)
    return frozenset(parts)
