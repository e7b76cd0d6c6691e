"""The network, its training rows and its export, compared with llama.cpp."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.train_demo_model import accord, gguf_file, training
from tools.train_demo_model.examples import SentenceLabels, encode_row, prefix_tokens
from tools.train_demo_model.model import Decoder, attention_loss, rotate
from tools.train_demo_model.prompts import LAYERS, prefix, prompt, target
from tools.train_demo_model.rows import encode
from tools.train_demo_model.scoring import Scorer
from tools.train_demo_model.shape import Shape
from tools.train_demo_model.stream import training_story
from tools.train_demo_model.task_feed import collate
from tools.train_demo_model.task_losses import GUIDED, TaskHeads, task_losses
from tools.train_demo_model.tasks import kinds_of_step, rows_of_step
from tools.train_demo_model.tokenizer import Tokenizer, as_letters, pieces
from tools.train_demo_model.training import Plan, train

WORDS = [
    "Anna",
    " ha",
    " aperto",
    " il",
    " frigo",
    ".",
    ".\n",
    ".\n\n",
    "\n",
    " \n",
    " perché",
    "L",
    "'uva",
]
RECORD = gguf_file.Record(
    seed=1, steps=2, schedule=2, stories=3, seconds=4, parameters=5, blocked=6, blocked_checksum=7
)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_pieces(WORDS)


@pytest.fixture(scope="module")
def decoder(tokenizer: Tokenizer) -> Decoder:
    torch.manual_seed(3)
    shape = Shape(len(tokenizer.tokens), width=64, blocks=3, heads=2, hidden=96, context=256)
    return Decoder(shape)


@pytest.fixture(scope="module")
def exact(decoder: Decoder, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "tiny-f32.gguf"
    weights = {name: value.numpy() for name, value in decoder.exported().items()}
    gguf_file.write(path, weights, decoder.shape, tokenizer, RECORD, "f32")
    return path


def test_a_prefix_cache_changes_nothing(decoder: Decoder) -> None:
    """What the speed of the training rests on."""
    head = torch.randint(3, 259, (1, 17))
    tails = torch.randint(3, 259, (4, 9))
    with torch.no_grad():
        whole = decoder(torch.cat((head.expand(4, -1), tails), dim=1))[:, 17:]
        _, past = decoder.hidden(head)
        split = decoder.logits(decoder.hidden(tails, past)[0][-1])
    torch.testing.assert_close(split, whole, atol=1e-5, rtol=0)


def test_llama_cpp_computes_the_trainers_logits(decoder: Decoder, exact: Path) -> None:
    tokens = torch.randint(3, decoder.shape.vocabulary, (1, 40))
    with torch.no_grad():
        ours = decoder(tokens)[0].numpy()
    with Scorer(exact, positions=64, exact=True) as scorer:
        theirs = scorer.logits(tokens[0].tolist())
    assert np.abs(ours - theirs).max() < 1e-4


def test_a_score_is_the_sum_of_token_log_likelihoods(decoder: Decoder, exact: Path) -> None:
    with Scorer(exact, positions=256, exact=True) as scorer:
        text, choices = "Anna ha aperto:", ["il frigo", "perché", "zebra 12"]
        scores = scorer.log_likelihoods(text, choices)
        expected = []
        for choice in choices:
            tokens = scorer.tokens(f"{text} {choice}")
            start = len(scorer.tokens(text))
            with torch.no_grad():
                rows = torch.log_softmax(decoder(torch.tensor([tokens]))[0], dim=-1)
            steps = range(start, len(tokens))
            expected.append(sum(rows[step - 1, tokens[step]].item() for step in steps))
    assert scores == pytest.approx(expected, abs=1e-4)


def test_the_record_survives(exact: Path) -> None:
    assert gguf_file.read_record(exact) == RECORD


def test_duplicate_tokens_are_refused() -> None:
    with pytest.raises(ValueError, match="occur twice"):
        Tokenizer(("a", "b", "a"))


texts = st.text(
    alphabet=st.sampled_from([*"abzABZ 019.,:?!'\n-_", "è", "È", "’", "ù", "日", "🙂", "\t"]),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(text=texts | st.lists(st.sampled_from(WORDS)).map("".join))
def test_our_tokens_are_those_of_llama_cpp(tokenizer: Tokenizer, exact: Path, text: str) -> None:
    if not hasattr(test_our_tokens_are_those_of_llama_cpp, "scorer"):
        test_our_tokens_are_those_of_llama_cpp.scorer = Scorer(exact, positions=64)  # type: ignore[attr-defined]
    scorer = test_our_tokens_are_those_of_llama_cpp.scorer  # type: ignore[attr-defined]
    assert "".join(pieces(text)) == text
    assert [tokenizer.bos, *tokenizer.encode(text)] == scorer.tokens(text)
    assert scorer.text(scorer.tokens(text)) == text


@pytest.mark.parametrize("layer", LAYERS)
def test_training_rows_are_the_prompts(tokenizer: Tokenizer, layer: str) -> None:
    for index in range(1, 40, 2):
        story = training_story(9, index)
        assert story is not None
        row = encode_row(tokenizer, layer, story, SentenceLabels.of(story))  # type: ignore[arg-type]
        whole = f"{prompt(layer, story.sentences)} {target(layer, story)}"  # type: ignore[arg-type]
        head = prefix_tokens(tokenizer, layer)[0].tolist()  # type: ignore[arg-type]
        expected = [tokenizer.bos, *tokenizer.encode(whole), tokenizer.eos]
        assert [*head, *row.tokens] == expected
        ends = [tokenizer.tokens[row.tokens[end]] for end in row.ends]
        assert all(token.startswith(".") for token in ends)
        assert len(ends) == 5


@pytest.fixture(scope="module")
def words_of_training() -> Tokenizer:
    """The words of the prompts of a few steps, for rows that are no longer than in earnest."""
    asked = [
        row
        for step in range(3)
        for kind in kinds_of_step(6, step)
        for row in rows_of_step(6, step, kind)
    ]
    told = [f"{row.prompt}{row.lead}{row.answer}" for row in asked]
    return Tokenizer.from_pieces(
        piece for text in (*told, *map(prefix, LAYERS)) for piece in pieces(text)
    )


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_training_repeats_itself(words_of_training: Tokenizer) -> None:
    tokenizer = words_of_training
    shape = Shape(len(tokenizer.tokens), width=32, blocks=6, heads=4, hidden=32, context=2048)
    plan = Plan(seed=6, steps=2, schedule=2, stories=2, warm_up=1)
    runs = [
        train(plan, shape, tokenizer, frozenset(), lambda _: None, lambda _model, _at: None)
        for _ in range(2)
    ]
    first, second = (run.state_dict() for run in runs)
    assert all(torch.equal(first[name], second[name]) for name in first)
    torch.manual_seed(plan.seed)
    untrained = Decoder(shape).state_dict()
    assert not torch.equal(first["output.weight"], untrained["output.weight"])


@pytest.mark.usefixtures("one_thread")
def test_a_training_that_was_stopped_goes_on_to_the_same_weights(
    words_of_training: Tokenizer, tmp_path: Path
) -> None:
    tokenizer = words_of_training
    shape = Shape(len(tokenizer.tokens), width=32, blocks=6, heads=4, hidden=32, context=2048)
    plan = Plan(seed=6, steps=3, schedule=3, stories=2, warm_up=1)

    def trained(file: Path | None, stop: int | None) -> Decoder:
        return train(
            plan,
            shape,
            tokenizer,
            frozenset(),
            lambda _: None,
            lambda _model, _at: None,
            file,
            report_every=1,
            stop=stop,
        )

    whole = trained(None, None).state_dict()
    file = tmp_path / "checkpoint.pt"
    stopped = trained(file, 2).state_dict()
    assert not torch.equal(stopped["output.weight"], whole["output.weight"])
    resumed = trained(file, None).state_dict()
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
    with pytest.raises(ValueError, match="another training"):
        train(
            Plan(seed=7, steps=3, schedule=3),
            shape,
            tokenizer,
            frozenset(),
            lambda _: None,
            lambda _model, _at: None,
            file,
        )


def test_an_earlier_model_is_begun_with_word_by_word(
    decoder: Decoder, tokenizer: Tokenizer, exact: Path
) -> None:
    """Words in common and all blocks are those of the file; other words are new."""
    wider = Tokenizer.from_pieces([*WORDS, " frigorifero", "Frigo"])
    shape = Shape(len(wider.tokens), width=64, blocks=3, heads=2, hidden=96, context=256)
    model = training.decoder(shape, wider)
    training.begin_with(model, wider, exact)
    words = [" ha", " aperto", " il", " frigo", "."]
    there = [wider.ids[as_letters(word)] for word in words]
    here = [tokenizer.ids[as_letters(word)] for word in words]
    with torch.no_grad():
        ours, theirs = model(torch.tensor([there])), decoder(torch.tensor([here]))
    torch.testing.assert_close(ours[..., there], theirs[..., here], atol=1e-4, rtol=0)
    other = training.decoder(Shape(len(wider.tokens), width=32, blocks=1, heads=1), wider)
    with pytest.raises(ValueError, match="another shape"):
        training.begin_with(other, wider, exact)


def test_nothing_is_kept_of_a_word_that_is_forgotten(
    decoder: Decoder, tokenizer: Tokenizer, exact: Path, tmp_path: Path
) -> None:
    """Whatever an earlier model has learned of the word, the same weights are begun with."""
    other = tmp_path / "other-f32.gguf"
    weights = {name: value.numpy().copy() for name, value in decoder.exported().items()}
    word = tokenizer.ids[as_letters(" frigo")]
    for name in ("token_embd.weight", "output.weight"):
        weights[name][word] = 1 + weights[name][word] ** 2
    gguf_file.write(other, weights, decoder.shape, tokenizer, RECORD, "f32")

    def begun(path: Path, forgotten: frozenset[str]) -> dict[str, torch.Tensor]:
        torch.manual_seed(5)
        model = training.decoder(decoder.shape, tokenizer)
        training.begin_with(model, tokenizer, path, forgotten)
        return model.exported()

    forgotten = frozenset({as_letters(" frigo")})
    kept, same = begun(exact, forgotten), begun(other, forgotten)
    assert all(torch.equal(kept[name], same[name]) for name in kept)
    assert not torch.allclose(begun(other, frozenset())["output.weight"], kept["output.weight"])
    others = [number for number in range(len(tokenizer.tokens)) if number != word]
    torch.testing.assert_close(
        kept["token_embd.weight"][others], decoder.exported()["token_embd.weight"][others]
    )


def test_spellings_of_a_word_share_a_part() -> None:
    tokenizer = Tokenizer.from_pieces(["cup", " cup", " Cup", "?", " ?"])
    words, spellings = tokenizer.parts()
    plain, blank, capital = (tokenizer.ids[as_letters(piece)] for piece in ("cup", " cup", " Cup"))
    assert words[plain] == words[blank] == words[capital]
    assert len({spellings[plain], spellings[blank], spellings[capital]}) == 3
    assert words[plain] not in (words[tokenizer.bos], words[tokenizer.ids["?"]])
    model = training.decoder(Shape(len(tokenizer.tokens), width=32, blocks=1, heads=1), tokenizer)
    with torch.no_grad():
        before = model.table().clone()
        model.words.shared[words[plain]] += 1
        moved = (model.table() - before).abs().sum(1) > 0
    assert moved.nonzero().flatten().tolist() == sorted((plain, blank, capital))


def test_guided_attention_is_the_attention_of_the_block(decoder: Decoder) -> None:
    """The loss works the attention out anew; here from the scores of the whole block."""
    head, tail = torch.randint(3, 259, (1, 5)), torch.randint(3, 259, (2, 7))
    where = (torch.tensor([0, 1, 1]), torch.tensor([6, 3, 5]), torch.tensor([2, 3, 0]))
    with torch.no_grad():
        _, past = decoder.hidden(head)
        states, cache = decoder.hidden(tail, past)
        loss = attention_loss(decoder, 1, 1, states, cache, past, where)
        block, size = decoder.block(1), decoder.shape.head
        expected = []
        for row, position, target in zip(*(index.tolist() for index in where), strict=True):
            query = block.attn_q(block.attn_norm(states[1][row, position]))[size : 2 * size]
            query = rotate(query, decoder.turns[5 + position])
            keys = torch.cat((past[1][0][0, 1], cache[1][0][row, 1, : position + 1]))
            shares = torch.softmax(keys @ query / size**0.5, dim=0)
            expected.append(-float(torch.log(shares[5 + target])))
    assert float(loss) == pytest.approx(sum(expected) / 3, abs=1e-5)


def test_one_bad_choice_costs_more_than_a_good_one(tokenizer: Tokenizer) -> None:
    """The answer's loss is that of the answer's own tokens, and of no other."""
    asked = accord.write(accord.HOPS[0], Random(3))
    shape = Shape(len(tokenizer.tokens), width=64, blocks=6, heads=4, hidden=64, context=2048)
    torch.manual_seed(1)
    model, heads = Decoder(shape), TaskHeads(shape)
    batch = collate(tokenizer, asked.instruction, [encode(tokenizer, asked)])
    with torch.no_grad():
        losses = task_losses(model, heads, batch)
        whole = asked.prompt + asked.lead + asked.answer
        tokens = [tokenizer.bos, *tokenizer.encode(whole), tokenizer.eos]
        start = 1 + len(tokenizer.encode(asked.prompt))
        rows = torch.log_softmax(model(torch.tensor([tokens]))[0], dim=-1)
    places = range(start, len(tokens))
    mean = -sum(float(rows[place - 1, tokens[place]]) for place in places) / len(places)
    assert float(losses.answer) == pytest.approx(mean, abs=1e-4)
    assert set(losses.looks) <= set(GUIDED)
    assert all(float(loss) > 0 for loss in losses.looks.values())
