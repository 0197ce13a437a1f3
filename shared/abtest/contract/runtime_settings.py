"""Runtime settings on the wire: environments, external tracking, consent, install domains, publication, exposures."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output
from abtest.contract.environments import EnvironmentKey
from abtest.contract.forms import Form
from abtest.contract.names import READABLE, READABLE_OR_EMPTY
from abtest.contract.shops import HostName
from abtest.domain.settings import consent_providers as providers
from abtest.domain.settings import environments as sites
from abtest.domain.settings import exposure_destinations as destinations
from abtest.domain.settings import external_tracking as handovers
from abtest.domain.settings.consent import MAX_GROUP_CHARS, ConsentMode
from abtest.domain.settings.install_domains import MAX_ADDITIONAL

Token = Annotated[str, Field(max_length=100)]
"""A concurrency token from an earlier response."""

Provider = Literal[
    "custom", "provider_a", "provider_b", "provider_c", "provider_d", "provider_e", "provider_f", "provider_g"
]


class PrecompileResult(Output):
    """Outcome of the publication that followed the write."""

    status: Literal["ok", "warning", "error"]
    summary: str


class RuntimeEnvironmentInput(Input):
    """One complete environment."""

    key: EnvironmentKey
    name: Annotated[str, Field(min_length=1, max_length=80), READABLE]
    isDefault: bool  # noqa: N815 - the contract's names
    subSnippetEnabled: bool  # noqa: N815
    domains: Annotated[list[HostName], Field(max_length=sites.MAX_DOMAINS)]

    def environment(self) -> sites.Environment:
        """Return the domain model."""
        return sites.Environment(
            key=self.key,
            name=self.name,
            is_default=self.isDefault,
            sub_snippet_enabled=self.subSnippetEnabled,
            domains=tuple(self.domains),
        )


class EnvironmentsInput(Input):
    """All environments. `isDefault` is a mark; `activeKey` is the environment served when a request names none."""

    activeKey: EnvironmentKey  # noqa: N815
    items: Annotated[list[RuntimeEnvironmentInput], Field(min_length=1, max_length=sites.MAX_ENVIRONMENTS)]

    def environments(self) -> sites.Environments:
        """Return the domain model."""
        return sites.Environments(active_key=self.activeKey, items=tuple(item.environment() for item in self.items))


_ENVIRONMENTS_EXAMPLE: dict[str, Any] = {
    "environments": {
        "activeKey": "production",
        "items": [
            {
                "key": "production",
                "name": "Production",
                "isDefault": True,
                "subSnippetEnabled": False,
                "domains": ["garden.example"],
            },
            {
                "key": "staging",
                "name": "Staging",
                "isDefault": False,
                "subSnippetEnabled": True,
                "domains": ["staging.garden.example"],
            },
        ],
    }
}


class UpdateEnvironments(Input):
    """The new environments, and the version they replace; absent or null for the first write."""

    model_config = ConfigDict(json_schema_extra={"examples": [_ENVIRONMENTS_EXAMPLE]})

    environments: EnvironmentsInput
    expected_version: Moment | None = ABSENT


class RuntimeEnvironment(Output):
    """One environment."""

    key: str
    name: str
    isDefault: bool  # noqa: N815
    subSnippetEnabled: bool  # noqa: N815
    domains: list[str]


class Environments(Output):
    """All environments; the active one is served when a request names none."""

    activeKey: str  # noqa: N815
    items: list[RuntimeEnvironment]

    @classmethod
    def of(cls, environments: sites.Environments) -> Self:
        """Return the wire model."""
        items = [
            RuntimeEnvironment(
                key=item.key,
                name=item.name,
                isDefault=item.is_default,
                subSnippetEnabled=item.sub_snippet_enabled,
                domains=list(item.domains),
            )
            for item in environments.items
        ]
        return cls(activeKey=environments.active_key, items=items)


class EnvironmentsResponse(Output):
    """The environments, and the version to send with the next write; null before the first one."""

    environments: Environments
    version: DateTime | None
    precompile: PrecompileResult = ABSENT


class ExternalTrackingInput(Input):
    """A merge patch. Only the operator can turn signing off.

    A `handoverQueryParam` that storefronts use otherwise, such as `svc_force`, is 422.
    """

    domains: Annotated[list[HostName], Field(max_length=handovers.MAX_DOMAINS)] = ABSENT
    handoverQueryParam: Annotated[  # noqa: N815
        str,
        Form(
            f"[a-z_][a-z0-9_]{{0,{handovers.MAX_PARAM_CHARS - 1}}}",
            f"have 1 to {handovers.MAX_PARAM_CHARS} lower-case letters, digits and underscores, the first no digit",
        ),
    ] = ABSENT
    handoverTtlSeconds: Annotated[  # noqa: N815
        int, Field(ge=handovers.MIN_TTL_SECONDS, le=handovers.MAX_TTL_SECONDS)
    ] = ABSENT
    handoverMintTimeoutMs: Annotated[  # noqa: N815
        int, Field(ge=handovers.MIN_TIMEOUT_MS, le=handovers.MAX_TIMEOUT_MS)
    ] = ABSENT
    signed: bool = ABSENT

    def changes(self) -> dict[str, Any]:
        """Return the domain model."""
        return renamed(self.provided(), _TRACKING_NAMES)


class UpdateExternalTracking(Input):
    """The changes, and the revision they replace; absent or null for the first write."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"externalTracking": {"domains": ["pay.example"], "handoverTtlSeconds": 60}}]}
    )

    externalTracking: ExternalTrackingInput  # noqa: N815
    expected_revision: Moment | None = ABSENT


class ExternalTracking(Output):
    """External domains, and the handover of visitor identities to them."""

    domains: list[str]
    handoverQueryParam: str  # noqa: N815
    handoverTtlSeconds: int  # noqa: N815
    handoverMintTimeoutMs: int  # noqa: N815
    signed: bool

    @classmethod
    def of(cls, setting: handovers.ExternalTracking) -> Self:
        """Return the wire model."""
        return cls(
            domains=list(setting.domains),
            handoverQueryParam=setting.handover_query_param,
            handoverTtlSeconds=setting.handover_ttl_seconds,
            handoverMintTimeoutMs=setting.handover_mint_timeout_ms,
            signed=setting.signed,
        )


class ExternalTrackingResponse(Output):
    """The settings, and the revision to send with the next write; null before the first one."""

    externalTracking: ExternalTracking  # noqa: N815
    revision: DateTime | None
    precompile: PrecompileResult = ABSENT


class ConsentModeInput(Input):
    """A merge patch. `getter` is the dotted path of a global; the provider `custom` requires one.

    `provider_a` is OneTrust, `provider_b` Cookiebot, `provider_c` Usercentrics, `provider_d` Didomi, `provider_e` the
    IAB TCF, `provider_f` Google Consent Mode, `provider_g` Shopify's customer privacy. `requiredGroup` is the group in
    the provider's words; empty selects the provider's usual group.
    """

    enabled: bool = ABSENT
    provider: Provider = ABSENT
    getter: Annotated[str, Field(max_length=providers.MAX_GETTER_CHARS), READABLE_OR_EMPTY] = ABSENT
    requiredGroup: Annotated[str, Field(max_length=MAX_GROUP_CHARS), READABLE_OR_EMPTY] = ABSENT  # noqa: N815

    def changes(self) -> dict[str, Any]:
        """Return the domain model."""
        return renamed(self.provided(), _CONSENT_NAMES)


class UpdateConsent(Input):
    """The changes."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"consentMode": {"enabled": True, "provider": "provider_b"}}]}
    )

    consentMode: ConsentModeInput  # noqa: N815


class ConsentModeOutput(Output):
    """The consent mode of the storefront, and its provider."""

    enabled: bool
    provider: Provider
    getter: str
    requiredGroup: str  # noqa: N815


class Prerequisites(Output):
    """The conditions for showing variations and for counting, in plain words; null when there is none."""

    showVariationsRule: str | None  # noqa: N815
    startTrackingRule: str | None  # noqa: N815


class ConsentSettings(Output):
    """The consent mode and its consequences."""

    consentMode: ConsentModeOutput  # noqa: N815
    prerequisites: Prerequisites
    precompile: PrecompileResult = ABSENT

    @classmethod
    def of(cls, mode: ConsentMode) -> Self:
        """Return the wire model."""
        reader, group = mode.reader, mode.required_group
        return cls(
            consentMode=ConsentModeOutput(
                enabled=mode.enabled,
                provider=mode.provider,  # type: ignore[arg-type]  # checked here
                getter=mode.getter,
                requiredGroup=group,
            ),
            prerequisites=Prerequisites(
                showVariationsRule=reader.show_variations_rule(group) if reader else None,
                startTrackingRule=reader.start_tracking_rule(group) if reader else None,
            ),
        )


class UpdateInstallDomains(Input):
    """A merge patch, and the revision it replaces; absent or `initial` for the first write."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"domain": "garden.example", "additionalDomains": ["www.garden.example"]}]}
    )

    domain: HostName = ABSENT
    additionalDomains: Annotated[list[HostName], Field(max_length=MAX_ADDITIONAL)] = ABSENT  # noqa: N815
    expected_revision: Token | None = ABSENT


class InstallDomainsResponse(Output):
    """The hosts on which the snippet is installed, and the revision to send with the next write."""

    shop_id: Id
    domain: str
    additionalDomains: list[str]  # noqa: N815
    storeOrigins: list[str]  # noqa: N815
    revision: str
    precompile: PrecompileResult = ABSENT


class UpdatePublicationSettings(Input):
    """A merge patch."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"webhooks_enabled": True}]})

    webhooks_enabled: bool = ABSENT


class PublicationSettings(Output):
    """The publication settings: whether webhooks receive `project.published`."""

    webhooks_enabled: bool


class PublishResult(Output):
    """A publication on demand. `revision` is null when it failed."""

    revision: int | None
    status: Literal["published", "failed"]
    precompile: PrecompileResult


class DestinationInput(Input):
    """A merge patch."""

    enabled: bool = ABSENT


class UpdateExposureDestinations(Input):
    """A merge patch."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"ga4": {"enabled": True}}]})

    ga4: DestinationInput = ABSENT
    segment: DestinationInput = ABSENT

    def changes(self) -> dict[str, bool]:
        """Return the given switches by destination."""
        return {name: fields["enabled"] for name, fields in self.provided().items() if "enabled" in fields}


class Destination(Output):
    """One tool of the shop's own analytics."""

    enabled: bool


class ExposureDestinations(Output):
    """The tools on the shop's pages that get each exposure.

    `ga4` gets the event `experience_impression` by `gtag` or the data layer, `segment` the event `Experiment Viewed`.
    """

    ga4: Destination
    segment: Destination
    precompile: PrecompileResult = ABSENT

    @classmethod
    def of(cls, setting: destinations.ExposureDestinations) -> Self:
        """Return the wire model."""
        return cls(ga4=Destination(enabled=setting.ga4), segment=Destination(enabled=setting.segment))


_TRACKING_NAMES = {
    "handoverQueryParam": "handover_query_param",
    "handoverTtlSeconds": "handover_ttl_seconds",
    "handoverMintTimeoutMs": "handover_mint_timeout_ms",
}
_CONSENT_NAMES = {"requiredGroup": "required_group"}


def renamed(fields: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return fields of a request under the domain's names, with lists as tuples."""
    return {names.get(name, name): tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
