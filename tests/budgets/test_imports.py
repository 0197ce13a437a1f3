"""What each function drags in when it starts: shoppers do not wait for libraries that their route never uses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.template import function_handlers

HEAVY = {"fastapi", "mangum", "numpy", "scipy", "duckdb"}
ALLOWED = {
    "api_experiments": {"fastapi", "mangum"},
    "api_flags": {"fastapi", "mangum"},
    "api_personalizations": {"fastapi", "mangum"},
    "api_settings": {"fastapi", "mangum"},
    "api_webhooks": {"fastapi", "mangum"},
    "api_analytics": {"fastapi", "mangum", "numpy", "scipy"},
    "cron_autostop": {"numpy", "scipy"},
    "cron_guardian": {"numpy", "scipy"},
    "cron_rollup": {"duckdb", "numpy"},
    "cron_compact": {"duckdb", "numpy"},
    "cron_audit": {"duckdb", "numpy"},
    "worker_exports": {"duckdb", "numpy"},
}
FUNCTIONS = function_handlers(Path("template.yaml"))


@pytest.mark.parametrize(("name", "handler", "variables"), FUNCTIONS, ids=[name for name, _, _ in FUNCTIONS])
def test_function__imported_in_a_fresh_process__reaches_only_what_it_may(
    name: str, handler: str, variables: dict[str, str]
) -> None:
    folder = handler.split(".")[0]
    code = f"import {handler.rpartition('.')[0]}, json, sys; print(json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, **variables, "PYTHONPATH": "shared:functions", "AWS_DEFAULT_REGION": "us-east-1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = {module.split(".")[0] for module in json.loads(done.stdout.splitlines()[-1])}
    assert loaded & HEAVY <= ALLOWED.get(folder, set())


def test_entry_points__are_thirty_lines_at_most() -> None:
    long = {
        str(path): lines
        for path in Path("functions").glob("*/app.py")
        if (lines := len(path.read_text().splitlines())) > 30
    }
    assert not long
