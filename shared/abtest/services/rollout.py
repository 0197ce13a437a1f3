"""Rollout of a release to all shops: every shop is published again, in steps, when the release renders differently.

The snippet depends on the shop's state and on the release, so a shop without edits would keep the SDK of its last
publication. A mark in the delivery bucket names the release that is rolled out and the progress. If it is lost,
everything is published again, which is harmless.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT, POINTER_CONTENT_TYPE, POINTERS
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.queue import Queue

MARK = "releases/current.json"
SHOPS_A_RUN = 200
RENDERING = 1
"""Raise it when snippets or configs of the same state change though the SDK is the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One step a run. `bundle` is the whole SDK of this release."""

    blobs: Blobs
    queue: Queue
    bundle: Callable[[], str]
    message: Callable[[str], str]
    """Builds the message that has a shop published."""

    def run(self) -> int:
        """Request the publication of the next shops; return their number. Raises QueueUnavailableError: then repeat."""
        release = sha256(f"{RENDERING} {self.bundle()}".encode()).hexdigest()
        blob = self.blobs.get(MARK)
        mark = {} if blob is None else canonical_json.loads(blob.content)
        after = mark.get("after") if mark.get("release") == release else None
        # Empty and absent differ: empty marks that the last shop of this release was sent.
        if after == "":
            return 0
        shops, last = self.next_shops(after)
        for shop_id in shops:
            self.queue.send(self.message(shop_id))
        # Sent before it is marked: a run that dies in between is repeated.
        content = canonical_json.encode({"release": release, "after": last})
        self.blobs.put(MARK, content, content_type=POINTER_CONTENT_TYPE)
        return len(shops)

    def next_shops(self, after: str | None) -> tuple[list[str], str]:
        """Shops behind this key, and the key that continues: "" behind the last one."""
        shops: list[str] = []
        for entry in self.blobs.list(POINTERS, after=after):
            shop_id, _, file = entry.key.removeprefix(POINTERS).partition("/")
            if file == f"{DEFAULT_ENVIRONMENT}.json":
                shops.append(shop_id)
            if len(shops) == SHOPS_A_RUN:
                return shops, entry.key
        return shops, ""
