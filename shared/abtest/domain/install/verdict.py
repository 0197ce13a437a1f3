"""Verdict on the installation of a shop's snippet on a page, with a remedy for each fault."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from ada_url import URL, URLSearchParams

from abtest.domain.install.page import Page, ScriptTag
from abtest.domain.install.policies import Policy, policies_in
from abtest.domain.install.tags import SNIPPET_ELEMENT, origin_of, snippet_url

Surface = Literal["storefront", "checkout"]
_SURFACES: dict[str, Surface] = {"": "storefront", "storefront": "storefront", "checkout": "checkout"}
_PATH = re.compile(r"/s/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.js", re.IGNORECASE | re.ASCII)
_WEB = ("https://", "http://")
_PLACES = {
    "comment": "The snippet is inside an HTML comment, where it does not run: take it out of the comment.",
    "noscript": "The snippet is inside a noscript element, where it does not run: put it directly into the head.",
    "script": "The snippet is put into the page by another script (a tag manager, for example): it comes too late "
    "there. Put the tag directly into the head.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The snippet that the shop's pages should carry."""

    shop_id: str
    worker_base_url: str
    environments: Collection[str]

    @property
    def url(self) -> str:
        """Address of the snippet."""
        return snippet_url(self.worker_base_url, self.shop_id)

    @property
    def origin(self) -> str:
        """Origin of the snippet and of the address that takes events."""
        return origin_of(self.worker_base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Result of the check. Each of `errors` names a remedy; `works` is whether the snippet runs in spite of them."""

    is_found: bool = False
    works: bool = False
    surface: Surface | None = None
    is_async: bool = False
    errors: tuple[str, ...] = ()


def judge(page: Page, header_policy: str, expected: Expected) -> Verdict:
    """Return the verdict on a parsed page; `header_policy` is its Content-Security-Policy header, "" for none."""
    addresses = [(tag, _PATH.fullmatch(URL(tag.url).pathname)) for tag in page.scripts if tag.url.startswith(_WEB)]
    tags = [(tag, path[1].lower()) for tag, path in addresses if path]
    ours = [tag for tag, shop in tags if shop == expected.shop_id]
    if not ours:
        foreign = [shop for tag, shop in tags if origin_of(tag.url) == expected.origin]
        return Verdict(errors=(_missing(page, foreign, expected),))
    tag = ours[0]
    fatal = [*_inert(tag, page, expected), *_blocked(tag, page, header_policy, expected)]
    weaknesses = [*_weaknesses(tag, page, expected), *_unlimited(tag, page, header_policy)]
    if len(ours) > 1:
        weaknesses.append(f"The snippet is on the page {len(ours)} times: keep the first and remove the others.")
    declared = tag.attributes.get("data-surface", "")
    surface = _SURFACES.get(declared.strip().lower())
    if surface is None:
        weaknesses.append(
            f"data-surface={declared[:40]!r} is unknown and counts as storefront: "
            "write checkout on a checkout, or remove it."
        )
    return Verdict(
        is_found=True,
        works=not fatal,
        surface=surface or "storefront",
        is_async="async" in tag.attributes,
        errors=(*fatal, *weaknesses),
    )


def _missing(page: Page, foreign: list[str], expected: Expected) -> str:
    if foreign:
        return f"The page carries the snippet of another shop ({foreign[0]}): replace it by that of {expected.shop_id}."
    path = f"/s/{expected.shop_id}.js"
    places = [place for place, text in page.hidden if path in text]
    if places:
        return _PLACES[places[0]]
    return (
        "The snippet is not on the page: paste the preconnect tag and the snippet tag as the first ones of the head, "
        "and clear the caches of the shop."
    )


def _inert(tag: ScriptTag, page: Page, expected: Expected) -> Iterator[str]:
    if tag.kind not in ("classic", "module"):
        yield f"The snippet's script has type={tag.kind[:60]!r}, with which browsers do not run it: remove the type."
    if "nomodule" in tag.attributes:
        yield "The snippet's script has the attribute nomodule, with which browsers do not run it: remove it."
    if page.url.startswith("https:") and tag.url.startswith("http:"):
        yield "The snippet is loaded over http from a page under https, which browsers refuse: write https."
    if "integrity" in tag.attributes:
        yield "The snippet's script has an integrity hash; the snippet changes with each publication: remove it."
    environment = URLSearchParams(URL(tag.url).search).get("env")
    if environment and environment not in expected.environments:
        yield f"The snippet requests the environment {environment[:48]!r}, which the shop does not have: correct it."


def _blocked(tag: ScriptTag, page: Page, header_policy: str, expected: Expected) -> Iterator[str]:
    policies = _policies_at(tag.position, page, header_policy)
    nonce = tag.attributes.get("nonce", "")
    if not all(policy.allows_script(tag.url, page.url, nonce) for policy in policies):
        yield (
            "The page's content security policy does not let the snippet run: add "
            f"{origin_of(tag.url)} to script-src, or give the tag the page's nonce."
        )
    # Events are sent when the page is complete, so meta elements behind the tag hold for them as well.
    late = [policy for _, text in page.policies for policy in policies_in(text)]
    events = f"{expected.worker_base_url}/events"
    if not all(policy.allows_connection(events, page.url) for policy in [*policies, *late]):
        yield f"The page's content security policy does not let events be sent: add {expected.origin} to connect-src."


def _policies_at(position: int, page: Page, header_policy: str) -> list[Policy]:
    """Policies in force at a position: a meta element governs only what comes after it."""
    texts = [header_policy, *(text for at, text in page.policies if at < position)]
    return [policy for text in texts for policy in policies_in(text)]


def _unlimited(tag: ScriptTag, page: Page, header_policy: str) -> Iterator[str]:
    """Errors of a page that waits for the snippet without a time limit."""
    if not tag.holds or not tag.waits:
        return
    behind = [script for script in page.inline if script.position > tag.position and SNIPPET_ELEMENT in script.text]
    if tag.attributes.get("id") != SNIPPET_ELEMENT or not behind:
        yield (
            "The page is not shown before the snippet has loaded, however long that takes: paste the tag with a limit "
            f'whole, with id="{SNIPPET_ELEMENT}" and the script behind it.'
        )
        return
    limit = behind[0]
    policies = _policies_at(limit.position, page, header_policy)
    if not all(policy.allows_inline(limit.text, limit.nonce) for policy in policies):
        yield (
            "The page's content security policy does not let the script behind the snippet run, which limits how long "
            "the page waits: give it the page's nonce."
        )


def _weaknesses(tag: ScriptTag, page: Page, expected: Expected) -> Iterator[str]:
    """Faults that make the snippet late. An asynchronous tag that holds nothing is late by choice."""
    if origin_of(tag.url) not in (expected.origin, origin_of(page.url)):
        yield f"The snippet is loaded from {origin_of(tag.url)}: its address is {expected.url}."
    if "async" in tag.attributes and not tag.holds:
        return
    if tag.kind == "module":
        yield "The snippet is loaded as a module, which runs after the page is parsed: remove type=module."
    if "defer" in tag.attributes and "async" not in tag.attributes:
        yield "The snippet has the attribute defer, with which it runs after the page is parsed: remove it."
    if not tag.in_head:
        yield "The snippet is in the body: move it into the head, or shoppers see the original page first."
    if tag.blockers:
        addresses = ", ".join(url if len(url) <= 100 else f"{url[:97]}…" for url in tag.blockers)
        yield f"The snippet waits for {addresses}: move it before stylesheets and other scripts."
    if not any(position < tag.position and origin == origin_of(tag.url) for position, origin in page.preconnects):
        yield f"No preconnect to {origin_of(tag.url)} comes before the snippet: add the preconnect tag in front of it."
