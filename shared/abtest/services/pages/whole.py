"""Landing pages as the API shows a single one: with versions, publishes, QA runs and the newest content brief."""

from dataclasses import dataclass

from abtest.contract.landing_pages import SHOWN_PUBLISHES, LandingPage
from abtest.domain.pages.model import LandingPage as Aggregate
from abtest.services.pages.briefs import ContentBriefs
from abtest.services.pages.publish_records import PagePublishes
from abtest.services.pages.qa_runs import QaRuns
from abtest.services.pages.versions import PageVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePages:
    """Responses of single pages."""

    versions: PageVersions
    runs: QaRuns
    briefs: ContentBriefs
    publishes: PagePublishes

    def __call__(self, page: Aggregate) -> LandingPage:
        """Return the response of a page."""
        # A page that was never published costs no read.
        newest = self.publishes.page(page.shop_id, page.id, limit=SHOWN_PUBLISHES)[0] if page.publishes else []
        runs, briefs = self.runs.shown_with(page), self.briefs.newest_of(page.shop_id, page.id)
        return LandingPage.of(page, self.versions.shown_with(page), newest, runs, briefs)
