"""Addresses of the shop as addresses of the preview proxy, and back.

Documents, styles, fonts and requests of scripts have the form `/api/preview?pst=…&url=…`. Scripts have the form
`/api/preview/m/<token>/<scheme>/<host>/<path>`, so that what they name relative to their own address stays inside.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from ada_url import join_url

PROXY_PATH = "/api/preview"
MODULES_PATH = "/api/preview/m/"
_SAFE_IN_QUERY = "/:@!$()*,;?=~"
_WEB = re.compile(r"(https?)://(?:[^/?#@]*@)?([^/?#]*)([^?#]*)(\??[^#]*)(#?.*)", re.DOTALL)
"""An address that a parser of the URL standard has written."""

_MODULE = re.compile(r"/api/preview/m/([^/]+)/(https?)/([^/]+)(/.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSite:
    """One session as its pages see it.

    `base` is the origin of the proxy. `hosts` are the shop's hosts that the token allows, exact, with the port unless
    it is the usual one. `shop_snippets` are addresses of the shop's own snippet, which `snippet_url` replaces.
    `bridge` is the text of the script that comes first in each document.
    """

    base: str
    token: str
    hosts: frozenset[str]
    snippet_url: str | None = None
    shop_snippets: Collection[str] = ()
    bridge: str = ""


@dataclass(frozen=True, slots=True)
class Requested:
    """Token and target of a request to the proxy.

    `is_canonical` is False when the browser has put fields of a form behind the address. The page then has another
    address than links to it, so a document is better redirected to `proxied(site, url)`.
    """

    token: str | None
    url: str | None
    is_canonical: bool = True


class WebAddress(NamedTuple):
    """Absolute http(s) address as the URL standard writes it, without a user's name and password."""

    scheme: str
    host: str
    path: str
    query: str
    fragment: str

    @property
    def origin(self) -> str:
        """Return scheme and host."""
        return f"{self.scheme}://{self.host}"

    @property
    def href(self) -> str:
        """Return the whole address. Query and fragment begin with their sign."""
        return f"{self.scheme}://{self.host}{self.path}{self.query}{self.fragment}"


def resolved(url: str, page_url: str) -> WebAddress | None:
    """Return the web address that a text on a page leads to; None for any other text."""
    try:
        match = _WEB.fullmatch(join_url(page_url, url))
    except ValueError:
        return None
    return WebAddress(*match.groups()) if match else None


def absolute(url: str) -> WebAddress | None:
    """Return an absolute web address; None for any other text."""
    return resolved(url, "about:blank")


def is_allowed(site: PreviewSite, url: WebAddress) -> bool:
    """Return whether the session may show the address."""
    return url.host in site.hosts


def proxied(site: PreviewSite, url: str) -> str:
    """Return the address at the proxy of an absolute address of an allowed host; any other unchanged."""
    return query_form(site, absolute(url)) or url


def module_url(site: PreviewSite, url: str) -> str:
    """Return the address at the proxy of a script of an allowed host; any other unchanged."""
    return path_form(site, absolute(url)) or url


def query_form(site: PreviewSite, url: WebAddress | None) -> str | None:
    """Return the address of a document, a style or a request at the proxy; None for an address that stays as it is."""
    if url is None or url.host not in site.hosts:
        return None
    scheme, host, path, query, fragment = url
    encoded = quote(f"{scheme}://{host}{path}{query}", safe=_SAFE_IN_QUERY)
    return f"{site.base}{PROXY_PATH}?pst={site.token}&url={encoded}{fragment}"


def path_form(site: PreviewSite, url: WebAddress | None) -> str | None:
    """Return the address of a script at the proxy; None for an address that stays as it is."""
    if url is None or url.host not in site.hosts:
        return None
    return f"{site.base}{MODULES_PATH}{site.token}/{url.scheme}/{url.host}{url.path}{url.query}{url.fragment}"


def requested(raw_query: str) -> Requested:
    """Return what a query of `/api/preview` asks for.

    A GET form sends token and address as its first fields and its own fields behind them. These replace the query of
    the address, as in any GET form.
    """
    token: str | None = None
    url: str | None = None
    fields = []
    for part in raw_query.split("&"):
        name, _, value = part.partition("=")
        if name == "pst" and token is None:
            token = unquote_plus(value)
        elif name == "url" and url is None:
            url = unquote_plus(value)
        elif part:
            fields.append(part)
    if url is None or not fields:
        return Requested(token, url)
    return Requested(token, f"{url.partition('#')[0].partition('?')[0]}?{'&'.join(fields)}", is_canonical=False)


def requested_module(path: str, raw_query: str) -> Requested:
    """Return what a path below `/api/preview/m/` asks for."""
    match = _MODULE.fullmatch(path)
    if match is None:
        return Requested(None, None)
    token, scheme, host, rest = match.groups()
    return Requested(token, f"{scheme}://{host}{rest or '/'}" + (f"?{raw_query}" if raw_query else ""))
