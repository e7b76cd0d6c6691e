"""Answers to Com² questions from a file, scored like the answers of a run.

The file has one JSON object a line (or is one array of them):

* `type`: the scenario; `reco`, as the release has it, is `transition`.
* `options`: a list of texts, or one text with an option a line ("A) ...").
* `gold`: the right options: letters ("A, C"), an option with its letter, its text as it is, its
  index from 0, or a list of these. Nothing else is accepted: no sentence, no other wording.
* `answer`: the picked options in the same forms; null or empty for none. Or `text`: the reply of a
  model, which is read like that of a run.
* `part` ("main", or "hard" for a detective case), `id`, `output_tokens` and `complete` (false
  where the text was cut at a limit) are optional.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from core.answers.scoring import score_text
from core.benchmarks.com2.item import RELEASED_TYPES, Scenario, letter
from core.benchmarks.com2.questions import ANSWER
from core.benchmarks.com2.released_options import options_of
from core.benchmarks.com2.scenarios import comparable
from core.benchmarks.com2.scoring import PARTS
from core.contract.question import Answer, Question, Scoring, Status, Verdict, verdict_on
from core.files.json_values import logged_values
from core.text.errors import DataError
from core.text.escaping import quoted
from core.text.suggestions import suggestion

_KEYS = frozenset(
    {"id", "type", "part", "options", "answer", "text", "gold", "output_tokens", "complete"}
)

_LETTER = r"\(?[A-Za-z]\)?\.?"
_LETTERS_ONLY = re.compile(rf"{_LETTER}(?:(?:\s*[,;&]\s*(?:and\s+)?|\s+and\s+|\s+){_LETTER})*")
_OPTION = re.compile(r"\s*\(?([A-Za-z])\s*[).:]\s*(?=\S)")


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
            f"An answer has no field {quoted(str(unknown))}.",
            where=where,
            hint=suggestion("Fields", sorted(_KEYS), str(unknown)),
        )
    scenario = _scenario(entry.get("type"), where)
    part = entry.get("part", "main")
    if not isinstance(part, str) or part not in PARTS or scenario not in PARTS[part]:
        raise DataError(f"There is no {part} {scenario}.", where=where, hint="Parts: main, hard.")
    options = options_of(entry.get("options"), where, []).texts
    multiple = scenario is Scenario.DECISION
    gold = _named(entry.get("gold"), options, where, "gold")
    if not gold or gold[-1] >= len(options) or (len(gold) > 1 and not multiple):
        raise DataError(
            "“gold” does not say which of the options is right.",
            where=where,
            hint="Write the letter of an option, such as B, or A, C for a decision.",
        )
    if ("answer" in entry) == ("text" in entry):
        raise DataError("An answer has either “answer” or “text”.", where=where)
    question = Question(
        item=str(entry.get("id", name)),
        layer=ANSWER,
        instruction="",
        text="\n".join(f"{letter(i)}) {option}" for i, option in enumerate(options)),
        options=options,
        gold=None if multiple else gold[0],
        golds=gold if multiple else (),
        multiple=multiple,
        scoring=Scoring.GENERATED,
        tags={"scenario": scenario.value, "part": part},
    )
    answer = _given(entry, where)
    if "text" in entry:
        return score_text(question, answer)
    picked = _named(entry["answer"], options, where, "answer")
    status = _status(picked, options, multiple=multiple)
    return verdict_on(question, answer, status, picked if status is Status.OK else ())


def _status(picked: Sequence[int], options: Sequence[str], *, multiple: bool) -> Status:
    """What an answer came to that picked these."""
    if not picked:
        return Status.NO_ANSWER
    if picked[-1] >= len(options):
        return Status.OUT_OF_RANGE
    return Status.OK if multiple or len(picked) == 1 else Status.AMBIGUOUS


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
            f"{quoted(str(name))} is not a type of question.",
            where=where,
            hint=suggestion("Types", Scenario, str(name)),
        )
    return scenario


def _named(given: Any, options: tuple[str, ...], where: str, field: str) -> tuple[int, ...]:
    """The options that letters, texts, indices, or a list of these name; none for null or "".

    Raises `DataError` where a part is none of these: a file says what was picked, so that nothing
    is guessed.
    """
    parts = given if isinstance(given, list) else [given]
    picked = [
        index
        for part in parts
        if part not in (None, "")
        for index in _options_named(part, options, where, field)
    ]
    return tuple(sorted(set(picked)))


def _options_named(part: Any, options: tuple[str, ...], where: str, field: str) -> Sequence[int]:
    """The options of one part: an index, letters, or an option's text with or without letter."""
    indices: Sequence[int] = ()
    if isinstance(part, int) and not isinstance(part, bool):
        indices = [part]
    elif isinstance(part, str):
        marked = _OPTION.match(part)
        text = comparable(part[marked.end() :] if marked else part)
        texts = [comparable(option) for option in options]
        if _LETTERS_ONLY.fullmatch(part.strip()):
            letters = re.findall(r"\b[A-Za-z]\b", part)
            indices = [ascii_uppercase.index(each.upper()) for each in letters]
        elif marked and ascii_uppercase.index(marked[1].upper()) in _same(texts, text):
            indices = [ascii_uppercase.index(marked[1].upper())]
        elif not marked and len(_same(texts, text)) == 1:
            indices = _same(texts, text)
    if not indices or min(indices) < 0:
        raise DataError(
            f"“{field}” is no letter, text or index of an option: {quoted(str(part))}.",
            where=where,
            hint="Write B, or A, C, or a text as in the options; the reply of a model is a “text”.",
        )
    return indices


def _same(texts: Sequence[str], text: str) -> list[int]:
    return [index for index, each in enumerate(texts) if each == text]
