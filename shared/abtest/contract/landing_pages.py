"""Landing pages on the wire, with their versions, publishes and QA runs."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Uuid
from abtest.contract.briefs import LandingPageContentBrief
from abtest.contract.names import Label, Name, Slug
from abtest.contract.page_specs import PageSpecInput, SeoManifestInput
from abtest.contract.shops import HostName
from abtest.domain.experiments.limits import MAX_VARIATIONS, MIN_VARIATIONS
from abtest.domain.pages.addresses import InvalidPathError, normalized_path, page_address
from abtest.domain.pages.briefs import ContentBrief
from abtest.domain.pages.model import LandingPage as Aggregate
from abtest.domain.pages.model import PageExperiment, PageStatus, PublishMode, VersionEntry
from abtest.domain.pages.publishes import PagePublish, PublishStatus
from abtest.domain.pages.qa import QaRun, QaStatus, Viewport
from abtest.domain.pages.versions import ClaimStatus, PageVersion
from abtest.domain.pages.vocabulary import PageType
from abtest.kit.ids import is_uuid

MAX_CLAIMS = 200
SHOWN_VERSIONS = 10
"""Versions that a page is shown with."""

MAX_VIEWPORTS = 5
MAX_NOTE = 5000
TOUCH_BELOW = 768
"""Width in pixels below which a device is a phone."""
SHOWN_PUBLISHES = 3
"""Publishes that a page is shown with."""

MAX_PATH_CHARACTERS = 2048
"""Before normalization, which decodes escapes and drops what means nothing."""


_NUMBER = re.compile("[1-9][0-9]{0,2}", re.ASCII)
_REFERENCE = "^([1-9][0-9]{0,2}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$"


def page_path(text: str) -> str:
    """Return the one spelling of a path. Raises PydanticCustomError."""
    try:
        return normalized_path(text)
    except InvalidPathError as error:
        raise PydanticCustomError("page_path", "must {words}", {"words": str(error)}) from error


def version_reference(text: str) -> str:
    """Return a number unchanged, or a UUID in lower case. Raises PydanticCustomError."""
    if _NUMBER.fullmatch(text):
        return text
    if not is_uuid(text):
        raise PydanticCustomError("version_reference", "must be the number of a version, such as 3, or its UUID")
    return text.lower()


VersionReference = Annotated[
    str, AfterValidator(version_reference), WithJsonSchema({"type": "string", "pattern": _REFERENCE})
]
"""Number or id of a version."""

PagePath = Annotated[
    str,
    Field(max_length=MAX_PATH_CHARACTERS),
    AfterValidator(page_path),
    WithJsonSchema(
        {
            "type": "string",
            "format": "uri-reference",
            "pattern": r"^/[^?#\\]*$",
            "maxLength": MAX_PATH_CHARACTERS,
            "examples": ["/guides/spring"],
        }
    ),
]
"""Path of a page, rewritten to its one spelling."""


class _PageFields(Input):
    page_type: PageType = ABSENT
    publish_mode: PublishMode = ABSENT
    publish_host: HostName | None = ABSENT
    publish_path: PagePath | None = ABSENT


class LandingPageCreate(_PageFields):
    """A new landing page. `page_type` defaults to `landing`, `publish_mode` to `edge`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "Spring guide", "slug": "spring-guide", "publish_path": "/guides/spring"}]
        }
    )

    name: Name
    slug: Slug


class LandingPageUpdate(_PageFields):
    """Changes to a landing page. Absent fields keep their value."""

    name: Name = ABSENT
    slug: Slug = ABSENT


class LandingPageExperimentInput(Input):
    """An experiment, and the version of the page that each of its variations shows."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "experiment_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f",
                    "versions": {
                        "0199d5a0-0000-7000-8000-00000000b001": "0199d5a0-0000-7000-8000-00000000c001",
                        "0199d5a0-0000-7000-8000-00000000b002": "0199d5a0-0000-7000-8000-00000000c002",
                    },
                }
            ]
        }
    )

    experiment_id: Uuid
    versions: Annotated[dict[Uuid, Uuid], Field(min_length=MIN_VARIATIONS, max_length=MAX_VARIATIONS)]
    """Version ids by variation id."""


class PageClaim(Input):
    """A statement of the page that needs evidence. `status` defaults to `unreviewed`."""

    text: Annotated[str, Field(min_length=1, max_length=11_000)]
    evidence_ref: Label | None = None
    status: ClaimStatus = "unreviewed"


class LandingPageVersionCreate(Input):
    """A new version. Without `claims` the figures and quotes of the spec are proposed as claims.

    Without `seo_manifest` the title is the name of the page.
    """

    spec: PageSpecInput
    brief_id: Uuid | None = ABSENT
    claims: Annotated[list[PageClaim], Field(max_length=MAX_CLAIMS)] = ABSENT
    seo_manifest: SeoManifestInput = ABSENT

    def provided(self) -> Any:
        """Return the fields of the request, with those of claims that were absent."""
        # By alias, because `fields` of a form has another name in the code.
        fields: dict[str, Any] = self.model_dump(exclude_unset=True, by_alias=True)
        if "claims" in fields:
            fields["claims"] = [claim.model_dump() for claim in self.claims]
        return fields


class LandingPageVersion(Output):
    """One version of a landing page, never changed."""

    id: Id
    landing_page_id: Id
    version_number: int
    spec: dict[str, Any]
    brief_id: Id | None
    brief_snapshot: dict[str, Any]
    gate_report: dict[str, Any]
    claims: list[Any]
    seo_manifest: dict[str, Any]
    render_manifest: dict[str, Any]
    r2_prefix: str | None
    html_key: str | None
    created_by: Id | None
    created_at: DateTime

    @classmethod
    def of(cls, version: PageVersion) -> Self:
        """Return the response of a version."""
        fields = {name: getattr(version, name) for name in cls.model_fields}
        return cls(**{**fields, "claims": list(version.claims)}).at(version.version)


class LandingPageExperiment(Output):
    """An experiment that a landing page shows, and the version of each variation: version ids by variation id."""

    experiment_id: Id
    versions: dict[str, Id]

    @classmethod
    def of(cls, linked: PageExperiment | None) -> Self | None:
        """Return the response of a link, if there is one."""
        return None if linked is None else cls(experiment_id=linked.experiment_id, versions=dict(linked.versions))


class GateOverride(Input):
    """Decision to publish in spite of checks that failed. Needs the scope `shop:write`; the reason is audited."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]


class LandingPagePublishCreate(Input):
    """A publish: by default of the current version, at the address that the page has."""

    version_id: Uuid = ABSENT
    host: HostName = ABSENT
    path: PagePath = ABSENT
    override_gate: GateOverride | None = ABSENT


class LandingPageRollback(Input):
    """The earlier publish to go back to."""

    publish_id: Uuid


class LandingPagePublish(Output):
    """One publication of a version at an address."""

    id: Id
    landing_page_id: Id
    version_id: Id
    url: str
    host: str
    path: str
    status: PublishStatus
    published_by: Id | None
    published_at: DateTime
    error: str | None

    @classmethod
    def of(cls, publish: PagePublish) -> Self:
        """Return the response of a publish."""
        address = publish.snapshot.address
        return cls(
            id=publish.id,
            landing_page_id=publish.landing_page_id,
            version_id=publish.snapshot.version_id,
            url=page_address(address.host, address.path),
            host=address.host,
            path=address.path,
            status=publish.status,
            published_by=publish.published_by,
            published_at=publish.published_at,
            error=publish.error,
        ).at(publish.version)


class QaViewport(Input):
    """A window of a browser. `device_scale` defaults to 1; `touch` to true below 768 pixels."""

    width: Annotated[int, Field(ge=320, le=3840)]
    height: Annotated[int, Field(ge=320, le=3840)]
    device_scale: Annotated[int, Field(ge=1, le=3)] = ABSENT
    touch: bool = ABSENT

    def viewport(self) -> Viewport:
        """Return the viewport with its defaults."""
        by_default = Viewport(width=self.width, height=self.height, device_scale=1, touch=self.width < TOUCH_BELOW)
        given: Any = self.provided()
        return {**by_default, **given}


class LandingPageQaRunCreate(Input):
    """A new QA run, by default of the current version, in windows of 390 and of 1280 pixels."""

    version_id: Uuid = ABSENT
    viewports: Annotated[list[QaViewport], Field(min_length=1, max_length=MAX_VIEWPORTS)] = ABSENT

    def provided(self) -> Any:
        """Return the fields of the request, viewports with their defaults."""
        fields: dict[str, Any] = super().provided()
        if "viewports" in fields:
            fields["viewports"] = [each.viewport() for each in self.viewports]
        return fields


class QaDecision(Input):
    """Remark on an approval or a rejection."""

    note: Annotated[str, Field(max_length=MAX_NOTE)] | None = ABSENT


class LandingPageQaRun(Output):
    """One check of a version before it is published, and the decision about it."""

    id: Id
    landing_page_id: Id
    version_id: Id
    status: QaStatus
    viewports: list[Any]
    screenshots: dict[str, Any]
    findings: list[Any]
    approved_by: Id | None
    approved_at: DateTime | None
    created_at: DateTime
    updated_at: DateTime

    @classmethod
    def of(cls, run: QaRun) -> Self:
        """Return the response of a run."""
        fields = {name: getattr(run, name) for name in cls.model_fields}
        return cls(**{**fields, "viewports": list(run.viewports), "findings": list(run.findings)}).at(run.version)


class _Page(Output):
    id: Id
    name: str
    slug: str
    page_type: PageType
    status: PageStatus
    publish_mode: PublishMode
    publish_host: str | None
    publish_path: str | None
    current_version_id: Id | None
    published_version_id: Id | None
    created_at: DateTime
    updated_at: DateTime


class LandingPage(_Page):
    """A landing page with its newest versions (10 at most), publishes and QA runs (3 each), and its newest brief."""

    shop_id: Id
    created_by: Id | None
    current_version: LandingPageVersion | None
    published_version: LandingPageVersion | None
    versions: list[LandingPageVersion]
    publishes: list[LandingPagePublish]
    qa_runs: list[LandingPageQaRun]
    content_briefs: list[LandingPageContentBrief]
    experiment: LandingPageExperiment | None

    @classmethod
    def of(
        cls,
        page: Aggregate,
        versions: Sequence[PageVersion],
        publishes: Sequence[PagePublish],
        runs: Sequence[QaRun],
        briefs: Sequence[ContentBrief],
    ) -> Self:
        """Return the response of a page with its newest versions, publishes and runs, and the versions it names."""
        shown = {version.id: LandingPageVersion.of(version) for version in versions}
        newest = [shown[entry.id] for entry in page.versions[: -SHOWN_VERSIONS - 1 : -1] if entry.id in shown]
        return cls(
            **{name: getattr(page, name) for name in _Page.model_fields},
            shop_id=page.shop_id,
            created_by=page.created_by,
            current_version=shown.get(page.current_version_id or ""),
            published_version=shown.get(page.published_version_id or ""),
            versions=newest,
            publishes=[LandingPagePublish.of(publish) for publish in publishes],
            qa_runs=[LandingPageQaRun.of(run) for run in runs],
            content_briefs=[LandingPageContentBrief.of(brief) for brief in briefs],
            experiment=LandingPageExperiment.of(page.experiment),
        ).at(page.version)


class VersionSummary(Output):
    """Id and age of a version."""

    id: Id
    created_at: DateTime

    @classmethod
    def of(cls, entry: VersionEntry | None) -> Self | None:
        """Return the summary of a version, if there is one."""
        return None if entry is None else cls(id=entry.id, created_at=entry.created_at)


class PageCounts(Output):
    """Numbers of records of a landing page."""

    versions: int
    publishes: int
    qa_runs: int


class LandingPageSummary(_Page):
    """A landing page in a list."""

    current_version: VersionSummary | None
    published_version: VersionSummary | None
    counts: Annotated[PageCounts, Field(alias="_count")]

    @classmethod
    def of(cls, page: Aggregate) -> Self:
        """Return the response of a page in a list."""
        counts = PageCounts(versions=len(page.versions), publishes=page.publishes, qa_runs=page.qa_runs)
        fields: dict[str, Any] = {name: getattr(page, name) for name in _Page.model_fields} | {"_count": counts}
        return cls(
            **fields,
            current_version=VersionSummary.of(page.entry(page.current_version_id)),
            published_version=VersionSummary.of(page.entry(page.published_version_id)),
        ).at(page.version)
