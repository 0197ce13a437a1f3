"""`python -m tools.gate run LANE... [-- PYTEST ARGUMENT...]`, then `python -m tools.gate close --stage NAME=SECONDS`.

`run` writes `.local/gate/<lane>.json` for each lane and goes on after failing tests. `close` prints the budgets, adds
up the lanes that ran, writes `.local/gate.json`, and ends with one line in pytest's words.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tools.gate.budgets import costs, dearest, table
from tools.gate.lanes import LANES, paths

STATE = Path(".local/gate")
REPORT = Path(".local/gate.json")
BAD = ("failed", "error")


def run(names: list[str], arguments: list[str]) -> int:
    """Run pytest for each lane. The status is 0 even with failing tests: `close` reports them."""
    for name in names:
        tally = STATE / f"{name}.json"
        tally.unlink(missing_ok=True)
        print(f"lane {name}: {LANES[name].workers} workers, {' '.join(LANES[name].budgets)}", flush=True)
        status = subprocess.run([*command(name, tally), *arguments], check=False).returncode
        if status > 1 or not tally.exists():
            print(f"lane {name}: pytest ended with status {status} before its tests were done", file=sys.stderr)
            return status or 1
    return 0


def command(name: str, tally: Path) -> list[str]:
    """The command line of a lane: whole files to each worker, in the order that tests/conftest.py gives them."""
    lane = LANES[name]
    options = ["-q", "-n", str(lane.workers), "--dist", lane.distribution, "--no-loadscope-reorder"]
    plugin = ["-p", "tools.gate.tally", "--lane", name, "--tally", str(tally)]
    return [".venv/bin/pytest", *options, *plugin, *paths(name)]


def close(names: list[str], seconds: dict[str, float]) -> int:
    """Print budgets and the closing line of the lanes; write the report. The status is 1 with a failure."""
    tallies = {name: json.loads((STATE / f"{name}.json").read_text()) for name in names}
    rows = [
        cost
        for name, tally in tallies.items()
        for cost in costs(name, LANES[name].budgets, tally["folders"], tally["slowdown"])
    ]
    outcomes: Counter[str] = sum((Counter(tally["outcomes"]) for tally in tallies.values()), Counter())
    print("\nWorker seconds per folder of tests")
    print(*table(rows), sep="\n")
    loads = ", ".join(f"{name} {tally['load']:.1f} (alone {LANES[name].load})" for name, tally in tallies.items())
    print(f"load of this machine: {loads}\n")
    print(*dearest(tallies), sep="\n", end="\n\n")
    write_report(seconds, outcomes, {f"{row.lane}/{row.folder}": round(row.seconds, 1) for row in rows})
    outcomes["error"] += sum(row.is_broken for row in rows)
    print(closing_line(outcomes, seconds.get("seconds", seconds["check_seconds"])))
    return 1 if any(outcomes[name] for name in BAD) else 0


def write_report(seconds: dict[str, float], outcomes: Counter[str], folders: dict[str, float]) -> None:
    """Update `.local/gate.json`; `make check` keeps the `seconds` of the last `make test`."""
    before: dict[str, Any] = json.loads(REPORT.read_text()) if REPORT.exists() else {}
    report = {**before, **seconds, "outcomes": dict(outcomes), "folders": {**before.get("folders", {}), **folders}}
    REPORT.write_text(json.dumps(report, indent=2) + "\n")


def closing_line(outcomes: Counter[str], seconds: float) -> str:
    """One line as pytest would print it for all lanes together."""
    counts = [f"{count} {_word(name, count)}" for name, count in sorted(outcomes.items(), key=_rank) if count]
    minutes, rest = divmod(round(seconds), 60)
    return f"{', '.join(counts) or 'no tests ran'} in {seconds:.2f}s ({minutes // 60}:{minutes % 60:02}:{rest:02})"


def _word(name: str, count: int) -> str:
    return "errors" if name == "error" and count > 1 else name


def _rank(count: tuple[str, int]) -> int:
    order = ("failed", "passed", "skipped", "xfailed", "xpassed", "error")
    return order.index(count[0])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("lanes", nargs="+", choices=list(LANES))
    closing = commands.add_parser("close")
    closing.add_argument("lanes", nargs="+", choices=list(LANES))
    closing.add_argument("--check-seconds", type=float, required=True)
    closing.add_argument("--seconds", type=float, help="of the whole gate, where all of it ran")
    ours, theirs = (arguments, [])
    if "--" in arguments:
        ours, theirs = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    given = parser.parse_args(ours)
    if given.command == "run":
        return run(given.lanes, theirs)
    seconds = {"check_seconds": given.check_seconds}
    return close(given.lanes, seconds | ({"seconds": given.seconds} if given.seconds is not None else {}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
