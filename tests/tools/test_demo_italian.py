"""The generator's Italian: articles, prepositions, agreement and conjugation."""

from __future__ import annotations

import pytest

from tools.train_demo_model.frames import Frame, fill, sentence
from tools.train_demo_model.nouns import Actor, Noun

ANNA = Actor("Anna", feminine=True)
MARCO = Actor("Marco", feminine=False)
NARRATOR = Actor("", feminine=True)


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("il frigo", "il frigo, nel frigo, dal frigo, al frigo, del frigo, sul frigo"),
        ("lo zaino", "lo zaino, nello zaino, dallo zaino, allo zaino, dello zaino, sullo zaino"),
        ("la borsa", "la borsa, nella borsa, dalla borsa, alla borsa, della borsa, sulla borsa"),
        ("l'olio:m", "l'olio, nell'olio, dall'olio, all'olio, dell'olio, sull'olio"),
        ("i vetri", "i vetri, nei vetri, dai vetri, ai vetri, dei vetri, sui vetri"),
        ("gli orli", "gli orli, negli orli, dagli orli, agli orli, degli orli, sugli orli"),
        ("le scale", "le scale, nelle scale, dalle scale, alle scale, delle scale, sulle scale"),
    ],
)
def test_articles_join_their_prepositions(text: str, forms: str) -> None:
    noun = Noun.parse(text)
    found = (noun.il, noun.nel, noun.dal, noun.al, noun.dell, noun.sul)
    assert ", ".join(found) == forms


@pytest.mark.parametrize(
    ("text", "adjectives", "none"),
    [
        ("il libro", "chiuso sporco bollente", "nessun libro"),
        ("lo specchio", "chiuso sporco bollente", "nessuno specchio"),
        ("la penna", "chiusa sporca bollente", "nessuna penna"),
        ("l'arancia:f", "chiusa sporca bollente", "nessun'arancia"),
        ("l'uovo:m", "chiuso sporco bollente", "nessun uovo"),
        ("i piatti", "chiusi sporchi bollenti", "piatti"),
        ("le tazze", "chiuse sporche bollenti", "tazze"),
    ],
)
def test_adjectives_agree(text: str, adjectives: str, none: str) -> None:
    noun = Noun.parse(text)
    assert f"chius{noun.e} sporc{noun.h} bollent{noun.i}" == adjectives
    assert noun.nessuno == none


def test_an_elided_article_needs_its_gender() -> None:
    with pytest.raises(ValueError, match=":m or :f"):
        Noun.parse("l'uovo")


@pytest.mark.parametrize(
    ("frame", "actor", "past", "clause"),
    [
        ("aperto/apre/apro {o.il}", ANNA, True, "Anna ha aperto la borsa"),
        ("aperto/apre/apro {o.il}", ANNA, False, "Anna apre la borsa"),
        ("aperto/apre/apro {o.il}", NARRATOR, True, "ho aperto la borsa"),
        ("aperto/apre/apro {o.il}", NARRATOR, False, "apro la borsa"),
        ("è:uscito/esce/esco di casa", ANNA, True, "Anna è uscita di casa"),
        ("è:uscito/esce/esco di casa", NARRATOR, True, "sono uscita di casa"),
        ("è:andato via/va via/vado via", MARCO, True, "Marco è andato via"),
        ("si:lavato/si lava/mi lavo le mani", ANNA, True, "Anna si è lavata le mani"),
        ("si:lavato/si lava/mi lavo le mani", NARRATOR, True, "mi sono lavata le mani"),
        ("si:lavato/si lava/mi lavo le mani", NARRATOR, False, "mi lavo le mani"),
        ("non trovato/non trova/non trovo {o.il}", MARCO, True, "Marco non ha trovato la borsa"),
        ("={o.il} {o.era} chius{o.e}", MARCO, True, "la borsa era chiusa"),
    ],
)
def test_frames_are_conjugated(frame: str, actor: Actor, past: bool, clause: str) -> None:
    noun = Noun.parse("la borsa")
    assert fill(Frame.parse(frame).clause(actor, past), actor, noun, None, None) == clause


def test_a_dropped_subject_leaves_the_verb() -> None:
    assert Frame.parse("riso/ride/rido").clause(ANNA, past=True, named=False) == "ha riso"


def test_a_frame_without_three_verb_forms_is_refused() -> None:
    with pytest.raises(ValueError, match="participle/third person/first person"):
        Frame.parse("aperto/apre {o.il}")


def test_a_sentence_has_a_capital_and_a_full_stop() -> None:
    assert sentence("è tardi") == "È tardi."
