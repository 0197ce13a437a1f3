"""Worker of profiles in memory, with the real client for addresses of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.services.jobs import Workbench
from abtest.services.profiles.experience import Experience
from abtest.services.profiles.profiler import ABOUT_VISITS, Profiler
from abtest.services.results import Results, RollupReader
from tests.support.api import MemoryApi
from tests.support.memory import MemoryLookStore, MemoryQueue


@dataclass
class Profiling:
    """Worker of an application, which carries out messages as WorkerProfiles does."""

    api: MemoryApi
    limits: Limits = field(default_factory=lambda: Limits(seconds=2, body_bytes=3 * 1024 * 1024))
    resolve: Callable[[str, int], list[str]] = lambda _host, _port: ["93.184.216.34"]

    @property
    def queue(self) -> MemoryQueue:
        queue = self.api.management.profile_queue
        assert isinstance(queue, MemoryQueue)
        return queue

    def profiler(self) -> Profiler:
        """The use case of the worker."""
        world, management = self.api.world, self.api.management
        rules = PublicOnly(allow_loopback=True)
        client = OutboundHttp(rules, self.limits, resolve=self.resolve)
        return Profiler(
            world=world,
            bench=Workbench(world),
            senders=client.session,
            rules=rules,
            experience=Experience(
                world=world, results=Results(world, RollupReader(management.rollups), MemoryLookStore())
            ),
            worker_base_url=management.settings.worker_base_url,
            about_url=f"https://api.test/api/v1/docs?api={ABOUT_VISITS}",
        )

    def work(self) -> None:
        """Carry out every message that waits."""
        profiler = self.profiler()
        with self.api.management.catalog.under("WorkerProfiles"):
            while self.queue.sent:
                profiler.carry_out(self.queue.sent.pop(0).body)


def reachable(api: MemoryApi) -> None:
    """Let the family accept addresses of this machine, as the local stack does."""
    api.management.settings = replace(api.management.settings, allow_loopback_egress="true")
