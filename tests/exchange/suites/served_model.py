"""A model served on loopback with real log-probabilities, in the forms that engines ask for.

`python served_model.py FILE.gguf [N]` prints its address and serves until it is ended; it answers N
questions and refuses the others, or answers all.

llama.cpp's own server in Python sorts the whole vocabulary for every token of a prompt, and gives
no token after the prompt where the model would end, which lm-evaluation-harness counts on. This
server gives the log-probabilities of the last tokens of the text and always one token more. Writing
starts afresh each time, so that the same text has the same answer whatever was asked before.
"""

from __future__ import annotations

import json
import sys
from codecs import getincrementaldecoder
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any

import llama_cpp.llama_cpp as functions
import numpy as np
from llama_cpp import (
    GGML_TYPE_F32,
    Llama,
    llama_batch_init,
    llama_decode,
    llama_get_logits_ith,
    llama_get_memory,
    llama_memory_seq_rm,
)

_usual_parameters = functions.llama_model_default_params


def _parameters() -> Any:
    """Those that a model is loaded with.

    On a processor with AMX llama.cpp's own buffers for it crash on Q8_0 weights.
    """
    parameters = _usual_parameters()
    parameters.use_extra_bufts = False
    return parameters


functions.llama_model_default_params = _parameters

TOKENS = 2048
LAST = 64
"""Tokens at the end of a text that have log-probabilities: more than any option has."""


class Served:
    """The model."""

    def __init__(self, file: str) -> None:
        # Keys and values of 32 bits, so that the order of sums hardly matters.
        wide = GGML_TYPE_F32
        self._llama = Llama(
            file, n_ctx=TOKENS, n_batch=TOKENS, n_threads=1, type_k=wide, type_v=wide, verbose=False
        )
        self._lock = Lock()
        self._batch = llama_batch_init(TOKENS, 0, 1)
        self._held: list[int] = []
        """The tokens that the model has read."""
        self._followed: dict[int, np.ndarray] = {}
        """The log-probabilities of what may follow them, by the number of tokens before it."""

    def echo(self, text: str) -> dict[str, Any]:
        """The text and one token more, the last ones with their log-probabilities."""
        with self._lock:
            tokens = self._llama.tokenize(text.encode(), special=True)
            self._read(tokens)
            tokens.append(int(self._followed[len(tokens)].argmax()))
            # The token that every text begins with is none of its characters.
            pieces = ["", *(self._piece(token) for token in tokens[1:])]
            known: list[float | None] = []
            best: list[dict[str, float] | None] = []
            for place, token in enumerate(tokens):
                logs = self._followed.get(place)
                known.append(None if logs is None else float(logs[token]))
                top = None if logs is None else int(logs.argmax())
                best.append(None if top is None else {self._piece(top): float(logs[top])})
        logprobs = {
            "tokens": pieces,
            "token_logprobs": known,
            "top_logprobs": best,
            "text_offset": self._offsets(tokens),
        }
        return {"text": text, "index": 0, "finish_reason": "length", "logprobs": logprobs}

    def _read(self, tokens: list[int]) -> None:
        """Read tokens, but those that are read already, and keep what may follow the last ones."""
        kept = 0
        while kept < min(len(tokens), len(self._held)) and tokens[kept] == self._held[kept]:
            kept += 1
        kept = kept if kept in self._followed else 0
        self._followed = {place: logs for place, logs in self._followed.items() if place <= kept}
        new = tokens[kept:]
        batch = self._batch
        batch.n_tokens = len(new)
        for i, token in enumerate(new):
            batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, kept + i, 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = kept + i >= len(tokens) - LAST
        if new:
            llama_memory_seq_rm(llama_get_memory(self._llama.ctx), 0, kept, -1)
            assert llama_decode(self._llama.ctx, batch) == 0
        for i in range(len(new)):
            if batch.logits[i]:
                logits = llama_get_logits_ith(self._llama.ctx, i)
                row = np.ctypeslib.as_array(logits, (self._llama.n_vocab(),)).astype(np.float64)
                self._followed[kept + i + 1] = row - np.logaddexp.reduce(row)
        self._held = tokens[:]

    def written(self, text: str, limit: int, stop: list[str]) -> tuple[str, str]:
        """What the model writes after a text at temperature 0, and why it ended."""
        with self._lock:
            self._llama.reset()
            self._held = []
            made: Any = self._llama.create_completion(
                text, max_tokens=limit, temperature=0.0, stop=stop
            )
        choice = made["choices"][0]
        return choice["text"], choice["finish_reason"]

    def _offsets(self, tokens: list[int]) -> list[int]:
        """Characters before each token; those of a character in parts stand before its last one."""
        decoder, end, offsets = getincrementaldecoder("utf-8")("replace"), 0, [0]
        for token in tokens[1:]:
            offsets.append(end)
            end += len(decoder.decode(self._llama.detokenize([token], special=True)))
        return offsets

    def _piece(self, token: int) -> str:
        return self._llama.detokenize([token], special=True).decode("utf-8", "replace")


class Handler(BaseHTTPRequestHandler):
    """Answers as a server of OpenAI's interface does."""

    served: Served
    refuses_after: int | None = None
    """The number of questions after which every other is refused."""
    asked = 0
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [{"id": "demo", "object": "model"}]})

    def do_POST(self) -> None:
        Handler.asked += 1
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.refuses_after is not None and Handler.asked > self.refuses_after:
            self._send({"error": {"message": "nothing more is answered"}}, 400)
            return
        stop = [text for text in asked.get("stop") or [] if text]
        if asked.get("echo"):
            self._send({"model": "demo", "choices": [self.served.echo(asked["prompt"])]})
            return
        chat = "messages" in asked
        text = "\n".join(turn["content"] for turn in asked["messages"]) if chat else asked["prompt"]
        # The harness sends a list of one prompt.
        text = text[0] if isinstance(text, list) else text
        limit = asked.get("max_tokens") or asked.get("max_completion_tokens") or 16
        written, reason = self.served.written(text, limit, stop)
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason}
        choice |= (
            {"message": {"role": "assistant", "content": written}} if chat else {"text": written}
        )
        counts = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        kind = "chat.completion" if chat else "text_completion"
        answer = {"id": "1", "created": 0, "model": "demo", "object": kind, "usage": counts}
        self._send(answer | {"choices": [choice]})

    def log_message(self, *_: object) -> None:
        pass

    def _send(self, document: dict[str, Any], status: int = 200) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    Handler.served = Served(sys.argv[1])
    if len(sys.argv) > 2:
        Handler.refuses_after = int(sys.argv[2])
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
