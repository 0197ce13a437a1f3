"""The scaffold of a resource, run in a copy of the project: what it writes passes its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.resource import RefusedError, names, planned

ROOT = Path(__file__).parents[3]
COPIED = ("functions", "shared", "tools", "tests", "template.yaml", "pyproject.toml", "docs")
LEFT_OUT = shutil.ignore_patterns("node_modules", "__pycache__", ".*", "figures", "data")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The code and tests of this project, without data, figures and installed packages."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=LEFT_OUT)
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


def run(project: Path, *command: str) -> str:
    """Run a module in the project, and return what it printed."""
    environment = {**os.environ, "PYTHONPATH": "shared:functions:."}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_resource__written_into_the_project__passes_its_tests_and_the_suite_of_all(project: Path) -> None:
    output = run(project, "tools.resource", "price_note")
    written = [line.removeprefix("wrote ") for line in output.splitlines() if re.fullmatch("wrote .*py", line)]
    run(project, "ruff", "check", "--fix", "--quiet", *written)
    run(project, "ruff", "format", "--quiet", *written)
    run(project, "tools.openapi")
    own, suite = "tests/integration/api_experiments/test_price_notes.py", "tests/unit/aggregates"
    output = run(project, "pytest", "-q", "-p", "no:cacheprovider", own, suite, "-k", "price_note or of_every_resource")
    assert " passed" in output
    bad = run(project, "pytest", "-q", "-p", "no:cacheprovider", "tests/integration/bad_input", "-k", "price_note_id")
    assert " passed" in bad
    assert '"/api/v1/price-notes/{proxy+}"' in (project / "template.yaml").read_text()
    assert "updatePriceNote" in (project / "docs/api/openapi.json").read_text()


@pytest.mark.parametrize(
    ("name", "family", "message"),
    [
        ("Label", "api_experiments", "singular snake case"),
        ("price_note", "edge_events", "singular snake case"),
        ("price_note", "api_nothing", "there is no functions/api_nothing"),
        ("goal", "api_experiments", "exists"),
        ("audience", "api_experiments", "exists"),
    ],
)
def test_resource__that_cannot_be_written__is_refused_before_anything_is(name: str, family: str, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        planned(ROOT, names(name, family, "experiments"))
