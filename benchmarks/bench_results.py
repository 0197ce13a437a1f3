"""10,000,000 events of one experiment to sufficient statistics, beside chDB and Polars on the same Parquet.

Each engine has a process of its own and is asked in turn; their answers must be equal. Ours gives every cell (quarters,
segments, pairs of segments), the others the totals by goal and variation. ARGS: --events N, --rounds N.
"""

import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import line

FOLDER = Path(__file__).parent / "results"
OTHERS = Path(".local/venvs/benchmarks/bin/python")
ENGINES = {"ours": sys.executable, "chdb": str(OTHERS), "polars": str(OTHERS)}


def asked(engine: str, folder: str) -> dict[str, Any]:
    """One engine's seconds, peak memory and answer."""
    command = [ENGINES[engine], str(FOLDER / f"with_{engine}.py"), folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        sys.exit(f"{engine} failed:\n{done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    """Make the ledger, ask all engines in turn, compare."""
    parser = ArgumentParser()
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not OTHERS.exists():
        sys.exit("chDB and Polars are not installed: make bench-results installs them")
    with TemporaryDirectory(prefix="bench-results-") as folder:
        started = time.perf_counter()
        made = [sys.executable, str(FOLDER / "ledger.py"), folder, str(options.events)]
        subprocess.run(made, check=True)
        print(f"{options.events:,} events as Parquet, made in {time.perf_counter() - started:.0f} s")
        rounds = [{engine: asked(engine, folder) for engine in ENGINES} for _ in range(options.rounds)]
    first = rounds[0]["ours"]["answer"]
    for told in rounds:
        for engine, found in told.items():
            assert found["answer"] == first, f"{engine} answers otherwise:\n{found['answer']}\nours:\n{first}"
    ours = median(told["ours"]["seconds"] for told in rounds)
    peak = max(told["ours"]["megabytes"] for told in rounds)
    for engine in ("chdb", "polars"):
        theirs = median(told[engine]["seconds"] for told in rounds)
        ratio = median(told["ours"]["seconds"] / told[engine]["seconds"] for told in rounds)
        line("time to all counts", f"{ours:.1f} s", f"{engine}, totals only", f"{theirs:.1f} s", ratio)
        memory = max(told[engine]["megabytes"] for told in rounds)
        line("peak memory", f"{peak:,.0f} MB", engine, f"{memory:,.0f} MB", peak / memory)


if __name__ == "__main__":
    main()
