"""Hooks of schemathesis: each call takes the next key of a pool, so that no key's rate limit ends the run.

Loaded by `SCHEMATHESIS_HOOKS`; the keys come in `FUZZ_KEYS` (JSON: lists `shop`, `keys`, `user`, `tracking`). Routes of
keys have a shop of their own, where keys are revoked by chance; one that is refused is not used again, because an
address that goes on failing is shut out. `FUZZ_EXAMPLES` is how many of an operation's examples are sent.
"""

import itertools
import json
import os
import re
from collections import deque
from typing import Any

import schemathesis

POOLS = {name: deque(keys) for name, keys in json.loads(os.environ["FUZZ_KEYS"]).items()}
MOST_EXAMPLES = int(os.environ["FUZZ_EXAMPLES"])
MOST_BODY_BYTES = 3 << 20
"""Within an event a body is escaped, and may be twice as long."""

_numbers = itertools.count(1)


def _pool(path: str) -> deque[str]:
    if path == "/shops":
        return POOLS["user"]
    if path.endswith("/assign"):
        return POOLS["tracking"]
    return POOLS["keys" if path.startswith("/api-keys") else "shop"]


@schemathesis.hook
def before_add_examples(context: Any, examples: list[Any]) -> None:
    """Keep so many examples of the operation, from its first on, at equal distances."""
    kept = min(MOST_EXAMPLES, len(examples))
    examples[:] = [examples[place * len(examples) // kept] for place in range(kept)]


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Say who calls; three of four requests state no version and no cursor, and no good idempotency key comes twice.

    Otherwise most writes would end at 412 or 422 and never reach what they are to reach.
    """
    pool = _pool(case.operation.path)
    pool.rotate()
    number = next(_numbers)
    headers = {**(case.headers or {}), "Authorization": f"Bearer {pool[0]}"}
    if re.fullmatch("[ -~]{1,255}", str(headers.get("Idempotency-Key", ""))):
        headers["Idempotency-Key"] = f"fuzz {number}"
    if number % 4:
        headers.pop("If-Match", None)
        # The example is a cursor of no list, and invented ones are forged: both end at 400.
        (case.query or {}).pop("cursor", None)
    case.headers = headers


@schemathesis.hook
def filter_case(context: Any, case: Any) -> bool:
    """Not what a function never sees: the platform itself refuses events of more than 6 MB, in its own words.

    Nor null where the body is optional: the document describes the object alone, and the API takes null as no body.
    """
    if case.body is None and not case.operation.definition.raw.get("requestBody", {}).get("required"):
        return False
    return not isinstance(case.body, dict | list) or len(json.dumps(case.body)) < MOST_BODY_BYTES


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    """Take a key that died out of its pool; the last one stays."""
    pool = _pool(case.operation.path)
    refused = str(response.request.headers.get("Authorization", "")).removeprefix("Bearer ")
    if response.status_code == 401 and refused in pool and len(pool) > 1:
        pool.remove(refused)
