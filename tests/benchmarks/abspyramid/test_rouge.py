"""BLEU, ROUGE and METEOR against the libraries that publish them."""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from core.benchmarks.abspyramid.bleu import ORDERS, BleuCounts, bleu_counts, tokenise_13a
from core.benchmarks.abspyramid.rouge import lcs_length, rouge_l, rouge_recall, rouge_words

TEXT = """
a the cat cats chasing chased animal animals meeting a.m. 3,000 1-2 U.S. don't relational
conditional valenci hopefulness flies dying skies inning news away day topology generously naïve
Événement PersonX &amp; <skipped> ( ) - -- , . 'living'
"""
WORDS = TEXT.split()
phrases = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
texts = phrases | st.text(max_size=30).filter(lambda text: text == " ".join(text.split()))

ROUGE = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)


def summed(predictions: list[str], references: list[list[str]]) -> BleuCounts:
    each = [bleu_counts(*pair) for pair in zip(predictions, references, strict=True)]
    return BleuCounts(
        tuple(map(sum, zip(*(one.matches for one in each), strict=True))),
        tuple(map(sum, zip(*(one.possible for one in each), strict=True))),
        sum(one.length for one in each),
        sum(one.reference_length for one in each),
    )


def sacrebleu_of(predictions: list[str], references: list[list[str]], order: int):
    scorer = BLEU(smooth_method="none", max_ngram_order=order, tokenize="13a")
    return scorer.corpus_score(
        predictions, [list(column) for column in zip(*references, strict=True)]
    )


@given(texts)
@settings(max_examples=300, deadline=None)
def test_tokens_are_those_of_mteval(text):
    assert tokenise_13a(text) == Tokenizer13a()(text.strip()).split()


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=3, max_size=3)), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_ngram_precisions_are_those_of_sacrebleu(pairs):
    predictions, references = [p for p, _ in pairs], [r for _, r in pairs]
    theirs, ours = sacrebleu_of(predictions, references, ORDERS), summed(predictions, references)
    assert list(ours.matches) == theirs.counts
    assert list(ours.possible) == theirs.totals
    assert [100 * ours.precision(order) for order in (1, 2, 3, 4)] == pytest.approx(
        theirs.precisions
    )


@pytest.mark.parametrize("order", [1, 2, 4])
def test_cumulative_bleu_is_that_of_sacrebleu(order):
    # With references of one length the shortest and the closest are the same, and so is BLEU.
    draw = random.Random(order)
    predictions = [" ".join(draw.choices(WORDS[:10], k=draw.randint(2, 7))) for _ in range(300)]
    references = []
    for _ in predictions:
        length = draw.randint(2, 7)
        references.append([" ".join(draw.choices(WORDS[:10], k=length)) for _ in range(3)])
    theirs = sacrebleu_of(predictions, references, order)
    ours = summed(predictions, references)
    assert 0 < theirs.bp <= 1
    assert ours.brevity_penalty == pytest.approx(theirs.bp)
    assert 100 * ours.cumulative(order) == pytest.approx(theirs.score, abs=1e-6)


def test_the_shortest_reference_sets_the_penalty():
    counts = bleu_counts("big cat", ["a very big cat", "cat", "a big cat"])
    assert counts.reference_length == 1
    assert counts.brevity_penalty == 1
    longer = bleu_counts("big cat", ["a very big cat", "a big cat"])
    assert longer.brevity_penalty == pytest.approx(math.exp(1 - 3 / 2))
    assert longer.cumulative(2) == pytest.approx(math.exp(1 - 3 / 2))


def test_a_prediction_without_words_scores_nothing():
    counts = bleu_counts("", ["animal"])
    assert [counts.precision(1), counts.cumulative(1), counts.brevity_penalty] == [0, 0, 0]
    assert rouge_recall([], ["anim"], 1) == rouge_l([], ["anim"]) == rouge_l([], []) == 0


@given(texts, texts)
@settings(max_examples=300, deadline=None)
def test_rouge_is_that_of_rouge_score(prediction, reference):
    theirs = ROUGE.score(reference, prediction)
    mine, its = rouge_words(prediction), rouge_words(reference)
    assert rouge_recall(mine, its, 1) == pytest.approx(theirs["rouge1"].recall)
    assert rouge_recall(mine, its, 2) == pytest.approx(theirs["rouge2"].recall)
    assert rouge_l(mine, its) == pytest.approx(theirs["rougeL"].fmeasure)


@given(
    st.lists(st.sampled_from("abc"), max_size=90), st.lists(st.sampled_from("abcd"), max_size=90)
)
@settings(deadline=None)
def test_the_longest_common_subsequence_is_that_of_the_table(first, second):
    row = [0] * (len(second) + 1)
    for word in first:
        above = row[:]
        for place, other in enumerate(second, 1):
            row[place] = (
                above[place - 1] + 1 if word == other else max(above[place], row[place - 1])
            )
    assert lcs_length(first, second) == row[-1]


def test_long_texts_are_scored_quickly():
    first, second = (["ab"[i % k == 0] for i in range(5000)] for k in (2, 3))
    assert lcs_length(first, second) > 2500


def test_tokens_and_stems_are_those_of_rouge_score():
    assert " ".join(rouge_words("The Cats' skies—naïve dying 2nd")) == "the cat sky na ve die 2nd"
    assert all(re.fullmatch("[a-z0-9]+", word) for word in rouge_words(" ".join(WORDS)))
