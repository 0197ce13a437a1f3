"""What a URL says about where to connect, read once: what is checked is what is connected to."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol

from ada_url import URL, HostType

from abtest.domain.egress.networks import first_refusal, is_loopback
from abtest.kit.errors import ServiceError

MAX_URL = 2048
HTTPS_PORT = 443
_PORTS = {"https": HTTPS_PORT, "http": 80}
"""Where to connect when the address names no port."""

PRIVATE_NAMES = {
    "localhost": "this machine",
    "local": "names of a local network (mDNS)",
    "internal": "names of a private network, metadata services among them",
    "arpa": "infrastructure of the net",
    "onion": "not in the DNS",
    "alt": "not in the DNS",
}
"""Last labels of names that are nobody's on the public net, whatever a resolver says."""

_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_PORT = re.compile(r":[0-9]*$")
_NOT_IN_URIS = re.compile(r"%(?![0-9A-Fa-f]{2})|[\[\]^`{|}]")
"""What browsers let stand in a path or query, and RFC 3986 does not."""


class UrlNotAllowedError(ServiceError):
    """No request of ours may go to this address."""

    status = 422
    code = "url_not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where to connect and what to ask for. `host` is a name in ASCII or an address without brackets."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query."""
    is_name: bool
    """Whether the host has to be looked up."""
    is_local: bool
    """Whether it is this machine by name or number."""

    @property
    def url(self) -> str:
        """The whole address, as RFC 3986 wants it; without a fragment, which nobody sends."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


class EgressRules(Protocol):
    """Who may be called."""

    def target(self, url: str) -> Target:
        """Read a URL. Raises UrlNotAllowedError."""
        ...

    def refuse(self, target: Target, addresses: Sequence[str]) -> None:
        """Raise UrlNotAllowedError unless each of the addresses that the host's name stands for may be called."""
        ...


@dataclass(frozen=True, slots=True)
class PublicOnly:
    """Rules for addresses that customers wrote: https to port 443 of public addresses.

    With `allow_loopback` the machine itself may be called too, by http and any port: for the local stack.
    """

    allow_loopback: bool = False

    def target(self, url: str) -> Target:
        target = read(url)
        if target.is_local and self.allow_loopback:
            return target
        if target.scheme != "https":
            raise UrlNotAllowedError("the address must begin with https://")
        if target.port != HTTPS_PORT:
            raise UrlNotAllowedError(f"the address must be at port {HTTPS_PORT}")
        if target.is_name:
            _refuse_private_name(target.host)
        return target

    def refuse(self, target: Target, addresses: Sequence[str]) -> None:
        if target.is_local and self.allow_loopback:
            if not all(is_loopback(address) for address in addresses):
                raise UrlNotAllowedError(f"{target.host} is not this machine")
        elif reason := first_refusal(addresses):
            raise UrlNotAllowedError(f"{target.host} cannot be called: {reason}")


@dataclass(frozen=True, slots=True)
class OperatorChosen:
    """Rules for addresses of the deployment's own configuration: any host and port, in one unambiguous form."""

    def target(self, url: str) -> Target:
        return read(url)

    def refuse(self, target: Target, addresses: Sequence[str]) -> None:
        """The operator knows where their store is."""


@lru_cache(maxsize=256)
def read(url: str) -> Target:
    """The parts of an absolute http(s) URL in the one form that every parser understands alike.

    Raises UrlNotAllowedError for anything else, above all for what parsers are known to disagree on: user names,
    backslashes, control characters, percent signs in hosts, numeric hosts in other than the usual form, zones.
    """
    if len(url) > MAX_URL:
        raise UrlNotAllowedError(f"the address is longer than {MAX_URL} characters")
    if _NOT_IN_URLS.search(url):
        raise UrlNotAllowedError("the address holds a space, a backslash or an invisible character")
    try:
        parsed = URL(url)
    except ValueError as error:
        raise UrlNotAllowedError("this is no address") from error
    if parsed.protocol not in ("https:", "http:"):
        raise UrlNotAllowedError("the address must begin with https://")
    _refuse_ambiguous(url, parsed.hostname, parsed.host_type)
    scheme: str = parsed.protocol[:-1]
    host = parsed.hostname.strip("[]")
    return Target(
        scheme=scheme,
        host=host,
        port=int(parsed.port or _PORTS[scheme]),
        path=_NOT_IN_URIS.sub(lambda found: f"%{ord(found[0]):02X}", parsed.pathname + parsed.search),
        is_name=parsed.host_type == HostType.DEFAULT,
        is_local=_is_local(host, parsed.host_type),
    )


def joined(base: str, location: str) -> str:
    """Where a redirect leads. Raises UrlNotAllowedError for what is no address."""
    if _NOT_IN_URLS.search(location):
        raise UrlNotAllowedError("the redirect's address holds a space, a backslash or an invisible character")
    try:
        return str(URL(location, base=base).href)
    except ValueError as error:
        raise UrlNotAllowedError("the redirect leads to what is no address") from error


def _refuse_ambiguous(url: str, hostname: str, kind: HostType) -> None:
    stated = _AUTHORITY.match(url)
    authority = stated[1] if stated else ""
    if not authority:
        raise UrlNotAllowedError("the address needs a host after https://")
    if "@" in authority:
        raise UrlNotAllowedError("the address must not hold a user name")
    if "%" in authority:
        raise UrlNotAllowedError("the host must not hold a percent sign")
    host = _PORT.sub("", authority)
    if kind != HostType.DEFAULT and host.lower() != hostname:
        raise UrlNotAllowedError(f"write the host as {hostname}")
    if kind == HostType.DEFAULT and not all(hostname.split(".")):
        raise UrlNotAllowedError("the host must not hold an empty label")


def _refuse_private_name(host: str) -> None:
    last = host.rpartition(".")[2]
    if last == host or last in PRIVATE_NAMES:
        raise UrlNotAllowedError(f"{host} is no name of the public net")


def _is_local(host: str, kind: HostType) -> bool:
    return host == "localhost" if kind == HostType.DEFAULT else ip_address(host).is_loopback
