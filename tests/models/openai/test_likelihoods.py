"""Log-likelihoods on a server whose sums are known, offered in each way, right and wrong."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core.contract.question import Form, Message, OptionScore, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.requests import Limits
from core.models.protocol import Ability
from core.runs.asking import natural_form, natural_scoring, prepared
from core.text.errors import ModelError
from tests.models.openai.scoring_server import ScoringServer, encode, logprob, scoring_server

QUICK = Limits(tries=2, first_wait=0.01, timeout=60.0, deadline=60.0)
WAYS = ("echo", "prompt_logprobs", "n_probs")


@asynccontextmanager
async def connected(**wanted: Any) -> AsyncIterator[tuple[OpenAIModel, ScoringServer]]:
    async with scoring_server(**wanted) as server:
        model = await OpenAIModel.connect(server.url, limits=QUICK)
        try:
            yield model, server
        finally:
            await model.close()


def expected(prompt: str, option: str) -> OptionScore:
    """By the harness's rule: the tokens after as many as the prompt has."""
    start, tokens = len(encode(prompt)), encode(prompt + option)
    values = [logprob(tokens[:at], tokens[at]) for at in range(start, len(tokens))]
    return OptionScore(math.fsum(values), len(values), len(option.encode()))


CASES = {
    "whole words": ("Can a stone swim? Answer:", (" yes", " certainly not", " 不会")),
    "a token across the border": ("Ans", ("wer", "wering machine")),
    "one word twice": ("no no no no no", (" no", " no no")),
}


@pytest.mark.parametrize("bos", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("case", CASES)
async def test_sums_are_those_of_the_tokens_after_the_prompt(
    way: str, case: str, bos: bool
) -> None:
    prompt, options = CASES[case]
    async with connected(offers=(way,), bos=bos) as (model, _server):
        scores = await model.score(prompt, options)
        assert model.info.likelihoods == f"exact ({way})"
    for option, score in zip(options, scores, strict=True):
        right = expected(prompt, option)
        assert (score.tokens, score.bytes) == (right.tokens, right.bytes)
        assert score.logprob == pytest.approx(right.logprob, abs=1e-9)


async def test_white_space_at_the_end_of_a_prompt_belongs_to_the_option() -> None:
    async with connected() as (model, _server):
        [score] = await model.score("Can a stone swim? \n", ["yes"])
    right = expected("Can a stone swim?", " \nyes")
    assert (score.tokens, score.logprob) == (right.tokens, pytest.approx(right.logprob))
    assert score.bytes == len("yes")


@pytest.mark.parametrize(
    ("fault", "offers", "reason"),
    [
        ("shifted", ("echo",), "otherwise in a prompt than when it is written"),
        ("shifted", ("prompt_logprobs",), "otherwise in a prompt than when it is written"),
        ("length", ("echo",), "echo: not proved"),
        ("temperature", ("echo",), "has the probability 1"),
        ("ignored", ("echo",), "does not echo the prompt"),
        ("free", ("n_probs",), "another token than it was made to write"),
        ("", (), r"echo: The server refused \(400\): no echo"),
    ],
)
async def test_a_server_that_scores_something_else_is_refused_with_the_reason(
    fault: str, offers: tuple[str, ...], reason: str
) -> None:
    async with connected(fault=fault, offers=offers) as (model, _server):
        with pytest.raises(ModelError, match=reason):
            await model.score("Can a stone swim?", [" yes"])
        assert Ability.SCORE not in model.info.abilities
        assert model.info.likelihoods == ""


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_that_wavers_is_approximate_to_what_it_wavered(way: str) -> None:
    async with connected(offers=(way,), noise=1e-5) as (model, _server):
        await model.prove_likelihoods()
        said = model.info.likelihoods
    assert said.endswith(f"nats ({way})")
    bound = float(said.split()[2])
    assert 1e-4 < bound < 1e-2


async def test_a_server_that_wavers_much_is_refused() -> None:
    async with connected(offers=("echo",), noise=0.05) as (model, _server):
        with pytest.raises(ModelError, match=r"not proved"):
            await model.prove_likelihoods()


async def test_the_first_way_that_is_proved_is_taken_and_proved_once() -> None:
    async with connected(offers=("prompt_logprobs", "n_probs")) as (model, server):
        await model.prove_likelihoods()
        assert model.info.likelihoods == "exact (prompt_logprobs)"
        asked = len(server.asked)
        await model.prove_likelihoods()
        assert len(server.asked) == asked


async def test_the_requests_of_the_proof_are_paid_for_like_others() -> None:
    async with connected(offers=("echo",)) as (model, server):
        await model.prove_likelihoods()
        assert model.traffic.answer_tokens == len(server.asked) > 0


async def test_turns_are_not_scored() -> None:
    async with connected() as (model, _server):
        with pytest.raises(ModelError, match="not after turns"):
            await model.score((Message("user", "Why?"),), [" yes"])
        with pytest.raises(ModelError, match="not after turns"):
            await prepared(model, Form.CHAT, Scoring.LOGLIKELIHOOD)


async def test_a_server_is_asked_for_likelihoods_only_where_a_person_wants_them() -> None:
    async with connected() as (model, server):
        assert await prepared(model, None, None) == (Form.CHAT, Scoring.GENERATED)
        assert not server.asked
        wanted = await prepared(model, None, Scoring.LOGLIKELIHOOD)
        assert wanted == (Form.BASE, Scoring.LOGLIKELIHOOD)
        assert Ability.SCORE in model.info.abilities
        assert natural_scoring(model.info, natural_form(model.info)) is Scoring.GENERATED
        assert natural_scoring(model.info, Form.BASE) is Scoring.GENERATED
