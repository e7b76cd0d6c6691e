"""Cleans a reply for reading: one punctuation, no markup, no thinking."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answers import vocabulary as v
from core.answers.checklists import with_signs

_THINKING = r"(?:think(?:ing)?|thought|reasoning)"
_OPENS = re.compile(rf"<{_THINKING}>", re.IGNORECASE)
_CLOSES = re.compile(rf"</{_THINKING}>", re.IGNORECASE)
_BOLD = str.maketrans(dict.fromkeys("*_`#$~\t\r\u00a0\u3000\u200b\ufeff", " "))
_MARKUP = re.compile(
    r"\\(?:text|textbf|textit|mathrm|mathbf|mathit|textrm)\s?\{|\\[()\[\],;:!]|\\q?quad|</?(?:b"
    r"|strong|i|em|br|p)\s?/?>"
)
_TICKED = re.compile(r"\[[xX✓✔]\]")
_UNTICKED = re.compile(r"(?m)(?<=[-*•] )\[ ?\](?= )")
_BLANKS = re.compile(r" {2,}")
_ARROW = re.compile(r"[=\-]{1,2}>|[→➡⇒⟶]\ufe0f?")
_REASONS = re.compile(
    r"[\"'](?:reason\w*|rationale|explanation|analysis|thoughts?|thinking|justification|confidence"
    r"|spiegazione|analisi|motiv\w+|ragionamento|分析|理由|解释|原因"
    r"|推理)[\"']\s*:\s*(?:\"(?:[^\"\\]|\\.)*\"|'[^'\n]*'|[^,}\n\"']*)",
    re.IGNORECASE,
)
"""The fields of a JSON object that give no answer."""
_NEXT_QUESTION = re.compile(
    r"\n[\s*#>\-\d.)\[]*(?:(?:next |another |new )?(?:question|q|problem|exercise|example|story"
    r"|sentence|scenario|(?:first |second )?event|passage|premise|context|instructions?|user|human"
    r"|domanda|problema|esercizio|esempio|storia|frase|(?:primo |secondo )?evento|contesto"
    r"|istruzioni|下?一?个?问题|题目|故事|句子|(?:第[一二]个)?事件|情景|例子?)\s?\d{0,3}\s*[:.]"
    r"|(?:the|la|il) (?:following |seguente )(?:story|storia|sentence|frase)\b[^\n]{0,80}:?)"
    rf"|\n\s*\n(?!\W*(?:why|how|(?:is|does) (?:that|this|it)\b|{v.CONTRAST}|{v.CORRECTION}))"
    r"[^\n]{20,300}\?\s*\n",
    re.IGNORECASE,
)
_END_OF_TURN = re.compile(
    r"(?<=.)(?:<\|(?:im_end|im_start|eot_id|endoftext|end_of_text|user)\|>|</s>|<end_of_turn>|<eos>"
    r"|\[INST\])",
    re.DOTALL,
)
_DROPPED = re.compile("~~[^~\n]*~~|[\U0001f000-\U0001faff\ufe0f]")
"""What is struck through, and emoji that are no verdict."""
_ANSWERS = re.compile(r"</(?:final[ _]?)?answer>\s*<(?:final[ _]?)?answer>", re.IGNORECASE)
_ANSWER = re.compile(r"<(?:final[ _]?)?answer>|(</(?:final[ _]?)?answer>)", re.IGNORECASE)
_RUN = re.compile(r"(\W{1,4}?)\1{15,}")
_MANY_SIGNS = re.compile(r"(\W{50})\W+(?=\W{50})")
"""Signs and blanks in a row that say no more than their first and last ones; reading them all would
take a time that grows with the square of their number."""
_REPEATED = re.compile(r"\b(\w+)(?:[ \n]+\1\b)+")
_ORDINALS = (
    *("first|1st|prima|第一个?", "second|2nd|seconda|第二个?", "third|3rd|terza|第三个?"),
    *("fourth|4th|quarta|第四个?", "fifth|5th|quinta|第五个?", "last|ultima|最后一个?"),
)
_LAST = 5
_SHORT = 240
"""Most characters of an answer after which a further question may begin."""
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_PUNCTUATION = str.maketrans(
    {
        "、": ",",
        "。": ". ",
        "【": "[",
        "】": "]",
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "‘": "'",
        "’": "'",
        "〈": "<",
        "〉": ">",
        "《": "<",
        "》": ">",
        "\u2028": "\n",
        "\u2029": "\n",
        "×": "✗",
        "✕": "✗",
        "✖": "✗",
        "√": "✓",
        "–": "-",
        "—": "-",
    }
)


def normalised(text: str) -> str:
    """The text with unified punctuation and without markup.

    Full-width characters become ASCII, typographic quotes straight ones, emphasis marks and
    LaTeX's text commands blanks.
    """
    plain = _DROPPED.sub(" ", _END_OF_TURN.split(text.lstrip(), maxsplit=1)[0])
    plain = plain.translate(_FULL_WIDTH).translate(_PUNCTUATION)
    plain = _ARROW.sub(lambda arrow: ":".ljust(len(arrow.group())), plain)
    plain = _TICKED.sub("✅", _UNTICKED.sub("❌", plain))
    plain = _ANSWERS.sub(", ", plain)
    plain = _ANSWER.sub(lambda tag: "\n" if tag[1] else "\nAnswer: ", plain)
    plain = _MARKUP.sub(" ", _REASONS.sub(" ", plain))
    plain = with_signs(_BLANKS.sub(" ", plain.translate(_BOLD)))
    plain = _MANY_SIGNS.sub(r"\1", _RUN.sub(lambda run: run[1] * 8, plain))
    return _REPEATED.sub(r"\1", plain)


def with_ordinals(text: str, noun: str, named: Sequence[str]) -> str:
    """The text with "the second and the third option" replaced by the names of these.

    `noun` is a pattern for what the ordinals count, `named` has the names in their order.
    """

    def names(match: re.Match[str]) -> str:
        words = [word.casefold() for word in re.findall(one, match.group(), re.IGNORECASE)]
        places = [next(i for i, o in enumerate(_ORDINALS) if re.fullmatch(o, w)) for w in words]
        places = [len(named) - 1 if place == _LAST else place for place in places]
        return " and ".join(named[place] for place in places if place < len(named))

    one = f"(?:{'|'.join(_ORDINALS)})"
    several = rf"(?:the |la |l')?{one}(?:(?:,|,? and|,? e|和)? ?(?:the |la |l')?{one})*"
    return re.sub(rf"{several}\s?(?:{noun})", names, text, flags=re.IGNORECASE)


def thinking_of(text: str) -> str:
    """The thinking that a reply begins with, tags and all; the whole reply where it never ends."""
    return text if without_thinking(text) is None else text[: _start_of_answer(text)]


def without_thinking(text: str) -> str | None:
    """The text with its thinking replaced by blanks; None where the thinking never ends.

    Some chat templates open the thinking in the prompt, so that the reply has only its end.
    """
    start = _start_of_answer(text)
    return None if _OPENS.search(text, start) else " " * start + text[start:]


def _start_of_answer(text: str) -> int:
    return max((closing.end() for closing in _CLOSES.finditer(text)), default=0)


def without_next_question(text: str) -> str:
    """A normalised reply up to where it asks itself a further question.

    Models that only continue a text answer shortly, then write the next question of the list, with
    an answer that is about that one.
    """
    for match in _NEXT_QUESTION.finditer(text[: 2 * _SHORT]):
        before, heading = text[: match.start()].strip(), match.group().strip()
        listed = heading[-2:-1].isdigit() and before[:4].casefold() == heading[:4].casefold()
        if before and len(before) <= _SHORT and not listed:
            return text[: match.start()]
    return text
