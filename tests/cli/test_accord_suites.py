"""`accord generate` on the command line: what it takes, what it refuses, what it never obeys."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.benchmarks.accord.benchmark import Accord
from core.contract.review import Review
from core.files.shipped import samples
from tests.cli.support import Ran, in_process_of_its_own, ok, run

SURFACE = "Suppose that {} [[appears|does not appear]] near {}"
QUESTION = {
    "id": "a",
    "question": "Where does it whistle?",
    "choices": {"A": "attic", "B": "kitchen", "C": "garage"},
    "answer": "B",
    "concept": "kettle",
}
PAIRING = {"skill": "spatial", "term": "kettle", "end": "source", "surface": SURFACE}
GOOD = json.dumps({"questions": [QUESTION | {"pairings": [PAIRING]}]})
RELATIONS = ("AtLocation", "Causes", "PartOf", "IsA", "UsedFor", "HasPrerequisite")
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def file(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(ran: Ran, out: Path) -> str:
    """What was said by a command that refused its input, and made nothing."""
    assert ran.code == 2, (ran.out, ran.err)
    assert not ran.out
    assert "Traceback" not in ran.err
    assert not UNSAFE.search(ran.err.replace("\n", ""))
    assert not out.exists()
    return ran.err


# -- what it makes -------------------------------------------------------------------------------


def test_a_suite_of_the_bundled_questions(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    ran = ok("accord", "generate", "--sizes", "1-2", "--limit", "3", "--out", out, "--json")
    lines = [json.loads(line) for line in (out / "items.jsonl").read_bytes().splitlines()]
    items = [line for line in lines if "id" in line]
    counts = {"items": len(items), "bare": 3, "refused": 0}
    assert ran.json == {"suite": str(out), **counts}
    assert len(lines) == len(items) + 3
    assert ok("accord", "check", out, "--json").json.items() >= counts.items()
    assert {(one["hops"], one["distractors"]) for one in items} == {(1, 0), (1, 1), (2, 0)}
    assert [line["bare"]["id"] for line in lines if "bare" in line] == list(
        dict.fromkeys(one["question"]["id"] for one in items)
    )
    assert all(all(one["flags"].values()) for one in items)


def test_pairings_are_given_apart(tmp_path: Path) -> None:
    qa = file(tmp_path, "q.jsonl", json.dumps(QUESTION) + "\n")
    given = {"pairings": {"a": [PAIRING | {"term": "pot"}]}}
    pairings = file(tmp_path, "p.yaml", json.dumps(given))
    out = tmp_path / "suite"
    ok("accord", "generate", "--qa", qa, "--pairings", pairings, "--sizes", "1", "--out", out)
    lines = [json.loads(line) for line in (out / "items.jsonl").read_bytes().splitlines()]
    assert [line["pairing"]["term"] for line in lines[1:]] == ["pot", "pot"]


def test_questions_without_templates_get_them_by_a_vote_and_it_is_said(tmp_path: Path) -> None:
    qa = file(tmp_path, "q.jsonl", json.dumps(QUESTION) + "\n")
    out = tmp_path / "suite"
    ran = ok("accord", "generate", "--qa", qa, "--sizes", "1", "--out", out)
    assert "unreviewed" in ran.err
    assert "Items: 2; bare questions: 1; refused: 0." in ran.err
    assert ran.out == f"{out}\n"
    lines = [json.loads(line) for line in (out / "items.jsonl").read_bytes().splitlines()]
    assert [line["pairing"]["reviewed"] for line in lines[1:]] == [False, False]


def test_what_was_decided_while_browsing_is_what_is_generated(tmp_path: Path) -> None:
    accord = Accord()
    rows = [QUESTION, QUESTION | {"id": "b"}, QUESTION | {"id": "c"}]
    qa = file(tmp_path, "q.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    questions = accord.open(qa)
    accord.review(questions.item(0), "0", Review.CONFIRM)
    accord.review(questions.item(1), "0", Review.REJECT)
    out = tmp_path / "suite"
    ran = ok("accord", "generate", "--qa", qa, "--sizes", "1", "--out", out)
    assert "as you decided: 2." in ran.err
    lines = [json.loads(line) for line in (out / "items.jsonl").read_bytes().splitlines()]
    items = [line for line in lines if "id" in line]
    assert [(one["question"]["id"], one["pairing"]["reviewed"]) for one in items] == [
        ("a", True),
        ("a", True),
        ("c", False),
        ("c", False),
    ]
    # A suite that was begun is not gone on with once another decision is made.
    accord.review(questions.item(2), "0", Review.CONFIRM)
    words = ("--qa", qa, "--sizes", "1", "--out", out, "--resume")
    assert "made of something else" in run("accord", "generate", *words).err


def test_a_knowledge_base_with_lines_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for name in RELATIONS:
        file(tmp_path / "kb", f"{name}.csv", "kettle,kitchen\nstove,kitchen\nstove,house\n")
    file(tmp_path / "kb", "IsA.csv", "kettle,kitchen\nonly one\nstove,house\na,b,c\n")
    qa, out = file(tmp_path, "q.yaml", GOOD), tmp_path / "suite"
    words = ("--kb", tmp_path / "kb")
    made = ok("accord", "generate", "--qa", qa, *words, "--sizes", "1", "--out", out, "--json")
    first = f"{tmp_path / 'kb' / 'IsA.csv'}:2: It has 1 column, not 2."
    assert f"2 could not be read and are left out; the first: {first}" in made.err
    assert made.json["items"] == 2
    assert "2 could not be read" in ok("accord", "check", out, *words).err
    (tmp_path / "kb").rename(tmp_path / "knowledge")
    assert ["2 could not be read" in error.what for error in Accord().open(qa).errors] == [True]


def test_terms_near_their_neighbours_make_another_suite(tmp_path: Path) -> None:
    words = ("accord", "generate", "--sizes", "3", "--limit", "2", "--out")
    ok(*words, tmp_path / "random")
    ok(*words, tmp_path / "near", "--relevance", "distance")
    random, near = (tmp_path / name for name in ("random", "near"))
    assert (random / "items.jsonl").read_bytes() != (near / "items.jsonl").read_bytes()
    assert json.loads((near / "suite.json").read_bytes())["relevance"] == "distance"
    ok("accord", "check", near)


def test_a_knowledge_base_of_any_name(tmp_path: Path) -> None:
    for number, name in enumerate(("größe 空", "k\x1b[31mb", "[red]x\u202e")):
        kb = tmp_path / name
        kb.symlink_to(samples() / "accord" / "knowledge")
        out = tmp_path / str(number)
        words = ("--sizes", "1-2", "--limit", "1")
        ok("accord", "generate", "--kb", kb, *words, "--out", out)
        ok("accord", "generate", "--kb", kb, *words, "--out", out, "--resume")
        assert ok("accord", "check", out, "--kb", kb, "--json").json["sound"] is True


# -- what it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("q.yaml", "", None),
        ("q.yaml", "questions: [", 1),
        ("q.yaml", "questions:\0", 1),
        ("q.yaml", "- 1", 1),
        ("q.yaml", "questions:\n  - id: x\n", 2),
        ("q.yaml", GOOD.replace('"concept"', '"concpt"'), 1),
        ("q.yaml", GOOD.replace('"answer": "B"', '"answer": "Z"'), 1),
        ("q.yaml", GOOD.replace('"Where', '"Where\x1b[2J'), None),
        ("q.jsonl", '{"id": "x"\n', 1),
        ("q.jsonl", '\n{"id":"x","question":"q"}\n', 2),
        ("q.jsonl", b"\xff\xfe\0\1", 1),
        ("q.jsonl", "[" * 100_000 + "\n", 1),
        ("q.jsonl", "", None),
        ("q.csv", "a,b\n1", 1),
    ],
)
def test_malformed_questions_are_told_with_their_line(
    name: str, text: str | bytes, line: int | None, tmp_path: Path
) -> None:
    qa, out = file(tmp_path, name, text), tmp_path / "suite"
    said = refused(run("accord", "generate", "--qa", qa, "--sizes", "1", "--out", out), out)
    assert f"{qa}" in said
    if line is not None:
        assert re.search(rf"{re.escape(str(qa))}:{line}\b", said), said


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("p.yaml", "", None),
        ("p.yaml", "pairings: 3", 1),
        ("p.yaml", "a:\n - {skill: spatial}\n", 1),
        ("p.csv", "x,y\n", 1),
        ("p.csv", b"\xff\0", None),
    ],
)
def test_malformed_pairings_are_told_with_their_line(
    name: str, text: str | bytes, line: int | None, tmp_path: Path
) -> None:
    qa, pairings = file(tmp_path, "q.yaml", GOOD), file(tmp_path, name, text)
    out = tmp_path / "suite"
    words = ("--qa", qa, "--pairings", pairings, "--sizes", "1", "--out", out)
    said = refused(run("accord", "generate", *words), out)
    assert (f"{pairings}:{line}" if line else str(pairings)) in said


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('"spatial"', '"spacial"', "Did you mean “spatial”?"),
        ("near {}", "near", "exactly two {}"),
        ("[[appears|does not appear]]", "appears", "[[positive|negative]]"),
        ('"source"', '"left"', "source or target"),
        ('"term": "kettle"', '"term": "Kitchen"', "answer choice"),
    ],
)
def test_a_malformed_template_of_a_question_is_told_with_its_line(
    was: str, now: str, said: str, tmp_path: Path
) -> None:
    """And no vote gives the question another one."""
    out = tmp_path / "suite"
    one = QUESTION | {"pairings": [PAIRING]}
    for name, text in (("q.yaml", GOOD), ("q.jsonl", json.dumps(one))):
        qa = file(tmp_path, name, text.replace(was, now))
        told = refused(run("accord", "generate", "--qa", qa, "--sizes", "1", "--out", out), out)
        assert f"{qa}:1" in told
        assert said in told


def test_where_other_questions_can_be_paired_they_are_generated(tmp_path: Path) -> None:
    wrong = QUESTION | {"id": "b", "pairings": [PAIRING | {"skill": "spacial"}]}
    rows = [QUESTION | {"pairings": [PAIRING]}, wrong]
    qa = file(tmp_path, "q.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "suite"
    ran = ok("accord", "generate", "--qa", qa, "--sizes", "1", "--out", out, "--json")
    assert f"could not be read: 1; the first: {qa}:2" in ran.err
    assert (ran.json["items"], ran.json["bare"]) == (2, 1)


def test_pairings_for_no_question_that_is_there_are_told(tmp_path: Path) -> None:
    qa = file(tmp_path, "q.jsonl", json.dumps(QUESTION) + "\n")
    pairings = file(tmp_path, "p.yaml", json.dumps({"pairings": {"zz": [PAIRING]}}))
    out = tmp_path / "suite"
    words = ("--qa", qa, "--pairings", pairings, "--sizes", "1", "--out", out)
    assert "“zz”, which is no question" in refused(run("accord", "generate", *words), out)
    # Whatever else is wrong in the file of questions.
    lines = [json.dumps(QUESTION), json.dumps(QUESTION | {"id": "b", "answer": "Z"})]
    qa.write_text("\n".join(lines))
    assert "“zz”, which is no question" in refused(run("accord", "generate", *words), out)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kb/readme.txt", "x"),
        ("kb/IsA.csv", b"\xff,\0\n"),
        ("kb/IsA.csv", "only one\n"),
        ("kb/IsA.csv", ""),
        ("kb", b"garbage" * 100),
        ("kb", ""),
    ],
)
def test_what_is_no_knowledge_base_is_told(name: str, text: str | bytes, tmp_path: Path) -> None:
    file(tmp_path, name, text)
    kb, out = tmp_path / "kb", tmp_path / "suite"
    said = refused(run("accord", "generate", "--kb", kb, "--sizes", "1", "--out", out), out)
    assert str(kb) in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sizes", "0"), "no range of sizes"),
        (("--sizes", "5-1"), "no range of sizes"),
        (("--sizes", "17"), "1 to 16"),
        (("--sizes", "x\x1b[2J"), "no range of sizes"),
        (("--sizes", "1\u202e"), "no range of sizes"),
        (("--rule", "gorw"), "Did you mean “grow”?"),
        (("--relevance", "dist"), "Did you mean “distance”?"),
        (("--relevance", "x\x1b[2J"), "no relevance"),
        (("--per-cell", "0"), "--per-cell"),
        (("--limit", "0"), "--limit"),
        (("--qa", "/no/such/file"), "no such file"),
        (("--kb", "/no/such/kb"), "/no/such/kb"),
    ],
)
def test_mistakes_are_told_before_anything_is_made(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    out = tmp_path / "suite"
    assert said in refused(run("accord", "generate", *words, "--out", out), out)


def test_a_question_whose_concept_cannot_be_paired_does_not_end_the_rest(tmp_path: Path) -> None:
    rows = [QUESTION, QUESTION | {"id": "b", "concept": "kettle\u202e"}]
    qa = file(tmp_path, "q.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    kb = tmp_path / "kb"
    for name in RELATIONS:
        file(kb, f"{name}.csv", "kettle,kitchen\nkettle\u202e,kitchen\n")
    out = tmp_path / "suite"
    ran = ok("accord", "generate", "--qa", qa, "--kb", kb, "--sizes", "1", "--out", out)
    assert "1 got one by a vote" in ran.err
    assert "1 did not" in ran.err


# -- hostile text --------------------------------------------------------------------------------

OSC = "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\"
HOSTILE = f"[red]x[/] \u202eowt <script>alert(1)</script> {OSC} \x9b2J \x07"
QUIET = "[@click=app.quit]y[/] <img src=x onerror=alert(1)> \u2066z"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Questions and a knowledge base whose every text would steer a terminal or a page."""
    fields = {
        "id": "h [red]\u202e",
        "question": f"Where? {HOSTILE}",
        "choices": {"A": f"a {HOSTILE}", "B": "[bold]kitchen[/] <b>", "C": "\x1b[31mgarage"},
        "answer": "B",
        "concept": "[@click=app.quit]pan[/]",
    }
    file(tmp_path, "q.jsonl", json.dumps(fields) + "\n")
    rows = [f"{QUIET} {n},{QUIET} {n * 7 % 60}\n" for n in range(60)]
    rows.append(f"{fields['concept']},[bold]kitchen[/] <b>\n")
    for name in RELATIONS:
        file(tmp_path / "knowledge", f"{name}.csv", "".join(rows))
    return tmp_path / "q.jsonl"


class Page(HTMLParser):
    """The tags of a page, their attributes, and its visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_hostile_text_is_shown_and_not_obeyed(hostile: Path) -> None:
    setting = ("--data", hostile, "--set", "hops=3", "--set", "implied=A")
    shown = in_process_of_its_own("show", "accord", "h [red]\u202e", *setting, "--plain")
    assert shown.code == 0, shown.err
    assert not UNSAFE.search(shown.out.replace("\n", ""))
    for part in ("[red]x[/]", "<script>", "[bold]kitchen[/]", "⟨RLO⟩", "␛]8;;", "anti-factual"):
        assert part in shown.out
    assert "[@click=app.quit]y" in " ".join(shown.out.split())


def test_hostile_text_is_text_in_a_page(hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    words = ("--data", hostile, "--set", "hops=3", "--set", "implied=A", "--out", out)
    ok("export", "html", "accord", "h [red]\u202e", *words)
    raw = out.read_text(encoding="utf-8")
    harmless = _exported(tmp_path)
    # The library that draws graphs holds some control characters of its own.
    assert set(UNSAFE.findall(raw)) <= set(UNSAFE.findall(harmless))
    page = Page(raw)
    assert not [tag for tag, _ in page.tags if tag in {"img", "iframe", "object", "embed"}]
    assert not [one for _, one in page.tags if any(name.startswith("on") for name in one)]
    assert "alert(1)" in page.text
    assert page.text.count("<script>") >= 1
    assert _scripts(page) == _scripts(Page(harmless))


def _exported(folder: Path) -> str:
    out = folder / "plain.html"
    ok("export", "html", "accord", "kettle", "--out", out)
    return out.read_text(encoding="utf-8")


def _scripts(page: Page) -> int:
    return sum(tag == "script" for tag, _ in page.tags)


def test_hostile_text_goes_through_a_suite(hostile: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    words = ("--qa", hostile, "--sizes", "1-3", "--out", out)
    made = in_process_of_its_own("accord", "generate", *words)
    assert made.code == 0, made.err
    found = in_process_of_its_own("accord", "check", out, "--kb", hostile.parent / "knowledge")
    assert found.code == 0, found.out + found.err
    for said in (made.err, made.out, found.out, found.err):
        assert not UNSAFE.search(said.replace("\n", ""))
    lines = [json.loads(line) for line in (out / "items.jsonl").read_bytes().splitlines()]
    item = next(line["id"] for line in lines if line.get("hops") == 3)
    shown = ok("show", "accord", item, "--data", out)
    assert not UNSAFE.search(shown.out.replace("\n", ""))
    assert "[@click=app.quit]" in shown.out
