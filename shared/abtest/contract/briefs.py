"""Content briefs on the wire."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Unique, Uuid
from abtest.contract.names import READABLE, Label
from abtest.domain.pages.briefs import BriefSource, BriefStatus, ContentBrief
from abtest.domain.pages.vocabulary import PageType

MAX_REFS = 100
MAX_POINTS = 50

References = Annotated[list[Label], Field(max_length=MAX_REFS), Unique]
Point = Annotated[str, Field(min_length=1, max_length=1000), READABLE]
Points = Annotated[list[Point], Field(max_length=MAX_POINTS)]
Text = Annotated[str, Field(min_length=1, max_length=2000)]

_EXAMPLE: dict[str, Any] = {
    "format": "listicle",
    "angle": "Five reasons why gardeners switch to copper tools",
    "audience": "Owners of small gardens who buy tools once",
    "traffic_source": "Newsletter",
    "keyword_intent": "copper garden tools",
    "offer_refs": ["SPRING-10"],
    "product_refs": ["trowel-copper-01"],
    "objections": ["Copper is too soft for stony ground."],
    "proof_points": ["4.8 of 5 stars in 1,204 reviews"],
    "outline": ["The problem with rust", "Five reasons", "Questions and answers"],
}


class _BriefFields(Input):
    landing_page_id: Uuid | None = ABSENT
    source: BriefSource = ABSENT
    status: BriefStatus = ABSENT
    audience: Text | None = ABSENT
    traffic_source: Label | None = ABSENT
    keyword_intent: Label | None = ABSENT
    offer_refs: References = ABSENT
    product_refs: References = ABSENT
    objections: Points = ABSENT
    proof_points: Points = ABSENT
    outline: Points = ABSENT


class ContentBriefCreate(_BriefFields):
    """A new content brief. `source` defaults to `manual`, `status` to `draft`, lists are empty."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    format: PageType
    angle: Label


class ContentBriefUpdate(_BriefFields):
    """Changes to a content brief. Absent fields keep their value, lists are replaced as a whole."""

    format: PageType = ABSENT
    angle: Label = ABSENT


class LandingPageContentBrief(Output):
    """Content of a landing page before it is written: what it should say, to whom, and with which proof."""

    id: Id
    shop_id: Id
    landing_page_id: Id | None
    source: BriefSource
    status: BriefStatus
    format: PageType
    angle: str
    audience: str | None
    traffic_source: str | None
    keyword_intent: str | None
    offer_refs: list[str]
    product_refs: list[str]
    objections: list[str]
    proof_points: list[str]
    outline: list[str]
    created_at: DateTime

    @classmethod
    def of(cls, brief: ContentBrief) -> Self:
        """Return the response of a brief."""
        values = {name: getattr(brief, name) for name in cls.model_fields}
        lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
        return cls(**{**values, **lists}).at(brief.version)
