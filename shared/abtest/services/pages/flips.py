"""Flips of addresses to the state of the catalog, and the completion of publishes.

A flip reads the manifest first and the truth afterwards, and writes only if no other flip wrote in between. So any
number of repetitions and races end with the truth, whichever of them ends last.
"""

import logging
from dataclasses import dataclass, replace

from abtest.domain.changes.change import Change
from abtest.domain.pages.addresses import page_address, route_name
from abtest.domain.pages.model import Route
from abtest.domain.pages.publishes import PagePublish, manifest_after, settled, unpublished
from abtest.domain.pages.routes import ROUTE_CONTENT_TYPE, RouteManifest, read_route, route_key, write_route
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.catalog import Commit
from abtest.ports.cdn import Cdn, CdnRefusedError, CdnUnavailableError
from abtest.services.context import World
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.pages.live_hosts import is_claimed
from abtest.services.pages.pages import LANDING_PAGES, LandingPages
from abtest.services.pages.publish_records import PagePublishes, put_of
from abtest.services.publication.outcome import PublicationContendedError
from abtest.services.resources import loaded
from abtest.services.retries import retried

_ATTEMPTS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A publish at its addresses. `is_whole` is False while the CDN may still have what was there before."""

    publish: PagePublish
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFlips:
    """Addresses of pages in the delivery bucket. Every step can be repeated at any time."""

    world: World
    delivery: Blobs
    cdn: Cdn

    def complete(self, shop_id: str, page_id: str, publish_id: str) -> Completion:
        """Bring the addresses of a publish up to date, then its status and that of the one before it.

        Raises NotFoundError, BlobsUnavailableError, DatabaseBusyError, PublicationContendedError, StaleVersionError.
        """
        publish = PagePublishes(self.world.catalog).get(shop_id, page_id, publish_id)
        manifests = [(route, self._flip(route)) for route in publish.routes]
        publish = retried(lambda: self._settle(shop_id, page_id, publish_id))
        dropped = [self._drop(route, manifest) for route, manifest in manifests if manifest is not None]
        return Completion(publish=publish, is_whole=all(dropped))

    def _flip(self, route: Route) -> RouteManifest | None:
        """The manifest of an address, which is the truth now."""
        key = route_key(route.host, route.path)
        for _ in range(_ATTEMPTS):
            blob = self.delivery.get(key)
            current = None if blob is None else read_route(blob.content)
            # Only now: a later commit has a flip of its own, and whichever writes first makes the other one repeat.
            after = manifest_after(current, self._truth(route), self.world.now())
            if after is None or after == current:
                return current
            try:
                self.delivery.put(
                    key,
                    write_route(after),
                    content_type=ROUTE_CONTENT_TYPE,
                    if_match=None if blob is None else blob.etag,
                    if_absent=blob is None,
                )
            except PreconditionFailedError:
                continue
            return after
        raise PublicationContendedError

    def _truth(self, route: Route) -> PagePublish | None:
        """The publish that visitors of an address should get."""
        catalog = self.world.catalog
        holder = catalog.resolve(None, route_name(route.host, route.path))
        record = catalog.get(holder[0], LANDING_PAGES.kind, holder[1]) if holder else None
        page = LANDING_PAGES.from_record(record) if record else None
        if (
            page is None
            or page.live is None
            or page.live.route != route
            or not is_claimed(catalog, page.shop_id, route.host)
        ):
            return None
        return PagePublishes(catalog).get(page.shop_id, page.id, page.live.publish_id)

    def _settle(self, shop_id: str, page_id: str, publish_id: str) -> PagePublish:
        """The publish with the status that follows from the page; the one that it replaced gets its own as well."""
        page, publishes = loaded(self.world.catalog, LANDING_PAGES, shop_id, page_id), PagePublishes(self.world.catalog)
        publish, now = publishes.get(shop_id, page_id, publish_id), self.world.now()
        stored = [publish, *publishes.find_many(shop_id, page_id, [publish.former_id] if publish.former_id else [])]
        route = page.live.route if page.live else None
        lost = route is not None and not is_claimed(self.world.catalog, shop_id, route.host)
        pairs = [(each, settled(each, page.live, is_host_lost=lost)) for each in stored]
        changed = [replace(after, version=after.version + 1, updated_at=now) for each, after in pairs if after != each]
        commit = Commit(puts=[put_of(each) for each in changed])
        if any(each.status == "failed" for each in changed):
            # Frees the address as well, for the next owner of the host.
            change = Change(before=page, after=unpublished(page, now), action="landing_page.lose_host")
            LandingPages(self.world).save(SYSTEM_USER_ID, change, commit)
        elif changed:
            self.world.catalog.commit(commit)
        return next((each for each in changed if each.id == publish_id), publish)

    def _drop(self, route: Route, manifest: RouteManifest) -> bool:
        """Order the CDN to drop an address; False where it does not accept that now."""
        path = page_address(route.host, route.path).removeprefix(f"https://{route.host}")
        # The revision makes a repeated order the same one, and one after the next flip another.
        reference = canonical_json.sha256([route.host, route.path, manifest.revision])
        try:
            self.cdn.invalidate([path, f"{path}?*"], reference=reference, host=route.host)
        except CdnRefusedError as error:
            # No repetition helps: the CDN keeps what it has for an hour, unless an operator drops it.
            _log.error("page.invalidation_refused", extra={"host": route.host, "path": path, "reason": str(error)})
        except CdnUnavailableError as error:
            _log.warning("page.not_invalidated", extra={"host": route.host, "reason": str(error)})
            return False
        return True
