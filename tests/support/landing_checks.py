"""The worker of landing pages in memory: links whose answers are scripted, and a queue that calls it at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abtest.kit import canonical_json
from abtest.ports.catalog import Catalog
from abtest.ports.http_sender import HttpAnswer, HttpSender, HttpUnreachableError
from abtest.ports.queue import Queue
from abtest.services.jobs import Workbench
from abtest.services.jobs.records import read_job
from abtest.services.pages.checker import InBrowser, PageChecker
from abtest.services.pages.sites import Sites
from tests.support.memory.queue import SendsEach

if TYPE_CHECKING:
    from tests.support.api import MemoryManagement


class ScriptedLinks:
    """Sender for which every address answers 200, unless `answers` has a status or an error for it."""

    def __init__(self) -> None:
        self.answers: dict[str, int | Exception] = {}
        self.requested: list[str] = []

    @contextmanager
    def session(self) -> Iterator[HttpSender]:
        """Return the sender of one check."""
        yield self

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        """Answer as scripted."""
        self.requested.append(url)
        answer = self.answers.get(url, 200)
        if isinstance(answer, Exception):
            raise answer
        return HttpAnswer(status=answer, content_type="text/html", body=b"", url=url)

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        """Fail: a check of links only reads."""
        raise HttpUnreachableError("checks of links send no POST")


@dataclass(frozen=True, slots=True)
class QaRunsAside(SendsEach):
    """ScreenshotQueue whose QA runs are ended at once by the worker without a browser; other messages wait."""

    catalog: Catalog
    checks: Queue
    others: Queue

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        """Take a message."""
        named = canonical_json.loads(body)
        job = read_job(self.catalog, named["shop_id"], named["job_id"])
        (self.checks if job.type == "qa_run" else self.others).send(body, delay_seconds=delay_seconds, group=group)

    def depth(self) -> int:
        """Number of messages that wait."""
        return self.others.depth()


class PromptChecks(SendsEach):
    """PageQueue whose worker answers before the request ends; while `held`, messages wait in `waiting`.

    Its writes are held to the policy of WorkerPages.
    """

    def __init__(self, base: MemoryManagement) -> None:
        self._base = base
        self.links = ScriptedLinks()
        self.waiting: list[str] = []
        self.held = False
        self.in_browser: InBrowser | None = None
        """QA in a browser; with it, the worker is WorkerScreenshots."""

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        """Take a message, and carry it out."""
        self.waiting.append(body)
        if not self.held:
            self.work()

    def depth(self) -> int:
        """Number of messages that wait."""
        return len(self.waiting)

    def work(self) -> None:
        """Carry out every message that waits."""
        while self.waiting:
            self.carry_out(self.waiting.pop(0))

    def carry_out(self, message: str) -> None:
        """Carry out a message as WorkerPages does."""
        world = self._base.world
        checker = PageChecker(
            world=world,
            bench=Workbench(world),
            sites=Sites(
                catalog=world.catalog,
                worker_base_url=self._base.settings.worker_base_url,
                assets_base_url=self._base.settings.assets_base_url,
            ),
            senders=self.links.session,
            in_browser=self.in_browser,
        )
        with self._base.catalog.under("WorkerScreenshots" if self.in_browser else "WorkerPages"):
            checker.carry_out(message)
