"""A new release reaches all shops: every shop is published once more, in steps, where the release renders otherwise.

What stands in a snippet is decided by the shop's state and by the release; a shop that nobody touches would go on
serving the SDK of its last publication. A mark in the delivery bucket says which release is being brought out and how
far that has come. Lost or removed, everything is published again, which is harmless.
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
"""Raise it when snippets or configs of the same state are to be other ones, though the SDK is the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One step a run. `bundle` is the whole SDK of this release."""

    blobs: Blobs
    queue: Queue
    bundle: Callable[[], str]
    message: Callable[[str], str]
    """What is sent to have a shop published."""

    def run(self) -> int:
        """Have the next shops published; how many. Raises QueueUnavailableError, and then the next run repeats."""
        release = sha256(f"{RENDERING} {self.bundle()}".encode()).hexdigest()
        found = self.blobs.get(MARK)
        mark = {} if found is None else canonical_json.loads(found.content)
        after = mark.get("after") if mark.get("release") == release else None
        if after == "":
            return 0
        shops, last = self._next(after)
        for shop_id in shops:
            self.queue.send(self.message(shop_id))
        # Sent before it is marked: whoever dies in between sends again.
        told = canonical_json.encode({"release": release, "after": last})
        self.blobs.put(MARK, told, content_type=POINTER_CONTENT_TYPE)
        return len(shops)

    def _next(self, after: str | None) -> tuple[list[str], str]:
        """The shops behind this key, and the key to go on from: "" behind the last one."""
        shops: list[str] = []
        for entry in self.blobs.list(POINTERS, after=after):
            shop_id, _, file = entry.key.removeprefix(POINTERS).partition("/")
            if file == f"{DEFAULT_ENVIRONMENT}.json":
                shops.append(shop_id)
            if len(shops) == SHOPS_A_RUN:
                return shops, entry.key
        return shops, ""
