"""The operator's commands on the stack that runs, as `make replay`, `make recompute` and `make admin` type them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from abtest.domain.credentials.signing import server_signature
from tools.local.testing import settle

pytestmark = pytest.mark.stack

ROOT = Path(__file__).parents[2]


def told(stack: dict[str, Any], *line: str) -> Any:
    """The JSON that a command of `tools.admin` answers."""
    environment = {**os.environ, "ABTEST_LOCAL_DIR": str(stack["directory"])}
    command = [sys.executable, "-m", "tools.admin", *line]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_ledger_commands__on_the_local_stack__answer(stack: dict[str, Any]) -> None:
    settle(stack["directory"])
    assert told(stack, "ledger", "replay", "--local") == {"found": 0, "moved": 0, "remaining": 0}
    assert told(stack, "ledger", "recompute", "--local", "--dry-run")["result"] == "equal"


def test_shop_commands__on_the_local_stack__know_its_shops(stack: dict[str, Any]) -> None:
    assert told(stack, "--local", "shops", "show", stack["shop_id"])["id"] == stack["shop_id"]
    assert server_signature(told(stack, "--local", "ingest-secret", stack["shop_id"])["ingest_secret"], 1, b"")
