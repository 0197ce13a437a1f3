"""The scaffold of a resource, run in a copy of the project: what it writes passes its tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.project_copy import ROOT, copy_project, copy_types, run_module
from tools.resource import RefusedError, names, planned

SUITES = (
    "tests/integration/api_experiments/test_price_notes.py",
    "tests/unit/aggregates",
    "tests/integration/bad_input",
    "tests/integration/valid_data/test_accepted.py",
    "tests/unit/tools/test_template_policies.py",
)
METHODS = ("GET", "PATCH", "DELETE")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    copy_project(tmp_path)
    copy_types(tmp_path)
    return tmp_path


def run(project: Path, *command: str) -> str:
    """Run a module in the project, and return what it printed."""
    done = run_module(project, *command)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_resource__written_into_the_project__passes_lint_types_its_tests_and_the_suites_of_all(project: Path) -> None:
    output = run(project, "tools.resource", "price_note")
    written = [line.removeprefix("wrote ") for line in output.splitlines() if re.fullmatch("wrote .*py", line)]
    assert len(written) == 12
    run(project, "ruff", "format", "--quiet", *written)
    run(project, "ruff", "check", "--fix", "--quiet", *written)
    run(project, "ruff", "format", "--check", *written)
    run(project, "mypy", *written)
    run(project, "tools.openapi")
    # One process for all suites: most of its time are imports.
    chosen = "price or of_every_resource or known_here or PRICENOTE or ApiExperiments"
    output = run(project, "pytest", "-v", "-p", "no:cacheprovider", *SUITES, "-k", chosen)
    passed = re.findall(r"^(\S+?)::.*PASSED", output, re.MULTILINE)
    assert all(any(test.startswith(suite) for test in passed) for suite in SUITES)
    assert "[PATCH /price-notes/{price_note_id}] PASSED" in output
    accepted = re.findall(r"with_valid_data__accepts_it\[(\w+ /price-notes\S*)\] PASSED", output)
    one = "/price-notes/{price_note_id}"
    assert set(accepted) == {"GET /price-notes", "POST /price-notes", *(f"{method} {one}" for method in METHODS)}
    assert "[price notes in their store] PASSED" in output
    assert "test_ids__of_every_kind__are_known_here PASSED" in output
    assert ", price note." in (project / "shared/abtest/ports/catalog.py").read_text()
    assert '"/api/v1/price-notes/{proxy+}"' in (project / "template.yaml").read_text()


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


def test_resource__whose_plural_is_irregular__has_it_in_every_text() -> None:
    contents = planned(ROOT, names("price_category", "api_experiments", "experiments"))
    assert not [path for path, content in contents.items() if re.search("categorys", content, re.IGNORECASE)]
    assert any('"""Price categories over HTTP' in content for content in contents.values())
