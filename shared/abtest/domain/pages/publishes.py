"""Publish of a landing page: a snapshot of its documents and address, and what it makes of the page.

A publish is never edited but for its status. The truth about an address is the publish that its page names as `live`.
"""

from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.pages.model import LandingPage, LivePublish, PageStatus, Route
from abtest.domain.pages.routes import PageDocument, RouteManifest
from abtest.domain.pages.states import refuse_not_allowed
from abtest.kit.clock import Timestamp

PublishStatus = Literal["publishing", "published", "failed", "superseded", "unpublished"]

HOST_LOST = "the host is no longer an install domain of the shop"

_OPEN: frozenset[PublishStatus] = frozenset({"publishing", "published"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Document of one variation of the experiment."""

    variation_id: str
    document: PageDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Documents of a publish and their address. An export is at no address; the file names it as canonical."""

    version_id: str
    address: Route
    is_export: bool = False
    base: PageDocument
    experiment_id: str | None = None
    variants: tuple[Variant, ...] = ()
    overridden: tuple[str, ...] = ()
    """Checks that failed and were overridden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePublish:
    """One publish of a page.

    `former_id` and `former_route` are those of the publish that it replaced, so that it can be completed by itself.
    """

    id: str
    shop_id: str
    version: int = 0
    landing_page_id: str
    snapshot: Snapshot
    status: PublishStatus = "publishing"
    former_id: str | None = None
    former_route: Route | None = None
    published_by: str | None = None
    published_at: Timestamp
    updated_at: Timestamp
    error: str | None = None

    @property
    def route(self) -> Route | None:
        """Return the address at which visitors get it; an export has none."""
        return None if self.snapshot.is_export else self.snapshot.address

    @property
    def routes(self) -> list[Route]:
        """Return the addresses that it changes: its own first, so that a moved page is never without one."""
        return [route for route in dict.fromkeys((self.route, self.former_route)) if route is not None]


def published(page: LandingPage, publish: PagePublish) -> LandingPage:
    """Return the page with this publish. A version in work keeps its status while another one goes online."""
    kept = publish.snapshot
    in_work = kept.version_id != page.current_version_id and page.status not in ("published", "unpublished")
    status: PageStatus = page.status if in_work else "published"
    return replace(
        page,
        status=status,
        live=LivePublish(
            publish_id=publish.id,
            route=publish.route,
            experiment_id=None if kept.is_export else kept.experiment_id,
        ),
        latest_publish_id=publish.id,
        published_version_id=kept.version_id,
        publish_host=kept.address.host,
        publish_path=kept.address.path,
        publishes=page.publishes + 1,
        updated_at=publish.published_at,
    )


def unpublished(page: LandingPage, now: Timestamp) -> LandingPage:
    """Return the page offline. Raises InvalidStateTransitionError for one that was never online."""
    if page.status == "unpublished":
        return page
    refuse_not_allowed(page, "unpublish")
    return replace(page, status="unpublished", live=None, published_version_id=None, updated_at=now)


def settled(publish: PagePublish, live: LivePublish | None, *, is_host_lost: bool = False) -> PagePublish:
    """Return a publish, whose addresses are up to date, with the status that follows from the live one.

    The live one has failed where its host is no longer the shop's.
    """
    if publish.status not in _OPEN:
        return publish
    if is_host_lost and live is not None and live.publish_id == publish.id:
        return replace(publish, status="failed", error=HOST_LOST)
    status: PublishStatus = "published" if live is not None and live.publish_id == publish.id else "superseded"
    return replace(publish, status=status)


def manifest_after(current: RouteManifest | None, truth: PagePublish | None, now: Timestamp) -> RouteManifest | None:
    """Return the manifest that an address should have, the current one where that is right.

    Without a publish it is `gone`, and keeps what it had. An address that was never published has none.
    """
    if truth is not None:
        shown = RouteManifest(
            revision=0,
            status="live",
            shop_id=truth.shop_id,
            landing_page_id=truth.landing_page_id,
            publish_id=truth.id,
            base=truth.snapshot.base,
            experiment_id=truth.snapshot.experiment_id,
            variants={each.variation_id: each.document for each in truth.snapshot.variants},
            flipped_at=now,
        )
    elif current is None:
        return None
    else:
        shown = replace(current, status="gone")
    revision = 0 if current is None else current.revision
    if current is not None and replace(shown, revision=revision, flipped_at=current.flipped_at) == current:
        return current
    return replace(shown, revision=revision + 1, flipped_at=now)
