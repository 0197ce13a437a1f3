"""Saved pages of stores, written for the tests from each platform's public documentation, and visits of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from abtest.domain.install.page import read_page
from abtest.domain.install.verdict import Expected, judge
from abtest.domain.profiles.learning import learned, merged
from abtest.domain.profiles.model import StoreProfile
from abtest.domain.profiles.page import Answer, StorePage
from abtest.domain.profiles.page_reader import read_store_page
from abtest.domain.profiles.signatures import PageKind
from abtest.domain.profiles.visit import Missed, SeenPage, Sheet, Visit
from abtest.ports.catalog import Commit
from abtest.services.context import World
from abtest.services.profiles.records import put_of, read_profile

FOLDER = Path("tests/data/stores")
SHOP_ID = "00000000-0000-7000-8000-000000000001"
EXPECTED = Expected(shop_id=SHOP_ID, worker_base_url="https://edge.example", environments=())
NOW = "2026-11-24T02:00:00.000Z"

PLATFORMS = ("shopify", "woocommerce", "shopware", "magento", "prestashop", "bigcommerce")

HEADERS: Mapping[str, Mapping[str, str]] = {
    "shopify": {"powered-by": "Shopify", "x-shopid": "60000000001", "strict-transport-security": "max-age=7889238"},
    "shopware": {"sw-version-id": "0fa91ce3e96a4bc2be4bd9ce752c3425", "x-frame-options": "deny"},
    "prestashop": {"powered-by": "PrestaShop"},
}
COOKIES: Mapping[str, Sequence[str]] = {
    "shopify": ("localization=DE", "_shopify_y=1", "_shopify_s=2"),
    "prestashop": ("PrestaShop-a0b1c2d3e4f5a0b1c2d3e4f5a0b1c2d3=def",),
    "bigcommerce": ("fornax_anonymousId=1", "SHOP_SESSION_TOKEN=2"),
}


def answer(body: str | bytes, url: str = "https://store.example/", **fields: Any) -> Answer:
    """Return a response with a page."""
    plain = Answer(
        url=url,
        status=200,
        content_type="text/html; charset=utf-8",
        body=body.encode() if isinstance(body, str) else body,
        is_whole=True,
        headers=(),
        cookies=(),
        fetched_at=NOW,
    )
    return replace(plain, **fields)


def page(body: str | bytes, url: str = "https://store.example/", **fields: Any) -> StorePage:
    """Return a page as it is read."""
    return read_store_page(answer(body, url, **fields))


def saved(name: str) -> Answer:
    """Return the saved home page of a platform, with the headers and cookies that it documents."""
    return answer(
        (FOLDER / f"{name}.html").read_bytes(),
        headers=tuple(HEADERS.get(name, {}).items()),
        cookies=tuple(COOKIES.get(name, ())),
    )


def seen(given: Answer, kind: PageKind = "home") -> SeenPage:
    """Return a page of a visit."""
    return SeenPage(kind, read_store_page(given), judge(read_page(given.body, given.url), "", EXPECTED))


def visit(
    *answers: Answer | SeenPage, missed: Iterable[Missed] = (), sheets: Iterable[Sheet] = (), notes: Iterable[str] = ()
) -> Visit:
    """Return a visit of these pages; the first is the home page, and the others have content."""
    pages = [
        each if isinstance(each, SeenPage) else seen(each, "content" if place else "home")
        for place, each in enumerate(answers)
    ]
    return Visit(seen=pages, missed=list(missed), sheets=list(sheets), notes=list(notes), at=NOW)


def put_profile(world: World, shop_id: str, run_id: str) -> StoreProfile:
    """Store what a run of a saved store leaves."""
    before = read_profile(world.catalog, shop_id, world.now())
    after = merged(before, learned(visit(saved("shopify"))), run_id, world.now())
    world.catalog.commit(Commit(puts=[put_of(after)]))
    return after
