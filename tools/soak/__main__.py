"""`make soak`: a million events over HTTP through a local stack that is started and stopped for it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "shared"))

from tools.local.testing import running_stack  # noqa: E402 - the path comes first
from tools.soak.run import Outcome, soak  # noqa: E402

EVENTS = 1_000_000


def run(number: int, console: Console) -> Outcome:
    """The stack, the load with a bar, the count."""
    with TemporaryDirectory(prefix="soak-") as name:
        directory = Path(name)
        console.print(f"a stack starts in {directory}")
        with running_stack(directory) as dev, _bar(console) as bar:
            task = bar.add_task("events", total=number)
            return soak(dev, directory, number, lambda done: bar.advance(task, done), console.print)


def _bar(console: Console) -> Progress:
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console)


def report(outcome: Outcome) -> list[str]:
    """The outcome in lines."""
    sent = outcome.sent
    return [
        f"sent        {sent.events:>12,} events, {sent.distinct:,} of them distinct",
        f"            in {outcome.seconds:,.0f} s: {sent.events / max(outcome.seconds, 1e-9):,.0f} events a second",
        f"raw         {outcome.raw.rows:>12,} rows, {outcome.raw.distinct:,} distinct events",
        f"parquet     {outcome.parquet.rows:>12,} rows, {outcome.parquet.distinct:,} distinct events",
        "exact" if outcome.is_exact else "NOT EXACT: events were lost or doubled",
    ]


def main() -> int:
    """The command line; its exit status is 1 unless every event is there once."""
    options = argparse.ArgumentParser(prog="python -m tools.soak", description=__doc__)
    options.add_argument("--events", type=int, default=EVENTS, metavar="N", help="distinct events")
    given = options.parse_args()
    console = Console()
    outcome = run(given.events, console)
    for line in report(outcome):
        console.print(line, highlight=False)
    return 0 if outcome.is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
