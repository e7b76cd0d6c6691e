"""lm-evaluation-harness: the requests a second that it makes of a chat server.

python performance/lm_eval_requests.py URL MODEL REQUESTS UNDER_WAY TOKENS

Prints a JSON object; run it with a Python in which `lm_eval[api]` is installed.
`server_concurrency.py` does, and compares.
"""

from __future__ import annotations

import json
import logging
import sys
import time

from lm_eval.api.instance import Instance
from lm_eval.models.api_models import JsonChatStr
from lm_eval.models.openai_completions import LocalChatCompletion


def main() -> None:
    """Ask, and print how fast that went."""
    url, model = sys.argv[1:3]
    requests, under_way, tokens = map(int, sys.argv[3:6])
    logging.disable(logging.WARNING)
    client = LocalChatCompletion(
        model=model, base_url=f"{url}/v1/chat/completions", num_concurrent=under_way
    )
    asked = [
        Instance("generate_until", {}, (prompt(number), {"max_gen_toks": tokens}), number)
        for number in range(requests)
    ]
    started, processor = time.perf_counter(), time.process_time()
    answers = client.generate_until(asked, disable_tqdm=True)
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    assert len(answers) == requests
    print(json.dumps({"per_second": requests / seconds, "processor": processor / requests}))


def prompt(number: int) -> JsonChatStr:
    """Turns as long as those of the run that is measured beside it."""
    return JsonChatStr(json.dumps([{"role": "user", "content": f"{number} " + "x" * 300}]))


if __name__ == "__main__":
    main()
