"""Terms of a knowledge base: words and phrases, some of them in one sense only.

ConceptNet names a term by a path, `/c/<language>/<words>[/<part of speech>[/<origin>/<sense>]]`
(Speer, Chin & Havasi, 2017). Here a term is plain text, "guinea pig", and one that is limited to
a sense keeps the rest of its path: "guinea pig/n". As along any path, a term takes in those below
it: "cat" stands for "cat/n" and "cat/n/wn/animal" too, "cat/n" for the last of them only.

A term's key is its text in UTF-8 with a null byte in front of every part of the sense. Keys sort
a term directly before the terms it takes in, and no control character occurs in one otherwise.
"""

from __future__ import annotations

import re
import unicodedata

MOST_BYTES = 500
"""Of a term; the longest in ConceptNet 5.7 has less than 300."""
_PARTS_OF_SPEECH = "nvars"
_SENSE = re.compile(rf"/[{_PARTS_OF_SPEECH}](?:/.*)?$", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_FROM_PATH = bytes.maketrans(b"_/ABCDEFGHIJKLMNOPQRSTUVWXYZ", b" \0abcdefghijklmnopqrstuvwxyz")


def normalise(text: str) -> str:
    """A term as knowledge bases spell it: NFC, lower case, single spaces for blanks and `_`.

    Takes the path of a term as well: `/c/en/Guinea_pig/n` is "guinea pig/n".
    """
    if text.startswith("/c/"):
        text = text[3:].partition("/")[2]
    words = unicodedata.normalize("NFC", text.replace("_", " ").lower())
    return " ".join(words.split())


def plain(term: str) -> str:
    """The term without its sense: what a person would read."""
    return _SENSE.sub("", term)


def sense(term: str) -> str:
    """The sense of a term, such as "n" or "n/wn/animal"; empty if it is not limited to one."""
    found = _SENSE.search(term)
    return found.group()[1:] if found else ""


def order(term: str) -> tuple[str, str]:
    """Sorts terms by their words, those without a sense first: the order of a knowledge base."""
    return plain(term), sense(term).replace("/", "\0")


def key(term: str) -> bytes:
    """The key of a normalised term. Raises `ValueError` if it cannot be one."""
    found = _SENSE.search(term)
    words = term[: found.start()] if found else term
    if not words:
        raise ValueError("A term is empty.")
    if _CONTROL.search(term):
        raise ValueError("A term holds a control character.")
    tail = found.group().replace("/", "\0") if found else ""
    made = (words + tail).encode()
    if len(made) > MOST_BYTES:
        raise ValueError(f"A term is longer than {MOST_BYTES} bytes.")
    return made


def key_of_path(words: bytes) -> bytes:
    """The key of a path behind its language, `guinea_pig/n`, if that is spelled as it should be.

    Quick: what it does not put right, `checked` does.
    """
    return words.translate(_FROM_PATH)


def checked(draft: bytes) -> bytes:
    """The key for what `key_of_path` made. Raises `ValueError` if there is none."""
    return key(normalise(decoded(draft).replace("\0", "/")))


def decoded(data: bytes) -> str:
    """Text of UTF-8. Raises `ValueError` if it is not."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("It is not UTF-8.") from None


def text_of(made: bytes) -> str:
    """The term of a key. Raises `UnicodeDecodeError` for what is none."""
    return made.decode().replace("\0", "/")
