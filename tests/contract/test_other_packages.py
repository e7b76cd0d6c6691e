"""Benchmarks of other packages that do what the contract forbids: each is told as theirs."""

from __future__ import annotations

from asyncio import CancelledError
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.other_packages import guarded_benchmark, guarded_collection
from core.contract.question import Answer, OptionScore
from core.contract.setting import Setting
from core.text.errors import DataError
from tests.cli.support import Ran, ok, recorded, run
from tests.fifth.support import installed_broken, installed_shapes

SHAPES = """
from shapes_benchmark import Shapes

class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

class Panic(BaseException):
    pass

class Broken(Shapes):
"""
CANNOT_BE_LOADED = {
    "panics at import": (
        "class Panic(BaseException): pass\nraise Panic('line 1\\nline 2')",
        "Panic",
    ),
    "ends the program": ("raise SystemExit(3)", "SystemExit"),
    "ends a generator": ("raise GeneratorExit", "GeneratorExit"),
    "raises what has no text": (
        f"{SHAPES}    def __init__(self): raise Unspeakable",
        "Unspeakable",
    ),
    "refuses its attributes": (
        f"{SHAPES}    def __getattribute__(self, name): raise Unspeakable",
        "Unspeakable",
    ),
    "has no layers": (f"{SHAPES}    layers = None", "layers is NoneType"),
    "has layers of another kind": (
        f"{SHAPES}    layers = ('stands',)",
        "layers[0] is str, not TaskLayer",
    ),
    "has a number as profiles": (f"{SHAPES}    profiles = 7", "profiles is int"),
    "has a number as title": (f"{SHAPES}    title = 5", "title is int"),
    "has no profiles": (f"{SHAPES}    profiles = ()", "profiles is empty"),
    "has an id of layers twice": (f"{SHAPES}    layers = Shapes.layers * 2", "has an id twice"),
    "has headlines of numbers": (f"{SHAPES}    headlines = {{'all': (7,)}}", "['all'][0] is int"),
    "lacks a method": (
        "from core.contract.benchmark import Benchmark\n"
        "from shapes_benchmark import Shapes\nclass Broken(Benchmark):\n"
        "    api_version, name, title, summary, profiles = 1, 'b', '', '', ('all',)\n"
        "    layers = Shapes.layers",
        "abstract",
    ),
}
CANNOT_BE_LISTED = {
    "samples raises": ("def samples(self): return 1 / 0", "samples: ZeroDivisionError"),
    "samples is a number": ("def samples(self): return 5", "samples is int"),
    "open gives nothing": ("def open(self, path): return None", "open is NoneType"),
    "open panics": ("def open(self, path): raise Panic", "Panic"),
    "open ends the program": ("def open(self, path): raise SystemExit(0)", "SystemExit"),
    "open raises what has no text": ("def open(self, path): raise Unspeakable", "Unspeakable"),
}
NEGATIVE_LENGTH = "def open(self, path): return type('L', (), {'__len__': lambda self: -5})()"
CANNOT_BE_SHOWN = {
    "view is nothing": ("def view(self, *args): return None", "view is NoneType"),
    "view raises": ("def view(self, *args): raise Unspeakable", "fails in view: Unspeakable"),
    "switches is nothing": ("def switches(self, item): return None", "switches is NoneType"),
    "switches has numbers": (
        "def switches(self, item): return (5,)",
        "switches[0] is int, not Choice",
    ),
}
CHANGED = """
from dataclasses import replace
from core.contract.setting import Flag
from core.contract.view import Cell, Graph, Grid, Link, Node, Statements
def changed(method, **new):
    def called(self, *args, **options):
        return replace(getattr(Shapes, method)(self, *args, **options), **new)
    return called
"""
"""Defines a method that gives what that of Shapes does, with other values in some fields."""
CANNOT_BE_DRAWN = {
    "view has no title": ("view = changed('view', title=None)", "view.title is NoneType, not str"),
    "view has a number as section": (
        "view = changed('view', sections=[5])",
        "view.sections is list, not tuple",
    ),
    "view has a word as role": (
        "view = changed('view', badges=(Cell('a', 'good'),))",
        "view.badges[0].role is str, not Role",
    ),
    "a link ends nowhere": (
        "view = changed('view', sections=(Statements('a', (), (Link('1', '2'),)),))",
        "view.sections[0] has a link to what is not there",
    ),
    "a table has no columns": (
        "view = changed('view', sections=(Grid('g', (), ((), ())),))",
        "view.sections[0] has 0 columns",
    ),
    "a table has thousands of columns": (
        "view = changed('view', sections=(Grid('g', ('a',) * 2000, ()),))",
        "view.sections[0] has 2,000 columns; 1 to 100 can be shown",
    ),
    "a table has thousands of cells": (
        "view = changed('view', sections=(Grid('g', ('a',), ((Cell('b'),),) * 5000),))",
        "view has more than 5,000 statements, links, nodes and cells",
    ),
    "a switch has an odd key": (
        "def switches(self, item): return (Flag('a=b', 'glue'),)",
        "switches[0] has a key that nobody can type",
    ),
    "a graph has a node twice": (
        "view = changed('view', sections=(Graph('g', (Node('a', 'b'),) * 2, ()),))",
        "view.sections[0] has an id twice",
    ),
}
CANNOT_BE_ASKED = {
    "question is a number": ("def question(self, *args): return 5", "question is int"),
    "question panics": ("def question(self, *args): raise Panic", "fails in question: Panic"),
    "no option is right": (
        "question = changed('question', gold=7)",
        "question has a right answer that is no option",
    ),
    "there are no options": ("question = changed('question', options=())", "has no options"),
    "there are thousands of options": (
        "question = changed('question', options=('a',) * 1001)",
        "question has more than 1,000 options",
    ),
    "options are numbers": (
        "question = changed('question', options=(1, 2))",
        "question.options[0] is int, not str",
    ),
    "a verdict is on other options": (
        "def score(self, *args): return Shapes.score(self, *args)._replace(answer=-1)",
        "score has an answer that is no option",
    ),
}
CANNOT_BE_COUNTED = {
    "more are right than there are": (
        "def summarise(self, *args, **rest): return Summary('all', (Figure('a', 7, 3),))",
        "summarise.figures[0] counts 7 of 3",
    ),
    "a number has 400 digits": (
        "def summarise(self, *args, **rest):"
        " return Summary('all', (Figure('a', 10**400, 10**400),))",
        "summarise.figures[0].right is too large",
    ),
    "a figure is a text": (
        "def summarise(self, *args, **rest): return Summary('all', ('a',))",
        "summarise.figures[0] is str, not Figure",
    ),
    "what follows is a number": ("def infer(self, *args): return 7", "infer is int"),
    "a mean is no number": (
        "def summarise(self, *args, **rest):"
        " return Summary('all', (Figure('a', None, 3, mean=float('nan')),))",
        "summarise.figures[0] is no number",
    ),
}


def check_told(ran: Ran, reason: str) -> None:
    assert ran.code == 2
    assert "Traceback" not in ran.err
    assert reason in ran.err
    assert "package broken-package" in ran.err
    assert "“broken”" in ran.err


def check_told_by_doctor(reason: str) -> None:
    ran = run("doctor", "--json")
    assert ran.code == 1
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert checks["benchmark broken"]["ok"] is False
    assert "broken-package" in checks["benchmark broken"]["detail"]
    assert reason in checks["benchmark broken"]["detail"]
    assert checks["benchmark shapes"]["ok"] is True


@pytest.mark.parametrize(("code", "reason"), CANNOT_BE_LOADED.values(), ids=list(CANNOT_BE_LOADED))
def test_one_that_cannot_be_loaded_is_a_message(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, code):
        check_told(run("show", "broken"), reason)


@pytest.mark.parametrize(("code", "reason"), CANNOT_BE_LISTED.values(), ids=list(CANNOT_BE_LISTED))
def test_one_that_cannot_be_listed_is_a_message(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{SHAPES}    {code}"):
        check_told(run("show", "broken"), reason)


@pytest.mark.parametrize(("code", "reason"), CANNOT_BE_SHOWN.values(), ids=list(CANNOT_BE_SHOWN))
def test_one_that_cannot_be_shown_is_a_message(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{SHAPES}    {code}"):
        check_told(run("show", "broken", "arch"), reason)


@pytest.mark.parametrize(("code", "reason"), CANNOT_BE_ASKED.values(), ids=list(CANNOT_BE_ASKED))
def test_one_that_cannot_be_asked_is_a_message(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{CHANGED}{SHAPES}    {code}"):
        store = tmp_path / "runs.sqlite"
        check_told(run("evaluate", "broken", "--model", "demo", "--store", store), reason)


@pytest.mark.parametrize(("code", "reason"), CANNOT_BE_DRAWN.values(), ids=list(CANNOT_BE_DRAWN))
def test_one_that_cannot_be_drawn_is_a_message(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{CHANGED}{SHAPES}    {code}"):
        check_told(run("show", "broken", "arch"), reason)


@pytest.mark.parametrize(
    ("code", "reason"), CANNOT_BE_COUNTED.values(), ids=list(CANNOT_BE_COUNTED)
)
def test_the_run_of_one_that_cannot_be_counted_shows_the_reason(
    tmp_path: Path, code: str, reason: str
) -> None:
    code = f"from core.contract.summary import Figure, Summary\n{SHAPES}    {code}"
    with installed_shapes(), installed_broken(tmp_path, code):
        run_id = recorded(tmp_path / "runs.sqlite", benchmark="broken")
        shown = ok("runs", "show", run_id, "--store", tmp_path / "runs.sqlite").out
    assert "Accuracy (stands)" in shown or "Stands" in shown
    assert reason in " ".join(shown.split())


@pytest.mark.parametrize("name", registry.SHIPPED)
def test_all_that_our_own_benchmarks_give_is_as_the_contract_says(name: str) -> None:
    def blame(what: str, error: BaseException) -> DataError:
        return DataError(f"{what}: {error}")

    benchmark = guarded_benchmark(name, type(registry.load(name)), blame)
    collection = guarded_collection(benchmark.open(benchmark.samples()), blame)
    assert collection.about.title
    verdicts = []
    for index in range(0, len(collection), len(collection) // 12):
        assert collection.find(collection.entry(index).id) == index
        item = collection.item(index)
        benchmark.suggestions(item)
        for _label, setting in (("", Setting()), *benchmark.contrasts(item, Setting())):
            Setting.of(benchmark.switches(item), setting)
            assert benchmark.view(item, setting).sections
            for layer in benchmark.layers:
                question = benchmark.question(item, setting, layer.id)
                if question is None:
                    benchmark.skip_reason(item, setting, layer.id)
                    continue
                benchmark.prompt_parts(item, setting, question)
                scores = tuple(OptionScore(-len(option)) for option in question.options)
                answer = Answer(() if question.open else scores)
                verdicts.append(benchmark.score(question, answer))
    assert len(verdicts) > 12
    for profile in benchmark.profiles:
        assert benchmark.summarise(verdicts, profile).figures
        benchmark.infer(verdicts, profile)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        CANNOT_BE_LOADED["panics at import"],
        (f"{SHAPES}    {NEGATIVE_LENGTH}", "fails in __len__: ValueError"),
        (f"{SHAPES}    def recognises(self, path): raise Panic", "fails in recognises: Panic"),
    ],
    ids=["panics at import", "a negative length", "recognises panics"],
)
def test_doctor_reports_one_that_fails(tmp_path: Path, code: str, reason: str) -> None:
    with installed_shapes(), installed_broken(tmp_path, code):
        check_told_by_doctor(reason)


def test_one_that_fails_to_recognise_a_file_leaves_it_to_the_others(tmp_path: Path) -> None:
    code = f"{SHAPES}    def recognises(self, path): raise Unspeakable"
    with installed_shapes(), installed_broken(tmp_path, code):
        path = registry.load("gita").samples()
        assert "Nico" in ok("show", path, "11-O0").out


def test_a_hash_that_is_none_is_told_before_a_run_is_recorded(tmp_path: Path) -> None:
    code = "def open(self, path): return Named(super().open(path))"
    named = """
class Named:
    content_hash = "\\ud800"
    def __init__(self, inner): self.inner = inner
    def __len__(self): return len(self.inner)
    def __getattr__(self, name): return getattr(self.inner, name)
"""
    with installed_shapes(), installed_broken(tmp_path, f"{named}{SHAPES}    {code}"):
        store = tmp_path / "runs.sqlite"
        ran = run("evaluate", "broken", "--model", "demo", "--store", store)
    check_told(ran, "content_hash is not in hexadecimal")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, CancelledError])
def test_ctrl_c_and_the_end_of_a_task_are_not_the_packages(
    tmp_path: Path, kind: type[BaseException]
) -> None:
    code = (
        f"from {kind.__module__} import {kind.__name__}\n{SHAPES}"
        f"    def view(self, *args): raise {kind.__name__}"
    )
    with installed_shapes(), installed_broken(tmp_path, code):
        benchmark = registry.load("broken")
        item = registry.open_collection(benchmark, benchmark.samples()).item(0)
        with pytest.raises(kind):
            benchmark.view(item, Setting())


def test_texts_of_a_package_are_shown_without_control_characters(tmp_path: Path) -> None:
    code = (
        f"{SHAPES}    title = 'a\\x1b[31m\\nb'\n    summary = 's\\x07'\n"
        "    item_help = 'one\\ntwo\\x1b'\n"
        "    layers = tuple(type(each)(each.id, 'L\\x1b', 'a\\n') for each in Shapes.layers)"
    )
    with installed_shapes(), installed_broken(tmp_path, code):
        benchmark = registry.load("broken")
        assert benchmark.title == "a␛[31m␊b"
        assert benchmark.summary == "s␇"
        assert benchmark.item_help == "one\ntwo␛"
        assert [layer.id for layer in benchmark.layers] == ["stands", "culprit", "top"]
        assert {(layer.title, layer.asks) for layer in benchmark.layers} == {("L␛", "a␊")}


def test_the_name_of_an_entry_point_is_that_of_its_benchmark(tmp_path: Path) -> None:
    with installed_shapes(), installed_broken(tmp_path, f"{SHAPES}    name = '../../up'"):
        assert registry.load("broken").name == "broken"


def test_our_own_benchmarks_run_as_they_are() -> None:
    for name in registry.SHIPPED:
        benchmark = registry.load(name)
        assert type(benchmark).view is vars(type(benchmark))["view"]
        assert type(benchmark).score in (
            vars(type(benchmark)).get("score"),
            Benchmark.score,
        )
