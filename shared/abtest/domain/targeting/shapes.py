"""Shapes of targeting: as shops state it (docs/targeting.md), and compiled (section 1 of docs/data-model.md)."""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

Attribute = Literal[
    "device",
    "browser",
    "os",
    "language",
    "country",
    "region",
    "city",
    "traffic_source",
    "currency",
    "market",
    "referrer",
    "url",
    "utm",
    "query",
    "cookie",
    "page",
    "data_layer",
    "visitor",
    "visits",
    "days_since_first_visit",
    "days_since_last_visit",
    "pages_viewed",
    "screen_width",
    "screen_height",
    "logged_in",
    "customer_tags",
    "cart_value",
    "cart_items",
    "local_day",
    "local_hour",
    "local_time",
]

Operator = Literal[
    "equals",
    "not_equals",
    "in",
    "not_in",
    "contains",
    "not_contains",
    "starts_with",
    "ends_with",
    "matches",
    "not_matches",
    "gt",
    "gte",
    "lt",
    "lte",
    "exists",
    "not_exists",
]

MatchMode = Literal["any", "all"]
Scalar = str | bool | int | float
Condition = Mapping[str, object]
"""A condition of section 2.2: operators and paths nest freely, so its values are examined where they are read."""


class UrlRule(TypedDict):
    """One pattern that an address is tested against; `include` false makes it an exception."""

    type: Literal["simple", "regex"]
    pattern: str
    include: NotRequired[bool]


class Trigger(TypedDict):
    """Moment of a page view from which a page rule holds."""

    type: Literal["immediate", "dom_ready", "element", "event", "delay"]
    selector: NotRequired[str]
    eventName: NotRequired[str]
    ms: NotRequired[int]


class Page(TypedDict):
    """URL rules of a page, its condition and its trigger."""

    includeRules: list[UrlRule]
    excludeRules: list[UrlRule]
    advancedCondition: NotRequired[Condition | None]
    trigger: NotRequired[Trigger]


class TargetedPage(TypedDict):
    """Page rule of a targeting: one of its own, or a page of the shop by `pageId`."""

    id: str
    pageId: NotRequired[str]
    includeRules: NotRequired[list[UrlRule]]
    excludeRules: NotRequired[list[UrlRule]]
    name: NotRequired[str]
    include: NotRequired[bool]
    disabled: NotRequired[bool]
    advancedCondition: NotRequired[Condition | None]
    trigger: NotRequired[Trigger]


PageRules = TargetedPage
"""Page rule of a goal; stored ones may name a page, as older releases let them."""


class Comparison(TypedDict):
    """One attribute against a value."""

    attribute: Attribute
    operator: Operator
    value: NotRequired[Scalar | list[Scalar]]
    key: NotRequired[str]
    timezone: NotRequired[str]


class AudienceRules(TypedDict):
    """Comparisons and groups of comparisons, joined by `and` or `or`."""

    operator: Literal["and", "or"]
    conditions: NotRequired[list[Comparison]]
    groups: NotRequired[list["AudienceRules"]]


class Audience(TypedDict):
    """A saved audience, as far as targeting reads it."""

    rules: AudienceRules


class TargetedAudience(TypedDict):
    """Audience rule of a targeting: one of its own, or an audience of the shop by `audienceId`."""

    id: str
    audienceId: NotRequired[str]
    rules: NotRequired[AudienceRules]
    name: NotRequired[str]
    include: NotRequired[bool]
    disabled: NotRequired[bool]


class CheckoutBlock(TypedDict):
    """Mark of a checkout block."""

    enabled: bool


class Targeting(TypedDict, total=False):
    """Page rules and audience rules; absent ones restrict nothing."""

    pageMatchMode: MatchMode
    pageRules: list[TargetedPage]
    segmentMatchMode: MatchMode
    segmentRules: list[TargetedAudience]
    surface: Literal["checkout"]
    checkoutBlock: CheckoutBlock
    identity: Literal["customer"] | None


class Schedule(TypedDict):
    """Weekdays on which nothing is delivered."""

    excludedDays: list[str]
    timezone: str


class CompiledUrlRule(TypedDict, total=False):
    """A pattern as browsers evaluate it: `re` alone, or `path` with the parts that restrict it further."""

    re: str
    host: str
    path: str
    query: list[list[str]]
    hash: str


class CompiledPage(TypedDict, total=False):
    """A compiled page rule."""

    include: list[CompiledUrlRule]
    exclude: list[CompiledUrlRule]
    when: Condition
    trigger: str


CompiledPages = TypedDict("CompiledPages", {"mode": MatchMode, "in": list[CompiledPage], "out": list[CompiledPage]})
"""Pages on which something is delivered."""

CompiledAudience = TypedDict("CompiledAudience", {"mode": MatchMode, "in": list[Condition], "out": list[Condition]})
"""Visitors to whom something is delivered."""


class CompiledTargeting(TypedDict, total=False):
    """Compiled restrictions; absent ones restrict nothing."""

    pages: CompiledPages
    audience: CompiledAudience
    surface: str
    identity: str


class Dark(TypedDict):
    """Compiled weekdays on which nothing is delivered."""

    days: list[str]
    zone: str


class LocalTime(TypedDict):
    """Local time in a zone."""

    day: str
    hour: int
    time: str
