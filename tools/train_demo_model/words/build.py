"""Write the word lists of this folder from WordNet and from the terms of the bundled samples.

`python -m tools.train_demo_model.words.build`. The lists are kept in the repository, so training
needs no WordNet. Which words are common is WordNet's own count of senses in its tagged texts.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from core.benchmarks.abspyramid.wordnet import NOUN, VERB, Synset, WordNet, require_wordnet
from core.files import strict_yaml

HERE = Path(__file__).parent
SAMPLES = HERE.parents[2] / "samples" / "accord"

NOUNS, VERBS, COMMON = 1100, 330, 2000
_STEPS = 6
_WORD = re.compile(r"[a-z]{3,14}")
_PHRASE = re.compile(r"[a-z]+(?: [a-z]+){0,2}")
# Tops of the hierarchy that say next to nothing, and links between them.
_EMPTY = frozenset(
    re.split(
        r";\s+",
        """entity; physical entity; abstraction; abstract entity; object; whole; thing; matter;
        attribute; psychological feature; measure; relation; group; instrumentality; unit;
        causal agent; chordate; placental; vertebrate; organism; part; physical condition""",
    )
)
_ROOTS = frozenset(
    re.split(
        r";\s+",
        """person; animal; plant; food; beverage; artifact; substance; body part; natural object;
        location; emotion; illness; weather; game; sport; geological formation; fluid; material;
        social event; social gathering; group meeting""",
    )
)
NOTICE = """\
# From WordNet 3.0, Copyright 2006 by Princeton University. All rights reserved. THIS SOFTWARE AND
# DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES,
# EXPRESS OR IMPLIED. Permission to use, copy, modify and distribute it for any purpose and without
# fee or royalty is granted, provided that this notice and the licence
# (https://wordnet.princeton.edu/license-and-commercial-use) go with all copies.
"""


def _counts(folder: Path) -> dict[str, Counter[str]]:
    """By part of speech: how often the first sense of a word was tagged."""
    found: dict[str, Counter[str]] = {NOUN: Counter(), VERB: Counter()}
    for line in (folder / "cntlist.rev").read_text(encoding="ascii").splitlines():
        key, number, count = line.split()
        word, _, rest = key.partition("%")
        part = {"1": NOUN, "2": VERB}.get(rest[0])
        if part and number == "1" and _WORD.fullmatch(word):
            found[part][word] = int(count)
    return found


def _above(wordnet: WordNet, synset: Synset) -> list[str]:
    """The names of what a sense is a kind of, by the first way up, nearest first."""
    names: list[str] = []
    while synset.hypernyms:
        synset = wordnet.hypernyms(synset)[0]
        names.append(synset.words[0].lower())
    return names


def _kinds(wordnet: WordNet, words: list[str], part: str, wanted: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for word in words:
        senses = wordnet.senses(word, part)
        if not senses or word not in senses[0].words:
            continue
        above = _above(wordnet, senses[0])
        if part == NOUN and not _ROOTS.intersection(above):
            continue
        kept = [n for n in dict.fromkeys(above) if n not in _EMPTY and _PHRASE.fullmatch(n)]
        kept = [name for name in kept if name != word][:_STEPS]
        if kept and (part == VERB or len(kept) > 1):
            rows.append((word, *kept))
        if len(rows) == wanted:
            break
    return rows


def _sample_terms() -> list[str]:
    """Terms of the bundled knowledge, and choices and pairing terms of the questions."""
    terms: set[str] = set()
    for path in sorted((SAMPLES / "knowledge").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            terms.update(term for row in csv.reader(lines) for term in row[:2])
    root = strict_yaml.read(SAMPLES / "questions.yaml", "The questions")
    for question in root.members()["questions"].parts():
        parts = question.members()
        terms.update(choice.text() for choice in parts["choices"].members().values())
        terms.update(pairing.members()["term"].text() for pairing in parts["pairings"].parts())
    return sorted(term.strip().lower() for term in terms if term.strip())


def main() -> None:
    """Write `nouns.tsv`, `verbs.tsv`, `common.txt` and `terms.txt`."""
    wordnet = require_wordnet()
    counts = _counts(wordnet.folder)
    for part, name, wanted in ((NOUN, "nouns.tsv", NOUNS), (VERB, "verbs.tsv", VERBS)):
        words = [word for word, _ in counts[part].most_common()]
        rows = _kinds(wordnet, words, part, wanted)
        text = "# A word, then what it is a kind of, nearest first.\n"
        (HERE / name).write_text(
            NOTICE + text + "".join("\t".join(row) + "\n" for row in sorted(rows)),
            encoding="utf-8",
        )
    common = sorted(word for word, _ in counts[NOUN].most_common(COMMON))
    (HERE / "common.txt").write_text(
        NOTICE + "# Common nouns.\n" + "".join(f"{word}\n" for word in common), encoding="utf-8"
    )
    (HERE / "terms.txt").write_text(
        "# Terms of the bundled ACCORD samples, without their facts.\n"
        + "".join(f"{term}\n" for term in _sample_terms()),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
