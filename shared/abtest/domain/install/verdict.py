"""Verdict on the installation of a shop's snippet on a page, with a remedy for each fault."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from ada_url import URL, URLSearchParams

from abtest.domain.install.page import REPORTED, Page, ScriptTag
from abtest.domain.install.policies import Policy, policies_in
from abtest.domain.install.tags import SNIPPET_ELEMENT, TagName, origin_of, snippet_url

FoundTag = TagName | Literal["inlined"]
Surface = Literal["storefront", "checkout"]
_SURFACES: dict[str, Surface] = {"": "storefront", "storefront": "storefront", "checkout": "checkout"}
_PATH = re.compile(r"/s/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.js", re.IGNORECASE | re.ASCII)
_CONFIG = r"""\bshop_id["']?\s*:\s*["']{}["']"""
"""Part of the config in a snippet that is inlined, whatever a minifier has made of its quotation marks."""

_CONTAINERS = re.compile(r"googletagmanager\.com/gtm\.js|tags\.tiqcdn\.com|assets\.adobedtm\.com")
"""Containers of tag managers (Google, Tealium, Adobe), which may add scripts that the page itself does not have."""

_WEB = ("https://", "http://")
_PLACES = {
    "comment": "The snippet is inside an HTML comment, where it does not run: take it out of the comment.",
    "noscript": "The snippet is inside a noscript element, where it does not run: put it directly into the head.",
    "script": "The snippet is put into the page by another script (a tag manager, for example): it comes too late "
    "there. Put the tag directly into the head.",
    "attribute": "The snippet's address is in another attribute than src: a plugin delays the script until the visitor "
    "moves or touches something. Exclude the snippet from that plugin.",
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
    tag: FoundTag | None = None
    is_async: bool = False
    errors: tuple[str, ...] = ()


def judge(page: Page, header_policy: str, expected: Expected) -> Verdict:
    """Return the verdict on a parsed page; `header_policy` is its Content-Security-Policy header, "" for none."""
    addresses = [(tag, _PATH.fullmatch(URL(tag.url).pathname)) for tag in page.scripts if tag.url.startswith(_WEB)]
    tags = [(tag, path[1].lower()) for tag, path in addresses if path]
    config = re.compile(_CONFIG.format(expected.shop_id), re.IGNORECASE)
    # The pixel has a config with the shop's id as well, but not this call.
    inlined = [script for script in page.inline if "assignments" in script.text and config.search(script.text)]
    ours = sorted([*inlined, *(tag for tag, shop in tags if shop == expected.shop_id)], key=lambda tag: tag.position)
    if not ours:
        foreign = [shop for tag, shop in tags if origin_of(tag.url) == expected.origin]
        return Verdict(errors=(_missing(page, foreign, expected),))
    tag = ours[0]
    limits = _limits(tag, page)
    name = _name(tag, limits)
    fatal = [*_inert(tag, page, expected), *_blocked(tag, page, header_policy, expected)]
    weaknesses = [*_weaknesses(tag, name, page, expected)]
    if name == "bounded":
        weaknesses += _unlimited(tag, limits, page, header_policy)
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
        tag=name,
        is_async="async" in tag.attributes,
        errors=(*fatal, *weaknesses),
    )


def _limits(tag: ScriptTag, page: Page) -> list[ScriptTag]:
    """Return the scripts behind a tag that may show the page without it."""
    if tag.attributes.get("id") != SNIPPET_ELEMENT:
        return []
    # A plugin that delays scripts leaves the text as it is, with a type that browsers do not run.
    return [
        script
        for script in page.inline
        if script.position > tag.position and SNIPPET_ELEMENT in script.text and script.runs and not script.waits
    ]


def _name(tag: ScriptTag, limits: list[ScriptTag]) -> FoundTag:
    """Return which tag it is, by what browsers make of it; half of the bounded tag is the bounded tag with an error."""
    if not tag.url:
        return "inlined"
    if not tag.waits:
        return "synchronous"
    return "bounded" if tag.holds or limits else "asynchronous"


def _missing(page: Page, foreign: list[str], expected: Expected) -> str:
    if foreign:
        return f"The page carries the snippet of another shop ({foreign[0]}): replace it by that of {expected.shop_id}."
    path = f"/s/{expected.shop_id}.js"
    places = [place for place, text in page.hidden if path in text]
    if places:
        return _PLACES[places[0]]
    advice = (
        "The snippet is not on the page: paste the preconnect tag and the snippet tag as the first ones of the head, "
        "and clear the caches of the shop."
    )
    if any(
        _CONTAINERS.search(text) for text in [*(tag.url for tag in page.scripts), *(tag.text for tag in page.inline)]
    ):
        advice += " If a tag manager adds it, that is too late: shoppers see the original page first."
    return advice


def _inert(tag: ScriptTag, page: Page, expected: Expected) -> Iterator[str]:
    if tag.kind not in ("classic", "module"):
        yield (
            f"The snippet's script has type={tag.kind[:60]!r}, with which browsers do not run it: remove the type, or "
            "exclude the snippet from the plugin that has set it."
        )
    if "nomodule" in tag.attributes:
        yield "The snippet's script has the attribute nomodule, with which browsers do not run it: remove it."
    if page.url.startswith("https:") and tag.url.startswith("http:"):
        yield "The snippet is loaded over http from a page under https, which browsers refuse: write https."
    if tag.url and "integrity" in tag.attributes:
        yield "The snippet's script has an integrity hash; the snippet changes with each publication: remove it."
    environment = URLSearchParams(URL(tag.url).search).get("env") if tag.url else None
    if environment and environment not in expected.environments:
        yield f"The snippet requests the environment {environment[:48]!r}, which the shop does not have: correct it."


def _blocked(tag: ScriptTag, page: Page, header_policy: str, expected: Expected) -> Iterator[str]:
    policies = _policies_at(tag.position, page, header_policy)
    if not tag.url:
        if not all(policy.allows_inline(tag.text, tag.nonce) for policy in policies):
            yield "The page's content security policy does not let the inlined snippet run: give it the page's nonce."
    elif not all(policy.allows_script(tag.url, page.url, tag.nonce) for policy in policies):
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


def _unlimited(tag: ScriptTag, limits: list[ScriptTag], page: Page, header_policy: str) -> Iterator[str]:
    """Yield errors of a bounded tag that lacks a part."""
    if not limits:
        yield (
            "The page is not shown before the snippet has loaded, however long that takes: paste the bounded tag "
            f'whole, with id="{SNIPPET_ELEMENT}" and the script directly behind it, and keep plugins from delaying it.'
        )
        return
    if not tag.holds:
        yield (
            'The snippet has lost its attribute blocking="render", without which shoppers see the original page first: '
            "paste the bounded tag whole."
        )
    policies = _policies_at(limits[0].position, page, header_policy)
    if not all(policy.allows_inline(limits[0].text, limits[0].nonce) for policy in policies):
        yield (
            "The page's content security policy does not let the script behind the snippet run, which limits how long "
            "the page waits: give it the page's nonce."
        )


def _weaknesses(tag: ScriptTag, name: FoundTag, page: Page, expected: Expected) -> Iterator[str]:
    """Faults that make the snippet late. An asynchronous tag is late by choice."""
    if tag.url and origin_of(tag.url) not in (expected.origin, origin_of(page.url)):
        yield f"The snippet is loaded from {origin_of(tag.url)}: its address is {expected.url}."
    if name == "asynchronous" and "async" in tag.attributes:
        return
    if tag.kind == "module":
        yield "The snippet is loaded as a module, which runs after the page is parsed: remove type=module."
    if tag.url and "defer" in tag.attributes and "async" not in tag.attributes:
        yield "The snippet has the attribute defer, with which it runs after the page is parsed: remove it."
    if not tag.in_head:
        yield "The snippet is in the body: move it into the head, or shoppers see the original page first."
    # An asynchronous script runs as soon as it has loaded, also while the parser waits for style sheets. The page is
    # not shown before these anyway.
    blockers = tag.scripts if name == "bounded" else (*tag.stylesheets, *tag.scripts)[:REPORTED]
    if blockers:
        addresses = ", ".join(url if len(url) <= 100 else f"{url[:97]}…" for url in blockers)
        yield f"The snippet waits for {addresses}: move it before stylesheets and other scripts."
    # Frameworks that move asynchronous scripts to the front put them before the preconnect as well.
    connected = [origin for at, origin in page.preconnects if name == "bounded" or at < tag.position]
    if tag.url and origin_of(tag.url) not in connected:
        yield f"No preconnect to {origin_of(tag.url)} comes before the snippet: add the preconnect tag in front of it."
