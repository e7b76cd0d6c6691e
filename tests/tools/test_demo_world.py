"""Which sentences of a story depend on each other, and which contradict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tools.train_demo_model.world import Effects, Link, agree, links

OPEN = Effects(pre=(("frigo", "open", "no"),), post=(("frigo", "open", "yes"),))
CLOSE = Effects(pre=(("frigo", "open", "yes"),), post=(("frigo", "open", "no"),))
TAKE = Effects(pre=(("frigo", "open", "yes"),))
NOTHING = Effects()

values = st.sampled_from(["a", "b", "c", "!a", "!b", "!c"])


def test_taking_the_milk_after_opening_the_fridge_holds() -> None:
    assert links([OPEN, TAKE]) == [Link((0,), 1, "open", True)]


def test_order_conflict_names_the_sentence_that_showed_the_state() -> None:
    """GITA's example: the milk is taken (0), then the fridge is opened (1): "0 and 1"."""
    assert [link for link in links([TAKE, OPEN]) if not link.holds] == [
        Link((0,), 1, "open", False)
    ]


def test_cloze_conflict_names_the_sentence_that_caused_the_state() -> None:
    assert links([NOTHING, CLOSE, NOTHING, TAKE]) == [Link((1,), 3, "open", False)]


def test_two_sentences_that_showed_the_state_are_both_named() -> None:
    assert links([TAKE, TAKE, OPEN])[-1] == Link((0, 1), 2, "open", False)


def test_other_entities_and_attributes_do_not_matter() -> None:
    other = Effects(pre=(("forno", "open", "no"), ("frigo", "power", "yes")))
    assert links([TAKE, other]) == []


@given(known=values, needed=values)
def test_values_agree_exactly_when_some_world_has_both(known: str, needed: str) -> None:
    def worlds(value: str) -> set[str]:
        everything = {"a", "b", "c", "d"}
        return everything - {value[1:]} if value.startswith("!") else {value}

    assert agree(known, needed) == bool(worlds(known) & worlds(needed))


actions = st.sampled_from([OPEN, CLOSE, TAKE, NOTHING])


@given(st.lists(actions, max_size=8))
def test_links_of_one_fridge_follow_its_state(story: list[Effects]) -> None:
    """A direct simulation of one door finds the same failing sentences."""
    state: bool | None = None
    failing = []
    for position, effects in enumerate(story):
        if effects is NOTHING:
            continue
        needs = effects is not OPEN
        if state is not None and state != needs:
            failing.append(position)
        state = {id(OPEN): True, id(CLOSE): False, id(TAKE): True}[id(effects)]
    assert [link.later for link in links(story) if not link.holds] == failing
