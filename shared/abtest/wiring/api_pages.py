"""Composition root of the landing pages family."""

from abtest.services.assets.uses import AssetLibrary
from abtest.services.jobs import Jobs
from abtest.services.landing_previews import LandingPreviews
from abtest.services.pages.briefs import ContentBriefs
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.experiments import PageExperiments
from abtest.services.pages.flips import PageFlips
from abtest.services.pages.inlined import InlinedAssets
from abtest.services.pages.pages import LandingPages
from abtest.services.pages.publish_records import PagePublishes
from abtest.services.pages.publishing import Publishing
from abtest.services.pages.qa_runs import PageChecks, QaRuns
from abtest.services.pages.sites import Sites
from abtest.services.pages.snapshots import Snapshots
from abtest.services.pages.versions import PageVersions
from abtest.services.pages.whole import WholePages
from abtest.services.publish_requests import RequestedStorefronts
from abtest.wiring.api import Management, Uses
from abtest.wiring.cdn import cdn_of
from abtest.wiring.previews import preview_sessions


def pages_uses(base: Management) -> Uses:
    """Return the use cases of landing pages and content briefs. Raises MissingSettingError."""
    base.settings.need("worker_base_url", "assets_base_url")
    catalog, assets_base_url = base.world.catalog, base.settings.assets_base_url
    sites = Sites(catalog=catalog, worker_base_url=base.settings.worker_base_url, assets_base_url=assets_base_url)
    library = AssetLibrary(catalog=catalog, assets_base_url=assets_base_url)
    pages, briefs = LandingPages(base.world, RequestedStorefronts(base.publish_queue)), ContentBriefs(base.world)
    versions = PageVersions(pages, briefs, sites, library, base.delivery)
    checks = Jobs(base.world, "page_check", base.page_queue)
    # Without a browser, a run has the checks that need none.
    in_browser = Jobs(base.world, "qa_run", base.screenshot_queue) if base.has_browser else None
    runs = QaRuns(versions, in_browser or checks, base.limiter)
    inlined = InlinedAssets(files=base.public_files)
    documents = PageDocuments(delivery=base.delivery, library=library, inlined=inlined)
    experiments = PageExperiments(pages)
    snapshots = Snapshots(
        catalog=base.world.catalog, versions=versions, experiments=experiments, sites=sites, documents=documents
    )
    flips = PageFlips(world=base.world, delivery=base.delivery, cdn=cdn_of(base.settings))
    return {
        ContentBriefs: briefs,
        LandingPages: pages,
        LandingPreviews: LandingPreviews(
            versions=versions, sessions=preview_sessions(base), delivery=base.delivery, limiter=base.limiter
        ),
        PageExperiments: experiments,
        PageVersions: versions,
        Publishing: Publishing(pages, snapshots, flips),
        QaRuns: runs,
        PageChecks: PageChecks(versions, checks, base.limiter),
        WholePages: WholePages(
            versions=versions, publishes=PagePublishes(base.world.catalog), runs=runs, briefs=briefs
        ),
    }
