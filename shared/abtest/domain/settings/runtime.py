"""Runtime settings: those of a shop that its published configuration depends on, read together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.settings import consent as consents
from abtest.domain.settings import environments as sites
from abtest.domain.settings import exposure_destinations as destinations
from abtest.domain.settings import external_tracking as handovers

ENVIRONMENTS = "SET#ENVIRONMENTS"
EXTERNAL_TRACKING = "SET#EXTERNAL_TRACKING"
CONSENT = "SET#CONSENT"
INSTALL_DOMAINS = "SET#INSTALL_DOMAINS"
PUBLICATION = "SET#PUBLICATION"
EXPOSURE_DESTINATIONS = "SET#EXPOSURE_DESTINATIONS"
"""Ids of the records, each a setting of its own with its own version."""

PUBLISHED = (ENVIRONMENTS, EXTERNAL_TRACKING, CONSENT, INSTALL_DOMAINS, PUBLICATION, EXPOSURE_DESTINATIONS)
"""Records that a publication reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSettings:
    """Settings of a publication. `webhooks_from` is the revision after which webhooks are notified; None for never.

    `further_hosts` come next to the shop's own domain; None while no host is claimed, not even its own.
    """

    environments: sites.Environments = sites.UNTOUCHED
    external_tracking: handovers.ExternalTracking = handovers.UNTOUCHED
    consent: consents.ConsentMode = consents.UNTOUCHED
    further_hosts: tuple[str, ...] | None = None
    webhooks_from: int | None = None
    exposure_destinations: destinations.ExposureDestinations = destinations.UNTOUCHED

    def cookie_domains(self, shop_domain: str) -> list[str]:
        """Return the claimed hosts whose sub-domains share a visitor, without the `www.` of those that have it.

        A name of one label is not registrable, and an address has no sub-domains. Hosts below another are left out.
        """
        if self.further_hosts is None:
            return []
        names = (host.removeprefix("www.") for host in (shop_domain, *self.further_hosts))
        # Only an IPv4 address ends with a digit: no top-level domain does.
        hosts = dict.fromkeys(host for host in names if "." in host and not host[-1].isdigit())
        # A cookie of the higher host reaches them. With the dot, because myshop.example is not below shop.example.
        return [host for host in hosts if not any(host.endswith(f".{other}") for other in hosts)]


UNTOUCHED = RuntimeSettings()
"""Settings of a shop that never changed any."""


def settings_from(stored: Mapping[str, Mapping[str, Any]]) -> RuntimeSettings:
    """Return the settings of stored forms by record id, with defaults for absent ones.

    A form that cannot be read raises: publishing as if no consent were required is worse than not publishing.
    """
    settings: dict[str, Any] = {}
    if ENVIRONMENTS in stored:
        settings["environments"] = sites.from_document(stored[ENVIRONMENTS])
    if EXTERNAL_TRACKING in stored:
        settings["external_tracking"] = handovers.from_document(stored[EXTERNAL_TRACKING])
    if CONSENT in stored:
        settings["consent"] = consents.from_document(stored[CONSENT])
    if INSTALL_DOMAINS in stored:
        settings["further_hosts"] = tuple(stored[INSTALL_DOMAINS]["additional"])
    if PUBLICATION in stored:
        settings["webhooks_from"] = stored[PUBLICATION].get("webhooks_from")
    if EXPOSURE_DESTINATIONS in stored:
        settings["exposure_destinations"] = destinations.from_document(stored[EXPOSURE_DESTINATIONS])
    return RuntimeSettings(**settings)
