"""The hosts on which a shop's snippet is installed: its domain and further ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abtest.domain.settings.refusals import Positions, refuse
from abtest.kit.errors import FieldError

MAX_ADDITIONAL = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallDomains:
    """Host names in lower case, each once."""

    domain: str
    additional: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """All of them, the shop's own first."""
        return (self.domain, *self.additional)

    @property
    def origins(self) -> list[str]:
        """Where storefronts are reached."""
        return [f"https://{host}" for host in self.hosts]


def refuse_doubles(domains: InstallDomains) -> None:
    """Raise ValidationFailedError when a host is there twice."""
    refuse("a host is named once", _doubles(domains.domain, domains.additional))


def _doubles(domain: str, additional: Sequence[str]) -> Iterator[FieldError]:
    seen = Positions()
    yield from seen.repeated(domain, "domain")
    for index, host in enumerate(additional):
        yield from seen.repeated(host, f"additionalDomains[{index}]")


def claim_name(host: str) -> str:
    """The name that a host claims in the whole service."""
    return f"DOMAIN#{host}"
