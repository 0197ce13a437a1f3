"""Device, country, kind of visitor and traffic source of an event: the event's own value, else a derived one.

The rules are those of the storefront SDK (`storefront/src/browser_attributes.js`), so that a segment of results has the
meaning of the audience with the same name.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import get_args
from urllib.parse import parse_qs

from abtest.domain.ledger.events import Device, Source, VisitorKind

# A longer header is cut: the lookahead of `_TABLET` reads the rest for each `Android`, which is quadratic time.
MAX_AGENT_CHARS = 512
_DEVICES: Mapping[str, Device] = {name: name for name in get_args(Device)}
_VISITOR_KINDS: Mapping[str, VisitorKind] = {name: name for name in get_args(VisitorKind)} | {"1": "new"}
_VISIT = re.compile(r"[1-9a-z][0-9a-z]?")
_SOURCES: Mapping[str, Source] = {name: name for name in get_args(Source)}

# Browsers of Android phones have `Mobile` in the header, those of tablets do not.
_TABLET = re.compile(r"iPad|Android(?!.*Mobi)")
_PHONE = re.compile(r"Mobi|iP(?:hone|od)")
_COUNTRY = re.compile(r"[A-Za-z]{2}")

_ORIGIN = re.compile(r"https?://([^/:?#]*)", re.IGNORECASE)
_CAMPAIGN_SIGN = re.compile(r"utm_|clid=|braid=|msclkid=", re.IGNORECASE)
# The first match counts, so the order matters: a medium of `paid_social` is paid.
# By `utm_medium utm_source` and the query after it.
_CAMPAIGNS: tuple[tuple[Source, re.Pattern[str]], ...] = (
    ("paid", re.compile(r"(?:cp[acmv]|ppc|paid|display)|.*[?&](?:[gwd]braid|[gd]clid|msclkid)=", re.I | re.S)),
    ("email", re.compile(r"[^?]*(?:mail|newsletter)", re.I)),
    ("social", re.compile(r"[^?]*social|.*[?&]fbclid=", re.I | re.S)),
    ("referral", re.compile(r"[^?]*\w", re.A)),
)
_SEARCH = "google|bing|yahoo|duckduckgo|ecosia|baidu|yandex|qwant|startpage"
_SOCIAL = "facebook|instagram|pinterest|linkedin|tiktok|twitter|reddit|youtube"
# By the host of the referrer.
_HOSTS: tuple[tuple[Source, re.Pattern[str]], ...] = (
    ("email", re.compile(r"(?:.*\.)?(?:web)?mail\.")),
    ("search", re.compile(rf"(?:.*\.)?(?:{_SEARCH})\.")),
    ("social", re.compile(rf"(?:.*\.)?(?:(?:{_SOCIAL})\.|[tx]\.com?(?:\.|$))")),
    ("referral", re.compile(r".")),
    ("direct", re.compile(r"")),
)

# A hint of the SDK: referrer and query of the page where the visit began, each run of other characters as a hyphen.
_HINT_CLICK = re.compile(r"-(?:(?P<paid>[gwd]braid|[gd]clid|msclkid)|fbclid)-", re.I)
_HINT_CAMPAIGN = re.compile(r"(?<=-)utm_(medium|source)-((?!utm_)\w+(?:-(?!utm_)\w+)?)", re.I)
_HINT_HOST = re.compile(r"-https?-((?:(?!utm_)\w+-){1,4})", re.I)


def device_of(user_agent: str) -> Device | None:
    """Return the kind of device of a User-Agent header; None without one. An iPad that poses as a Mac is a desktop."""
    agent = user_agent[:MAX_AGENT_CHARS]
    if not agent:
        return None
    if _TABLET.search(agent):
        return "tablet"
    return "mobile" if _PHONE.search(agent) else "desktop"


def country_of(value: object) -> str | None:
    """Return the country in two capital letters; None for any other value."""
    return value.upper() if isinstance(value, str) and _COUNTRY.fullmatch(value) else None


def named_device(value: object) -> Device | None:
    """Return the device that an event names; None for another value."""
    return _DEVICES.get(value) if isinstance(value, str) else None


def named_visitor_kind(value: object) -> VisitorKind | None:
    """Return `new` or `returning`, also for the SDK's number of the visit in base 36; None for another value."""
    if not isinstance(value, str):
        return None
    return _VISITOR_KINDS.get(value) or ("returning" if _VISIT.fullmatch(value) else None)


def named_source(value: object, url: str | None) -> Source | None:
    """Return the source that an event names or that its hint of the first page implies; None for another value."""
    if not isinstance(value, str):
        return None
    # The hint is input of several patterns and a key of the cache, so its length is limited.
    return _hinted(value[:256], _host(url or "")) if value.startswith("-") else _SOURCES.get(value)


def source_of(url: str | None, referrer: object) -> Source | None:
    """Return the source of a page by its address and referrer; None without either. An empty referrer is `direct`."""
    campaign = _campaign(url) if url and _CAMPAIGN_SIGN.search(url) else None
    if campaign is not None or not isinstance(referrer, str):
        return campaign
    host = _host(referrer)
    return "internal" if host and host == _host(url or "") else _first_match(_HOSTS, host)


@lru_cache(maxsize=256)
def _campaign(url: str) -> Source | None:
    _, mark, query = url.partition("#")[0].partition("?")
    parameters = parse_qs(query, keep_blank_values=True)
    named = " ".join(parameters.get(name, [""])[0] for name in ("utm_medium", "utm_source"))
    return _first_match(_CAMPAIGNS, f"{named}{mark}{query}")


@lru_cache(maxsize=256)
def _hinted(hint: str, own_host: str) -> Source:
    click = _HINT_CLICK.search(hint)
    values = {name.lower(): value.replace("-", " ") for name, value in _HINT_CAMPAIGN.findall(hint)}
    named = f"{values.get('medium', '')} {values.get('source', '')}"
    if click:
        named += "?gclid=" if click["paid"] else "?fbclid="
    campaign = _first_match(_CAMPAIGNS, named)
    if campaign:
        return campaign
    referrer = _HINT_HOST.match(hint)
    host = referrer[1].strip("-").replace("-", ".").lower() if referrer else ""
    # A hint has hyphens in place of dots, so a hyphen of the shop's own host counts as a dot too.
    if own_host and f"{host}.".startswith(f"{own_host.replace('-', '.')}."):
        return "internal"
    return _first_match(_HOSTS, host) or "direct"


def _host(address: str) -> str:
    origin = _ORIGIN.match(address)
    return origin[1].lower() if origin else ""


def _first_match(names: tuple[tuple[Source, re.Pattern[str]], ...], text: str) -> Source | None:
    return next((name for name, pattern in names if pattern.match(text)), None)
