"""Renders chat templates in a restricted process.

A template is a program that came with a model file. Jinja's sandbox keeps it from Python's objects,
but only the operating system can stop an endless loop or a text that fills the memory. So this
process has little memory, cannot write files, and is ended by a timer that no template can stop.

It reads lines `{"template", "turns": [[role, content], ...], "tokens": {name: text}}` and
answers each with `{"text"}` or `{"error"}`. Run as `python -m core.models.llama.template_renderer`.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from core.models.llama.template_values import NOW, THINKING
from core.system.process_limits import ProcessorTimer, restrict_process

SECONDS = 1.0
"""Most processor time for one rendering; time in which other programs run does not count."""
MOST_TEXT = 2**20
"""Most characters of a rendered prompt, and of a template."""
_MEMORY = 512 * 2**20


class _Generation(Extension):
    """The `{% generation %}` tag marks what a model wrote; here it means nothing."""

    tags = {"generation"}  # noqa: RUF012 - as the base class declares it

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _tojson(value: Any, indent: int | None = None) -> str:
    """JSON without escapes for HTML, as in transformers."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _raise_exception(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


@lru_cache(maxsize=2)
def _compiled(source: str) -> jinja2.Template:
    """Compile a template in the environment that chat templates expect."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
    )
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = NOW.strftime
    return environment.from_string(source)


def render(source: str, turns: list[list[str]], tokens: dict[str, str]) -> str:
    """The prompt of some turns, up to the beginning of the assistant's next turn.

    Raises what the template raises, and `ValueError` for too much text.
    """
    if len(source) > MOST_TEXT:
        raise ValueError(f"the template has more than {MOST_TEXT:,} characters")
    messages = [{"role": role, "content": content} for role, content in turns]
    pieces: Iterator[str] = _compiled(source).generate(
        messages=messages,
        add_generation_prompt=True,
        enable_thinking=THINKING,
        tools=None,
        documents=None,
        **tokens,
    )
    parts, length = [], 0
    for piece in pieces:
        parts.append(piece)
        length += len(piece)
        if length > MOST_TEXT:
            raise ValueError(f"it writes more than {MOST_TEXT:,} characters")
    return "".join(parts)


def _answer(request: dict[str, Any]) -> dict[str, str]:
    try:
        return {"text": render(request["template"], request["turns"], request["tokens"])}
    except MemoryError:
        return {"error": "it needs too much memory"}
    except Exception as error:  # a template is a program: it may raise anything
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    timer = ProcessorTimer(SECONDS)
    restrict_process(_MEMORY)
    for line in sys.stdin.buffer:
        timer.start()
        answer = _answer(json.loads(line))
        timer.stop()
        sys.stdout.buffer.write(json.dumps(answer).encode("ascii") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
