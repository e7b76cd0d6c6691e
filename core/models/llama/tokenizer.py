"""Encodes prompts as tokens.

Plain text never gives a control token, even if it contains "<|end|>". In a prompt of turns only the
chat template may write control tokens: before it runs, their texts in the turns are replaced by
private characters, which are put back as plain text after the rendered prompt was split at the
control tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from llama_cpp import llama_cpp as c

from core.contract.question import Message, Prompt
from core.models.llama.engine import Engine
from core.models.llama.template_client import Renderer
from core.text.errors import LongPromptError, ModelError
from core.text.language import _

_PRIVATE = range(0xF0000, 0xFFFFE)
_CONTROL = c.LLAMA_TOKEN_ATTR_CONTROL | c.LLAMA_TOKEN_ATTR_UNKNOWN
_PROBE = "Xyzzy"
_USUAL = 16
"""More characters than almost any token stands for."""


@dataclass(frozen=True, slots=True)
class Encodable:
    """A prompt: its first tokens, and the text that is encoded together with a continuation."""

    head: tuple[int, ...]
    tail: str


class Prompting:
    """Encodes prompts for one model."""

    def __init__(self, engine: Engine, renderer: Renderer) -> None:
        self._engine = engine
        self._renderer = renderer

    def prepare(self, prompt: Prompt) -> Encodable:
        """Prepare a prompt for its continuation to be encoded; raises `ModelError`."""
        self._check_size(prompt if isinstance(prompt, str) else "".join(m.content for m in prompt))
        if isinstance(prompt, str):
            bos = self._engine.bos
            return Encodable(() if bos is None else (bos,), prompt)
        return self._turns(prompt)

    def encode(self, prepared: Encodable) -> list[int]:
        """A prompt's tokens; at least one, because a continuation needs a token before it."""
        text = self._engine.encode(prepared.tail)
        return self._settled(prepared, text) + text

    def encode_options(
        self, prepared: Encodable, options: Sequence[str]
    ) -> tuple[int, list[list[int]]]:
        """The length of the prompt and, for each option, prompt and option in tokens.

        lm-evaluation-harness' rule (`TemplateLM._encode_pair`): white space at the end of the
        prompt belongs to the continuation, both are encoded as one text, and the continuation
        is what comes after as many tokens as the prompt has by itself.
        """
        bare = prepared.tail.rstrip()
        moved = prepared.tail[len(bare) :]
        text = self._engine.encode(bare)
        settled = self._settled(prepared, text)
        start = len(settled) + len(text)
        sequences = []
        for option in options:
            self._check_size(option)
            sequence = settled + self._engine.encode(bare + moved + option)
            if len(sequence) <= start:
                raise ModelError(
                    _("The option {option!r} adds no token to the prompt.", option=option)
                )
            sequences.append(sequence)
        return start, sequences

    def takes(self, roles: Iterable[str]) -> bool:
        """Whether the chat template accepts turns of these roles and shows each of them."""
        turns = [(role, f"{_PROBE}{index}") for index, role in enumerate(roles)]
        try:
            text = self._render(turns)
        except ModelError:
            return False
        return all(content in text for _, content in turns)

    def _settled(self, prepared: Encodable, text: Sequence[int]) -> list[int]:
        """The tokens before those of the prompt's text."""
        if prepared.head or text:
            return list(prepared.head)
        boundary = self._engine.boundary
        if boundary is None:
            raise ModelError(_("The prompt is empty, and this model has no token to begin with."))
        return [boundary]

    def _render(self, turns: Sequence[tuple[str, str]]) -> str:
        return self._renderer.render(self._engine.template, turns, self._engine.named_tokens())

    def _turns(self, messages: Sequence[Message]) -> Encodable:
        if not self._engine.template:
            raise ModelError(
                _("This model has no chat template, so it takes no turns."),
                hint=_("Use the base form."),
            )
        contents = [message.content for message in messages]
        used = set("".join([*contents, self._engine.template]))
        free = (chr(code) for code in _PRIVATE if chr(code) not in used)
        special_texts = {text for content in contents for text in self._specials.findall(content)}
        signs = dict(zip(sorted(special_texts), free, strict=False))
        turns = [
            (
                message.role,
                self._specials.sub(lambda match: signs[match[0]], message.content),
            )
            for message in messages
        ]
        return self._cut(self._render(turns), {sign: text for text, sign in signs.items()})

    def _cut(self, rendered: str, stands_for: dict[str, str]) -> Encodable:
        """Split a rendered prompt at its control tokens; all but the last text is encoded."""
        back = str.maketrans(stands_for)
        head: list[int] = []
        texts = self._specials.split(rendered)
        for index, special in enumerate(self._specials.findall(rendered)):
            token = self._by_text[special]
            attributes = self._engine.attributes(token)
            text = texts[index]
            if attributes & c.LLAMA_TOKEN_ATTR_LSTRIP:
                text = text.rstrip()
            if attributes & c.LLAMA_TOKEN_ATTR_RSTRIP:
                texts[index + 1] = texts[index + 1].lstrip()
            if text:
                head += self._engine.encode(text.translate(back))
            head.append(token)
        bos = self._engine.bos
        if bos is not None and (not head or head[0] != bos):
            head.insert(0, bos)
        return Encodable(tuple(head), texts[-1].translate(back))

    def _check_size(self, text: str) -> None:
        """Raise `LongPromptError` for a text that cannot fit: encoding it may take minutes."""
        room, length = self._engine.context, len(text)
        # Finding the longest token takes time too, and hardly any text is so long.
        if length > room * _USUAL and length > room * self._longest:
            raise LongPromptError(
                _(
                    "A text of {length:,} characters is longer than any {room:,} tokens, which "
                    "is what this model's context takes.",
                    length=length,
                    room=room,
                ),
                hint=_(
                    "Ask a smaller item or with fewer worked examples, or give --context a "
                    "larger number."
                ),
            )

    @cached_property
    def _longest(self) -> int:
        """Most bytes, so also most characters, that a token can stand for."""
        engine = self._engine
        return max(len(engine.text_of(token).encode()) for token in range(engine.tokens))

    @cached_property
    def _by_text(self) -> dict[str, int]:
        """The control tokens by their texts."""
        engine = self._engine
        control_tokens = {
            engine.text_of(token): token
            for token in range(engine.tokens)
            if engine.attributes(token) & _CONTROL
        }
        control_tokens.pop("", None)
        return control_tokens

    @cached_property
    def _specials(self) -> re.Pattern[str]:
        """Finds control tokens, the longest first, as llama.cpp does."""
        longest_first = sorted(self._by_text, key=len, reverse=True)
        nothing = r"(?!)"
        return re.compile("|".join(map(re.escape, longest_first)) or nothing)
