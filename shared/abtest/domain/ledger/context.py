"""Device, country, kind of visitor and traffic source of an event: what it says itself, else what can be derived.

The rules are those of the storefront SDK (`storefront/src/browser_attributes.js`), so that a segment of results means
what an audience of the same name means.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import get_args
from urllib.parse import parse_qs

from abtest.domain.ledger.events import Device, Source, VisitorKind

MAX_AGENT_CHARS = 512
_DEVICES: Mapping[str, Device] = {name: name for name in get_args(Device)}
_VISITOR_KINDS: Mapping[str, VisitorKind] = {name: name for name in get_args(VisitorKind)} | {"1": "new"}
_VISIT = re.compile(r"[1-9a-z][0-9a-z]?")
_SOURCES: Mapping[str, Source] = {name: name for name in get_args(Source)}

_TABLET = re.compile(r"iPad|Android(?!.*Mobi)")
_PHONE = re.compile(r"Mobi|iP(?:hone|od)")
_COUNTRY = re.compile(r"[A-Za-z]{2}")

_ORIGIN = re.compile(r"https?://([^/:?#]*)", re.IGNORECASE)
_CAMPAIGN_SIGN = re.compile(r"utm_|clid=|braid=|msclkid=", re.IGNORECASE)
# By `utm_medium utm_source` and the query after it.
_CAMPAIGNS: tuple[tuple[Source, re.Pattern[str]], ...] = (
    ("paid", re.compile(r"(?:cp[acmv]|ppc|paid|display)|.*[?&](?:[gwd]braid|[gd]clid|msclkid)=", re.I | re.S)),
    ("email", re.compile(r"[^?]*(?:mail|newsletter)", re.I)),
    ("social", re.compile(r"[^?]*social|.*[?&]fbclid=", re.I | re.S)),
    ("referral", re.compile(r"[^?]*\w", re.A)),
)
_SEARCH = "google|bing|yahoo|duckduckgo|ecosia|baidu|yandex|qwant|startpage"
_SOCIAL = "facebook|instagram|pinterest|linkedin|tiktok|twitter|reddit|youtube"
# By the host that linked here.
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
    """The kind of device behind a User-Agent header; None without one. An iPad that says it is a Mac is a desktop."""
    agent = user_agent[:MAX_AGENT_CHARS]
    if not agent:
        return None
    if _TABLET.search(agent):
        return "tablet"
    return "mobile" if _PHONE.search(agent) else "desktop"


def country_of(value: object) -> str | None:
    """Two capital letters, or None for what is no country."""
    return value.upper() if isinstance(value, str) and _COUNTRY.fullmatch(value) else None


def device_told(value: object) -> Device | None:
    """The device that an event names, None for another value."""
    return _DEVICES.get(value) if isinstance(value, str) else None


def visitor_told(value: object) -> VisitorKind | None:
    """`new` or `returning`, also where the SDK says which visit it is, in base 36; None for another value."""
    if not isinstance(value, str):
        return None
    return _VISITOR_KINDS.get(value) or ("returning" if _VISIT.fullmatch(value) else None)


def source_told(value: object, url: str | None) -> Source | None:
    """The traffic source that an event names, or hints at by where its visit began; None for another value."""
    if not isinstance(value, str):
        return None
    return _hinted(value[:256], _host(url or "")) if value.startswith("-") else _SOURCES.get(value)


def source_of(url: str | None, referrer: object) -> Source | None:
    """The source of a page from its address and referrer; None when neither tells. An empty referrer is `direct`."""
    campaign = _campaign(url) if url and _CAMPAIGN_SIGN.search(url) else None
    if campaign is not None or not isinstance(referrer, str):
        return campaign
    host = _host(referrer)
    return "internal" if host and host == _host(url or "") else _named(_HOSTS, host)


@lru_cache(maxsize=256)
def _campaign(url: str) -> Source | None:
    _, mark, query = url.partition("#")[0].partition("?")
    found = parse_qs(query, keep_blank_values=True)
    named = " ".join(found.get(name, [""])[0] for name in ("utm_medium", "utm_source"))
    return _named(_CAMPAIGNS, f"{named}{mark}{query}")


@lru_cache(maxsize=256)
def _hinted(hint: str, own_host: str) -> Source:
    click = _HINT_CLICK.search(hint)
    values = {name.lower(): value.replace("-", " ") for name, value in _HINT_CAMPAIGN.findall(hint)}
    named = f"{values.get('medium', '')} {values.get('source', '')}"
    if click:
        named += "?gclid=" if click["paid"] else "?fbclid="
    campaign = _named(_CAMPAIGNS, named)
    if campaign:
        return campaign
    begun = _HINT_HOST.match(hint)
    host = begun[1].strip("-").replace("-", ".").lower() if begun else ""
    if own_host and f"{host}.".startswith(f"{own_host.replace('-', '.')}."):
        return "internal"
    return _named(_HOSTS, host) or "direct"


def _host(address: str) -> str:
    found = _ORIGIN.match(address)
    return found[1].lower() if found else ""


def _named(names: tuple[tuple[Source, re.Pattern[str]], ...], text: str) -> Source | None:
    return next((name for name, pattern in names if pattern.match(text)), None)
