"""Answers to Com² questions from a file, scored like the answers of a run.

The file has one JSON object a line (or is one array of them):

* `type`: the scenario; `reco`, as the release has it, is `transition`.
* `options`: a list of texts, or one text with an option a line ("A) ...").
* `gold`: the right options: letters ("A, C"), an option with its letter, its index from 0, or a
  list of these.
* `answer`: the picked options in the same forms; null or empty for none. Or `text`: the reply of a
  model, which is read like that of a run.
* `part` ("main", or "hard" for a detective case), `id`, `output_tokens` and `complete` (false
  where the text was cut at a limit) are optional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from core.answers.reader import Reading, read
from core.answers.scoring import score_text
from core.benchmarks.com2.item import RELEASED_TYPES, Scenario, letter
from core.benchmarks.com2.questions import ANSWER
from core.benchmarks.com2.released_options import options_of
from core.benchmarks.com2.scoring import PARTS
from core.contract.question import Answer, Question, Scoring, Status, Verdict, verdict_on
from core.files.json_values import logged_values
from core.text.errors import DataError
from core.text.suggestions import suggestion

_KEYS = frozenset(
    {"id", "type", "part", "options", "answer", "text", "gold", "output_tokens", "complete"}
)

_LETTERS_ONLY = re.compile(r"\(?[A-Z]\)?\.?(?:(?:\s*[,;&]\s*|\s+and\s+|\s+)\(?[A-Z]\)?\.?)*")
_OPTION = re.compile(r"^\s*([A-Z])\s*[).:]\s*")


def read_answers(path: Path) -> list[Verdict]:
    """The verdicts on a file's answers; raises `DataError` with the faulty line."""
    verdicts = [
        _verdict(entry, f"answer {number}", where)
        for number, (where, entry) in enumerate(logged_values(path, name="The answers"), 1)
    ]
    if not verdicts:
        raise DataError("There is no answer in this file.", where=path)
    return verdicts


def _verdict(entry: Any, name: str, where: str) -> Verdict:
    if not isinstance(entry, Mapping):
        raise DataError("An answer is a JSON object.", where=where)
    unknown = next((key for key in entry if key not in _KEYS), None)
    if unknown is not None:
        raise DataError(
            f"An answer has no field “{unknown}”.",
            where=where,
            hint=suggestion("Fields", sorted(_KEYS), str(unknown)),
        )
    scenario = _scenario(entry.get("type"), where)
    part = entry.get("part", "main")
    if not isinstance(part, str) or part not in PARTS or scenario not in PARTS[part]:
        raise DataError(f"There is no {part} {scenario}.", where=where, hint="Parts: main, hard.")
    options = options_of(entry.get("options"), where, []).texts
    multiple = scenario is Scenario.DECISION
    gold = _named(entry.get("gold"), options, where, multiple=multiple)
    if gold.status is not Status.OK:
        raise DataError(
            f"“gold” does not say what is right: {gold.status}.",
            where=where,
            hint="Write letters, such as B, or A, C for a decision.",
        )
    if ("answer" in entry) == ("text" in entry):
        raise DataError("An answer has either “answer” or “text”.", where=where)
    question = Question(
        item=str(entry.get("id", name)),
        layer=ANSWER,
        instruction="",
        text="\n".join(f"{letter(i)}) {option}" for i, option in enumerate(options)),
        options=options,
        gold=None if multiple else gold.picked[0],
        golds=gold.picked if multiple else (),
        multiple=multiple,
        scoring=Scoring.GENERATED,
        tags={"scenario": scenario.value, "part": part},
    )
    given = _given(entry, where)
    if "text" in entry:
        return score_text(question, given)
    picked = _named(entry["answer"], options, where, multiple=multiple)
    return verdict_on(question, given, picked.status, picked.picked)


def _given(entry: Mapping[str, Any], where: str) -> Answer:
    text, complete = entry.get("text", ""), entry.get("complete", True)
    tokens = entry.get("output_tokens", 0)
    if not isinstance(text, str) or not isinstance(complete, bool):
        raise DataError("“text” is a text and “complete” true or false.", where=where)
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
        raise DataError("“output_tokens” is a whole number.", where=where)
    return Answer(text=text, scoring=Scoring.GENERATED, tokens=tokens, complete=complete)


def _scenario(name: Any, where: str) -> Scenario:
    scenario = RELEASED_TYPES.get(str(name))
    if scenario is None:
        raise DataError(
            f"“{name}” is not a type of question.",
            where=where,
            hint=suggestion("Types", Scenario, str(name)),
        )
    return scenario


def _named(given: Any, options: tuple[str, ...], where: str, *, multiple: bool) -> Reading:
    """The options that letters, texts, or a list of either name."""
    parts = given if isinstance(given, list) else [given]
    parts = [part for part in parts if part not in (None, "")]
    picked: set[int] = set()
    for part in parts:
        if isinstance(part, int) and not isinstance(part, bool) and part >= 0:
            picked.add(part)
            continue
        if not isinstance(part, str):
            raise DataError("An option is named by letter, text or index.", where=where)
        letters = re.findall(r"[A-Z]", part) if _LETTERS_ONLY.fullmatch(part.strip()) else []
        marked = _OPTION.match(part)
        if marked is not None and not multiple:
            letters = [marked.group(1)]
        if letters:
            picked.update(map(ascii_uppercase.index, letters))
        elif part in options:
            picked.add(options.index(part))
        else:
            reading = read(part, options, multiple=multiple)
            if reading.status is not Status.OK:
                return reading
            picked.update(reading.picked)
    if any(index >= len(options) for index in picked):
        return Reading(Status.OUT_OF_RANGE)
    if len(picked) > 1 and not multiple:
        return Reading(Status.AMBIGUOUS)
    return Reading(Status.OK if picked else Status.NO_ANSWER, tuple(sorted(picked)))
