"""10,000,000 events of one experiment to sufficient statistics, next to chDB and Polars on the same Parquet.

Each engine has a process of its own, and they run in turn; their answers must be equal. The others give totals by goal
and variation. Ours gives them by quarters of an hour, a second time by segments and pairs of segments too, and a
third time with what visitors did before their exposure.
Seconds of the processors tell more than those by the wall where other work shares them. ARGS: --events N, --rounds N,
--ledger FOLDER (made before by results/ledger.py).
"""

import json
import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.harness import line

FOLDER = Path(__file__).parent / "results"
OTHERS = Path(".local/venvs/benchmarks/bin/python")
ENGINES = {
    "ours": (sys.executable, "with_ours.py", "totals"),
    "segments": (sys.executable, "with_ours.py", "segments"),
    "covariates": (sys.executable, "with_ours.py", "covariates"),
    "chdb": (str(OTHERS), "with_chdb.py"),
    "polars": (str(OTHERS), "with_polars.py"),
}
OF_OURS = {"segments": "ours with segments", "covariates": "ours with segments and covariates"}
SECONDS = {"time": "seconds", "processor time": "processors"}


def run_engine(engine: str, folder: str) -> dict[str, Any]:
    """One engine's seconds, peak memory and answer."""
    python, script, *more = ENGINES[engine]
    command = [python, str(FOLDER / script), folder, *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        sys.exit(f"{engine} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Make the ledger, run all engines in turn, compare."""
    parser = ArgumentParser()
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ledger")
    options = parser.parse_args()
    if not OTHERS.exists():
        sys.exit("chDB and Polars are not installed: make bench-results installs them")
    with TemporaryDirectory(prefix="bench-results-") as made:
        folder = options.ledger or _made(made, options.events)
        rounds = [{engine: run_engine(engine, folder) for engine in ENGINES} for _ in range(options.rounds)]
    first = rounds[0]["ours"]["answer"]
    for results in rounds:
        for engine, result in results.items():
            assert result["answer"] == first, f"{engine} answers otherwise:\n{result['answer']}\nours:\n{first}"
    _print(rounds)


def _made(folder: str, events: int) -> str:
    started = time.perf_counter()
    subprocess.run([sys.executable, str(FOLDER / "ledger.py"), folder, str(events)], check=True)
    print(f"{events:,} events as Parquet, made in {time.perf_counter() - started:.0f} s")
    return folder


def _print(rounds: Sequence[Mapping[str, Mapping[str, Any]]]) -> None:
    for other, name in (("chdb", "chdb"), ("polars", "polars"), *OF_OURS.items()):
        for what, unit in SECONDS.items():
            ours, theirs = (median(results[engine][unit] for results in rounds) for engine in ("ours", other))
            ratio = median(results["ours"][unit] / results[other][unit] for results in rounds)
            line(f"totals, {what}", f"{ours:.1f} s", name, f"{theirs:.1f} s", ratio)
        ours, theirs = (max(results[engine]["megabytes"] for results in rounds) for engine in ("ours", other))
        line("peak memory", f"{ours:,.0f} MB", name, f"{theirs:,.0f} MB", ours / theirs)


if __name__ == "__main__":
    main()
