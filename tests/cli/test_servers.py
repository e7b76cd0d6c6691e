"""A run over a collection of a server, in the ways in which a server can be asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.contract.question import Message
from core.files import paths
from core.runs.records import prompt_hash
from tests.cli.support import ok, run
from tests.fifth.support import towers
from tests.models.openai.faulty import Reply, faulty_server


@pytest.fixture
def data(tmp_path: Path) -> Path:
    file = tmp_path / "towers.json"
    file.write_text(json.dumps(towers(2)))
    return file


def test_a_server_is_made_to_write_an_option_as_json(data: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    with faulty_server(Reply(pieces=('{"answer":', ' "yes"}'))) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--store", store)
        ran = ok(*words, "--scoring", "json-schema", "--limit", "1", "--json").json
    schema = server.heard[0]["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["properties"]["answer"]["enum"] == ["no", "yes"]
    assert "stop" not in server.heard[0]
    assert ran["scoring"] == "json-schema"
    assert ran["counts"]["stands not_read"] == 0
    rows = tmp_path / "rows.jsonl"
    ok("runs", "export", ran["run"], "--store", store, "--to", rows)
    first = json.loads(rows.read_text().splitlines()[0])
    assert (first["scoring"], first["picked"], first["text"]) == (
        "json-schema",
        [1],
        '{"answer": "yes"}',
    )


def test_ask_prints_what_a_server_wrote_as_json(data: Path) -> None:
    with faulty_server(Reply(pieces=('{"answer":', ' "yes"}'))) as server:
        words = ("ask", "shapes", "tower 0", "--data", data, "--model", server.url)
        asked = ok(*words, "--scoring", "json-schema", "--json").json
    assert asked["verdicts"][0]["text"] == '{"answer": "yes"}'


@pytest.mark.parametrize(
    "said", ["yes", '{"answer": "perhaps"}', '{"answer": 7}', '{"answer": ["yes", "no"]}']
)
def test_what_is_not_the_wanted_json_is_no_answer(said: str, data: Path, tmp_path: Path) -> None:
    with faulty_server(Reply(pieces=(said,))) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url)
        words += ("--store", tmp_path / "runs.sqlite", "--limit", "1")
        ran = ok(*words, "--scoring", "json-schema", "--json").json
    assert ran["counts"]["stands not_read"] == 1


def test_temperature_seed_and_tokens_are_sent_recorded_and_shown(
    data: Path, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    with faulty_server(Reply(pieces=("yes",))) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--store", store)
        usual = ok(*words, "--json").json
        asked = len(server.heard)
        assert {"seed", "response_format"}.isdisjoint(server.heard[0])
        words += ("--temperature", "0.7", "--max-tokens", "99", "--seed", "5")
        ran = ok(*words, "--seeds", "2", "--json").json
        heard = server.heard[asked:]
        again = ok(*words, "--json").json
        assert len(server.heard) == asked + len(heard)
    assert {(body["temperature"], body["max_tokens"], body["seed"]) for body in heard} == {
        (0.7, 99, 5),
        (0.7, 99, 6),
    }
    assert (ran["temperature"], ran["max_tokens"], ran["seed"]) == (0.7, 99, 5)
    assert (usual["temperature"], usual["max_tokens"]) == (0.0, None)
    assert again["run"] == ran["run"] != usual["run"]
    shown = ok("runs", "show", ran["run"], "--store", store).out
    assert "temperature 0.7 with seed 5, at most 99 tokens an answer" in shown


def test_a_model_file_writes_at_no_temperature_and_no_schema(tmp_path: Path) -> None:
    words = ("evaluate", "gita", "--limit", "1", "--store", tmp_path / "runs.sqlite")
    refused = run(*words, "--temperature", "0.5")
    assert refused.code == 2
    assert "Only a server writes at a temperature" in refused.err
    refused = run(*words, "--scoring", "json-schema")
    assert refused.code in (1, 2)
    assert "Only a server can be made to write JSON" in refused.err


def test_a_server_that_scores_no_options_is_refused_before_anything_is_recorded(
    data: Path, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    with faulty_server(Reply(400, "no such thing")) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--store", store)
        refused = run(*words, "--scoring", "log-likelihood")
    assert refused.code in (1, 2)
    assert "echo: The server refused (400): no such thing" in refused.err
    assert not store.exists()


def test_the_line_of_a_run_says_what_it_costs_where_prices_are_given(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.cli.progress.SECONDS", 0.0)
    paths.config().parent.mkdir(parents=True, exist_ok=True)
    paths.config().write_text("prices: {input: 1, output: 2}\n")
    choice = {"delta": {"content": "yes"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 400, "completion_tokens": 50}
    events = [{"choices": [choice]}, {"choices": [], "usage": usage}]
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    with faulty_server(Reply(raw=raw)) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--limit", "1")
        ran = ok(*words, "--store", tmp_path / "runs.sqlite")
    assert server.heard[0]["stream_options"] == {"include_usage": True}
    assert f"cost {len(server.heard) * 500 / 1e6:.4f}" in ran.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("usage", "count"),
    [
        ({"completion_tokens": 7}, 7),
        ({}, 1),
        ({"completion_tokens": -7}, 1),
        ({"completion_tokens": 2**63}, 1),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_tokens_are_those_that_the_server_counts(
    usage: dict[str, int], count: int, streamed: bool, data: Path, tmp_path: Path
) -> None:
    text = {"content": "The answer is yes."}
    choice = {"delta" if streamed else "message": text, "finish_reason": "stop"}
    raw = json.dumps({"choices": [choice], "usage": usage})
    raw = f"data: {raw}\n\ndata: [DONE]\n\n" if streamed else raw
    store, rows = tmp_path / "runs.sqlite", tmp_path / "rows.jsonl"
    with faulty_server(Reply(raw=raw)) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--store", store)
        ran = ok(*words, "--json")
    ok("runs", "export", ran.json["run"], "--store", store, "--to", rows)
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert {row["output_tokens"] for row in written} == {count}
    assert {row["text"] for row in written} == {"The answer is yes."}


@pytest.mark.parametrize(
    "said",
    [
        "System role not supported",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Only user and assistant roles are supported!",
    ],
)
@pytest.mark.parametrize("at_once", [1, 2])
def test_a_server_without_a_system_turn_is_asked_as_a_template_without_one(
    said: str, at_once: int, tmp_path: Path
) -> None:
    """Its answers are recorded with the prompts that were sent."""
    store, rows = tmp_path / "runs.sqlite", tmp_path / "rows.jsonl"
    refusal = Reply(400, json.dumps({"error": {"message": said}}), company=at_once)
    with faulty_server(*[refusal] * at_once, Reply(pieces=("yes",))) as server:
        words = ("evaluate", "gita", "--model", server.url, "--store", store, "--limit", "4")
        ran = ok(*words, "--concurrency", str(at_once), "--json")
    sent = [tuple(Message(**turn) for turn in body["messages"]) for body in server.heard]
    refused, taken = sent[:at_once], sent[at_once:]
    assert {tuple(turn.role for turn in turns) for turns in refused} == {("system", "user")}
    assert {tuple(turn.role for turn in turns) for turns in taken} == {("user",)}
    for system, user in refused:
        assert any(
            only.content.startswith(system.content) and only.content.endswith(user.content)
            for (only,) in taken
        )
    ok("runs", "export", ran.json["run"], "--store", store, "--to", rows)
    written = [json.loads(line) for line in rows.read_text().splitlines()]
    assert {row["prompt_hash"] for row in written} == set(map(prompt_hash, taken))
    assert len(written) == len(taken) == 4


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 10 tokens",
        "the request exceeds the available context size",
        "Requested tokens (812) exceed context window of 512",
    ],
)
def test_a_prompt_that_is_too_long_for_a_server_leaves_the_other_questions(
    said: str, data: Path, tmp_path: Path
) -> None:
    with faulty_server(Reply(400, said), Reply(pieces=("yes",))) as server:
        words = ("evaluate", "shapes", "--data", data, "--model", server.url, "--limit", "2")
        refused = run(*words, "--store", tmp_path / "runs.sqlite", "--concurrency", "1")
    assert refused.code == 1
    assert "1 request was longer than the model's context" in refused.err
    assert said in refused.err
    assert len(server.heard) > 1


@pytest.mark.parametrize("said", ["The prompt is too long", "No such role"])
def test_another_refusal_is_asked_again_once_at_most(said: str, tmp_path: Path) -> None:
    with faulty_server(Reply(400, said)) as server:
        words = ("evaluate", "gita", "--model", server.url, "--store", tmp_path / "runs.sqlite")
        refused = run(*words, "--limit", "1")
    assert f"refused (400): {said}" in refused.err
    assert len(server.heard) == (2 if "role" in said else 1)
