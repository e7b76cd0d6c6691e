"""Parses are trees, and CoNLL-U files are read strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.abspyramid.curation.conllu_file import read_parses
from core.benchmarks.abspyramid.curation.parse import ROOT, Parse
from core.text.errors import DataError
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import parse, write_conllu

pytest.importorskip("conllu", reason="needs conllu: make install-tests")
ROW = "1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no words"),
        (("a/a/X/2/dep", "b/b/X/1/dep"), "one root, not 0"),
        (("a/a/X/0/root", "b/b/X/0/root"), "one root, not 2"),
        (("a/a/X/0/root", "b/b/X/3/dep", "c/c/X/2/dep"), "“b” does not hang on the root"),
        (("a/a/X/0/root", "b/b/X/9/dep"), "“b” does not hang on the root"),
        (("a/a/X/0/root", *["b/b/X/1/dep"] * 200), "More than 200 words"),
    ],
)
def test_a_parse_that_is_not_a_tree_is_refused(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(DataError, match=said):
        parse(*words)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = [parses.CAT, parses.SHE_WON, parses.SLEEP]
    found = list(read_parses(write_conllu(tmp_path / "p.conllu", *made)))
    assert [p.words for p in found] == [p.words for p in made]
    assert [p.origin.rpartition(":")[2] for p in found] == ["2", "12", "18"]


def test_multiword_tokens_empty_nodes_and_features_are_read(tmp_path: Path) -> None:
    path = tmp_path / "p.conllu"
    path.write_text(
        "# text = She lost hers\r\n"
        "1-2\tSheLost\t_\t_\t_\t_\t_\t_\t_\t_\r\n"
        "1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_\r\n"
        "2\tlost\tLose\tVERB\tVBD\t_\t0\troot\t_\t_\r\n"
        "2.1\tx\tx\tX\t_\t_\t_\t_\t_\t_\r\n"
        "3\ther\tshe\tPRON\tPRP\tCase=Acc|Poss=Yes\t4\tdet\t_\tSpaceAfter=No\r\n"
        "4\tkeys\tkey\tNOUN\tNNS\t_\t2\tobj\t_\t_",
        encoding="utf-8",
    )
    (found,) = read_parses(path)
    assert [w.form for w in found.words] == ["She", "lost", "her", "keys"]
    assert [w.lemma for w in found.words] == ["she", "lose", "she", "key"]
    assert [w.governor for w in found.words] == [1, ROOT, 3, 1]
    assert [w.possessive for w in found.words] == [False, False, True, False]
    assert not found.words[2].space_after


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (ROW + "\n1\tone two three\n", 4, "10 columns"),
        ("# c\n" + ROW.replace("\t0\troot", "\tzero\troot"), 2, "not CoNLL-U"),
        (ROW.replace("\t0\troot", "\t_\troot"), 1, "no HEAD"),
        (ROW.replace("\troot", "\t_"), 1, "no DEPREL"),
        (ROW.replace("2\tbark", "3\tbark"), 1, "Word 2 of this parse is missing"),
        (ROW.replace("\tbark\tbark", "\t \tbark"), 1, "no form"),
        ("\n\n" + ROW.replace("\t2\tnsubj", "\t0\tnsubj"), 3, "one root"),
        (ROW.replace("1\tdogs", "1-x\tdogs"), 1, "not CoNLL-U"),
        (ROW.rstrip()[:-1] + "\x1c", 1, "10 columns"),
    ],
)
def test_a_faulty_file_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    path = tmp_path / "p.conllu"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said) as error:
        list(read_parses(path))
    assert error.value.where == f"{path}:{line}"


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "p.conllu").write_bytes(b"# x\n\xff\n")
    with pytest.raises(DataError, match="UTF-8") as error:
        list(read_parses(tmp_path / "p.conllu"))
    assert error.value.where.endswith(":2")
    with pytest.raises(DataError, match="no such file"):
        list(read_parses(tmp_path / "none"))
    with pytest.raises(DataError, match="folder"):
        list(read_parses(tmp_path))


def test_the_graph_holds_words_governors_and_relations() -> None:
    passive = parse(
        "the/the/DET/3/det",
        "norman/norman/ADJ/3/amod",
        "army/army/NOUN/4/nsubj:pass",
        "weakened/weaken/VERB/0/root",
    )
    assert passive.graph() != parses.NORMAN.graph()
    assert Parse(passive.words, "elsewhere").graph() == passive.graph()
