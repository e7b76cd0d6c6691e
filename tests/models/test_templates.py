"""Chat templates are programs from strangers: none of them can hurt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.llama.client import LlamaModel
from core.models.llama.engine import Engine
from core.models.llama.messages import Interrupted
from core.models.llama.template_client import PATIENCE, Renderer
from core.models.llama.template_values import fixed_values
from core.models.llama.tokenizer import Prompting
from core.text.errors import ModelError
from tests.gguf_files import CHAT, Tiny, write

TURNS = [("user", "hi")]


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer(lambda: False)
    yield made
    made.close()


def test_what_the_authors_of_templates_expect(renderer: Renderer) -> None:
    template = (
        "{{ bos_token }}{% for m in messages %}\n"
        "    {%- if loop.first and m['role'] == 'none' %}{% continue %}{% endif %}\n"
        "{{ m.role }}:{{ m['content'] | trim }}{{ eos_token }}"
        "{% generation %}g{% endgeneration %}{% endfor %}"
        "{% if add_generation_prompt %}{{ {'a': '<é>'} | tojson }}{% endif %}"
        "{{ strftime_now('%Y') | length }}{{ tools is none }}"
    )
    found = renderer.render(template, [("user", " hi ")], {"bos_token": "<s>", "eos_token": "</s>"})
    assert found == '<s>user:hi</s>g{"a": "<é>"}4True'


def test_every_day_gives_the_same_prompt_and_nobody_thinks(renderer: Renderer) -> None:
    template = (
        "{{ strftime_now('%d %b %Y') }}"
        "{% if enable_thinking is defined and enable_thinking is false %}<think></think>{% endif %}"
    )
    assert renderer.render(template, TURNS, {}) == "01 Jan 2025<think></think>"
    assert fixed_values(template) == "chat template dated 2025-01-01, thinking off"
    assert fixed_values("{{ messages }}") == ""


async def test_what_a_template_was_given_is_recorded(tmp_path: Path) -> None:
    template = CHAT + "{% if enable_thinking %}<think>{% endif %}{{ strftime_now('%Y') }}"
    model = await LlamaModel.load(write(tmp_path / "m.gguf", Tiny(chat=template)))
    assert model.info.computed_by.endswith("; chat template dated 2025-01-01, thinking off")
    await model.choose_threads()
    assert model.info.computed_by.endswith("; chat template dated 2025-01-01, thinking off")
    await model.close()


@pytest.mark.parametrize(
    "template",
    [
        "{% for i in range(10**9) %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{{ 'a' * 10**10 }}",
        "{{ 9 ** (9 ** 9) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 'a'.ljust(10**9) }}",
        "{{ 'a' | center(10**9) }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}"
        "{% endfor %}{{ ns.x }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.__init__.__globals__ }}",
        "{{ self._TemplateReference__context }}{{ cycler.__init__.__globals__.os.system('x') }}",
        "{{ messages.append(1) }}",
        "{{ 1 / 0 }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ raise_exception('not so') }}",
        "{% if %}",
        "{% include '/etc/passwd' %}",
        "{{ messages[0]['nothing'].more }}",
        "{{ strftime_now(3) }}",
        "{{" * 5000,
        "{# " + "x" * 2_000_000 + " #}",
    ],
    ids=lambda template: template[:40],
)
def test_hostile_templates_end_in_an_error(renderer: Renderer, template: str) -> None:
    started = time.perf_counter()
    with pytest.raises(ModelError, match="chat template fails"):
        renderer.render(template, TURNS, {})
    assert time.perf_counter() - started < PATIENCE, "nobody had to give it up"
    assert renderer.render("{{ messages[0].content }}", TURNS, {}) == "hi"


def test_a_template_that_runs_is_stopped_by_a_cancel() -> None:
    started = time.perf_counter()
    renderer = Renderer(lambda: time.perf_counter() - started > 0.3)
    loops = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    with pytest.raises(Interrupted):
        renderer.render(loops, TURNS, {})


def test_a_cancelled_look_at_a_template_finds_nothing_out(tiny: Path) -> None:
    engine = Engine(
        str(tiny), 512, extra_buffers=False, progress=lambda share: None, cancelled=lambda: False
    )
    cancelled = False
    prompting = Prompting(engine, Renderer(lambda: cancelled))
    assert prompting.takes(["user", "assistant", "user"])
    cancelled = True
    with pytest.raises(Interrupted):
        prompting.takes(["user", "assistant", "user"])
