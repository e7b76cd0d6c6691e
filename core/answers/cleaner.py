"""Cleans a reply for reading: one punctuation, no markup, no thinking."""

from __future__ import annotations

import re

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
    r"|spiegazione|analisi|motiv\w+|ragionamento|分析|理由|解释|原因|推理)[\"']\s*:\s*"
    r"(?:\"(?:[^\"\\]|\\.)*\"|'[^'\n]*'|[^,}\n\"']*)",
    re.IGNORECASE,
)
"""The fields of a JSON object that give no answer."""
_NEXT_QUESTION = re.compile(
    r"\n[\s*#>\-\d.)\[]*(?:(?:next |another |new )?(?:question|q|problem|exercise|example|story"
    r"|sentence|scenario|(?:first |second )?event|passage|premise|context|instructions?|user|human"
    r"|domanda|problema|esercizio|esempio|storia|frase|(?:primo |secondo )?evento|contesto"
    r"|istruzioni|下?一?个?问题|题目|故事|句子|(?:第[一二]个)?事件|情景|例子?)\s?\d{0,3}\s*[:.]"
    r"|(?:the|la|il) (?:following |seguente )?(?:story|storia|sentence|frase)\b[^\n]{0,80}:?)",
    re.IGNORECASE,
)
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
        "–": "-",
        "—": "-",
    }
)


def normalised(text: str) -> str:
    """The text with unified punctuation and without markup.

    Full-width characters become ASCII, typographic quotes straight ones, emphasis marks and
    LaTeX's text commands blanks.
    """
    plain = text.translate(_FULL_WIDTH).translate(_PUNCTUATION)
    plain = _ARROW.sub(lambda arrow: ":".ljust(len(arrow.group())), plain)
    plain = _TICKED.sub("✅", _UNTICKED.sub("❌", plain))
    for pattern in (_REASONS, _MARKUP):
        plain = pattern.sub(lambda match: " " * len(match.group()), plain)
    return _BLANKS.sub(" ", plain.translate(_BOLD))


def thinking_of(text: str) -> str:
    """The thinking that a reply begins with, marks and all; the whole of one that never ends it.

    Nothing of a reply that may only begin to think.
    """
    if without_thinking(text) is None:
        return text
    ends = [match.end() for match in _CLOSES.finditer(text)]
    return text[: ends[-1]] if ends else ""


def without_thinking(text: str) -> str | None:
    """The text with its thinking replaced by blanks; None where the thinking never ends.

    Some chat templates open the thinking in the prompt, so that the reply has only its end.
    """
    ends = [match.end() for match in _CLOSES.finditer(text)]
    answer_start = ends[-1] if ends else 0
    if _OPENS.search(text, answer_start):
        return None
    return " " * answer_start + text[answer_start:]


def without_next_question(text: str) -> str:
    """A normalised reply up to where it asks itself a further question.

    Models that only continue a text answer shortly, then write the next question of the list, with
    an answer that is about that one.
    """
    for match in _NEXT_QUESTION.finditer(text[: 2 * _SHORT]):
        before = text[: match.start()]
        if before.strip() and len(before.strip()) <= _SHORT:
            return before
    return text
