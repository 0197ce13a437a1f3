"""Content security policies (CSP level 3): whether our snippet may load its script and send its events."""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import new

from ada_url import URL

_HOST_SOURCE = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://)?(?P<host>\*|(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]+|\*))?(?P<path>/[^?#]*)?",
    re.IGNORECASE | re.ASCII,
)
_SCHEME_SOURCE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE | re.ASCII)
# In the order in which browsers fall back: only the first directive that the policy has is read.
_SCRIPT = ("script-src-elem", "script-src", "default-src")
_CONNECT = ("connect-src", "default-src")
_OVERRIDES_INLINE = re.compile(r"'(?:nonce-|sha(?:256|384|512)-|strict-dynamic')", re.IGNORECASE | re.ASCII)
_PORTS = {"https": "443", "http": "80"}


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy: its directives by name, each with its sources."""

    directives: Mapping[str, Sequence[str]]

    def allows_script(self, url: str, page: str, nonce: str) -> bool:
        """Return whether a script element of the page with this nonce may load the address."""
        if not self.allows_scripts:
            return False
        sources = self.sources_of(_SCRIPT)
        if sources is None or (nonce and f"'nonce-{nonce}'" in sources):
            return True
        # 'strict-dynamic' switches off all host sources: only nonces and hashes count.
        is_strict = any(source.lower() == "'strict-dynamic'" for source in sources)
        return not is_strict and _matches(sources, url, page)

    def allows_inline(self, text: str, nonce: str) -> bool:
        """Return whether an inline script with this text may run."""
        if not self.allows_scripts:
            return False
        sources = self.sources_of(_SCRIPT)
        if sources is None or (nonce and f"'nonce-{nonce}'" in sources):
            return True
        hashes = {
            f"'{name}-{b64encode(new(name, text.encode()).digest()).decode()}'"
            for name in ("sha256", "sha384", "sha512")
        }
        if not hashes.isdisjoint(sources):
            return True
        # A nonce, a hash or 'strict-dynamic' makes browsers ignore 'unsafe-inline'.
        is_unsafe = any(source.lower() == "'unsafe-inline'" for source in sources)
        return is_unsafe and not any(map(_OVERRIDES_INLINE.match, sources))

    def allows_connection(self, url: str, page: str) -> bool:
        """Return whether scripts of the page may send requests to the address."""
        sources = self.sources_of(_CONNECT)
        return sources is None or _matches(sources, url, page)

    @property
    def allows_scripts(self) -> bool:
        """Return whether no sandbox directive forbids scripts altogether."""
        return "sandbox" not in self.directives or "allow-scripts" in self.directives["sandbox"]

    def sources_of(self, names: Iterable[str]) -> Sequence[str] | None:
        """Sources of the first of these directives that the policy has; None without any of them."""
        return next((self.directives[name] for name in names if name in self.directives), None)


def policies_in(text: str) -> list[Policy]:
    """Policies of a header's value, which may hold several, or of a meta element's content."""
    policies = []
    for part in text.split(","):
        directives: dict[str, Sequence[str]] = {}
        for directive in part.split(";"):
            name, *sources = directive.split() or [""]
            if name:
                directives.setdefault(name.lower(), sources)  # the first of two with one name counts
        if directives:
            policies.append(Policy(directives))
    return policies


def _matches(sources: Iterable[str], url: str, page: str) -> bool:
    address, own = URL(url), URL(page)
    return any(_source_matches(source, address, own) for source in sources)


def _source_matches(source: str, address: URL, own: URL) -> bool:
    if source.lower() == "'self'":
        return bool(address.origin == own.origin)
    if source == "*":
        # `*` covers schemes of the network and the page's own, and neither `data:` nor `blob:`.
        return address.protocol in ("https:", "http:") or address.protocol == own.protocol
    if _SCHEME_SOURCE.fullmatch(source):
        return _scheme_matches(source[:-1].lower(), address.protocol[:-1])
    host_source = _HOST_SOURCE.fullmatch(source)
    return host_source is not None and _host_source_matches(host_source, address, own)


def _host_source_matches(source: re.Match[str], address: URL, own: URL) -> bool:
    # Each part is matched by the rule of CSP level 3, section 6.7.2.8.
    actual = address.protocol[:-1]
    host, path = source["host"].lower(), source["path"] or ""
    port = address.port or _PORTS.get(actual, "")
    # `host[1:]` keeps the dot: `*.shop.example` does not match `shop.example` itself.
    is_host = host in ("*", address.hostname) or (host.startswith("*.") and address.hostname.endswith(host[1:]))
    is_path = path in ("", "/", address.pathname) or (path.endswith("/") and address.pathname.startswith(path))
    return (
        _scheme_matches((source["scheme"] or own.protocol[:-1]).lower(), actual)
        and is_host
        and (source["port"] or _PORTS.get(actual)) in ("*", port)
        and is_path
    )


def _scheme_matches(allowed: str, actual: str) -> bool:
    # An upgrade is allowed: a source of http also matches https.
    return allowed == actual or (allowed, actual) == ("http", "https")
