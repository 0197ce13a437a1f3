"""What a content security policy lets our snippet do: load its script, send its events (CSP level 3)."""

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
_SCRIPT = ("script-src-elem", "script-src", "default-src")
_CONNECT = ("connect-src", "default-src")
_OVERRIDES_INLINE = re.compile(r"'(?:nonce-|sha(?:256|384|512)-|strict-dynamic')", re.IGNORECASE | re.ASCII)
_PORTS = {"https": "443", "http": "80"}


@dataclass(frozen=True, slots=True)
class Policy:
    """One policy: its directives by name, each with its sources."""

    directives: Mapping[str, Sequence[str]]

    def allows_script(self, url: str, page: str, nonce: str) -> bool:
        """Whether a script element of the page with this nonce may load the address."""
        if "sandbox" in self.directives and "allow-scripts" not in self.directives["sandbox"]:
            return False
        sources = self._sources(_SCRIPT)
        if sources is None or (nonce and f"'nonce-{nonce}'" in sources):
            return True
        return "'strict-dynamic'" not in _lower(sources) and _matches(sources, url, page)

    def allows_inline(self, text: str, nonce: str) -> bool:
        """Whether a script whose text stands in the page may run."""
        if "sandbox" in self.directives and "allow-scripts" not in self.directives["sandbox"]:
            return False
        sources = self._sources(_SCRIPT)
        if sources is None or (nonce and f"'nonce-{nonce}'" in sources):
            return True
        if any(source in _hashes_of(text) for source in sources):
            return True
        return "'unsafe-inline'" in _lower(sources) and not any(map(_OVERRIDES_INLINE.match, sources))

    def allows_connection(self, url: str, page: str) -> bool:
        """Whether scripts of the page may send requests to the address."""
        sources = self._sources(_CONNECT)
        return sources is None or _matches(sources, url, page)

    def _sources(self, names: Iterable[str]) -> Sequence[str] | None:
        """Those of the first of the directives that is there; None where nothing is said."""
        return next((self.directives[name] for name in names if name in self.directives), None)


def policies_in(text: str) -> list[Policy]:
    """The policies of a header's value, which may hold several, or of a meta element's content."""
    return [policy for part in text.split(",") if (policy := _policy(part)).directives]


def _policy(text: str) -> Policy:
    directives: dict[str, Sequence[str]] = {}
    for directive in text.split(";"):
        name, *sources = directive.split() or [""]
        if name:
            directives.setdefault(name.lower(), sources)  # of one that comes twice the first counts
    return Policy(directives)


def _hashes_of(text: str) -> frozenset[str]:
    """As policies write them, in the alphabet of base64."""
    names = ("sha256", "sha384", "sha512")
    return frozenset(f"'{name}-{b64encode(new(name, text.encode()).digest()).decode()}'" for name in names)


def _matches(sources: Iterable[str], url: str, page: str) -> bool:
    wanted, own = URL(url), URL(page)
    return any(_source_matches(source, wanted, own) for source in sources)


def _source_matches(source: str, wanted: URL, own: URL) -> bool:
    if source.lower() == "'self'":
        return bool(wanted.origin == own.origin)
    if source == "*":
        return wanted.protocol in ("https:", "http:") or wanted.protocol == own.protocol
    if _SCHEME_SOURCE.fullmatch(source):
        return _scheme_matches(source[:-1].lower(), wanted.protocol[:-1])
    found = _HOST_SOURCE.fullmatch(source)
    return found is not None and _host_source_matches(found, wanted, own)


def _host_source_matches(source: re.Match[str], wanted: URL, own: URL) -> bool:
    scheme = (source["scheme"] or own.protocol[:-1]).lower()
    actual = wanted.protocol[:-1]
    port = wanted.port or _PORTS.get(actual, "")
    return (
        _scheme_matches(scheme, actual)
        and _host_matches(source["host"].lower(), wanted.hostname)
        and (source["port"] or _PORTS.get(actual)) in ("*", port)
        and _path_matches(source["path"] or "", wanted.pathname)
    )


def _scheme_matches(said: str, actual: str) -> bool:
    return said == actual or (said, actual) == ("http", "https")


def _host_matches(pattern: str, host: str) -> bool:
    if pattern == "*":
        return True
    return host.endswith(pattern[1:]) if pattern.startswith("*.") else host == pattern


def _path_matches(said: str, path: str) -> bool:
    if said in ("", "/"):
        return True
    return path.startswith(said) if said.endswith("/") else path == said


def _lower(sources: Iterable[str]) -> list[str]:
    return [source.lower() for source in sources]
