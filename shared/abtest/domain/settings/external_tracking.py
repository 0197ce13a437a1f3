"""External domains to which a visitor's id is handed over, and the settings of the handover."""

from collections.abc import Mapping
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
        "svc_preview",
        "svc_bar",
    }
)
"""Parameters of storefronts that mean something else already."""


class SigningRequiredError(ServiceError):
    """Only the platform's operators can turn signing off."""

    status = 403
    code = "signing_required"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalTracking:
    """Handover setting. `domains` are host names in lower case and include their subdomains; none switch it off."""

    domains: tuple[str, ...] = ()
    handover_query_param: str = "svc_handover"
    handover_ttl_seconds: int = 120
    handover_mint_timeout_ms: int = 300
    signed: bool = True


UNTOUCHED = ExternalTracking()
"""Setting of a shop that never changed it."""


def from_document(document: Mapping[str, object]) -> ExternalTracking:
    """Return the setting of a stored form, which `kit.documents.encode` made."""
    return decode(ExternalTracking, document)


def refuse_unsigned(changes: Mapping[str, Any]) -> None:
    """Raise SigningRequiredError for a shop that would turn signing off."""
    if changes.get("signed") is False:
        raise SigningRequiredError("only the platform's support can turn signing off")


def merged(before: ExternalTracking, changes: Mapping[str, Any]) -> ExternalTracking:
    """Return the setting after a merge patch. Raises ValidationFailedError."""
    after = replace(before, **changes)
    seen = Positions()
    problems = [
        problem
        for index, domain in enumerate(after.domains)
        for problem in seen.repeated(domain, f"externalTracking.domains[{index}]")
    ]
    if after.handover_query_param in RESERVED_PARAMS:
        path = "externalTracking.handoverQueryParam"
        problems.append(FieldError(path, "must not be a parameter that storefronts use for something else"))
    refuse("the external domains cannot be used like this", problems)
    return after


def handover(setting: ExternalTracking, url: str) -> PublishedHandover | None:
    """Return the runtime field of section 1.1 of docs/data-model.md; None without domains."""
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
