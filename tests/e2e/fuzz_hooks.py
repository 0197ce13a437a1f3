"""Hooks of schemathesis: each call takes the next key of a pool, so that no key's rate limit ends the run.

Loaded by `SCHEMATHESIS_HOOKS`; the keys come in `FUZZ_KEYS` (JSON: pool, user, keys).
"""

import itertools
import json
import os
from typing import Any

import schemathesis

KEYS = json.loads(os.environ["FUZZ_KEYS"])
_pool = itertools.cycle(KEYS["pool"])


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Say who calls: a user on users' routes, the keys' own administrator on theirs, the pool elsewhere."""
    path = case.operation.path
    key = KEYS["user"] if path == "/shops" else KEYS["keys"] if path.startswith("/api-keys") else next(_pool)
    case.headers = {**(case.headers or {}), "Authorization": f"Bearer {key}"}
