"""Libraries that functions import when they start: shoppers do not wait for ones that their route never uses."""

import json
import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.template import function_handlers

HEAVY = {"fastapi", "mangum", "pydantic", "numpy", "scipy", "duckdb", "webauthn"}


@dataclass(frozen=True)
class Group:
    """Functions that import the same heavy libraries, and at most so many modules all together."""

    libraries: frozenset[str]
    folders: frozenset[str]
    modules: int

    def __str__(self) -> str:
        return "+".join(sorted(self.libraries)) or "none"


def _group(libraries: str, modules: int, folders: str) -> Group:
    return Group(frozenset(libraries.split()), frozenset(folders.split()), modules)


# The numbers of modules are 3 % above those measured with Python 3.11.7.
GROUPS = [
    _group(
        "", 575, "edge_assets edge_assign edge_config edge_events edge_handover edge_health edge_snippet worker_ingest"
    ),
    _group("", 166, "console_shell"),
    _group("", 392, "edge_pages"),
    _group("", 439, "cron_autostop cron_guardian"),
    _group("", 155, "cron_compact"),
    _group("", 600, "edge_preview"),
    _group("", 583, "worker_webhooks"),
    _group("pydantic", 935, "cron_audit cron_launch cron_rollup cron_seals cron_sweep worker_publish"),
    _group("pydantic", 850, "worker_pages"),
    _group("pydantic", 976, "worker_screenshots"),
    _group("duckdb", 710, "worker_compact worker_exports"),
    _group("duckdb pydantic", 720, "worker_rollup"),
    _group("duckdb pydantic", 835, "worker_audit"),
    _group("numpy pydantic scipy", 1353, "worker_decide"),
    _group("numpy pydantic scipy", 1347, "worker_profiles"),
    _group(
        "fastapi mangum pydantic",
        1290,
        "api_experiments api_flags api_personalizations api_settings api_webhooks api_workspace",
    ),
    _group("fastapi mangum pydantic", 1077, "api_pages"),
    _group("fastapi mangum pydantic webauthn", 1200, "api_identity"),
    _group("fastapi mangum pydantic", 940, "api_assets"),
    _group("fastapi mangum numpy pydantic scipy", 1494, "api_analytics"),
]
FOLDERS = {path.parent.name for path in Path("functions").glob("*/app.py")}
WORKERS_THAT_START_LIGHT = {"worker_ingest", "worker_webhooks"}
FUNCTIONS = {handler.split(".")[0]: (handler, variables) for _, handler, variables in function_handlers()}

# A library stays loaded, so the first function that shows one too many is the one that imports it.
IMPORT_EACH = """
import importlib, json, os, sys
if "api_identity.app" not in sys.argv:
    # Only the layer of sign-in has pyOpenSSL, which urllib3 imports wherever it is installed.
    sys.modules["OpenSSL"] = None
for module, variables in json.load(sys.stdin):
    os.environ.update(variables)
    importlib.import_module(module)
    # The next function must do with its own variables.
    for name in variables:
        del os.environ[name]
    sys.modules["abtest.wiring.settings"].settings.cache_clear()
    print(json.dumps([module, sorted({name.partition(".")[0] for name in sys.modules}), len(sys.modules)]))
"""


def test_groups__have_every_function_once() -> None:
    assert sorted(folder for group in GROUPS for folder in group.folders) == sorted(FUNCTIONS)


@pytest.mark.parametrize("group", GROUPS, ids=str)
def test_functions__imported_in_a_fresh_process__reach_the_libraries_of_their_group(group: Group) -> None:
    handlers = [FUNCTIONS[folder] for folder in sorted(group.folders)]
    modules = [(handler.rpartition(".")[0], variables) for handler, variables in handlers]
    environment = {**os.environ, "PYTHONPATH": "shared:functions:layers/console", "AWS_DEFAULT_REGION": "us-east-1"}
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, *(module for module, _ in modules)],
        input=json.dumps(modules),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    steps = [json.loads(line) for line in done.stdout.splitlines()]
    assert {module: set(loaded) & HEAVY for module, loaded, _ in steps} == dict.fromkeys(
        (module for module, _ in modules), group.libraries
    )
    assert steps[-1][2] <= group.modules


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
    assert set(light["source_modules"]) == edge | WORKERS_THAT_START_LIGHT | {"console_shell"}


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_entry_point__is_composed_by_the_wiring_module_of_its_name(folder: str) -> None:
    assert f"from abtest.wiring.{folder} import " in Path(f"functions/{folder}/app.py").read_text()
