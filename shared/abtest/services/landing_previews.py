"""Landing pages while they are written: rendered as a version would be, shown for a while, and not kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from abtest.domain.pages.shown import shown
from abtest.domain.preview.landing import page_key, write_page
from abtest.domain.preview.session import PreviewSession
from abtest.kit.clock import timestamp
from abtest.ports.blobs import Blobs
from abtest.ports.limits import RateLimiter
from abtest.services.context import Caller
from abtest.services.pages.versions import PageVersions
from abtest.services.preview_sessions import OpenPreview, PreviewSessions
from abtest.services.rate_limits import take_token

SECONDS = 3600
PER_MINUTE = 120
"""Of a shop: someone who types without a pause makes one a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingPreviews:
    """Previews of content before a version is written. `delivery` keeps what they show for a day at most."""

    versions: PageVersions
    sessions: PreviewSessions
    delivery: Blobs
    limiter: RateLimiter

    def open(self, caller: Caller, page_id: str, fields: Mapping[str, Any]) -> OpenPreview:
        """Return a preview of what a version with these fields would show.

        Raises NotFoundError, DocumentTooLargeError, ValidationFailedError, RateLimitedError, BlobsUnavailableError.
        """
        page = self.versions.pages.get(caller.shop_id, page_id)
        world = self.sessions.world
        take_token(
            self.limiter,
            world.clock,
            f"landing-preview#{caller.shop_id}",
            "previews of landing pages of this shop",
            limit=PER_MINUTE,
            window_seconds=60,
            per="a minute",
        )
        made = self.versions.rendered(page, fields)
        session = PreviewSession(
            id=world.new_id(),
            shop_id=caller.shop_id,
            url=made.site.canonical_address,
            hosts=(),
            audience="landing_page",
            created_by=caller.user_id,
            expires_at=timestamp(world.clock.now() + timedelta(seconds=SECONDS)),
        )
        content = write_page(shown(made.page, made.site))
        self.delivery.put(page_key(session.id), content, content_type="application/json")
        self.sessions.keep(session)
        return self.sessions.opened(session)
