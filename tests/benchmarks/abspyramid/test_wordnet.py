"""WordNet's own files, against NLTK's reader of them and with a database of four words."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.abspyramid import wordnet as module
from core.benchmarks.abspyramid.meteor import installed_meteor
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.abspyramid.wordnet import (
    ADJECTIVE,
    ADVERB,
    NOUN,
    VERB,
    WordNet,
    find_wordnet,
    require_wordnet,
)
from core.text.errors import DataError, NotFoundError

LEXICOGRAPHER_FILES = 45
SAMPLE = 400


def copy_files(database: Path, folder: Path) -> None:
    """Copy the files of a database; its graphical browser keeps a folder of its own beside them."""
    for path in database.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())


@pytest.fixture(scope="module")
def installed() -> WordNet:
    wordnet = find_wordnet()
    if wordnet is None:
        pytest.skip("needs WordNet: apt install wordnet-base")
    return wordnet


@pytest.fixture(scope="module")
def oracle(installed: WordNet, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """NLTK's reader, with the file that Debian leaves out made up: only names stand in it."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Without translating another version's senses, which would need that version too."""

        def map_wn(self, version: str = "wordnet") -> None: ...

    folder = tmp_path_factory.mktemp("database")
    copy_files(installed.folder, folder)
    lines = (f"{i:02}\tfile.{i}\t1\n" for i in range(LEXICOGRAPHER_FILES))
    (folder / "lexnames").write_text("".join(lines))
    nltk.data.path.append(str(folder.parent))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Reader(str(folder), None)
    nltk.data.path.remove(str(folder.parent))


@pytest.fixture(scope="module")
def words(installed: WordNet) -> dict[str, list[str]]:
    """Some words of each part of speech, the first and last of all among them."""
    drawn = {}
    for part in (NOUN, VERB):
        lines = (installed.folder / f"index.{part}").read_text().splitlines()
        lemmas = [line.split()[0] for line in lines if not line.startswith(" ")]
        chosen = random.Random(3).sample(lemmas, SAMPLE)
        drawn[part] = [*chosen, "dog", "run", "give", lemmas[0], lemmas[-1]]
    return drawn


def test_a_database_beside_its_graphical_browser_is_copied_without_it(tmp_path: Path) -> None:
    database, folder = tmp_path / "wordnet", tmp_path / "copied"
    (database / "wnres").mkdir(parents=True)
    (database / "wnres" / "wnb.man").write_text("the manual of the browser")
    (database / "index.noun").write_text("dog n 1\n")
    folder.mkdir()
    copy_files(database, folder)
    assert [path.name for path in folder.iterdir()] == ["index.noun"]


@pytest.mark.parametrize("part", [NOUN, VERB])
def test_senses_are_those_that_nltk_reads(
    installed: WordNet, oracle: Any, words: dict[str, list[str]], part: str
) -> None:
    relation = Relation(part)
    for word in words[part]:
        mine = installed.senses(word.replace("_", " "), part)
        theirs = oracle.synsets(word, part[0])
        assert [each.offset for each in mine] == [each.offset() for each in theirs], word
        for one, other in zip(mine, theirs, strict=True):
            assert one.words == tuple(n.replace("_", " ") for n in other.lemma_names())
            ups = other.hypernyms() + other.instance_hypernyms()
            assert sorted(one.hypernyms) == sorted(up.offset() for up in ups)
        assert installed.depth(word.replace("_", " "), relation) == theirs[0].max_depth()


def test_verbs_have_the_names_that_nltk_gives(
    installed: WordNet, oracle: Any, words: dict[str, list[str]]
) -> None:
    for word in words[VERB]:
        mine = installed.verb_senses(word.replace("_", " "))
        theirs = oracle.synsets(word, "v")
        assert [each.name for each in mine] == [each.name() for each in theirs]
        for one, other in zip(mine, theirs, strict=True):
            # NLTK sorts the senses above; here they come as in the file.
            uppers = {n.replace("_", " ") for up in other.hypernyms() for n in up.lemma_names()}
            assert len(one.hypernyms) == len(uppers)
            assert set(one.hypernyms) == uppers


@pytest.mark.parametrize(
    ("inflected", "base", "part"),
    [
        ("chased", "chase", VERB),
        ("gave", "give", VERB),
        ("running", "run", VERB),
        ("tries", "try", VERB),
        ("mice", "mouse", NOUN),
        ("boxes", "box", NOUN),
        ("wives", "wife", NOUN),
        ("Living Things", "living thing", NOUN),
        ("running down", "run down", VERB),
    ],
)
def test_inflected_words_are_known(
    installed: WordNet, inflected: str, base: str, part: str
) -> None:
    known = installed.senses(base, part)
    assert known
    assert set(known) <= set(installed.senses(inflected, part))


def test_lemmas_of_all_parts_of_speech_are_those_that_nltk_reads(
    installed: WordNet, oracle: Any
) -> None:
    installed.open_all()
    drawn = random.Random(5)
    words = ["better", "nicest", "Galore", "asleep", "GAVE", "mice", "well", "zzqq", "run_down"]
    for part in (NOUN, VERB, ADJECTIVE, ADVERB):
        lines = (installed.folder / f"index.{part}").read_text().splitlines()
        lemmas = [line.split()[0] for line in lines if not line.startswith(" ")]
        irregular = (installed.folder / f"{part}.exc").read_text().split()
        words += [*drawn.sample(lemmas, SAMPLE), *drawn.sample(irregular, min(50, len(irregular)))]
        # Inflected by rule, most of them wrongly.
        words += [f"{word}{end}" for word in drawn.sample(lemmas, 60) for end in ("s", "er", "ing")]
    known = 0
    for word in words:
        mine = [lemma.replace(" ", "_") for lemma in installed.lemmas(word)]
        theirs = [lemma.name() for synset in oracle.synsets(word) for lemma in synset.lemmas()]
        assert mine == theirs, word
        known += bool(mine)
    assert known > 4 * SAMPLE


@pytest.mark.parametrize(
    ("prediction", "reference"),
    [
        ("a hunt", "the chase"),
        ("nice dwelling", "good house for living things"),
        ("quickly ran away", "fled rapidly from it"),
        ("animals", "animal creature"),
        ("asleep", "at rest"),
        ("better vehicles", "a good means of transport"),
        ("", "animal"),
    ],
)
def test_meteor_is_that_of_nltk(
    installed: WordNet, oracle: Any, prediction: str, reference: str
) -> None:
    from nltk.translate.meteor_score import meteor_score

    theirs = meteor_score([reference.split(), ["x"]], prediction.split(), wordnet=oracle)
    assert installed_meteor()(prediction, [reference, "x"]) == pytest.approx(theirs)


def test_hypernyms_are_less_deep(installed: WordNet, words: dict[str, list[str]]) -> None:
    for word in words[NOUN]:
        first = installed.senses(word.replace("_", " "), NOUN)[0]
        for up in installed.hypernyms(first):
            own = installed.senses(up.words[0], NOUN)
            if own and own[0] == up:
                above = installed.depth(up.words[0], Relation.NOUN)
                below = installed.depth(word.replace("_", " "), Relation.NOUN)
                assert above is not None
                assert below is not None
                assert above < below


@pytest.mark.parametrize("word", ["", " ", "zzqq", "a\nb", "\ud800", "x" * 5000])
def test_unknown_words_have_no_senses(installed: WordNet, word: str) -> None:
    assert installed.depth(word, Relation.EVENT) is None


def test_events_are_named_by_nouns_or_verbs(installed: WordNet) -> None:
    noun = installed.depth("celebration", Relation.NOUN)
    assert installed.depth("celebration", Relation.EVENT) == noun
    assert installed.depth("commence", Relation.NOUN) is None
    assert installed.depth("commence", Relation.EVENT) == installed.depth("begin", Relation.VERB)


def database(folder: Path, **changed: str) -> Path:
    """Four nouns: a cat is an animal, which is a thing; and one that is above itself."""
    nouns = ["03 n 01 thing 0 000 | all there is",
             "03 n 01 animal 0 001 @ {0} n 0000 | it lives",
             '03 n 02 cat 0 house_cat 0 001 @ {1} n 0000 | it purrs; "cats purr"',
             "03 n 01 circle 0 001 @ {3} n 0000 | it turns"]  # fmt: skip
    sizes = [len(f"00000000 {line.format(*['00000000'] * 4)}\n") for line in nouns]
    places = [sum(sizes[:at]) for at in range(len(nouns))]
    names = [f"{place:08}" for place in places]
    lines = [f"{name} {line.format(*names)}\n" for name, line in zip(names, nouns, strict=True)]
    index = sorted(
        f"{word} n 1 0 1 0 {names[at]}  \n"
        for at, word in enumerate(["thing", "animal", "cat", "circle"])
    )
    files = {"data_noun": "".join(lines), "index_noun": "".join(index), "noun_exc": "kine cat\n",
             "data_verb": "\n", "index_verb": "\n", "verb_exc": "\n", **changed}  # fmt: skip
    folder.mkdir()
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_a_users_own_database_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(database(tmp_path / "dict")))
    wordnet = require_wordnet()
    assert wordnet.folder == tmp_path / "dict"
    depths = {w: wordnet.depth(w, Relation.NOUN) for w in ("thing", "animal", "Cats", "kine")}
    assert depths == {"thing": 0, "animal": 1, "Cats": 2, "kine": 2}
    (cat,) = wordnet.senses("cat", NOUN)
    assert (cat.words, cat.gloss) == (("cat", "house cat"), "it purrs")
    assert [up.words for up in wordnet.hypernyms(cat)] == [("animal",)]
    monkeypatch.delenv("WNSEARCHDIR")
    monkeypatch.setenv("WNHOME", str(tmp_path))
    again = find_wordnet()
    assert again is not None
    assert again is wordnet


def test_a_cycle_in_the_files_terminates(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        WordNet(database(tmp_path / "dict")).depth("circle", Relation.NOUN)
    assert caught.value.where.endswith("data.noun")


@pytest.mark.parametrize(
    "line",
    ["cat", "cat n", "cat n x 0 1 0 1", "cat n 2 0 1 0 00000000", "cat n 1 0 1 0 99999999",
     "cat n 1 0 1 0 00000007", "cat n 1 0 1 0 -5"],
)  # fmt: skip
def test_damaged_files_are_reported(tmp_path: Path, line: str) -> None:
    wordnet = WordNet(database(tmp_path / "dict", index_noun=f"{line} \n"))
    with pytest.raises(DataError) as caught:
        wordnet.depth("cat", Relation.NOUN)
    assert "damaged" in caught.value.what


def test_a_missing_wordnet_tells_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    monkeypatch.setattr(module, "FOLDERS", (Path("/nowhere"),))
    assert find_wordnet() is None
    with pytest.raises(NotFoundError) as caught:
        require_wordnet()
    assert "wordnet-base" in caught.value.hint


def test_meteor_needs_every_part_of_speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(database(tmp_path / "dict")))
    with pytest.raises(DataError, match="missing") as caught:
        installed_meteor()
    assert caught.value.where.endswith("data.adj")


def test_an_incomplete_database_is_reported(tmp_path: Path) -> None:
    folder = database(tmp_path / "dict")
    (folder / "index.verb").unlink()
    with pytest.raises(DataError) as caught:
        WordNet(folder)
    assert caught.value.where.endswith("index.verb")
