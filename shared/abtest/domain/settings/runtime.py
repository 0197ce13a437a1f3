"""The settings of a shop that its published configuration depends on, read together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.settings import consent as consents
from abtest.domain.settings import environments as sites
from abtest.domain.settings import external_tracking as handovers

ENVIRONMENTS = "SET#ENVIRONMENTS"
EXTERNAL_TRACKING = "SET#EXTERNAL_TRACKING"
CONSENT = "SET#CONSENT"
INSTALL_DOMAINS = "SET#INSTALL_DOMAINS"
PUBLICATION = "SET#PUBLICATION"
"""Ids of the records, each a setting of its own with its own version."""

PUBLISHED = (ENVIRONMENTS, EXTERNAL_TRACKING, CONSENT, INSTALL_DOMAINS, PUBLICATION)
"""Those that a publication reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSettings:
    """`webhooks_from` is the revision after which publications are told to webhooks; None when they are not.

    `further_hosts` are those beside the shop's own domain; None while nobody has claimed any, its own included.
    """

    environments: sites.Environments = sites.UNTOUCHED
    external_tracking: handovers.ExternalTracking = handovers.UNTOUCHED
    consent: consents.ConsentMode = consents.UNTOUCHED
    further_hosts: tuple[str, ...] | None = None
    webhooks_from: int | None = None

    def cookie_domains(self, shop_domain: str) -> list[str]:
        """The claimed hosts whose sub-domains share a visitor: `www.` is one of them, so it goes.

        A name of one label is no shop's own, and an address has no sub-domains. A host below another shares that one's.
        """
        if self.further_hosts is None:
            return []
        names = (host.removeprefix("www.") for host in (shop_domain, *self.further_hosts))
        hosts = dict.fromkeys(host for host in names if "." in host and not host[-1].isdigit())
        return [host for host in hosts if not any(host.endswith(f".{other}") for other in hosts)]


UNTOUCHED = RuntimeSettings()
"""What holds in a shop that never said anything."""


def settings_from(stored: Mapping[str, Mapping[str, Any]]) -> RuntimeSettings:
    """The settings of stored forms by record id; what is not there is untouched.

    Whatever cannot be read raises: to publish as if no consent were asked for would be worse than not to publish.
    """
    found: dict[str, Any] = {}
    if ENVIRONMENTS in stored:
        found["environments"] = sites.from_document(stored[ENVIRONMENTS])
    if EXTERNAL_TRACKING in stored:
        found["external_tracking"] = handovers.from_document(stored[EXTERNAL_TRACKING])
    if CONSENT in stored:
        found["consent"] = consents.from_document(stored[CONSENT])
    if INSTALL_DOMAINS in stored:
        found["further_hosts"] = tuple(stored[INSTALL_DOMAINS]["additional"])
    if PUBLICATION in stored:
        found["webhooks_from"] = stored[PUBLICATION].get("webhooks_from")
    return RuntimeSettings(**found)
