"""Makes results current: drains the queues, runs the sweep, the compaction and the roll-up, drains again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tools.local.commands.client import CommandError, ControlClient

JOBS = ("cron_sweep", "cron_compact", "cron_rollup")
EVENTS = {"cron_rollup": {"everything": True}}
"""What the schedules' events have in addition: no shop waits for more events."""
PAUSE_SECONDS = 0.1
# What is delayed is another attempt at a receiver of webhooks that is away: minutes, and no result depends on it.
STATES = ("visible", "in_flight")
# An empty reading counts only twice in a row: a message may be between two queues while one is read.
QUIET_READINGS = 2

Say = Callable[[str], None]


def settle(client: ControlClient, timeout: float, say: Say = print) -> None:
    """Return when nothing is left to do; CommandError when the time is over first."""
    deadline = time.monotonic() + timeout
    status = _drain(client, deadline, say)
    scheduled = {function["folder"] for function in status["functions"] if function["scheduled"]}
    for job in JOBS:
        # A dispatcher runs until it sends nothing more: another worker may have begun a shop before its last events.
        while job in scheduled:
            result = _run(client, job, deadline, say)
            status = _drain(client, deadline, say)
            if not (isinstance(result, dict) and result.get("sent")):
                break
            if time.monotonic() > deadline:
                raise CommandError(f"not settled in time; {job} still sends messages: look into the log of its workers")
    for name, queue in status["queues"].items():
        if queue["dead"] and queue["visible"]:
            say(f"warning: {queue['visible']} messages are in dead-letter queue {name}")
    say("settled")


def _run(client: ControlClient, job: str, deadline: float, say: Say) -> Any:
    """Fire a schedule until it really ran: "skipped" means that another run holds the lease, which began too early."""
    reported = False
    while True:
        result = client.tick(job, EVENTS.get(job))
        skipped = result.get("skipped") if isinstance(result, dict) else None
        if skipped is None:
            say(f"{job} ran")
            return result
        if not reported:
            say(f"waiting for {job}: {skipped}")
            reported = True
        if time.monotonic() > deadline:
            raise CommandError(f"not settled in time; {job} was skipped: {skipped}")
        time.sleep(PAUSE_SECONDS)


def _drain(client: ControlClient, deadline: float, say: Say) -> dict[str, Any]:
    quiet, reported = 0, ""
    while True:
        status = client.status()
        left = _left(status["queues"]) if status["engine"]["responds"] else "the AWS engine, which does not respond"
        quiet = 0 if left else quiet + 1
        if quiet == QUIET_READINGS:
            return status
        if left and left != reported:
            say(f"waiting for {left}")
            reported = left
        if time.monotonic() > deadline:
            raise CommandError(f"not settled in time; still waiting for {left}")
        time.sleep(PAUSE_SECONDS)


def _left(queues: dict[str, Any]) -> str:
    parts = []
    for name, queue in queues.items():
        if queue["read"] and not queue["dead"]:
            counts = [f"{queue[state]} {state.replace('_', ' ')}" for state in STATES if queue[state]]
            parts += [f"{name}: {', '.join(counts)}"] if counts else []
    return "; ".join(parts)
