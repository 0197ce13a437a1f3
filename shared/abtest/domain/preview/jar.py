"""Cookies of one preview session, kept as a browser would (RFC 6265bis), as the browser itself only knows the proxy."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address
from typing import Any

from ada_url import URL

from abtest.domain.preview.public_suffixes import is_public_suffix
from abtest.domain.preview.set_cookie import SetCookie, read_cookie_date, read_max_age, read_set_cookie
from abtest.kit import documents

MAX_JAR_BYTES = 64 * 1024
_LONGEST_LIFE = 400 * 24 * 3600
_MAX_LINES = 180
"""Lines of one response that are read; browsers keep no more cookies of a site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A stored cookie. `expires` is in Unix seconds, None for one that lasts as long as the session."""

    name: str
    value: str
    domain: str
    path: str
    host_only: bool = True
    secure: bool = False
    http_only: bool = False
    expires: int | None = None

    @property
    def key(self) -> tuple[str, str, bool, str]:
        """Return what a later cookie replaces this one by."""
        return self.name, self.domain, self.host_only, self.path


@dataclass(frozen=True, slots=True)
class Jar:
    """Cookies in the order in which they were created."""

    cookies: tuple[Cookie, ...] = ()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Jar":
        """Return the jar that a document holds."""
        return documents.decode(cls, document)

    def document(self) -> dict[str, object]:
        """Return the stored form, at most 64 KB as JSON."""
        return documents.encode(self)

    def cookie_header(self, url: str, now: datetime) -> str:
        """Return the value of the Cookie header of a request to an address, empty without cookies."""
        return _line(self._sent_to(URL(url), now))

    def visible(self, url: str, now: datetime) -> str:
        """Return what `document.cookie` shows on a page."""
        return _line(cookie for cookie in self._sent_to(URL(url), now) if not cookie.http_only)

    def stored(self, url: str, set_cookie_lines: Iterable[str], now: datetime) -> "Jar":
        """Return the jar after a response of an address; lines that browsers ignore are ignored."""
        jar = self
        for line in list(set_cookie_lines)[:_MAX_LINES]:
            jar = jar._with(_cookie_of(line, URL(url), now), URL(url), now, is_script=False)
        return jar

    def written(self, url: str, text: str, now: datetime) -> "Jar":
        """Return the jar after a script of a page has set `document.cookie`."""
        return self._with(_cookie_of(text, URL(url), now), URL(url), now, is_script=True)

    def _sent_to(self, url: URL, now: datetime) -> Sequence[Cookie]:
        sent = [cookie for cookie in self.cookies if _is_alive(cookie, now) and _goes_to(cookie, url)]
        # Longer paths first; sorting keeps the order of creation among equal ones (section 5.8.3).
        return sorted(sent, key=lambda cookie: -len(cookie.path))

    def _with(self, cookie: Cookie | None, url: URL, now: datetime, *, is_script: bool) -> "Jar":
        if cookie is None or (is_script and cookie.http_only) or self._protects(cookie, url, is_script):
            return self
        others = [each for each in self.cookies if each.key != cookie.key and _is_alive(each, now)]
        if not _is_alive(cookie, now):
            return Jar(tuple(others))
        # A cookie that is set again keeps its place, which is its time of creation.
        place = next((at for at, each in enumerate(self.cookies) if each.key == cookie.key), len(self.cookies))
        before = {each.key for each in self.cookies[:place]}
        index = sum(each.key in before for each in others)
        return Jar(_newest([*others[:index], cookie, *others[index:]]))

    def _protects(self, cookie: Cookie, url: URL, is_script: bool) -> bool:
        """Return whether a stored cookie refuses to be replaced, or shadowed, by this one (5.7, steps 16 and 23)."""
        for each in self.cookies:
            if is_script and each.http_only and each.key == cookie.key:
                return True
            overlaps = _domain_matches(each.domain, cookie.domain) or _domain_matches(cookie.domain, each.domain)
            is_shadowed = each.name == cookie.name and overlaps and _path_matches(cookie.path, each.path)
            if each.secure and not cookie.secure and not is_trustworthy(url) and is_shadowed:
                return True
        return False


def is_trustworthy(url: URL) -> bool:
    """Return whether secure cookies go to an address: by https, or to the machine itself, as in browsers."""
    host = url.hostname.strip("[]")
    if url.protocol == "https:" or host == "localhost" or host.endswith(".localhost"):
        return True
    return _is_ip(host) and ip_address(host).is_loopback


def _cookie_of(line: str, url: URL, now: datetime) -> Cookie | None:
    """Return the cookie that a line of a response to this address sets (section 5.7); None where it is ignored."""
    given = read_set_cookie(line)
    if given is None:
        return None
    place = _place_of(given.attributes.get("domain", ""), url.hostname)
    if place is None:
        return None
    domain, host_only = place
    path = given.attributes.get("path", "")
    cookie = Cookie(
        name=given.name,
        value=given.value,
        domain=domain,
        host_only=host_only,
        path=path if path.startswith("/") else _default_path(url.pathname),
        secure="secure" in given.attributes,
        http_only="httponly" in given.attributes,
        expires=_expiry_of(given, now),
    )
    return cookie if _is_admitted(cookie, given, url) else None


def _place_of(attribute: str, host: str) -> tuple[str, bool] | None:
    """Return the domain of a cookie, and whether only this host gets it; None for another site's domain."""
    domain = attribute.removeprefix(".").lower()
    if not domain.isascii():
        return None
    if not domain or (domain == host and (_is_ip(host) or is_public_suffix(host))):
        return host, True
    if is_public_suffix(domain) or not _domain_matches(host, domain):
        return None
    return domain, False


def _is_admitted(cookie: Cookie, given: SetCookie, url: URL) -> bool:
    if cookie.secure and not is_trustworthy(url):
        return False
    if given.attributes.get("samesite", "").lower() == "none" and not cookie.secure:
        return False
    # A cookie without a name is sent as its value alone, which could look like a name with a prefix.
    prefixed = (cookie.name or cookie.value).lower()
    at_host = cookie.secure and cookie.host_only and cookie.path == "/" and given.attributes.get("path") == "/"
    required = {
        "__secure-": cookie.secure,
        "__http-": cookie.secure and cookie.http_only,
        "__host-http-": at_host and cookie.http_only,
        "__host-": at_host,
    }
    return all(holds and bool(cookie.name) for prefix, holds in required.items() if prefixed.startswith(prefix))


def _expiry_of(given: SetCookie, now: datetime) -> int | None:
    """Return when a cookie ends, at most 400 days from now; None for the end of the session."""
    latest = int(now.timestamp()) + _LONGEST_LIFE
    max_age = read_max_age(given.attributes.get("max-age", ""))
    if max_age is not None:
        return min(int(now.timestamp()) + max_age, latest)
    moment = read_cookie_date(given.attributes.get("expires", ""))
    return None if moment is None else min(int(moment.timestamp()), latest)


def _default_path(path: str) -> str:
    return path[: path.rfind("/")] or "/"


def _is_alive(cookie: Cookie, now: datetime) -> bool:
    return cookie.expires is None or cookie.expires > now.timestamp()


def _goes_to(cookie: Cookie, url: URL) -> bool:
    host = url.hostname
    is_host = host == cookie.domain if cookie.host_only else _domain_matches(host, cookie.domain)
    return is_host and _path_matches(url.pathname, cookie.path) and (not cookie.secure or is_trustworthy(url))


def _domain_matches(host: str, domain: str) -> bool:
    return host == domain or (host.endswith(f".{domain}") and not _is_ip(host))


def _path_matches(path: str, cookie_path: str) -> bool:
    return path == cookie_path or path.startswith(cookie_path if cookie_path.endswith("/") else f"{cookie_path}/")


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def _line(cookies: Iterable[Cookie]) -> str:
    return "; ".join(f"{cookie.name}={cookie.value}" if cookie.name else cookie.value for cookie in cookies)


def _newest(cookies: Sequence[Cookie]) -> tuple[Cookie, ...]:
    """Return the cookies that fit the jar; the oldest go."""
    room = MAX_JAR_BYTES - len('{"cookies": []}')
    kept = []
    for cookie in reversed(cookies):
        room -= len(json.dumps(documents.encode(cookie), ensure_ascii=False).encode("utf-8", "replace")) + 2
        if room < 0:
            break
        kept.append(cookie)
    return tuple(reversed(kept))
