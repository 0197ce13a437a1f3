"""One comparison, and 1,000 experiments x 3 variations x 5 goals, beside gbstats and tea-tasting.

Each engine has a process and an environment of its own and is asked in turn; the lifts they find must be equal. Ours is
asked for rates (z test) and for means (Welch's t test, which is what the others compute); the many comparisons of ours
are arrays and corrected by Holm, those of the others are a loop, as they offer no other way.
Seconds are those of the processor, as other work may share it. ARGS: --rounds N.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from math import isclose
from pathlib import Path
from statistics import median
from typing import Any

FOLDER = Path(__file__).parent / "stats"
ENVIRONMENTS = Path(".local/venvs")
WALD = "Wald, Fieller"
"""Ours with the intervals that need the least work, for rates."""
PEERS = {
    name: (str(ENVIRONMENTS / f"benchmarks-{name}/bin/python"), f"with_{name.replace('-', '_')}.py")
    for name in ("gbstats", "tea-tasting")
}
ENGINES = {
    "rates": (sys.executable, "with_ours.py", "rates"),
    "means": (sys.executable, "with_ours.py", "means"),
    WALD: (sys.executable, "with_wald.py"),
    **PEERS,
}
COMPARISONS = 10_000


def asked(engine: str) -> dict[str, Any]:
    """One engine's seconds, peak memory and lifts."""
    python, script, *more = ENGINES[engine]
    command = [python, str(FOLDER / script), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))
    if done.returncode:
        sys.exit(f"{engine} failed:\n{done.stderr[-2000:]}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def main() -> None:
    """Ask all in turn, check that they found the same, compare."""
    parser = ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    missing = [name for name, (python, _) in PEERS.items() if not Path(python).exists()]
    if missing:
        sys.exit(f"{' and '.join(missing)} not installed: make bench-stats installs them")
    told = [{engine: asked(engine) for engine in ENGINES} for _ in range(rounds)]
    for found in told:
        _check(found)
    _tell(told, "rates", WALD)
    for ours in ("rates", "means"):
        for peer in PEERS:
            _tell(told, ours, peer)


def _check(found: Mapping[str, Mapping[str, Any]]) -> None:
    expected = found["rates"]["lifts"]
    for engine, answer in found.items():
        same = [
            isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
            for one, other in zip(answer["lifts"], expected, strict=True)
        ]
        assert len(same) == COMPARISONS + 1, f"{engine} answered {len(same)} comparisons"
        assert all(same), f"{engine} finds other lifts"


def _tell(told: list[dict[str, dict[str, Any]]], ours: str, peer: str) -> None:
    for name, key, comparisons in (("one", "one", 1), ("many, each", "many", COMPARISONS)):
        mine, theirs = (1e6 * median(found[engine][key] for found in told) / comparisons for engine in (ours, peer))
        times = median(found[peer][key] / found[ours][key] for found in told)
        ratio = f"1 : {times:,.{0 if times > 10 else 2}f}"
        print(f"  {ours + ': ' + name:<20} {mine:>10.2f} µs   {peer:<13} {theirs:>10.2f} µs   ratio {ratio}")
    mine, theirs = (max(found[engine]["megabytes"] for found in told) for engine in (ours, peer))
    print(f"  {ours + ': memory':<20} {mine:>10.0f} MB   {peer:<13} {theirs:>10.0f} MB   ratio 1 : {theirs / mine:.1f}")


if __name__ == "__main__":
    main()
