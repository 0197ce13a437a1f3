"""Store profile on the wire."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Self, TypeVar

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output
from abtest.contract.errors import ErrorBody, ErrorEnvelope
from abtest.contract.shops import ShopSummary
from abtest.contract.urls import WebUrl
from abtest.domain.brand.context import BrandContext
from abtest.domain.jobs.model import Job, JobStatus
from abtest.domain.profiles import model
from abtest.domain.profiles.context import brand_prompt, store_context
from abtest.domain.profiles.model import ColourRole, FactStatus, FindingStatus, Severity
from abtest.domain.profiles.review import Review
from abtest.domain.profiles.runs import report_from
from abtest.domain.settings.shop import Shop
from abtest.kit.documents import encode

M = TypeVar("M", bound=Output)

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]


class StoreProfileRunCreate(Input):
    """A run of the profile. Its pages are those of the origin that `url` leads to."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"url": "https://www.garden.example/"}]})

    url: WebUrl = ABSENT


class StoreFactReview(Input):
    """A person's word on a fact."""

    status: Review


class StoreFindingReview(Input):
    """A person's word on a finding."""

    status: FindingStatus


class StoreProfileRunProgress(Output):
    """Pages of a run: how many are done, of how many, and the address that is requested now."""

    done: Count
    of: Count
    url: str | None


class StoreProfileRunPage(Output):
    """Page of a run: the status that it answered, or the problem for which it was not read."""

    kind: str
    url: str
    status: int | None
    problem: str | None


class StoreProfileRun(Output):
    """A run of the profile."""

    id: Id
    status: JobStatus
    url: str
    progress: StoreProfileRunProgress
    pages: list[StoreProfileRunPage]
    error: str | None
    created_by: Id
    created_at: DateTime
    completed_at: DateTime | None

    @classmethod
    def of(cls, job: Job) -> Self:
        """Return the response of a run's job."""
        report = report_from(job.result)
        return cls(
            id=job.id,
            status=job.status,
            url=job.request["url"],
            progress=StoreProfileRunProgress(done=report.done, of=report.of, url=report.url),
            pages=[StoreProfileRunPage.model_validate(encode(page)) for page in report.pages],
            error=job.error,
            created_by=job.created_by,
            created_at=job.created_at,
            completed_at=job.completed_at,
        ).at(job.version)


class RunInProgressErrorBody(ErrorBody):
    """`conflict`: the run that has not ended."""

    run_id: Id = ABSENT
    run_status: JobStatus = ABSENT


class RunInProgressEnvelope(ErrorEnvelope):
    """`conflict`: the run that has not ended is also named next to the error."""

    error: RunInProgressErrorBody
    run_id: Id = ABSENT
    run_status: JobStatus = ABSENT


class StoreFact(Output):
    """Statement about the store, suggested by a run and reviewed by people."""

    id: Id
    key: str
    value: str
    status: FactStatus
    confidence: Share
    source_url: str
    evidence_ids: list[Id]
    updated_at: DateTime
    updated_by: Id | None


class StoreFinding(Output):
    """Problem of the store that runs saw."""

    id: Id
    kind: str
    severity: Severity
    message: str
    what_to_do: str
    status: FindingStatus
    first_seen: DateTime
    last_seen: DateTime
    evidence_ids: list[Id]
    updated_by: Id | None


class StoreEvidence(Output):
    """Quotation from a page. `sha256` is that of the whole response, "" for an address without one."""

    id: Id
    url: str
    excerpt: Annotated[str, Field(max_length=500)]
    sha256: str
    fetched_at: DateTime


class StoreTool(Output):
    """Platform or tool that the pages show."""

    key: str
    name: str
    confidence: Share
    details: dict[str, list[str]]
    evidence_ids: list[Id]


class StoreSnippet(Output):
    """Our snippet on the pages of the run."""

    pages: Count
    present_on: Count
    is_first: bool
    is_synchronous: bool
    problems: list[str]


class StorePageWeight(Output):
    """Average page of a kind."""

    kind: str
    pages: Count
    bytes: Count
    scripts: Count


class StoreTechnicalProfile(Output):
    """Technology of the store, as the last completed run saw it."""

    platform: StoreTool | None
    theme: str | None
    languages: list[str]
    hreflang: list[str]
    currencies: list[str]
    consent_providers: list[StoreTool]
    tag_managers: list[StoreTool]
    analytics: list[StoreTool]
    experiment_tools: list[StoreTool]
    frameworks: list[StoreTool]
    has_data_layer: bool
    security_headers: dict[str, str | None]
    snippet: StoreSnippet
    page_weights: list[StorePageWeight]
    learned_at: DateTime


class StoreColour(Output):
    """Colour of the style sheets, with its share of all uses."""

    value: str
    share: Share
    roles: list[ColourRole]
    properties: list[str]


class StoreFont(Output):
    """Font of the style sheets, with its share of all uses."""

    family: str
    share: Share


class StoreRoleColour(Output):
    """Colour of the whole page's background or text, or the accent, and the declaration that makes it that."""

    role: ColourRole
    value: str
    declared: str


class StoreLook(Output):
    """Colours and fonts of the style sheets, the most used first."""

    colours: list[StoreColour]
    fonts: list[StoreFont]
    roles: list[StoreRoleColour]


class StoreTone(Output):
    """Tone of the texts as counts. A rate is null where it cannot be counted."""

    headlines: Count
    words_per_headline: float | None
    exclamation_share: Share | None
    second_person_share: Share | None
    calls_to_action: list[str]


class StoreBrandProfile(Output):
    """Brand of the store, as the last completed run saw it."""

    name: str | None
    logo: str | None
    look: StoreLook
    tone: StoreTone
    learned_at: DateTime


class StoreLesson(Output):
    """Completed experiment: outcome, lift of its deciding goal with the interval, and the learning of its team."""

    experiment_id: Id
    name: str
    outcome: str | None
    learning: str | None
    ended_at: DateTime | None
    page_kind: str | None
    changes: list[str]
    goal: str | None
    variation: str | None
    lift: float | None
    lift_lower: float | None
    lift_upper: float | None


class StoreLessonGroup(Output):
    """Experiments on one kind of page, or with one kind of change, by outcome."""

    name: str
    experiments: Count
    won: Count
    lost: Count
    inconclusive: Count


class StoreLearningRun(Output):
    """Completed experiments of the shop, the newest first. `more` are older ones without a row."""

    learned_at: DateTime
    lessons: list[StoreLesson]
    more: Count
    by_page_kind: list[StoreLessonGroup]
    by_change: list[StoreLessonGroup]


class StoreProfileResponse(Output):
    """Profile of the store: what runs saw, what people confirmed, and what waits for them."""

    schemaReady: Annotated[bool, Field(json_schema_extra={"const": True})]
    shopId: Id
    shop: ShopSummary
    latestRun: StoreProfileRun | None
    brandProfile: StoreBrandProfile | None
    technicalProfile: StoreTechnicalProfile | None
    latestLearningRun: StoreLearningRun | None
    storeProfileContext: dict[str, list[str]] | None
    brandPromptBlock: str
    findings: list[StoreFinding]
    facts: list[StoreFact]
    evidence: list[StoreEvidence]
    unreviewedCount: Count
    suggestedFactsCount: Count
    confirmedFactsCount: Count
    rejectedFactsCount: Count
    openReviewCount: Count

    @classmethod
    def of(cls, profile: model.StoreProfile, *, shop: Shop, run: Job | None, brand: BrandContext) -> Self:
        """Return the response of a profile, of its shop, its latest run, and the brand that people wrote."""
        suggested, open_findings = len(profile.facts_in("suggested")), len(profile.open_findings)
        context = store_context(profile)
        return cls(
            schemaReady=True,
            shopId=profile.shop_id,
            shop=_summary(shop),
            latestRun=StoreProfileRun.of(run) if run else None,
            brandProfile=_mirrored(StoreBrandProfile, profile.brand),
            technicalProfile=_mirrored(StoreTechnicalProfile, profile.technical),
            latestLearningRun=_mirrored(StoreLearningRun, profile.learning),
            storeProfileContext={key: list(values) for key, values in context.items()} if context else None,
            brandPromptBlock=brand_prompt(brand, profile),
            findings=[StoreFinding.model_validate(encode(each)) for each in profile.findings],
            facts=[StoreFact.model_validate(encode(each)) for each in profile.facts],
            evidence=[StoreEvidence.model_validate(encode(each)) for each in profile.evidence],
            unreviewedCount=suggested + open_findings,
            suggestedFactsCount=suggested,
            confirmedFactsCount=len(profile.facts_in("confirmed")),
            rejectedFactsCount=len(profile.facts_in("rejected")),
            openReviewCount=open_findings,
        ).at(profile.version, shows_others=True)


def _summary(shop: Shop) -> ShopSummary:
    fields: dict[str, Any] = {name: getattr(shop, name) for name in ShopSummary.model_fields}
    return ShopSummary(**fields)


def _mirrored(kind: type[M], value: Any | None) -> M | None:
    """Return the model of a dataclass that has the same fields; None for None."""
    return None if value is None else kind.model_validate(encode(value))
