"""Hosts on which a shop's snippet is installed: its domain and further ones."""

from dataclasses import dataclass

from abtest.domain.settings.refusals import Positions, refuse

MAX_ADDITIONAL = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallDomains:
    """Host names in lower case, each once."""

    domain: str
    additional: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return all hosts, the shop's own first."""
        return (self.domain, *self.additional)

    @property
    def origins(self) -> list[str]:
        """Return the origins of the storefronts."""
        return [f"https://{host}" for host in self.hosts]


def refuse_doubles(domains: InstallDomains) -> None:
    """Raise ValidationFailedError when a host is listed twice."""
    seen = Positions()
    problems = list(seen.repeated(domains.domain, "domain"))
    for index, host in enumerate(domains.additional):
        problems += seen.repeated(host, f"additionalDomains[{index}]")
    refuse("each host must be listed once", problems)


def claim_name(host: str) -> str:
    """Return the name that a host claims in the whole service."""
    return f"DOMAIN#{host}"
