"""Landing page: its name and address, its versions in order, and its status."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from abtest.domain.pages.vocabulary import PageType
from abtest.kit.clock import Timestamp

PageStatus = Literal["draft", "in_review", "ready", "published", "unpublished", "archived"]
PublishMode = Literal["edge", "export"]

MAX_PAGES = 500
"""Landing pages of a shop."""

MAX_VERSIONS = 200
"""Versions of a landing page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """Version in the list that a page has of its versions, with its latest approved QA run."""

    id: str
    created_at: Timestamp
    approved_qa_run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageExperiment:
    """Experiment that a page takes part in, with the version that each variation shows."""

    experiment_id: str
    versions: Mapping[str, str]
    """Version id by variation id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Normalized host and path."""

    host: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePublish:
    """Publish that is online, or that an exported page was last given out as, which has no route.

    `experiment_id` is that of its variants, which visitors get only at a route.
    """

    publish_id: str
    route: Route | None = None
    experiment_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LandingPage:
    """One landing page of a shop. Versions, publishes and QA runs are records of their own.

    Number n is the n-th of `versions`. `publishes` and `qa_runs` count the records. `seat` is a number below MAX_PAGES
    that no other page of the shop has. A publish takes the `experiment` that is linked at that moment. What `live`
    names is the truth about its address; `latest_publish_id` stays when it is taken offline.
    """

    id: str
    shop_id: str
    version: int = 0
    seat: int
    name: str
    slug: str
    page_type: PageType = "landing"
    status: PageStatus = "draft"
    publish_mode: PublishMode = "edge"
    publish_host: str
    publish_path: str | None = None
    versions: tuple[VersionEntry, ...] = ()
    current_version_id: str | None = None
    published_version_id: str | None = None
    experiment: PageExperiment | None = None
    live: LivePublish | None = None
    latest_publish_id: str | None = None
    publishes: int = 0
    qa_runs: int = 0
    created_by: str | None = None
    archived_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def was_published(self) -> bool:
        """True once it had a publish, also a failed one: visitors may have seen it."""
        return self.publishes > 0

    def entry(self, version_id: str | None) -> VersionEntry | None:
        """Return the entry of a version, if the page has it."""
        return next((entry for entry in self.versions if entry.id == version_id), None)

    def is_approved(self, version_id: str) -> bool:
        """Return whether a QA run of this version was approved."""
        entry = self.entry(version_id)
        return entry is not None and entry.approved_qa_run_id is not None


def experiment_name(experiment_id: str) -> str:
    """Return the name by which a landing page claims an experiment, in its shop."""
    return f"LP#EXPERIMENT#{experiment_id}"


def experiments_of(page: LandingPage | None) -> frozenset[str]:
    """Return the experiments that a page claims: the one that is linked, and the one that is online still."""
    linked = page.experiment.experiment_id if page and page.experiment else None
    online = page.live.experiment_id if page and page.live else None
    return frozenset(each for each in (linked, online) if each is not None)


def edited(page: LandingPage, changes: Mapping[str, Any], now: Timestamp) -> LandingPage:
    """Return the page with these fields; the same one when nothing differs."""
    after = replace(page, **changes)
    return page if after == page else replace(after, updated_at=now)
