"""Terms of a knowledge base: words and phrases, some of them in one sense only.

ConceptNet names a term by a path, `/c/<language>/<words>[/<part of speech>[/<origin>/<sense>]]`
(Speer, Chin & Havasi, 2017). Here a term is plain text, "guinea pig", and a term limited to a
sense keeps the rest of its path: "guinea pig/n". A term includes those below it: "cat" includes
"cat/n" and "cat/n/wn/animal", and "cat/n" includes "cat/n/wn/animal".

A term's key is its text in UTF-8 with a null byte before every part of the sense. So a term sorts
directly before the terms that it includes. Keys have no other control characters.
"""

from __future__ import annotations

import re
import unicodedata

MOST_BYTES = 500
"""Longest term in bytes; the longest in ConceptNet 5.7 has less than 300."""
_PARTS_OF_SPEECH = "nvars"
_SENSE = re.compile(rf"/[{_PARTS_OF_SPEECH}](?:/.*)?$", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FROM_PATH = bytes.maketrans(b"_/ABCDEFGHIJKLMNOPQRSTUVWXYZ", b" \0abcdefghijklmnopqrstuvwxyz")


def normalise(text: str) -> str:
    """A term in the spelling of knowledge bases: NFC, lower case, single spaces for blanks and `_`.

    Also accepts the path of a term: `/c/en/Guinea_pig/n` becomes "guinea pig/n".
    """
    if text.startswith("/c/"):
        text = text[3:].partition("/")[2]
    words = unicodedata.normalize("NFC", text.replace("_", " ").lower())
    return " ".join(words.split())


def plain(term: str) -> str:
    """The term without its sense, as shown to users."""
    return _SENSE.sub("", term)


def sense(term: str) -> str:
    """The sense of a term, such as "n" or "n/wn/animal"; empty if it has none."""
    match = _SENSE.search(term)
    return match.group()[1:] if match else ""


def order(term: str) -> tuple[str, str]:
    """Sort key of terms: by words, terms without a sense first."""
    return plain(term), sense(term).replace("/", "\0")


def key(term: str) -> bytes:
    """The key of a normalised term. Raises `ValueError` if the term is invalid."""
    match = _SENSE.search(term)
    words = term[: match.start()] if match else term
    if not words:
        raise ValueError("A term is empty.")
    if _CONTROL.search(term):
        raise ValueError("A term holds a control character.")
    tail = match.group().replace("/", "\0") if match else ""
    encoded = (words + tail).encode()
    if len(encoded) > MOST_BYTES:
        raise ValueError(f"A term is longer than {MOST_BYTES} bytes.")
    return encoded


def key_of_path(words: bytes) -> bytes:
    """The key of a path after its language, such as `guinea_pig/n`, if it is spelled correctly.

    Fast, without validation: `checked` normalises and validates the result.
    """
    return words.translate(_FROM_PATH)


def checked(draft: bytes) -> bytes:
    """The valid key for a result of `key_of_path`. Raises `ValueError` if there is none."""
    return key(normalise(decoded(draft).replace("\0", "/")))


def decoded(data: bytes) -> str:
    """Decode UTF-8. Raises `ValueError` if it is malformed."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("It is not UTF-8.") from None


def text_of(key: bytes) -> str:
    """The term of a key. Raises `UnicodeDecodeError` for a malformed key."""
    return key.decode().replace("\0", "/")
