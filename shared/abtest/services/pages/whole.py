"""Landing pages as the API shows a single one: with versions, QA runs and the newest content brief."""

from dataclasses import dataclass

from abtest.contract.landing_pages import LandingPage
from abtest.domain.pages.model import LandingPage as Aggregate
from abtest.services.pages.briefs import ContentBriefs
from abtest.services.pages.qa_runs import QaRuns
from abtest.services.pages.versions import PageVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePages:
    """Responses of single pages."""

    versions: PageVersions
    runs: QaRuns
    briefs: ContentBriefs

    def __call__(self, page: Aggregate) -> LandingPage:
        """Return the response of a page."""
        briefs = self.briefs.newest_of(page.shop_id, page.id)
        return LandingPage.of(page, self.versions.shown_with(page), self.runs.shown_with(page), briefs)
