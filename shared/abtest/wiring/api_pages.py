"""Composition root of the landing pages family."""

from abtest.services.pages.briefs import ContentBriefs
from abtest.services.pages.pages import LandingPages
from abtest.wiring.api import Management, Uses


def pages_uses(base: Management) -> Uses:
    """Return the use cases of landing pages and content briefs."""
    return {
        ContentBriefs: ContentBriefs(base.world),
        LandingPages: LandingPages(base.world),
    }
