"""schemathesis over the running stack's own document: it answers as it says, whatever is sent.

In the gate each operation gets three requests of its documented examples: what only a running stack shows. In process,
`tests/integration` holds every answer to the document, and `valid_data` and `bad_input` try what is made at random.
With `--large` all examples and all phases run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.sizes import sized

POOL = sized(30, 10)
PHASES = sized("examples,coverage,fuzzing,stateful", "examples")
CASES_AN_OPERATION = sized(8, 1)
EXAMPLES_AN_OPERATION = sized(1000, 3)
SECONDS = sized(3600, 600)
HOOKS = Path(__file__).parent / "fuzz_hooks.py"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
)
CLICK = {"name": "Click", "type": "click", "selector": "#buy"}


@pytest.mark.stack
@pytest.mark.parametrize(
    ("server", "which"),
    [("base_url", "--exclude-tag"), ("worker_base_url", "--include-tag")],
    ids=["management", "edge"],
)
def test_openapi__fuzzed__holds_what_it_says(stack: dict[str, Any], tmp_path: Path, server: str, which: str) -> None:
    shop, keys = _Fuzzed(stack, "Fuzzed"), _Fuzzed(stack, "Fuzzed keys")
    pools = {"shop": shop.pool(), "keys": keys.pool(), "user": [stack["user_key"]], "tracking": [shop.tracking_key()]}
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(_configuration({**shop.ids(), "key_id": keys.spare_key_id()}))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration)),
            *("run", f"{stack['base_url']}/openapi.json", "--url", stack[server], which, "Edge"),
            *("--phases", PHASES, "--checks", ",".join(CHECKS)),
            *("--max-examples", str(CASES_AN_OPERATION), "--seed", "20260302"),
            *("--suppress-health-check", "all", "--continue-on-failure", "--no-color"),
        ],
        cwd=tmp_path,
        env={
            **os.environ,
            "SCHEMATHESIS_HOOKS": str(HOOKS),
            "FUZZ_KEYS": json.dumps(pools),
            "FUZZ_EXAMPLES": str(EXAMPLES_AN_OPERATION),
        },
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    assert "Rate limited" not in done.stdout, "answers of 429 prove nothing: give the pools more keys"


class _Fuzzed:
    """A shop of its own, so that what is fuzzed there disturbs no story."""

    def __init__(self, stack: dict[str, Any], name: str) -> None:
        self._base_url = stack["base_url"]
        shop = {"name": name, "domain": "fuzz.example", "currency": "EUR"}
        made = self._post(stack["user_key"], "/shops", shop)
        self._shop_id = made["id"]
        self._admin: str = made["api_key"]["secret"]

    def pool(self) -> list[str]:
        """Keys of the shop: each has a rate limit of its own."""
        wish = {"name": "Fuzz", "preset": "admin"}
        return [self._admin, *(self._post(self._admin, "/api-keys", wish)["secret"] for _ in range(POOL))]

    def tracking_key(self) -> str:
        """A key of a server of the shop."""
        return str(self._post(self._admin, "/api-keys", {"name": "Server", "kind": "tracking_source"})["secret"])

    def spare_key_id(self) -> str:
        """A key that may be rotated and revoked."""
        return str(self._post(self._admin, "/api-keys", {"name": "Spare", "preset": "read_only"})["id"])

    def ids(self) -> dict[str, str]:
        """Things that are there, so that requests get further than 404; what was launched cannot be deleted."""
        goals = [CLICK, {**CLICK, "name": "Other click"}]
        experiment = self._post(self._admin, "/experiments", {"name": "Fuzz", "goals": goals})
        self._post(self._admin, f"/experiments/{experiment['id']}/launch", {"override_checklist_warnings": True}, 200)
        self._post(self._admin, f"/experiments/{experiment['id']}/pause", {}, 200)
        return {
            "shop_id": self._shop_id,
            "experiment_id": experiment["id"],
            "variation_id": experiment["variations"][1]["id"],
            "goal_id": experiment["goals"][1]["id"],
        }

    def _post(self, key: str, path: str, body: dict[str, Any], status: int = 201) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        answer = requests.post(f"{self._base_url}{path}", json=body, headers=headers, timeout=30)
        assert answer.status_code == status, f"{path}: {answer.text}"
        return answer.json()


def _configuration(ids: dict[str, str]) -> str:
    """Ids of things that exist, and a coverage phase of what is valid.

    What is invalid is covered place by place in tests/integration/bad_input; here the fuzzing phase tries it by chance.
    """
    named = "".join(f'"path.{name}" = "{value}"\n' for name, value in ids.items())
    return f'[parameters]\n{named}\n[phases.coverage.generation]\nmode = "positive"\n'
