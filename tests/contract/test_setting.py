"""Settings: canonical, equal when they mean the same, and strict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract.setting import Choice, Flag, Number, Order, Setting, Text
from core.text.errors import SettingError

VARIANT = Choice("variant", "Variant", ("7", "7-O0"), ("plausible", "order"), cycles=True)
ORDER = Order("order", "Order", ("a", "b", "c"))
FLAG = Flag("gloss", "Gloss")
NUMBER = Number("hops", "Hops", 1, 5, 2)
TEXT = Text("s0", "Sentence 0", "Piove.")
SWITCHES = (VARIANT, ORDER, FLAG, NUMBER, TEXT)


def test_default_values_are_not_in_the_setting() -> None:
    values = {switch.key: switch.default for switch in SWITCHES}
    assert Setting.of(SWITCHES, values) == Setting()


def test_a_name_and_its_value_mean_the_same() -> None:
    assert Setting.of(SWITCHES, {"variant": "order"}) == Setting.of(SWITCHES, {"variant": "7-O0"})


@given(st.permutations(["variant=7-O0", "order=2,1,0", "gloss=yes", "hops=3", "s0= Neva . "]))
def test_the_order_of_words_does_not_matter(words: list[str]) -> None:
    setting = Setting.from_words(SWITCHES, words)
    assert dict(setting) == {
        "variant": "7-O0",
        "order": "2,1,0",
        "gloss": "on",
        "hops": "3",
        "s0": "Neva .",
    }


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("variant=ordre", "Did you mean “order”?"),
        ("order=0,1", "Name every position once"),
        ("order=0,1,1", "Name every position once"),
        ("gloss=perhaps", "on or off"),
        ("hops=6", "from 1 to 5"),
        ("hops=two", "from 1 to 5"),
        ("s0=   ", "empty"),
        ("varaint=7", "Did you mean “variant”?"),
        ("variant", "--set key=value"),
    ],
)
def test_an_invalid_value_is_refused_with_a_hint(word: str, part: str) -> None:
    with pytest.raises(SettingError) as caught:
        Setting.from_words(SWITCHES, [word])
    assert part in str(caught.value)


@given(st.text())
def test_typed_text_becomes_one_clean_line_or_is_refused(text: str) -> None:
    try:
        value = TEXT.parse(text)
    except SettingError:
        assert not text.split() or len(" ".join(text.split())) > TEXT.limit
    else:
        assert value == TEXT.parse(value)
        assert value.split() == text.split()


@given(st.permutations([0, 1, 2]))
def test_an_order_gives_the_original_positions(places: list[int]) -> None:
    text = ",".join(map(str, places))
    assert ORDER.indices(ORDER.parse(text)) == tuple(places)


def test_a_switch_set_back_to_its_default_is_not_in_the_setting() -> None:
    setting = Setting().with_value(NUMBER, "4")
    assert setting.value(NUMBER) == "4"
    assert setting.with_value(NUMBER, "2") == Setting()
