"""Worker of screenshots that is killed in the middle of a job, on a running stack: two minutes of `make faults`."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.receiver import Receiver, eventually
from tests.e2e.story import Story
from tests.e2e.test_screenshots import SMALL, Store, shop, store

__all__ = ["shop", "store"]
pytestmark = [pytest.mark.browser, pytest.mark.stack]


def process_of(shop: Story, handler: str) -> int:
    """The process of a function of this stack."""
    commands: dict[int, str] = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            commands[int(path.parent.name)] = path.read_text()
    (process,) = [
        number for number, command in commands.items() if handler in command and str(shop.dev["directory"]) in command
    ]
    return process


def test_worker__killed_between_shots__is_followed_by_one_that_takes_the_rest(shop: Story, store: Store) -> None:
    killed: list[int] = []

    def kill(path: str) -> None:
        if path == "/page/5" and not killed:
            killed.append(process_of(shop, "worker_screenshots.app.handler"))
            os.kill(killed[0], signal.SIGKILL)

    store.happens = kill
    inbox = Receiver()
    inbox.start()
    try:
        hook = shop.call("POST", "/webhooks", 201, url=inbox.url, events=["screenshots.completed"])
        before = {asset["id"] for asset in shop.call("GET", "/assets?limit=100")["data"]}
        urls = [store.url(f"/page/{number}") for number in range(12)]
        job = shop.call("POST", "/screenshots", 202, urls=urls, viewports=[SMALL])
        # The next attempt begins when the heartbeat of this one is over, whatever the queue does with its message.
        done: dict[str, Any] = {}

        def has_ended() -> bool:
            done.update(shop.call("GET", f"/screenshots/{job['job_id']}"))
            return done["completed_at"] is not None

        eventually(has_ended, "an end of the job", lambda: done, 200)
        assert killed
        assert (done["status"], {result["error"] for result in done["results"]}) == ("completed", {None})
        made = {asset["id"] for asset in shop.call("GET", "/assets?limit=100")["data"]} - before
        assert made == {result["asset_id"] for result in done["results"]}
        assert len(made) == 12
        assert store.seen.count("/page/0") == 1, "what was taken is not taken again"
        inbox.arrivals(1)
        shop.call("DELETE", f"/webhooks/{hook['id']}", 204)
    finally:
        inbox.stop()
