"""Shops and their defaults on the wire."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, PublicationWarning
from abtest.contract.consent import LiveEdit
from abtest.contract.names import READABLE, Name
from abtest.contract.overrides import AutoStopOverride, GuardianOverride
from abtest.domain.settings.shop import MAX_HOLDOUT_PCT, is_currency, is_host_name, is_origin
from abtest.kit.time_zones import database_spelling

Tier = Literal["self_managed", "service_managed", "legacy_managed"]


def currency_code(code: str) -> str:
    """Return the code unchanged. Raises PydanticCustomError."""
    if not is_currency(code):
        raise PydanticCustomError("currency", "must be an ISO 4217 currency code, such as EUR")
    return code


def host_name(text: str) -> str:
    """Return the host name in lower case. Raises PydanticCustomError."""
    if not is_host_name(text.lower()):
        raise PydanticCustomError("host_name", "must be a host name, such as shop.example")
    # Hosts are claimed by name in the whole service, so one host must have one spelling.
    return text.lower()


def tier_of_new_shop(tier: str) -> str:
    """Return the tier unchanged. Raises PydanticCustomError."""
    if tier != "self_managed":
        raise PydanticCustomError("tier", "must be self_managed; only the operator sets another tier")
    return tier


def time_zone(name: str) -> str:
    """Return the name as the IANA database spells it. Raises PydanticCustomError."""
    spelling = database_spelling(name)
    if spelling is None:
        raise PydanticCustomError("timezone", "must be an IANA time zone, such as Europe/Berlin")
    return spelling


def web_origin(text: str) -> str:
    """Return the origin unchanged. Raises PydanticCustomError."""
    if not is_origin(text):
        raise PydanticCustomError("origin", "must be an origin, such as https://shop.example")
    return text


NewTier = Annotated[str, AfterValidator(tier_of_new_shop), WithJsonSchema({"type": "string", "enum": ["self_managed"]})]
Currency = Annotated[
    str, AfterValidator(currency_code), WithJsonSchema({"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"]})
]
HostName = Annotated[
    str,
    Field(min_length=1, max_length=253),
    AfterValidator(host_name),
    WithJsonSchema({"type": "string", "format": "hostname", "minLength": 1, "maxLength": 253}),
]
TimeZone = Annotated[
    str,
    Field(min_length=1, max_length=64),
    AfterValidator(time_zone),
    WithJsonSchema({"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_+/-]{1,63}$", "examples": ["Europe/Berlin"]}),
]
Origin = Annotated[
    str,
    Field(max_length=300),
    AfterValidator(web_origin),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": 300}),
]


class CreateShop(Input):
    """A new shop. `platform` defaults to `custom`, `timezone` to UTC.

    Only the operator can set a tier other than `self_managed`.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Garden shop", "domain": "garden.example", "currency": "EUR"}]}
    )

    name: Name
    domain: HostName
    currency: Currency
    timezone: TimeZone = ABSENT
    platform: Annotated[str, Field(min_length=1, max_length=80), READABLE] = ABSENT
    tier: NewTier = ABSENT


class UpdateShop(LiveEdit):
    """A merge patch. Only the operator can change tier, platform, owner and the operator's switch."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"holdout_pct": 5, "origin": "https://garden.example"}]})

    name: Name = ABSENT
    origin: Origin | None = ABSENT
    currency: Currency = ABSENT
    timezone: TimeZone = ABSENT
    holdout_pct: Annotated[float, Field(ge=0, le=MAX_HOLDOUT_PCT)] = ABSENT
    holdout_v1_enabled: bool = ABSENT


class ShopSummary(Output):
    """A shop in lists."""

    id: Id
    name: str
    domain: str
    tier: Tier
    created_at: DateTime


class Shop(ShopSummary):
    """A shop. `org_id` is the user who created it."""

    origin: str | None
    currency: str
    timezone: Annotated[str, Field(description="IANA time zone in which people read moments. Days are counted in UTC.")]
    operator_enabled: bool
    holdout_pct: Annotated[float, Field(ge=0, le=MAX_HOLDOUT_PCT)]
    holdout_v1_enabled: bool
    platform: str
    org_id: Id
    publication_warning: PublicationWarning = ABSENT


CovariateAdjustment = Annotated[
    Literal["none", "cuped"],
    Field(description="Of plans that do not choose it: whether decisions take the estimate adjusted by CUPED."),
]


class ShopDefaults(Output):
    """Defaults that experiments inherit, and whether landing pages need an approved QA run."""

    guardian: GuardianOverride
    auto_stop: AutoStopOverride
    attribution_window_days: int
    alpha: float
    power: float
    correction_method: Literal["none", "holm"]
    covariate_adjustment: CovariateAdjustment
    require_approval: bool
    require_landing_qa: bool


class UpdateShopDefaults(Input):
    """A merge patch. Null inside `guardian` and `auto_stop` returns to the inherited value."""

    guardian: GuardianOverride = ABSENT
    auto_stop: AutoStopOverride = ABSENT
    attribution_window_days: Annotated[int, Field(ge=1, le=90)] = ABSENT
    alpha: Annotated[float, Field(ge=0.001, le=0.2)] = ABSENT
    power: Annotated[float, Field(ge=0.5, le=0.99)] = ABSENT
    correction_method: Literal["none", "holm"] = ABSENT
    covariate_adjustment: CovariateAdjustment = ABSENT
    require_approval: bool = ABSENT
    require_landing_qa: bool = ABSENT
