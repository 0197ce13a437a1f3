"""The README's quick start, typed as it stands there."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.stack

ROOT = Path(__file__).parents[2]
MARK = "<!-- executed by tests/e2e/test_readme.py -->"


def quick_start() -> str:
    """The shell block that follows the mark."""
    text = (ROOT / "README.md").read_text().partition(MARK)[2]
    block = re.search(r"```bash\n(.*?)```", text, re.DOTALL)
    assert block, "the README lost its quick start"
    return block.group(1)


def test_readme__quick_start_typed_as_written__ends_with_results(stack: dict[str, Any], tmp_path: Path) -> None:
    script = quick_start().replace(".local/dev.json", str(stack["directory"] / "dev.json"))
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        cwd=ROOT,
        env={**os.environ, "ABTEST_LOCAL_DIR": str(stack["directory"])},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    results = json.loads(done.stdout[done.stdout.index("{") :])
    assert [goal["name"] for goal in results["goals"]] == ["Add to cart"]


def test_readme__every_make_target_that_it_names__exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    texts = "".join((ROOT / name).read_text() for name in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"make ([a-z][a-z0-9-]*)", texts))
    assert named
    missing = [target for target in named if not re.search(rf"^{target}[^\n]*:", makefile, re.MULTILINE)]
    assert not [target for target in missing if not (ROOT / f"benchmarks/{target.replace('-', '_')}.py").exists()]


def test_readme__every_file_that_it_links_to__exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]
