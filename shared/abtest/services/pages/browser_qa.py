"""QA of a version in a browser: the page as it is going to be published, looked at in each viewport of the run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.model import Asset, AssetUse, MadeBy
from abtest.domain.browsing.viewport import Viewport
from abtest.domain.egress.targets import endpoints
from abtest.domain.pages.qa import Finding, finding
from abtest.domain.pages.routes import PAGE_CONTENT_TYPE, document_headers
from abtest.domain.pages.site import Site
from abtest.domain.qa.facts import Look, Page
from abtest.domain.qa.findings import findings, window
from abtest.kit.clock import from_milliseconds
from abtest.kit.errors import LimitReachedError, ValidationFailedError
from abtest.kit.ids import named_uuid7, uuid7_milliseconds
from abtest.ports.browser import Browser, Browsers, Fixed, PageFailedError
from abtest.ports.browser import Picture as Image
from abtest.services.assets.pictures import Picture, Pictures
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.looks import look_at
from abtest.services.pages.qa_subjects import Seen, Subject

MAX_NAME = 200

# The snippet shows crawlers no experiment: else a picture would have, by chance, the texts of whatever runs there.
_AS_CRAWLER = "Object.defineProperty(Navigator.prototype, 'webdriver', {get: () => true})"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserQa:
    """Visits of pages that are not published yet. `origin` is that of public files.

    `own_urls` are addresses of this service, which pages may load from this machine where that is allowed at all.
    """

    browsers: Browsers
    documents: PageDocuments
    pictures: Pictures
    origin: str
    own_urls: Sequence[str] = ()

    def seen(self, subject: Subject) -> Seen:
        """Open the page in each viewport. A picture has the same id in each attempt, so that none is stored twice.

        Raises BrowserLostError, BlobsUnavailableError: the run has to be begun again.
        """
        try:
            html, policy = self.documents.shown(subject.version, subject.site)
        except ValidationFailedError as error:
            return Seen([finding("browser", "error", f"the page cannot be opened: {error.message}")], {})
        answers = Answers(subject.site, html, policy)
        visits = Visits(self, subject, answers)
        with self.browsers.open(may_reach=endpoints(self.own_urls)) as browser:
            for place, viewport in enumerate(dict.fromkeys(Viewport(**each) for each in subject.run.viewports)):
                visits.visit(browser, place, viewport)
        page = Page(
            address=subject.site.canonical_address,
            edge_origin=subject.site.edge_origin,
            assets_origin=subject.site.assets_origin,
            banned_phrases=() if subject.brand.mode == "off" else subject.brand.voice.banned_phrases,
            is_strict=subject.brand.mode == "strict",
        )
        return Seen([*visits.problems, *findings(visits.looks, page)], visits.screenshots)


@dataclass(frozen=True, slots=True)
class Answers:
    """Responses to the page's requests: the document from its stored bytes, as the edge is going to send it.

    The snippet and the shop's assets come from the network. Events are dropped, because a run does not count as a
    visitor; everything else is refused, because the page may not need it.
    """

    site: Site
    html: bytes
    policy: str

    def __call__(self, url: str) -> Fixed | None:
        if url == self.site.canonical_address:
            headers = {"content-type": PAGE_CONTENT_TYPE, **document_headers(self.policy)}
            return Fixed(200, headers, self.html)
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin == self.site.edge_origin and parts.path.rstrip("/").endswith("/events"):
            return Fixed(202, {"access-control-allow-origin": "*", "access-control-allow-headers": "*"}, b"")
        if origin in (self.site.edge_origin, self.site.assets_origin) or parts.scheme not in ("http", "https"):
            return None
        return Fixed(403, {}, b"")


@dataclass(slots=True)
class Visits:
    """Visits of one run, and what was seen so far."""

    qa: BrowserQa
    subject: Subject
    answers: Answers
    looks: list[Look] = field(default_factory=list)
    problems: list[Finding] = field(default_factory=list)
    screenshots: dict[str, Any] = field(default_factory=dict)

    def visit(self, browser: Browser, place: int, viewport: Viewport) -> None:
        """Open the page in a viewport, take its picture as visitors see it, then look at it."""
        try:
            address = self.subject.site.canonical_address
            with browser.visit(address, viewport, answers=self.answers, init_script=_AS_CRAWLER) as visit:
                image = visit.picture(full_page=True)
                self.looks.append(look_at(visit, viewport, at_all_widths=not self.looks))
        except PageFailedError as error:
            self._note(viewport, "error", f"the page {error.reason}, so it was not checked in this window")
            return
        self._store(place, viewport, image)

    def _store(self, place: int, viewport: Viewport, image: Image) -> None:
        try:
            asset = self.qa.pictures.store(self._picture(place, viewport, image.png))
        except (InvalidAssetError, LimitReachedError) as error:
            self._note(viewport, "warn", f"the picture was not stored: {error.message}")
            return
        self.screenshots[label(viewport)] = self._shown(asset, image)

    def _picture(self, place: int, viewport: Viewport, png: bytes) -> Picture:
        job, page, size = self.subject.job, self.subject.page, f"{viewport.width}x{viewport.height}"
        name = f"{page.name}, version {self.subject.version.version_number}, {size}"
        return Picture(
            asset_id=picture_id(self.subject.run.id, place),
            shop_id=job.shop_id,
            user_id=job.created_by,
            name=name[-MAX_NAME:],
            file_name=f"qa-{page.slug[:60]}-{size}.png",
            png=png,
            made_by=MadeBy(job_id=job.id, shown_by=AssetUse(kind="LP", id=page.id)),
        )

    def _shown(self, asset: Asset, image: Image) -> dict[str, Any]:
        return {
            "asset_id": asset.id,
            "public_url": f"{self.qa.origin}/{asset.file_key}",
            "width": image.width,
            "height": image.height,
            "truncated": image.is_truncated,
        }

    def _note(self, viewport: Viewport, severity: Any, message: str) -> None:
        self.problems.append({**finding("browser", severity, message), "viewport": window(viewport)})


def label(viewport: Viewport) -> str:
    """Return the name of a viewport in `screenshots`, such as `390x844@2-touch`."""
    size = f"{viewport.width}x{viewport.height}@{viewport.device_scale}"
    return f"{size}-touch" if viewport.touch else size


def picture_id(run_id: str, place: int) -> str:
    """Return the id of the picture of the run's viewport at this place."""
    moment = from_milliseconds(uuid7_milliseconds(run_id)) + timedelta(microseconds=place)
    return named_uuid7(moment, f"qa-run#{run_id}#{place}")
