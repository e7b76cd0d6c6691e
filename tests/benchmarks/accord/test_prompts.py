"""The prompts: the paper's words, the authors' layout, and answers that can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.answers.scoring import score_answer
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.surface import Asked, Style, asked, bare
from core.benchmarks.accord.prompts import Wording, wording
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template, Tree
from core.contract.question import Answer, Question, Scoring
from core.files.prompt_files import read_wording
from core.text.errors import DataError
from tests.benchmarks.accord.grounded import MATRIX, SKILLS, pairing

INSTRUCTION = (
    "You will be provided with statements relating to a multiple-choice question. The contents of "
    "the statements may disagree with your prior knowledge of the world. That is ok. Your task is "
    "to provide the most appropriate answer to the multiple-choice question based on the "
    "reasoning presented in the statements."
)
JSON = (
    'Provide your answer in JSON format using the following schema: {"answer": <label>} where '
    '<label> is exactly one of: "A", "B", "C", "D", or "E". Do not output anything else.'
)
FIVE = QuestionItem(
    "q",
    "Where is it?",
    (("A", "kettle"), ("B", "harbour"), ("C", "moss"), ("D", "roof"), ("E", "attic")),
    "B",
)


def item(chosen: str = "D") -> Instance:
    tree = Tree((Template(1, "spatial", 0),))
    path = paths(tree, MATRIX, Pairing(0, End.TARGET))[0]
    copies = tuple(("the planet", text) for text in FIVE.texts)
    return Instance(Structure(FIVE, pairing(), tree, path), copies, chosen)


def question(made: Asked) -> Question:
    return Question(
        "q",
        "answer",
        made.instruction,
        made.text,
        made.options,
        made.gold,
        scoring=Scoring.GENERATED,
    )


def test_the_instruction_is_that_of_figure_5() -> None:
    assert wording().instruction == INSTRUCTION


def test_the_instruction_is_printed_in_the_paper(shared_data: Path) -> None:
    papers = list((shared_data.parent / "seeds").glob("001_*.txt"))
    if not papers:
        pytest.skip("needs the real data: the paper in shared/seeds/")
    assert INSTRUCTION in papers[0].read_text(encoding="utf-8")


def test_json_is_asked_for_in_the_words_of_the_paper() -> None:
    assert wording().json_request("ABCDE") == JSON
    assert 'one of: "A", "B", "C", or "D".' in wording().json_request("ABCD")
    assert 'one of: "1" or "2".' in wording().json_request("12")


def test_the_prompt_has_the_layout_of_the_authors_program() -> None:
    made = asked(item(), SKILLS, Style(shuffled=False))
    assert (
        question(made).base()
        == f"""\
Instructions:
{INSTRUCTION}
Statements:
- Suppose that [kettle] does not appear near [the planet]
- Suppose that [harbour] does not appear near [the planet]
- Suppose that [moss] does not appear near [the planet]
- Suppose that [roof] does appear near [the planet]
- Suppose that [attic] does not appear near [the planet]
Question:
Where is it?
A: kettle    B: harbour    C: moss    D: roof    E: attic
Answer:
"""
    )
    assert made.options == ("A", "B", "C", "D", "E")
    assert made.gold == 3


def test_json_is_asked_for_after_the_instruction() -> None:
    made = asked(item(), SKILLS, json=True)
    assert made.instruction.split("\n")[1] == f"{INSTRUCTION} {JSON}"
    assert made.text == asked(item(), SKILLS).text


def test_the_bare_question_has_no_statements() -> None:
    made = bare(FIVE)
    assert question(made).base() == (
        "Question:\nWhere is it?\n"
        "A: kettle    B: harbour    C: moss    D: roof    E: attic\nAnswer:\n"
    )
    assert made.gold == 1
    assert bare(FIVE, json=True).instruction == f"Instructions:\n{JSON}\n\n"


@pytest.mark.parametrize(
    ("reply", "json"),
    [("D", False), ("The answer is D.", False), ('{"answer": "D"}', True), ("**D**", False)],
)
def test_answers_are_read(reply: str, json: bool) -> None:
    asked_ = question(asked(item(), SKILLS, json=json))
    answer = Answer(text=reply, scoring=Scoring.GENERATED)
    assert score_answer(asked_, answer).right
    other = replace(answer, text=reply.replace("D", "E"))
    assert score_answer(asked_, other).right is False


def test_a_choice_is_on_one_line() -> None:
    broken = replace(FIVE, choices=(("A", "a\nB: b"), *FIVE.choices[1:]))
    line = bare(broken).text.splitlines()[2]
    assert line.startswith("A: a B: b    B: harbour")


@pytest.mark.parametrize(
    ("text", "says"),
    [(None, "cannot be read"), ("instruction: x", "not as expected"), ("[", "not as expected")],
)
def test_a_broken_file_is_a_typed_error(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "prompts.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataError, match=says) as caught:
        read_wording(path, Wording)
    assert caught.value.where == str(path)
