"""A page with versions that tests publish, and what visitors get at an address."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from abtest.domain.delivery.manifest import Encoding
from abtest.domain.pages.routes import RouteManifest, html_key, read_route, route_key
from abtest.domain.settings.install_domains import claim_name
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Claim, Commit
from abtest.services.pages.flips import PageFlips
from abtest.services.pages.promises import is_promise, keep_promise, promise_message
from tests.support.api import MemoryApi
from tests.support.client import Answer, Client
from tests.support.landing import page as spec_with
from tests.support.landing_qa import approved, nothing
from tests.support.memory import MemoryCdn

HOST = "shop.example"
FAR = "2100-01-01T00:00:00.000Z"


def claim(api: MemoryApi, shop_id: str, host: str) -> None:
    """Claim a host for a shop, as its install domains do."""
    claim = Claim(scope=None, name=claim_name(host), target_id=shop_id, target_shop_id=shop_id)
    api.world.catalog.commit(Commit(claims=[claim]))


def manifest_at(delivery: Blobs, path: str, host: str = HOST) -> RouteManifest | None:
    """Return what the edge reads of an address."""
    blob = delivery.get(route_key(host, path))
    return None if blob is None else read_route(blob.content)


def live_at(delivery: Blobs, path: str, host: str = HOST) -> str | None:
    """Return the publish that visitors of an address get, None where they get 404."""
    manifest = manifest_at(delivery, path, host)
    return manifest.publish_id if manifest is not None and manifest.status == "live" else None


def html_of(delivery: Blobs, sha256: str, encoding: Encoding = "identity") -> bytes:
    """Return stored HTML."""
    blob = delivery.get(html_key(sha256, encoding))
    assert blob is not None
    return blob.content


def keep_promises(api: MemoryApi, *, newest_first: bool = False) -> None:
    """Complete what the outbox promises, as the sweep and the worker do."""
    management = api.management
    cdn = getattr(management, "cdn", None) or MemoryCdn()
    flips = PageFlips(world=api.world, delivery=management.blobs, cdn=cdn)
    rows = api.world.catalog.outbox("publish", created_before=FAR, limit=100)
    with management.catalog.under("WorkerPublish"):
        for row in reversed(rows) if newest_first else rows:
            if is_promise(row):
                keep_promise(api.world.catalog, flips, canonical_json.loads(promise_message(row)))


@dataclass(frozen=True)
class Page:
    """A landing page of a client, with its routes."""

    client: Client
    id: str
    work: Callable[[], object] = nothing

    @classmethod
    def created(
        cls, client: Client, slug: str = "lamp", versions: int = 1, work: Callable[[], object] = nothing, **fields: Any
    ) -> Page:
        """Create a page with versions that differ; `work` brings their checks to an end."""
        body = client.post("/landing-pages", {"name": "Lamp", "slug": slug, **fields}).json()
        page = cls(client, body["id"], work)
        for number in range(versions):
            page.add_version(f"Edition {number + 1}")
        return page

    @property
    def path(self) -> str:
        """Path of its routes."""
        return f"/landing-pages/{self.id}"

    def add_version(self, title: str = "Lamp", **fields: Any) -> str:
        """Write a version, have it approved, and return its id."""
        body = {"spec": spec_with("steps", "stats"), "seo_manifest": {"title": title}, **fields}
        answer = self.client.post(f"{self.path}/versions", body)
        assert answer.status == 201, answer.body
        approved(self.client, self.id, self.work)
        return str(answer.json()["id"])

    def publish(self, key: str | None = None, **fields: Any) -> Answer:
        """Publish it."""
        headers = {"idempotency-key": key} if key else {}
        return self.client.post(f"{self.path}/publish", fields, headers=headers)

    def published(self, **fields: Any) -> dict[str, Any]:
        """Publish it, which succeeds."""
        answer = self.publish(**fields)
        assert (answer.status, answer.json()["status"]) == (201, "published"), answer.body
        return dict(answer.json())

    def shown(self) -> dict[str, Any]:
        """The page as the API shows it."""
        return dict(self.client.get(self.path).json())

    def publishes(self) -> list[dict[str, Any]]:
        """Its publishes, newest first."""
        return list(self.client.get(f"{self.path}/publishes").json()["data"])
