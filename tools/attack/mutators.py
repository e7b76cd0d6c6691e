"""Damages files as transfers, editors, other programs and adversaries do.

Every mutator takes its chances from the `random.Random` that it is given, so that an attempt can be
made again, and so that hypothesis can shrink it.
"""

from __future__ import annotations

import bz2
import gzip
import json
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from random import Random
from typing import Any

import yaml

Mutator = Callable[[Random, bytes], bytes]

TEXTS = (
    "", " ", "\n", "\0", "\x1b[2J\x1b]0;title\a", "\u202e\u2066right to left", "\ud800", "é" * 300,
    "<script>alert(1)</script>", "[bold]markup[/]", "{{ 7 * 7 }}", "../../../etc/passwd",
    "x" * 100_000, "\u200b" * 50, "-0", "1e400", "NaN", "%s%n", "'; DROP TABLE runs; --",
    "\r\nSet-Cookie: a=b", "🧨" * 40, "a\u0300" * 200, "yes", "A) one\nB) two", "<a> <b>",
)  # fmt: skip
"""Texts that a careless program prints, runs, joins to a path or divides by."""
NUMBERS = (
    0, -1, 1, 2, 9, 2**31, -(2**31), 2**53 + 1, 2**63, 2**64, 10**400, 1e308, -0.0, 0.1,
    float("nan"), float("inf"), -float("inf"),
)  # fmt: skip
_TOKENS = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"[" * 20_000, b'{"a":' * 20_000,
    b'"', b"\\", b"\\u0000", b"\\ud800", b",", b"\n", b"\r", b"\t", b"1" * 5_000, b"NaN", b"null",
    b"- " * 3_000, b"&a [*a]", b"!!python/object/apply:os.getcwd []", b"<<: *x", b"\x1b[31m",
    b"x" * 70_000, b"\n" * 5_000, b"'", b"#", b"%", b"\x1a", b"PK\x03\x04", b"\x1f\x8b", b"BZh9",
)  # fmt: skip


def mutated(random: Random, raw: bytes, *, structured: bool = True) -> bytes:
    """The bytes with one to four damages, of their structure too where they have one."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        mutators = _BYTES + (_STRUCTURES * 3 if structured else ())
        raw = random.choice(mutators)(random, raw)
    return raw


def packed_again(random: Random, raw: bytes, unpack: str) -> bytes:
    """A packed file whose content is damaged, or whose packing is."""
    if random.random() < 0.4:
        return mutated(random, raw, structured=False)
    if unpack == "zip":
        return _zip_again(random, raw)
    inside = (gzip if unpack == "gzip" else bz2).decompress(raw)
    return (gzip if unpack == "gzip" else bz2).compress(mutated(random, inside), 1)


def hostile_value(random: Random, depth: int = 0) -> Any:
    """A value that JSON can express, or nearly."""
    kind = random.randrange(9 if depth < 3 else 6)
    if kind < 2:
        return random.choice(TEXTS)
    if kind < 4:
        return random.choice(NUMBERS)
    if kind < 6:
        return random.choice((None, True, False, [], {}))
    if kind == 6:
        return [hostile_value(random, depth + 1) for _ in range(random.choice((1, 2, 7)))]
    if kind == 7:
        return {random.choice(TEXTS): hostile_value(random, depth + 1) for _ in range(3)}
    deep: Any = "end"
    for _ in range(random.choice((10, 200, 900))):
        deep = [deep] if random.random() < 0.5 else {"a": deep}
    return deep


def _flip(random: Random, raw: bytes) -> bytes:
    changed = bytearray(raw)
    for _ in range(random.choice((1, 3, 40)) if raw else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(random: Random, raw: bytes) -> bytes:
    return raw[: random.randrange(len(raw) + 1)]


def _drop(random: Random, raw: bytes) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + raw[at + random.choice((1, 2, 50, 1_000)) :]


def _double(random: Random, raw: bytes) -> bytes:
    at = random.randrange(len(raw) + 1)
    part = raw[at : at + random.choice((1, 20, 400, 4_000))]
    return raw[:at] + part * random.choice((2, 2, 30)) + raw[at:]


def _insert(random: Random, raw: bytes) -> bytes:
    at = random.randrange(len(raw) + 1)
    return raw[:at] + random.choice(_TOKENS) + raw[at:]


def _exchange(random: Random, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _encode(random: Random, raw: bytes) -> bytes:
    text = raw.decode("utf-8", "replace")
    return text.encode(
        random.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "utf-7")), "replace"
    )


def _structure(random: Random, raw: bytes) -> bytes:
    """Change a value of a JSON document, of a row of JSON lines, or of a YAML document."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return _row(random, raw)
    return _written(_changed(random, value))


def _row(random: Random, raw: bytes) -> bytes:
    rows = raw.splitlines(keepends=True)
    if not rows:
        return raw
    at = random.randrange(len(rows))
    try:
        value = json.loads(rows[at])
    except (ValueError, RecursionError):
        return _yaml(random, raw)
    rows[at] = _written(_changed(random, value)) + b"\n"
    return b"".join(rows)


def _yaml(random: Random, raw: bytes) -> bytes:
    if len(raw) > 100_000:
        return _cell(random, raw)
    try:
        value = yaml.load(raw, Loader=yaml.CSafeLoader)
        if not isinstance(value, dict | list):
            return _cell(random, raw)
        changed = yaml.dump(_changed(random, value), Dumper=yaml.CSafeDumper, allow_unicode=True)
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError):
        return _cell(random, raw)
    return changed.encode("utf-8", "surrogatepass")


def _cell(random: Random, raw: bytes) -> bytes:
    """Change a cell of a table of tabs or commas."""
    rows = raw.split(b"\n")
    at = random.randrange(len(rows))
    sign = b"\t" if b"\t" in rows[at] else b","
    cells = rows[at].split(sign)
    text = random.choice(TEXTS).encode("utf-8", "surrogatepass")
    cells[random.randrange(len(cells))] = text
    rows[at] = sign.join(cells)
    return b"\n".join(rows)


def _changed(random: Random, value: Any) -> Any:
    """The value with another in the place of one that is somewhere in it."""
    place, key = None, None
    inside = value
    while isinstance(inside, dict | list) and inside and (place is None or random.random() < 0.85):
        place = inside
        key = random.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        inside = place[key]
    if place is None:
        return hostile_value(random)
    how = random.randrange(5)
    if how == 0:
        del place[key]
    elif how == 1 and isinstance(place, list):
        place.extend([inside] * random.choice((1, 3, 500)))
    elif how == 2 and isinstance(place, dict):
        place[random.choice(TEXTS)] = place.pop(key)
    else:
        place[key] = hostile_value(random)
    return value


def _written(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (RecursionError, ValueError):
        return b"[" * 5_000


def _zip_again(random: Random, raw: bytes) -> bytes:
    made = BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(BytesIO(raw)) as before,
        zipfile.ZipFile(made, "w") as after,
    ):
        # Python warns of a name that is there twice, which is meant.
        names = before.namelist()
        chosen = random.choice(names)
        for name in names:
            inside = before.read(name)
            if name == chosen:
                inside = mutated(random, inside)
            if name != chosen or random.random() < 0.9:
                after.writestr(name, inside, zipfile.ZIP_DEFLATED)
            if random.random() < 0.05:
                after.writestr(random.choice(("../../up.json", "/root.json", "a\0b", name)), inside)
    return made.getvalue()


_BYTES: tuple[Mutator, ...] = (_flip, _cut, _drop, _double, _insert, _exchange, _encode)
_STRUCTURES: tuple[Mutator, ...] = (_structure, _row)
