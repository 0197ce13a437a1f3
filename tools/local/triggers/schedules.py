"""Fires the template's schedules each minute, and one of them at once on request."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tools.local.runtime.pool import Pool
from tools.local.runtime.process import InvocationError
from tools.local.template.functions import Schedule
from tools.local.template.intrinsics import ACCOUNT, REGION
from tools.local.triggers.expressions import Cron, Rate, parse


class UnknownJobError(Exception):
    """No scheduled function has that name."""


@dataclass(frozen=True)
class Job:
    """One schedule, what it means, and the function it invokes."""

    schedule: Schedule
    expression: Rate | Cron
    pool: Pool


def jobs_of(pools: list[Pool]) -> list[Job]:
    """Read the schedules of all functions; TemplateError for an invalid expression."""
    return [
        Job(schedule, parse(schedule.expression, schedule.timezone), pool)
        for pool in pools
        for schedule in pool.function.schedules
    ]


def scheduled_event(schedule: Schedule, now: float) -> Any:
    """The event: the schedule's own Input, or what EventBridge sends without one."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    kind = f"schedule/default/{schedule.name}" if schedule.scheduler else f"rule/{schedule.name}"
    arn = f"arn:aws:{'scheduler' if schedule.scheduler else 'events'}:{REGION}:{ACCOUNT}:{kind}"
    execution = secrets.token_hex(8)
    if schedule.input is not None:
        words = {"scheduled-time": stamp, "schedule-arn": arn, "execution-id": execution, "attempt-number": "1"}
        text = schedule.input
        for word, value in words.items() if schedule.scheduler else ():
            text = text.replace(f"<aws.scheduler.{word}>", value)
        return json.loads(text)
    return {
        "version": "0",
        "id": execution,
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler" if schedule.scheduler else "aws.events",
        "account": ACCOUNT,
        "time": stamp,
        "region": REGION,
        "resources": [arn],
        "detail": "{}" if schedule.scheduler else {},
    }


class Schedules:
    """All jobs of the stack."""

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Fire what is due at each full minute until cancelled; a minute missed is not made up for."""
        started = minute = int(time.time() // 60)
        while True:
            await asyncio.sleep(60 - time.time() % 60)
            if int(time.time() // 60) <= minute:  # a timer may ring a little early, a clock may be set back
                continue
            minute = int(time.time() // 60)
            moment = datetime.fromtimestamp(minute * 60, UTC)
            for job in self.jobs:
                if job.expression.due(moment, minute - started):
                    task = asyncio.create_task(self._fire(job))
                    self._running.add(task)
                    task.add_done_callback(self._running.discard)

    async def _fire(self, job: Job) -> None:
        try:
            await job.pool.invoke(scheduled_event(job.schedule, time.time()))
        except InvocationError as problem:
            job.pool.note(f"schedule {job.schedule.name} failed: {problem}")

    async def tick(self, name: str, more: dict[str, Any] | None = None) -> Any:
        """Fire one job now, its event with `more` in it, and return its result; UnknownJobError lists the jobs."""
        normalised = name.replace("-", "_").lower()
        for job in self.jobs:
            function = job.pool.function
            folder = function.folder.lower()
            if normalised in {function.logical_id.lower(), folder, folder.removeprefix("cron_")}:
                return await job.pool.invoke(scheduled_event(job.schedule, time.time()) | (more or {}))
        known = sorted({job.pool.function.folder for job in self.jobs})
        raise UnknownJobError(f"no scheduled function is called {name}; there are: {', '.join(known) or 'none'}")
