"""schemathesis over the running stack's own document, all phases: it answers as it says, whatever is sent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from abtest.domain.credentials.api_keys import SCOPES

POOL = 30
CASES_AN_OPERATION = 12
SECONDS = 600
HOOKS = Path(__file__).parent / "fuzz_hooks.py"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)
# Refusing what the schema refuses, field by field, is proved by tests/integration/bad_input without chance; keys that
# fail on purpose would here meet the limit on failed authentications.


@pytest.mark.stack
@pytest.mark.parametrize(
    ("server", "which"),
    [("base_url", "--exclude-tag"), ("worker_base_url", "--include-tag")],
    ids=["management", "edge"],
)
def test_openapi__fuzzed_in_all_phases__holds_what_it_says(
    stack: dict[str, Any], tmp_path: Path, server: str, which: str
) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli"),
            *("run", f"{stack['base_url']}/openapi.json", "--url", stack[server], which, "Edge"),
            *("--phases", "examples,coverage,fuzzing,stateful", "--checks", ",".join(CHECKS)),
            *("--max-examples", str(CASES_AN_OPERATION), "--seed", "20260302", "--workers", "2"),
            *("--suppress-health-check", "all", "--continue-on-failure", "--no-color", "--warnings", "off"),
        ],
        cwd=tmp_path,
        env={**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS), "FUZZ_KEYS": json.dumps(_keys(stack))},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]


def _keys(stack: dict[str, Any]) -> dict[str, Any]:
    """Keys of a shop of its own: what is fuzzed there disturbs no story."""
    shop = {"name": "Fuzzed", "domain": "fuzz.example", "currency": "EUR"}
    admin = _post(stack, stack["user_key"], "/shops", shop)["api_key"]["secret"]
    scopes = [scope for scope in SCOPES if scope != "keys:write"]
    pool = [_post(stack, admin, "/api-keys", {"name": f"Fuzz {n}", "scopes": scopes})["secret"] for n in range(POOL)]
    return {"pool": pool, "user": stack["user_key"], "keys": admin}


def _post(stack: dict[str, Any], key: str, path: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    answer = requests.post(f"{stack['base_url']}{path}", json=body, headers=headers, timeout=30)
    assert answer.status_code == 201, answer.text
    return answer.json()
