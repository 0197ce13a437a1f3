"""External domains to which a visitor's identity is handed over, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.settings.refusals import Positions, refuse
from abtest.domain.settings.shapes import PublishedHandover
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError, ServiceError

MAX_DOMAINS = 20
MIN_TTL_SECONDS, MAX_TTL_SECONDS = 30, 600
MIN_TIMEOUT_MS, MAX_TIMEOUT_MS = 50, 2000
MAX_PARAM_CHARS = 32

RESERVED_PARAMS = frozenset(
    {
        "svc_qa",
        "svc_force",
        "svc_experiment_id",
        "svc_variation_id",
        "svc_harness",
        "svc_debug",
        "debug",
        "svc_alt_debug",
        "svc_config_refresh",
    }
)
"""Parameters of storefronts that mean something else already."""


class SigningRequiredError(ServiceError):
    """Only the platform's operators turn signing off."""

    status = 403
    code = "signing_required"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTracking:
    """Without domains nothing is handed over. `domains` are host names in lower case; their subdomains count, too."""

    domains: tuple[str, ...] = ()
    handover_query_param: str = "svc_handover"
    handover_ttl_seconds: int = 120
    handover_mint_timeout_ms: int = 300
    signed: bool = True


UNTOUCHED = ExternalTracking()
"""What holds in a shop that never said anything."""


def from_document(document: Mapping[str, object]) -> ExternalTracking:
    """The setting of a stored form, which `kit.documents.encode` made."""
    return decode(ExternalTracking, document)


def refuse_unsigned(changes: Mapping[str, Any]) -> None:
    """Raise SigningRequiredError for a shop that would turn signing off."""
    if changes.get("signed") is False:
        raise SigningRequiredError("signing is turned off by the platform's support only")


def merged(before: ExternalTracking, changes: Mapping[str, Any]) -> ExternalTracking:
    """The setting after a merge patch. Raises ValidationFailedError."""
    after = replace(before, **changes)
    refuse("the external domains cannot be used like this", _contradictions(after))
    return after


def handover(setting: ExternalTracking, url: str) -> PublishedHandover | None:
    """What storefronts must know, as docs/data-model.md section 1.1 has it; None without domains."""
    if not setting.domains:
        return None
    return {
        "param": setting.handover_query_param,
        "domains": list(setting.domains),
        "ttl": setting.handover_ttl_seconds,
        "timeout": setting.handover_mint_timeout_ms,
        "signed": setting.signed,
        "url": url,
    }


def _contradictions(setting: ExternalTracking) -> Iterator[FieldError]:
    seen = Positions()
    for index, domain in enumerate(setting.domains):
        yield from seen.repeated(domain, f"externalTracking.domains[{index}]")
    if setting.handover_query_param in RESERVED_PARAMS:
        yield FieldError("externalTracking.handoverQueryParam", "storefronts use this parameter for something else")
