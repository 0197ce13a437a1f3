"""Headers on their way through the proxy: what the shop learns of the browser, and the browser of the shop."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from abtest.domain.preview.addresses import (
    MODULES_PATH,
    PROXY_PATH,
    PreviewSite,
    WebAddress,
    absolute,
    path_form,
    query_form,
    requested,
    requested_module,
    resolved,
)

_HOP_BY_HOP = frozenset(
    ["connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "content-length"]
)
_OURS = ("x-svc-", "x-forwarded-", "x-amz", "cloudfront-", "proxy-", "cf-")
_NOT_SENT = _HOP_BY_HOP | frozenset(
    [
        "host",
        "cookie",
        "authorization",
        "accept-encoding",
        "forwarded",
        "via",
        "x-real-ip",
        "true-client-ip",
        "origin",
        "referer",
        "if-none-match",
        "if-modified-since",
        "service-worker",
        "x-cache",
        "sec-fetch-site",
    ]
)
_POLICIES = frozenset(
    [
        "content-security-policy",
        "content-security-policy-report-only",
        "x-frame-options",
        "strict-transport-security",
        "cross-origin-opener-policy",
        "cross-origin-opener-policy-report-only",
        "cross-origin-embedder-policy",
        "cross-origin-embedder-policy-report-only",
        "cross-origin-resource-policy",
        "permissions-policy",
        "feature-policy",
        "document-policy",
        "referrer-policy",
        "origin-agent-cluster",
        "public-key-pins",
        "expect-ct",
        "x-content-type-options",
        "x-xss-protection",
        "x-permitted-cross-domain-policies",
    ]
)
"""Policies of the shop for its own origin. They would block our own scripts, or last on our origin."""
_NOT_SHOWN = (
    _HOP_BY_HOP
    | _POLICIES
    | frozenset(
        [
            "set-cookie",
            "set-cookie2",
            "link",
            "clear-site-data",
            "report-to",
            "reporting-endpoints",
            "nel",
            "alt-svc",
            "timing-allow-origin",
            "cache-control",
            "expires",
            "pragma",
            "age",
            "etag",
            "last-modified",
            "vary",
            "content-encoding",
            "service-worker-allowed",
            "www-authenticate",
            "authentication-info",
            "refresh",
            "location",
            "speculation-rules",
            "supports-loading-mode",
            "sourcemap",
            "x-sourcemap",
            "set-login",
            "accept-ch",
            "critical-ch",
        ]
    )
)
SANDBOX = "sandbox allow-scripts allow-forms allow-same-origin allow-popups allow-modals"
"""A previewed page cannot navigate the window that its frame is in."""

ADDED = (
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("content-security-policy", SANDBOX),
)


def request_headers(
    headers: Mapping[str, str], *, site: PreviewSite, target_url: str, jar_cookie: str
) -> dict[str, str]:
    """Return the headers of the request to the shop. `headers` are the browser's, with names in lower case.

    Origin and Referer are those of the shop's own page, which its check of forged requests expects.
    """
    sent = {name: value for name, value in headers.items() if name not in _NOT_SENT and not name.startswith(_OURS)}
    target = absolute(target_url)
    page = page_of(headers.get("referer", ""), site) or target
    is_same_origin = page is None or target is None or page.origin == target.origin
    if page is not None and page is not target:
        sent["referer"] = f"{page.origin}{page.path}{page.query}" if is_same_origin else f"{page.origin}/"
    if "origin" in headers and page is not None:
        sent["origin"] = page.origin
    if "sec-fetch-dest" in headers:
        sent["sec-fetch-site"] = "same-origin" if is_same_origin else "same-site"
    if jar_cookie:
        sent["cookie"] = jar_cookie
    return sent


def page_of(referer: str, site: PreviewSite) -> WebAddress | None:
    """Return the shop's address of the page that a request to the proxy comes from; None for any other page."""
    try:
        parts = urlsplit(referer)
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}" != site.base:
        return None
    if parts.path.startswith(MODULES_PATH):
        request = requested_module(parts.path, parts.query)
    elif parts.path == PROXY_PATH:
        request = requested(parts.query)
    else:
        return None
    page = absolute(request.url or "")
    return page if request.token == site.token and query_form(site, page) is not None else None


def response_headers(
    headers: Iterable[tuple[str, str]], *, site: PreviewSite, target_url: str, as_module: bool = False
) -> list[tuple[str, str]]:
    """Return the headers of the answer to the browser, with names in lower case; cookies belong to the jar."""
    shown = list(ADDED)
    for given, value in headers:
        name = given.lower()
        if name == "location":
            shown.append((name, redirected(value, site=site, target_url=target_url, as_module=as_module)))
        elif name == "refresh":
            shown.append((name, refreshed(value, site=site, page_url=target_url)))
        elif name not in _NOT_SHOWN and not name.startswith((*_OURS, "access-control-")):
            shown.append((name, value))
    return shown


def redirected(location: str, *, site: PreviewSite, target_url: str, as_module: bool = False) -> str:
    """Return where a redirect of `target_url` leads in the preview; an address of another host as it is."""
    url = resolved(location, target_url)
    if url is None:
        return location
    form = path_form if as_module else query_form
    return form(site, url) or url.href


def refreshed(content: str, *, site: PreviewSite, page_url: str) -> str:
    """Return the content of a refresh with its address at the proxy."""
    delay, separator, rest = content.partition(";")
    if not separator:
        delay, separator, rest = content.partition(",")
    target = rest.strip()
    name, equals, value = target.partition("=")
    if equals and name.strip().lower() == "url":
        target = value.strip()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    mapped = query_form(site, resolved(target, page_url)) if target else None
    return f"{delay.strip()}; url={mapped}" if mapped else content
