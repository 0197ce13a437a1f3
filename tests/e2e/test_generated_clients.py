"""Clients generated from the committed document: complete, strictly typed, and enough for a first experiment."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.local.testing import settle
from tools.openapi import COMMITTED
from tools.project_copy import ROOT

CLIENTS = ROOT / "tests/clients"
PYTHON = ROOT / ".local/venvs/clients/bin"
NODE = CLIENTS / "node_modules/.bin"
SECONDS = 300
TEXT_BODIES = {"POST /_svc/events", "POST /_svc/handover", "POST /_svc/handover/verify", "POST /events"}
"""Routes that take JSON also as text/plain, for beacons. The generator warns that it offers application/json only."""

pytestmark = pytest.mark.stack


def run(folder: Path, *command: Path | str) -> str:
    """Run a command in a folder, and return what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def python_client(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the generated package and the story that uses it, and what the generator printed."""
    folder = tmp_path_factory.mktemp("python")
    config = ("--config", CLIENTS / "python.yaml", "--meta", "none", "--output-path", "ab_testing_service_client")
    printed = run(folder, PYTHON / "openapi-python-client", "generate", "--path", COMMITTED, *config)
    (folder / "first_experiment.py").write_text((CLIENTS / "first_experiment.py").read_text())
    return folder, printed


def test_python_client__generated__lacks_no_operation_and_passes_mypy_strict(python_client: tuple[Path, str]) -> None:
    folder, printed = python_client
    assert set(re.findall(r"WARNING parsing (\S+ \S+) within", printed)) == TEXT_BODIES
    assert printed.count("WARNING") == printed.count("Unsupported content type text/plain") == len(TEXT_BODIES)
    document = json.loads(COMMITTED.read_text())
    operations = [part for item in document["paths"].values() for part in item.values() if isinstance(part, dict)]
    modules = {path.stem for path in folder.glob("*/api/*/*.py")} - {"__init__"}
    assert len(modules) == len([operation for operation in operations if "operationId" in operation])
    # What the generator wrote as before was checked as before: the cache goes by contents.
    strict = (PYTHON / "mypy", "--strict", "--cache-dir", ROOT / ".local/mypy-clients")
    run(folder, *strict, "ab_testing_service_client", "first_experiment.py")


def test_python_client__of_a_new_shop__launches_counts_and_verifies_a_webhook(
    python_client: tuple[Path, str], stack: dict[str, Any]
) -> None:
    folder, _ = python_client
    addresses = (stack["base_url"], stack["api_key"], stack["worker_base_url"])
    story = subprocess.Popen(
        [PYTHON / "python", "first_experiment.py", *addresses], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    try:
        assert story.stdout is not None
        assert story.stdout.readline() == "sent\n"
        settle(stack["directory"])
        summary = json.loads(story.stdout.read())
    finally:
        story.kill()
        story.communicate()
    assert (summary["visitors"], summary["error"]) == (4, "not_found")


def test_typescript_types__generated__compile_strictly_with_a_use_of_them(tmp_path: Path) -> None:
    run(tmp_path, NODE / "openapi-typescript", COMMITTED, "--output", "api.d.ts")
    (tmp_path / "usage.ts").write_text((CLIENTS / "usage.ts").read_text())
    strict = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--noEmit")
    module = ("--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom")
    run(tmp_path, NODE / "tsc", *strict, *module, "usage.ts", "api.d.ts")
