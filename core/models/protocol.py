"""The interface of models to the rest of the program.

A model scores options after a prompt by their log-likelihood, or continues the prompt. A backend
says which of the two it can do.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar, runtime_checkable

from core.contract.question import Answer, OptionScore, Prompt, Question
from core.text.errors import ModelError
from core.text.language import _

ResultT = TypeVar("ResultT")


class Ability(StrEnum):
    """A kind of request that a backend can answer."""

    SCORE = "score"
    GENERATE = "generate"
    CHAT = "chat"
    """It has a chat template, so it takes turns as well as plain text."""


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """Facts about a loaded model."""

    name: str
    source: str
    """Where it came from: a path, "demo", "replay:RUN"."""
    fingerprint: str
    """Identifies the weights: equal fingerprints give equal answers."""
    abilities: frozenset[Ability]
    parameters: int = 0
    quantisation: str = ""
    bytes: int = 0
    context: int = 0
    """Most tokens of a prompt with its continuation."""
    blocks: int = 0
    """Transformer blocks."""
    gpu_layers: int = 0
    """How many layers an accelerator computes, whose numbers are rounded differently."""
    exact: bool = False
    """Whether keys and values are kept as 32-bit numbers, which are rounded less."""
    computed_by: str = ""
    """Of a model file the llama.cpp that computes it, with how many threads, and the date and the
    thinking that its chat template is given."""
    system_turn: bool = False
    """Whether its chat template takes a system turn."""
    recorded: str = ""
    """How its answers were recorded ("run gita-x-1, 3-shot"); empty for one that computes them."""
    awaits: str = ""
    """Where recorded answers stand in for a model, what it waits for until it can compute them
    ("llama.cpp is being compiled: 43 of 140 files"); empty for others."""
    origin: str = ""
    """Where its file was published, `hf:OWNER/REPO/FILE@COMMIT`; empty where that is not known."""
    demo: bool = False
    """Whether it is the bundled model, whose figures are demonstrations and not results."""
    likelihoods: str = ""
    """How a server's log-likelihoods are got and how exact they are, "exact (echo)"; empty for
    other models, and where that is not proved."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of generated text."""

    text: str
    cut: bool = False
    """Whether a limit, of tokens or of the context, ends the text here."""
    answer_tokens: int = 0
    """How many tokens the answer has up to here, as a server counts them; 0 where it does not."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Temperature and length of the answers that a model writes."""

    temperature: float = 0.0
    """0 takes the likeliest token, as models of files always do."""
    max_tokens: int = 0
    """Most tokens of an answer; 0 for as many as each question allows."""


REPEATED = "A try failed and is repeated: %s"
"""What a log says of a failed request that is made again."""


class InterruptedAnswerError(ModelError):
    """The connection to a model broke in the middle of its answer."""


class NoSystemTurnError(ModelError):
    """A server refused a prompt for its system turn; the model's `info` says so from then on."""


@dataclass(slots=True)
class Traffic:
    """How the requests to a server fare."""

    waiting: int = 0
    """Requests that failed and wait for another try."""
    failures: int = 0
    """Tries that failed and were followed by another."""
    prices: tuple[float, float] | None = None
    """What the server charges for a million tokens of prompts, and of answers."""
    prompt_tokens: int = 0
    answer_tokens: int = 0
    """Tokens that the server says it charges; it is asked only where there are prices."""

    @property
    def cost(self) -> float | None:
        """What the requests cost so far; None where that is not known."""
        if self.prices is None or not self.prompt_tokens:
            return None
        of_prompts, of_answers = self.prices
        return (self.prompt_tokens * of_prompts + self.answer_tokens * of_answers) / 1e6


class Model(Protocol):
    """A loaded model. Requests may wait for one another; how many run at once is the model's own.

    A request is cancelled by cancelling the task that awaits it, or by closing its generator.
    """

    @property
    def info(self) -> ModelInfo:
        """Facts about the model."""
        ...

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Log-likelihood of each continuation after the prompt.

        As lm-evaluation-harness does it: the prompt's trailing spaces move to the continuation,
        prompt and continuation are tokenised together, and the tokens after
        `len(encode(prompt))` are summed. Raises `ModelError`.
        """
        ...

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Greedy continuation of the prompt, token by token, up to a stop text or the end.

        The last token says whether a limit ended the text. Raises `ModelError`.
        """
        ...

    async def close(self) -> None:
        """Free the model's resources; a request in progress raises `ModelError`."""
        ...


@dataclass(frozen=True, slots=True)
class Writing:
    """A prompt that is continued."""

    prompt: Prompt
    max_tokens: int
    stop: Sequence[str] = ()


@runtime_checkable
class Batching(Protocol):
    """A model that answers several prompts in one forward pass.

    Numbers are rounded differently than those of each prompt alone: a log-likelihood may differ in
    its second digit behind the point, and so may a text. Equal requests have equal answers.
    """

    async def score_together(
        self, asked: Sequence[tuple[Prompt, Sequence[str]]], *, batch: int
    ) -> list[tuple[OptionScore, ...]]:
        """What `Model.score` returns for each prompt with its options; raises `ModelError`."""
        ...

    async def generate_together(self, asked: Sequence[Writing], *, batch: int) -> list[list[Token]]:
        """What `Model.generate` yields for each prompt; raises `ModelError`.

        A text that ends makes room for the next, so that `batch` are written as long as there are.
        """
        ...


@runtime_checkable
class Threaded(Protocol):
    """A model that this machine's processor computes."""

    async def choose_threads(self) -> None:
        """Compute with the number of threads that is the fastest here, which is measured once.

        It takes less than a second, and nothing where it is known or a person named one. Raises
        `ModelError`.
        """
        ...


@runtime_checkable
class Remote(Protocol):
    """A model on a server, which answers several requests at once."""

    @property
    def traffic(self) -> Traffic:
        """How its requests fare."""
        ...


def on_server(model: object) -> bool:
    """Whether a model is one on a server."""
    return isinstance(model, Remote)


@runtime_checkable
class Distributed(Protocol):
    """A model that several workers have loaded, which answer at the same time."""

    @property
    def places(self) -> int:
        """How many requests keep all of them busy; it changes as workers come and go."""
        ...

    async def run(self, work: Callable[..., Awaitable[ResultT]], *given: object) -> ResultT:
        """What a function of a module makes of the model, its first argument, on a worker.

        Raises what the function raises, and `WorkersError`.
        """
        ...


@runtime_checkable
class Provable(Protocol):
    """A model whose log-likelihoods have to be proved before they are used."""

    async def prove_likelihoods(self) -> None:
        """Prove them; afterwards the model has the ability to score. Raises `ModelError`."""
        ...


def turns_are_not_scored(info: ModelInfo) -> ModelError:
    """Why a server scores no turns: only it knows the text that it makes of them."""
    return ModelError(
        _("A server scores options after plain text, not after turns."),
        where=info.source,
        hint=_("Use the base form."),
    )


@runtime_checkable
class Writer(Protocol):
    """A model that is told how to write."""

    def write(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        temperature: float = 0.0,
        seed: int = 0,
        schema: Mapping[str, object] | None = None,
    ) -> AsyncGenerator[Token, None]:
        """What `generate` does, at a temperature, and as a JSON object of a schema if one is given.

        `seed` is that of drawing tokens. Raises `ModelError`.
        """
        ...


@runtime_checkable
class Replaying(Protocol):
    """A model that answers known questions from a record instead of computing them."""

    def recorded(self, question: Question) -> Answer | None:
        """The recorded answer to a question; None if it was not asked."""
        ...


@runtime_checkable
class Answering(Protocol):
    """A person in place of a model, who gets questions instead of prompts."""

    async def answer(self, question: Question) -> Answer:
        """The answer to a question, as text."""
        ...
