"""Target of a request, read from its URL once, so that the checked address is the one that is connected to."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol

from ada_url import URL, HostType

from abtest.domain.egress.networks import first_refusal, is_loopback
from abtest.kit.errors import ServiceError

MAX_URL = 2048
HTTPS_PORT = 443
_MAX_PORT = 65535
_PORTS = {"https": HTTPS_PORT, "http": 80}
"""Port of an address that names none."""

PRIVATE_NAMES = {
    "localhost": "this machine",
    "local": "names of a local network (mDNS)",
    "internal": "names of a private network, metadata services among them",
    "arpa": "infrastructure of the net",
    "onion": "not in the DNS",
    "alt": "not in the DNS",
}
"""Last labels of names that do not exist on the public net, whatever a resolver returns."""

# The URL standard drops tabs and line breaks, reads a backslash as a slash and ignores soft hyphens in hosts. Other
# parsers do not, so one text could name two hosts.
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f-\x9f\\\ud800-\udfff\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_AUTHORITY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^/?#]*)")
_PORT = re.compile(r":[0-9]*$")
_NOT_IN_URIS = re.compile(r"%(?![0-9A-Fa-f]{2})|[\[\]^`{|}]")
"""Characters that browsers leave in a path or query, and RFC 3986 does not allow."""


class UrlNotAllowedError(ServiceError):
    """No request of ours may go to this address."""

    status = 422
    code = "url_not_allowed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Address and path of a request. `host` is a name in ASCII or an address without brackets."""

    scheme: str
    host: str
    port: int
    path: str
    """With the query."""
    is_name: bool
    """True where the host has to be looked up."""
    is_local: bool
    """True for this machine, by name or number."""

    @property
    def url(self) -> str:
        """Return the whole address in the form of RFC 3986, without the fragment, which is not sent."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """Return the value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def endpoint(self) -> str:
        """Return host and port, as they are listed and compared."""
        return f"{self.host}:{self.port}"


class EgressRules(Protocol):
    """Rules on the addresses that may be called."""

    def target(self, url: str) -> Target:
        """Read a URL. Raises UrlNotAllowedError."""
        ...

    def refuse(self, target: Target, addresses: Sequence[str]) -> None:
        """Raise UrlNotAllowedError unless each address of the host's name may be called."""
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
            raise UrlNotAllowedError(f"the address must use port {HTTPS_PORT}")
        last_label = target.host.rpartition(".")[2]
        # A resolver completes a name of one label with its own search list, which leads into the private network.
        if target.is_name and (last_label == target.host or last_label in PRIVATE_NAMES):
            raise UrlNotAllowedError(f"{target.host} is not a name of the public net")
        return target

    def refuse(self, target: Target, addresses: Sequence[str]) -> None:
        if target.is_local and self.allow_loopback:
            # The exception is for this machine only; a resolver may return another address for its name.
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
        """Allow any address: the operator knows where their store is."""


@lru_cache(maxsize=256)
def read(url: str) -> Target:
    """Return the parts of an absolute http(s) URL in the one form that every parser understands alike.

    Raises UrlNotAllowedError for anything else, above all for texts that parsers are known to disagree on: user names,
    backslashes, control characters, percent signs in hosts, numeric hosts in other than the usual form, zones.
    """
    if len(url) > MAX_URL:
        raise UrlNotAllowedError(f"the address is longer than {MAX_URL} characters")
    if _NOT_IN_URLS.search(url):
        raise UrlNotAllowedError("the address holds a space, a backslash or an invisible character")
    try:
        parsed = URL(url)
    except ValueError as error:
        raise UrlNotAllowedError(_flaw_of(url)) from error
    if parsed.protocol not in ("https:", "http:"):
        raise UrlNotAllowedError("the address must begin with https://")
    _refuse_ambiguous(url, parsed.hostname, parsed.host_type)
    scheme: str = parsed.protocol[:-1]
    host = parsed.hostname.strip("[]")
    is_name = parsed.host_type == HostType.DEFAULT
    return Target(
        scheme=scheme,
        host=host,
        port=int(parsed.port or _PORTS[scheme]),
        path=_NOT_IN_URIS.sub(lambda character: f"%{ord(character[0]):02X}", parsed.pathname + parsed.search),
        is_name=is_name,
        is_local=host == "localhost" if is_name else ip_address(host).is_loopback,
    )


def endpoints(urls: Iterable[str]) -> frozenset[str]:
    """Return host and port of each address; one that no request may have is left out."""
    listed = set[str]()
    for url in urls:
        with suppress(UrlNotAllowedError):
            listed.add(read(url).endpoint)
    return frozenset(listed)


def joined(base: str, location: str) -> str:
    """Return the address that a redirect leads to. Raises UrlNotAllowedError for a text that is not an address."""
    if _NOT_IN_URLS.search(location):
        raise UrlNotAllowedError("the redirect's address holds a space, a backslash or an invisible character")
    try:
        return str(URL(location, base=base).href)
    except ValueError as error:
        raise UrlNotAllowedError("the redirect does not lead to an address") from error


def _flaw_of(url: str) -> str:
    """Return why a text is not an address, for one that the parser of the URL standard refuses."""
    match = _AUTHORITY.match(url)
    if match is None:
        return "the address must begin with https://"
    authority = match[1].rpartition("@")[2]
    port = _PORT.search(authority)
    if not authority or (port is not None and port.start() == 0):
        return "the address needs a host after https://"
    if authority.startswith("[") and "%" in authority:
        return "the host must not have a zone, such as %25eth0: it names an interface of one machine"
    if port is not None and len(port[0]) > 1 and int(port[0][1:][:6]) > _MAX_PORT:
        return f"the port must be a number up to {_MAX_PORT}"
    if port is None and ":" in authority.rpartition("]")[2]:
        return f"the port must be a number up to {_MAX_PORT}"
    return "the host must be a name or an IP address; an IPv6 address is written in brackets"


def _refuse_ambiguous(url: str, hostname: str, kind: HostType) -> None:
    match = _AUTHORITY.match(url)
    authority = match[1] if match else ""
    if not authority:
        raise UrlNotAllowedError("the address needs a host after https://")
    if "@" in authority:
        raise UrlNotAllowedError("the address must not hold a user name")
    if "%" in authority:
        raise UrlNotAllowedError("the host must not hold a percent sign")
    host = _PORT.sub("", authority)
    # The standard reads 0x7f.1 and 2130706433 as 127.0.0.1; other parsers take them for names.
    if kind != HostType.DEFAULT and host.lower() != hostname:
        raise UrlNotAllowedError(f"write the host as {hostname}")
    # A dot at the end makes one as well: `localhost.` is the same machine, and would pass as another name.
    if kind == HostType.DEFAULT and not all(hostname.split(".")):
        raise UrlNotAllowedError("the host must not hold an empty label")
