"""What each function drags in when it starts: shoppers do not wait for libraries that their route never uses."""

import json
import os
import subprocess
import sys
import tomllib
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
FOLDERS = {path.parent.name for path in Path("functions").glob("*/app.py")}
WORKERS_THAT_START_LIGHT = {"worker_ingest", "worker_webhooks"}
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


def test_import_rules__name_every_function() -> None:
    rules = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {contract["name"]: contract for contract in rules["contracts"]}
    light = contracts["Functions that shoppers wait for, and the busiest workers, start light"]
    edge = {folder for folder in FOLDERS if folder.startswith("edge_")}
    assert set(rules["root_packages"]) == {"abtest", *FOLDERS}
    assert set(contracts["Functions import no other function"]["modules"]) == FOLDERS
    assert set(contracts["The package imports no function"]["forbidden_modules"]) == FOLDERS
    assert set(light["source_modules"]) == edge | WORKERS_THAT_START_LIGHT


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_entry_point__is_composed_by_the_wiring_module_of_its_name(folder: str) -> None:
    assert f"from abtest.wiring.{folder} import " in Path(f"functions/{folder}/app.py").read_text()
