"""The texts of the stages: a person may replace them, and nothing in them is executed."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.com2.synthesis import prompts as wordings
from core.benchmarks.com2.synthesis.prompts import Example, Wording, wording
from core.benchmarks.com2.synthesis.stages import Make, Stage, stage_wording
from core.contract.question import Form
from core.files import paths
from core.text.errors import DataError

KNOWN = frozenset({"root"})
OWN = "instruction: Say it in rhyme.\ngiven: 'Begin with: {root}'\ntokens: 50\n"


def own(text: str, stage: str = "chain-direct") -> Path:
    folder = paths.config().parent / "prompts" / "com2"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{stage}.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_its_texts(stage: Stage) -> None:
    texts = stage_wording(stage)
    assert texts.instruction
    assert texts.tokens > 0
    for form in Form:
        assert "{" not in str(texts.prompt(dict.fromkeys(all_places(texts), "value"), form))


def all_places(texts: Wording) -> set[str]:
    whole = " ".join((texts.instruction, texts.given, texts.cue))
    return {name for _, name, _, _ in string.Formatter().parse(whole) if name}


def test_the_shipped_worked_examples_meet_the_requirements_themselves() -> None:
    from core.benchmarks.com2.synthesis.item_builder import build
    from core.benchmarks.com2.synthesis.reply_reader import read_asked, read_chains
    from core.benchmarks.com2.synthesis.requirements import check_asked, check_chains
    from core.benchmarks.com2.synthesis.stages import CHAIN_NAMES

    for make, names in CHAIN_NAMES.items():
        proposals = stage_wording(Stage(f"chain-{make}")).examples
        questions = stage_wording(Stage(f"question-{make}")).examples
        assert len(proposals) >= 1
        for proposal, question in zip(proposals, questions, strict=True):
            chains = read_chains(proposal.answer, names)
            check_chains(chains, make, chains.chains[0].events[0])
            assert proposal.given.endswith(chains.chains[0].events[0])
            asked = read_asked(question.answer)
            check_asked(asked, make, chains)
            build("x", make, chains, asked)
    assert set(CHAIN_NAMES) == set(Make) - {Make.CASE}


def test_the_shipped_thinking_meets_the_requirements_itself() -> None:
    from core.benchmarks.com2.synthesis.reply_reader import read_thinking
    from core.benchmarks.com2.synthesis.requirements import check_thinking

    options = re.compile(r"^[A-F]\) (.+)$", re.MULTILINE)
    for stage in (Stage.THINKING, Stage.CASE_THINKING):
        examples = stage_wording(stage).examples
        assert examples
        for example in examples:
            right = example.given.partition("The right answer: ")[2][0]
            texts = options.findall(example.given)
            check_thinking(read_thinking(example.answer), texts, frozenset({"ABCDEF".index(right)}))


def test_the_shipped_puzzle_meets_the_requirements_itself() -> None:
    from core.benchmarks.com2.synthesis.cases import (
        build_case,
        check_puzzle,
        read_criminal,
        read_story,
    )
    from core.benchmarks.com2.synthesis.reply_reader import read_puzzle

    (story,) = stage_wording(Stage.STORY).examples
    (named,) = stage_wording(Stage.CRIMINAL).examples
    (puzzle,) = stage_wording(Stage.PUZZLE).examples
    criminal = read_criminal(named.answer, read_story(story.answer))
    found = read_puzzle(puzzle.answer)
    check_puzzle(found, criminal)
    assert build_case("x", found, criminal).case


def test_a_users_own_requirements_file_is_used() -> None:
    before = wording("chain-direct", KNOWN)
    file = own(OWN)
    now = wording("chain-direct", KNOWN)
    assert now.instruction == "Say it in rhyme."
    assert now.digest != before.digest
    prompt = now.prompt({"root": "Rain"}, Form.CHAT)
    assert isinstance(prompt, tuple)
    assert prompt[-1].content.endswith("Begin with: Rain")
    file.unlink()
    assert wording("chain-direct", KNOWN) == before


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (OWN.replace("{root}", "{tail}"), "no value for {tail}"),
        (OWN.replace("tokens: 50", "tokens: 0"), "tokens must lie"),
        (OWN.replace("tokens: 50", "tokens: many"), "must be a number"),
        (OWN + "extra: 1\n", "has no “extra”"),
        ("", "is empty"),
        ("instruction: !!python/object/apply:os.getcwd []\ngiven: a\ntokens: 5\n", "be a text"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(text: str, problem: str) -> None:
    file = own(text)
    with pytest.raises(DataError, match=problem) as error:
        wording("chain-direct", KNOWN)
    assert str(file) in error.value.where


@given(st.text(alphabet="{}root_.!:[]0 %$(){{}}", max_size=40))
def test_templates_are_filled_once_and_never_executed(hostile: str) -> None:
    texts = Wording("s", "i", "<{root}>", "", (Example("g", "a"),), "{reason}", 5, "")
    assert texts.about({"root": hostile}) == f"<{hostile}>"
    assert texts.about({"root": "{root}"}) == "<{root}>"
    again = texts.prompt({"root": "x"}, Form.BASE, reason=hostile or "r")
    assert str(again).count("<x>") == 1


def test_base_prompts_end_with_the_cue_and_chat_prompts_with_the_input() -> None:
    texts = stage_wording(Stage.CHAIN_DIRECT)
    base = texts.prompt({"root": "Rain falls"}, Form.BASE, reason="Too short.")
    assert isinstance(base, str)
    assert base.endswith("1. Rain falls\n2.")
    assert "Too short." in base
    assert base.count(f"\n{wordings.END}\n") == len(texts.examples)
    turns = texts.prompt({"root": "Rain falls"}, Form.CHAT)
    assert [turn.role for turn in turns[-2:]] == ["assistant", "user"]  # type: ignore[union-attr]
