"""The key of a server against a server on loopback that says back what it was sent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from traceback import format_exception

import pytest

from core.contract import registry
from core.contract.question import Form, Scoring
from core.models.openai.client import OpenAIModel
from core.models.openai.key import KEY_VARIABLE, MARK
from core.models.openai.requests import Limits
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from core.text.errors import ModelError
from tests.models.openai.faulty import END

KEY = 'sk-4711/"quoted"\\abcdefgh'
QUICK = Limits(tries=2, first_wait=0.01, timeout=60.0)


def letters(text: str) -> list[str]:
    return list(text)


def whole(text: str) -> list[str]:
    return [text]


def halves(text: str) -> list[str]:
    return [text[:9], text[9:]]


@contextmanager
def echoing_server(
    *, status: int = 200, shape: str = "json", pieces: Sequence[str] = ()
) -> Iterator[str]:
    """Serve on a free loopback port; what is asked is answered with its Authorization header.

    With a `status` other than 200 the header is in the body, in the given `shape`; `pieces` are
    what is written otherwise, the header in place of each "HEADER".
    """

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            self._send(200, json.dumps({"data": [{"id": f"tiny {self._header}"}]}))

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            header = self._header
            if status != 200:
                bodies = {
                    "json": json.dumps({"error": {"message": f"bad header {header}"}}),
                    "nested": json.dumps({"error": {"message": json.dumps({"got": header})}}),
                    "object": json.dumps({"error": {"detail": {"got": [header]}}}),
                    "text": f"bad header {header}",
                    "long": f"{'x' * 170} {header}",
                }
                self._send(status, bodies[shape])
                return
            if shape == "broken":
                self.wfile.write(f"HTTP/1.1 {header}\r\n\r\n".encode())
                return
            if shape == "event":
                events = f"data: {json.dumps({'error': {'message': header}})}\n\n"
            else:
                texts = [piece.replace("HEADER", header) for piece in pieces]
                events = "".join(
                    f"data: {json.dumps({'choices': [{'delta': {'content': text}}]})}\n\n"
                    for each in texts
                    for text in split(each)
                )
            self._send(200, events + END)

        @property
        def _header(self) -> str:
            return str(self.headers.get("Authorization", ""))

        def _send(self, code: int, body: str) -> None:
            self.send_response(code)
            self.send_header("X-Echo", self._header)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

    split = {"letters": letters, "halves": halves}.get(shape, whole)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def holds_key(text: str) -> bool:
    """Whether a text holds the key, or a part of it that is long enough to be of use."""
    return any(KEY[at : at + 8] in text for at in range(len(KEY) - 7)) or "4711" in text


async def written(model: OpenAIModel) -> list[str]:
    return [token.text async for token in model.generate("Why?", max_tokens=50)]


@pytest.mark.parametrize("status", [400, 401, 500])
@pytest.mark.parametrize("shape", ["json", "nested", "object", "text", "long"])
async def test_a_refusal_says_back_no_key(status: int, shape: str) -> None:
    with echoing_server(status=status, shape=shape) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        with pytest.raises(ModelError) as caught:
            await written(model)
        await model.close()
    assert not holds_key("".join(format_exception(caught.value)))
    assert "(the k" in str(caught.value)


@pytest.mark.parametrize("shape", ["broken", "event"])
async def test_a_failure_half_way_says_back_no_key(shape: str) -> None:
    with echoing_server(shape=shape) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        with pytest.raises(ModelError) as caught:
            await written(model)
        await model.close()
    assert not holds_key("".join(format_exception(caught.value)))


async def test_the_name_of_a_model_holds_no_key() -> None:
    with echoing_server() as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        await model.close()
        with pytest.raises(ModelError) as caught:
            await OpenAIModel.connect(f"{url}#other", limits=QUICK)
    assert model.info.name == f"tiny Bearer {MARK}"
    assert not holds_key(f"{model.info} {caught.value}")


@pytest.mark.parametrize("shape", ["whole", "halves", "letters"])
async def test_a_text_holds_no_key_however_it_is_cut_into_pieces(shape: str) -> None:
    with echoing_server(shape=shape, pieces=("I was sent HEADER, and ", "HEADER")) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert "".join(await written(model)) == f"I was sent Bearer {MARK}, and Bearer {MARK}"
        await model.close()


async def test_a_text_that_only_begins_like_the_key_comes_piece_by_piece() -> None:
    pieces = ("s", "k-47", " is", " s")
    with echoing_server(pieces=pieces) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert tuple(await written(model)) == pieces
        await model.close()


async def test_a_stand_in_for_a_key_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "EMPTY")
    with echoing_server(pieces=("It is EMPTY",)) as url:
        model = await OpenAIModel.connect(url, limits=QUICK)
        assert await written(model) == ["It is EMPTY"]
        await model.close()


async def test_a_run_records_no_key_in_files_that_only_their_owner_reads(tmp_path: Path) -> None:
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    path = tmp_path / "runs.sqlite"
    before = os.umask(0)
    try:
        with echoing_server(shape="letters", pieces=("Answer: HEADER",)) as url:
            model = await OpenAIModel.connect(url, limits=QUICK)
            source = QuestionSource(gita, collection, limit=2)
            plan = plan_for(
                model, source, gita.samples(), form=Form.CHAT, scoring=Scoring.GENERATED
            )
            with Store(path) as store:
                evaluation = Evaluation(store, plan, model, source)
                async with aclosing(evaluation.steps()) as steps:
                    async for _ in steps:
                        files = sorted(tmp_path.iterdir())
                        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
                        assert any(file.name.endswith(".lock") for file in files)
                        assert any(file.name.endswith("-wal") for file in files)
                        for file in files:
                            assert not holds_key(file.read_bytes().decode("latin-1"))
                recorded = store.verdicts(evaluation.run.id)
            await model.close()
    finally:
        os.umask(before)
    assert recorded
    assert all(MARK in verdict.text for verdict in recorded)
