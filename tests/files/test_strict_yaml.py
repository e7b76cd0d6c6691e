"""YAML files of a person: what is read, and that nothing wrong goes without its line."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.text.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "any.yaml"


def read(file: Path, content: str | bytes) -> Value:
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return strict_yaml.read(file, "The file")


def refused(file: Path, content: str | bytes) -> ConfigError:
    """The complaint about a file that is refused before anything in it is asked for."""
    with pytest.raises(ConfigError) as caught:
        read(file, content)
    return caught.value


def test_values_know_their_lines(file: Path) -> None:
    members = read(file, "a: one\n\nb:\n  c: [x, y]\nd: yes\n").members()
    assert {key: value.line for key, value in members.items()} == {"a": 1, "b": 3, "d": 5}
    assert members["a"].text() == "one"
    assert members["d"].truth() is True
    inner = members["b"].members(known=("c",), needed=("c",))["c"]
    assert (inner.line, [part.text() for part in inner.parts()]) == (4, ["x", "y"])


@pytest.mark.parametrize("content", ["", "# nothing\n", "\ufeff", "\n \n"])
def test_an_empty_file_has_no_value(content: str, file: Path) -> None:
    file.write_text(content, encoding="utf-8")
    assert strict_yaml.read_any(file, "The file") is None
    assert refused(file, content).what == "The file is empty."


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("a: b: c\n", 1, "not YAML"),
        ("a: 1\n\tb: 2\n", 2, "not YAML"),
        ("a: b\n---\nc: d\n", 2, "not YAML"),
        ("a: b\nc: *d\n", 2, "not YAML"),
        ('a: b\nc: "\\UFFFFFFFF"\n', 2, "too large"),
        (f"%YAML {'9' * 5000}.1\n--- a\n", 1, "too large"),
        ("a: b\nc: \x07\n", 2, "control character"),
        ("a: b\nc: \x00\n", 2, "control character"),
        (b"a: b\nc: \xff\n", 2, "UTF-8"),
        (b"\x80", 1, "UTF-8"),
        ("a: b".encode("utf-16"), 1, "UTF-8"),
        ("a: b\nc: " + "[" * 50_000, 2, "nested too deeply"),
        ("- " * 40_000, 1, "nested too deeply"),
        ("{a: " * 20_000, 1, "nested too deeply"),
        ("a: &a\n  b: *a\n", 2, "alias"),
        ("a: &a [x]\nb: *a\n", 2, "alias"),
    ],
)
def test_a_file_that_is_no_plain_yaml_is_refused_at_its_line(
    content: str | bytes, line: int, what: str, file: Path
) -> None:
    error = refused(file, content)
    assert error.where == f"{file}:{line}"
    assert what in error.what


def test_a_few_lines_cannot_stand_for_a_billion(file: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    assert refused(file, "\n".join(lines)).where == f"{file}:2"


def test_an_alias_may_stand_for_a_text(file: Path) -> None:
    members = read(file, "a: &red '#F00'\nb: *red\n").members()
    assert members["b"].text() == "#F00"
    assert members["b"].line == 2


@pytest.mark.parametrize("libyaml", [True, False])
def test_aliases_stand_for_no_more_than_the_longest_file(
    libyaml: bool, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", libyaml and yaml.__with_libyaml__)
    long = f"a: &a {'x' * (strict_yaml.LIMIT // 4)}\nb:\n"
    assert len(read(file, long + "- *a\n" * 4).members()["b"].parts()) == 4
    error = refused(file, long + "- *a\n" * 5)
    assert error.where == f"{file}:7"
    assert "aliases stand for more than 100,000 characters" in error.what


def missing(file: Path) -> None:
    """Leave no file."""


def folder(file: Path) -> None:
    file.mkdir()


def pipe(file: Path) -> None:
    os.mkfifo(file)


def huge(file: Path) -> None:
    file.write_text("#" * (strict_yaml.LIMIT + 1), encoding="utf-8")


@pytest.mark.parametrize("make", [missing, folder, pipe, huge])
def test_what_is_no_readable_file_is_refused(make: Callable[[Path], None], file: Path) -> None:
    make(file)
    with pytest.raises(ConfigError) as caught:
        strict_yaml.read(file, "The file")
    assert caught.value.where == str(file)


def test_a_file_may_be_as_long_as_the_limit(file: Path) -> None:
    text = "a: b\n"
    assert read(file, text + "#" * (strict_yaml.LIMIT - len(text))).members()["a"].text() == "b"


@pytest.mark.parametrize(
    ("content", "ask", "where", "said"),
    [
        ("a: b\nc: [d]\n", lambda v: v.members()["c"].text(), 2, "c must be a text"),
        ("a: 3\n", lambda v: v.members()["a"].text(), 1, "a must be a text"),
        ("a: ''\n", lambda v: v.members()["a"].text(), 1, "a must be a text"),
        ("a: 'true'\n", lambda v: v.members()["a"].truth(), 1, "a must be true or false"),
        ("a: b\n", lambda v: v.members()["a"].parts(), 1, "a must be a list"),
        ("a:\n- b\n- 3\n", lambda v: [p.text() for p in v.members()["a"].parts()], 3, "of a must"),
        ("- a\n", lambda v: v.members(), 1, "The file must be names with values"),
        ("\n\na\n", lambda v: v.members(), 3, "The file must be names with values"),
        ("a: b\n2: c\n", lambda v: v.members(), 2, "A name must be a text"),
        ("? [a]\n: b\n", lambda v: v.members(), 1, "A name must be a text"),
        ("a: b\n<<: {c: d}\n", lambda v: v.members(), 2, "A name must be a text"),
        ("a: b\n\na: c\n", lambda v: v.members(), 3, "“a” stands here twice"),
        ("a: b\n'a': c\n", lambda v: v.members(), 2, "“a” stands here twice"),
        ("a: b\ncolor: c\n", lambda v: v.members(("a", "colour")), 2, "Did you mean “colour”?"),
        ("a: b\nzzz: c\n", lambda v: v.members(("a", "colour")), 2, "Known: a, colour."),
        (
            "a: b\nc:\n  d: e\n",
            lambda v: v.members()["c"].members(needed=("d", "f"), lacks="Write f."),
            2,
            "c lacks f. Write f.",
        ),
        ("a: !!python/name:os.system x\n", lambda v: v.members()["a"].text(), 1, "must be a text"),
        ("a: !!binary aGk=\n", lambda v: v.members()["a"].text(), 1, "must be a text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_told_at_its_line(
    content: str, ask: Callable[[Value], object], where: int, said: str, file: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        ask(read(file, content))
    assert caught.value.where == f"{file}:{where}"
    assert said in str(caught.value)


def test_a_message_obeys_nothing_that_the_file_holds(file: Path) -> None:
    root = read(file, '"\\e[2J\\u202e": x\n')
    with pytest.raises(ConfigError, match="␛") as caught:
        root.members(known=("a",))
    assert not {"\x1b", "\u202e"} & set(str(caught.value))


_TOKENS = st.sampled_from(
    [
        *("a", "b: ", "- ", "[", "]", "{", "}", ", ", "\n", "  ", "&x ", "*x", "!!int ", "'", '"'),
        *("|\n", "? ", ": ", "<<: ", "--- ", "%YAML 1.1\n", "#", "\\U00110000", "\t", "3", "yes"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.lists(_TOKENS, max_size=25).map("".join)))
def test_any_bytes_are_values_or_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes | str
) -> None:
    file = tmp_path_factory.getbasetemp() / "strict.yaml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    complaint = None
    try:
        root = strict_yaml.read_any(file, "The file")
        lines = [value.line for value in root.members().values()] if root else []
        assert all(1 <= line <= len(file.read_bytes().splitlines()) for line in lines)
    except ConfigError as error:
        complaint = error
    if complaint is not None:
        assert complaint.where.startswith(f"{file}:")
        assert complaint.what.endswith(".")


def _outline(value: Value | None) -> object:
    """What a value is made of, with its lines."""
    if value is None:
        return None
    if value.listed:
        return value.line, [_outline(part) for part in value.parts()]
    if value.named:
        return value.line, {name: _outline(each) for name, each in value.members().items()}
    return value.line, value.word()


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML is here without libyaml")
@settings(max_examples=300, deadline=None)
@given(st.lists(_TOKENS.filter("\t".__ne__), max_size=25).map("".join))
@example("a: |\n  b\n\n  c\nd: >-\n  e\n  f\n? g\n: [h, {i: j}]\n")
def test_libyaml_and_the_parser_in_python_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "strict.yaml"
    file.write_text(content, encoding="utf-8")
    found: list[object] = []
    for libyaml in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml, "__with_libyaml__", libyaml)
            try:
                found.append(_outline(strict_yaml.read_any(file, "The file")))
            except ConfigError:
                # The two see different lines where something is empty.
                found.append("refused")
    assert found[0] == found[1]


@settings(deadline=None)
@given(text=st.text(min_size=1).filter(str.strip))
@example(text="one\x85two\u2028\ufeff\U0001f9d8 \x7f: # \"'\\\n\t\x00")
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "written.yaml"
    line = f"{strict_yaml.written(text)}: [{strict_yaml.written(text)}]\n"
    assert line.count("\n") == 1
    ((key, value),) = read(file, line).members().items()
    assert [key, *(part.text() for part in value.parts())] == [text, text]
