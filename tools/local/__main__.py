"""The command line of the local stack: run, tick, settle, status, entry."""

from __future__ import annotations

import argparse
import errno
import json
import sys

from tools.local import options
from tools.local.commands.client import CommandError, ControlClient
from tools.local.commands.settle import settle
from tools.local.commands.status import describe
from tools.local.files import StateDirectory, read_json, write_json
from tools.local.surroundings import UsageError, state_directory

SETTLE_SECONDS = 420.0
"""Longer than any queue hides what a killed worker had in hand (360 s), and than a killed schedule's lease."""


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(prog="python -m tools.local", description="Runs template.yaml on this machine.")
    commands = top.add_subparsers(dest="command", required=True)
    options.declare(commands.add_parser("run", help="run the stack until Ctrl-C"))
    tick = commands.add_parser("tick", help="fire one scheduled function now")
    tick.add_argument("job", metavar="JOB", help="its folder or logical id, for example cron_rollup")
    tick.add_argument("--event", default="{}", metavar="JSON", help='put into its event: {"open_hours": true}')
    settling = commands.add_parser("settle", help="drain the queues and bring results up to date")
    settling.add_argument("--timeout", type=float, default=SETTLE_SECONDS, metavar="SECONDS")
    commands.add_parser("status", help="show what runs")
    commands.add_parser("entry", help="print an address that signs in to the console once")
    return top


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    given = parser().parse_args(arguments)
    state = StateDirectory(state_directory())
    try:
        match given.command:
            case "run":
                return _run(given, state)
            case "tick":
                print(json.dumps(ControlClient(state).tick(given.job, _event(given.event)), indent=2))
            case "settle":
                settle(ControlClient(state), given.timeout, lambda line: print(line, flush=True))
            case "status":
                print(describe(ControlClient(state).status()))
            case "entry":
                print(_entry(state))
    except (UsageError, CommandError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2 if isinstance(problem, UsageError) else 1
    return 0


def _entry(state: StateDirectory) -> str:
    # Imported here: it brings boto3 with it, which the other commands do without.
    from tools.local.console import console_url

    environment = ControlClient(state).status()["environment"]
    dev = read_json(state.dev)
    if "user_id" not in dev:
        raise CommandError("the stack has no demo shop: start it without --no-seed")
    dev["console_url"] = console_url(environment, dev["user_id"])
    write_json(state.dev, dev)
    return str(dev["console_url"])


def _event(text: str) -> dict[str, object]:
    try:
        event = json.loads(text)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise UsageError(f"--event must be a JSON object, not {text[:50]}")
    return event


def _run(given: argparse.Namespace, state: StateDirectory) -> int:
    # Imported here: they bring boto3 with them, which the other commands do without.
    from tools.local import stack
    from tools.local.engine.process import EngineError
    from tools.local.template.document import TemplateError

    try:
        stack.run(options.read(given), state)
    except (TemplateError, EngineError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        if problem.errno != errno.EADDRINUSE:
            raise
        raise UsageError(f"a port was taken while the stack started: {problem}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
