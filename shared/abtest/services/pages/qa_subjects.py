"""Subject of a QA run in a browser, and its outcome."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from abtest.domain.brand.context import BrandContext
from abtest.domain.jobs.model import Job
from abtest.domain.pages.model import LandingPage
from abtest.domain.pages.qa import Finding, QaRun
from abtest.domain.pages.site import Site
from abtest.domain.pages.versions import PageVersion


class Subject(NamedTuple):
    """Version that a run is about, with everything that its checks depend on."""

    job: Job
    run: QaRun
    page: LandingPage
    version: PageVersion
    site: Site
    brand: BrandContext


class Seen(NamedTuple):
    """Outcome of a browser's visits: findings, and the picture of each viewport by its label."""

    findings: Sequence[Finding]
    screenshots: Mapping[str, Any]
