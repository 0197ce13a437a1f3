"""Copies of the project in which a tool or a test may change any file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("functions", "shared", "tools", "tests", "template.yaml", "pyproject.toml", "docs", "events", "requirements")
LEFT_OUT = shutil.ignore_patterns("node_modules", "__pycache__", ".*")
INSTALLED = ("shared/abtest/storefront/node_modules", ".venv", ".local/venvs")
TYPES = ".mypy_cache"


def copy_project(target: Path) -> None:
    """Copy code, tests and documentation to an empty folder. Installed packages are linked."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=LEFT_OUT)
        else:
            shutil.copy2(source, target / name)
    for name in INSTALLED:
        (target / name).parent.mkdir(exist_ok=True)
        (target / name).symlink_to(ROOT / name)


def copy_types(target: Path) -> None:
    """Copy the results of the last type check, if there are any, so that only changed files are checked again."""
    # They are valid in the copy because it has the same relative paths and times of modification.
    if (ROOT / TYPES).exists():
        shutil.copytree(ROOT / TYPES, target / TYPES)


def run_module(project: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a Python module of this environment in a copy of the project."""
    environment = {**os.environ, "PYTHONPATH": "shared:functions:."}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
