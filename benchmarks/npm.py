"""Packages from npm that benchmarks compare with, at exact versions."""

import subprocess
from hashlib import sha256
from pathlib import Path


def install(folder: Path) -> None:
    """Install the packages of `package-lock.json`, unless they are there. Nothing of them is executed."""
    mark = folder / "node_modules" / ".installed"
    current = sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    if mark.exists() and mark.read_text() == current:
        return
    print(f"installing packages from npm into {folder.relative_to(Path.cwd())}/node_modules")
    subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)
    mark.write_text(current)
