"""The worker of screenshots in memory: jobs of a shop, a scripted browser, and what is left of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from abtest.adapters.images import PillowCodec
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.jobs.model import Job
from abtest.domain.screenshots.order import ScreenshotOrder, order_document
from abtest.domain.screenshots.outcomes import Film, film_from
from abtest.services.assets.assets import Assets
from abtest.services.assets.overdue import OverdueFiles
from abtest.services.assets.pictures import Pictures
from abtest.services.context import World
from abtest.services.jobs import Jobs, OverdueJobs, Workbench
from abtest.services.listing import every_head
from abtest.services.publication.preview_snippets import PreviewSnippet
from abtest.services.screenshots.photographer import Photographer
from tests.faults.faults import Fate, Fated
from tests.support.api import MemoryApi, Tenant
from tests.support.assets import ORIGIN, caller_of
from tests.support.memory import MemoryQueue
from tests.support.scripted_browser import ScriptedBrowsers

RULES = PublicOnly()


def script_of(shop_id: str, experiment_id: str, variation_id: str) -> str:
    """Return the text of a snippet of tests, which names what it shows."""
    return f"show({shop_id!r}, {experiment_id!r}, {variation_id!r})"


def snippet_of(shop_id: str, experiment_id: str, variation_id: str) -> PreviewSnippet:
    """Return a snippet of tests."""
    return PreviewSnippet(text=script_of(shop_id, experiment_id, variation_id), files={})


@dataclass
class Studio:
    """A shop whose pages are pictured."""

    api: MemoryApi
    tenant: Tenant
    queue: MemoryQueue = field(default_factory=MemoryQueue)

    @cached_property
    def browsers(self) -> ScriptedBrowsers:
        """The browser of every attempt."""
        return ScriptedBrowsers(self.tenant.shop.id)

    @property
    def jobs(self) -> Jobs:
        """The shop's jobs."""
        return Jobs(self.api.world, "screenshot", self.queue)

    @property
    def shop_id(self) -> str:
        """The shop."""
        return self.tenant.shop.id

    def order(self, order: ScreenshotOrder) -> Job:
        """Create a job."""
        return self.jobs.create(caller_of(self.tenant), order_document(order))

    def photographer(self, fate: Fate | None = None) -> Photographer:
        """Return the worker of one process."""
        fate = fate or Fate()
        catalog: Any = Fated(self.api.world.catalog, fate)
        files: Any = Fated(self.api.management.files, fate)
        world = World(catalog=catalog, clock=self.api.clock, random=self.api.world.random)
        return Photographer(
            world=world,
            bench=Workbench(world),
            browsers=self.browsers,
            pictures=Pictures(world=world, files=files, codec=PillowCodec()),
            snippet_of=snippet_of,
            queue=self.queue,
            origin=ORIGIN,
            own_urls=("https://edge.test",),
        )

    def work(self) -> None:
        """Carry out the newest message as the worker's function does."""
        with self.api.management.catalog.under("WorkerScreenshots"):
            self.photographer().carry_out(self.queue.bodies[-1])

    def job(self, job: Job) -> Job:
        """Return a job as it is now."""
        return self.jobs.get(self.shop_id, job.id)

    def film(self, job: Job) -> Film:
        """Return the outcomes of a job so far."""
        return film_from(self.job(job).result)

    def sweep(self) -> None:
        """Do what the schedule does for jobs and files, until nothing is due."""
        OverdueJobs(self.api.world, {"screenshot": self.queue}).run()
        while OverdueFiles(self.api.world, self.api.management.files).run():
            pass

    def asset_ids(self) -> list[str]:
        """Return the ids of the shop's assets."""
        return [head.id for head in every_head(self.api.world.catalog, self.shop_id, "ASSET")]

    def content(self, key: str) -> bytes:
        """Return a stored file."""
        content = self.api.management.files.upload(key)
        assert content is not None
        return content

    def assert_whole(self) -> None:
        """Check that every asset has its objects, and that the quota counts what is there."""
        assets = Assets(self.api.world, ORIGIN).get_many(self.shop_id, self.asset_ids())
        objects = self.api.management.files.blobs.objects
        for asset in assets:
            assert {asset.file_key, *(asset.rendition_key(each.width) for each in asset.renditions)} <= objects.keys()
        quota = self.api.world.catalog.get(self.shop_id, "QUOTA", "ASSETS")
        counted = {"assets": len(assets), "bytes": sum(asset.uploaded_bytes for asset in assets)}
        assert (dict(quota.body) if quota else {"assets": 0, "bytes": 0}) == counted

    def events(self) -> list[Any]:
        """Return the payloads of the events that wait."""
        rows = self.api.world.catalog.outbox("webhook", created_before="9999", limit=100)
        return [row.payload for row in rows]
