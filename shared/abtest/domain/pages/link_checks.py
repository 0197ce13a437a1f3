"""Links of a page to other addresses: which ones are requested, and the verdict about their answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TypedDict
from urllib.parse import urljoin

from abtest.domain.pages.rules import link_uses
from abtest.domain.pages.spec import PageSpec
from abtest.domain.pages.verdicts import PASSED, Verdict
from abtest.kit.clock import Timestamp, later

MAX_LINKS = 50
MAX_REDIRECTS = 5
KEPT = timedelta(hours=24)
"""Time for which a link that worked is not requested again."""

BROKEN_KEPT = timedelta(minutes=1)
"""Time for which one that did not work is not: long enough against floods, short enough to see a repair."""

RENDERINGS_AN_HOUR = 60
"""Requests for `render` of a shop: with those of 50 links each, a shop can have 3,000 sent."""

RENDERINGS_AT_ONCE = 20

_NAMED = 5


class LinkResult(TypedDict):
    """Answer of an address; `problem` is the end of a sentence about it, None where it works."""

    url: str
    problem: str | None
    checked_at: Timestamp


def addresses(spec: PageSpec, own_address: str) -> list[str]:
    """Return the https addresses that a page links to, each once, without fragments and without its own."""
    absolute = (
        urljoin(own_address, href).partition("#")[0]
        for _, href in link_uses(spec)
        if not href.lower().startswith(("#", "mailto:", "tel:"))
    )
    return [address for address in dict.fromkeys(absolute) if address != own_address]


def kept(results: Iterable[LinkResult], now: Timestamp) -> Mapping[str, LinkResult]:
    """Return the results that need no other request, by address."""
    return {
        each["url"]: each
        for each in results
        if later(each["checked_at"], KEPT if each["problem"] is None else BROKEN_KEPT) > now
    }


def links_verdict(urls: Sequence[str], results: Mapping[str, LinkResult]) -> Verdict:
    """Return the verdict about all links of a page; those without a result only warn."""
    broken = [f"{url} {problem}" for url in urls if url in results and (problem := results[url]["problem"])]
    if broken:
        more = f", and {len(broken) - _NAMED} more" if len(broken) > _NAMED else ""
        return "fail", "; ".join(broken[:_NAMED]) + more
    unchecked = sum(url not in results for url in urls)
    if unchecked:
        return "warn", f"{unchecked} of {len(urls)} links were not checked: a page has {MAX_LINKS} checked at most"
    return PASSED
