"""Port of browsers: the same promises of Chromium and of the scripted browser that tests of services use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import pytest

from abtest.adapters.browser import ChromiumBrowsers
from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.browser import Browser, Fixed, PageFailedError
from tests.support.scripted_browser import SHOP_SNIPPET, ScriptedBrowsers, ScriptedPage
from tests.support.sites import site

SHOP_ID = "shop"
SNIPPET = SHOP_SNIPPET.format(shop_id=SHOP_ID)


@dataclass(frozen=True)
class Rig:
    """Open browser with two pages: one that loads the shop's snippet, and one that fails."""

    browser: Browser
    page: str
    broken: str


def answers(url: str) -> Fixed | None:
    return Fixed(200, {"content-type": "text/javascript"}, b"document.title='decided'") if url == SNIPPET else None


@pytest.fixture(scope="module", params=["chromium", "scripted"])
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    with site() as shop:
        html = f"<!doctype html><meta name=viewport content='width=device-width'><script src='{SNIPPET}'></script><p>x"
        page, broken = shop.page(html, "/page"), "https://10.0.0.1/"
        openers: dict[str, Callable[[], AbstractContextManager[Browser]]] = {
            "chromium": lambda: ChromiumBrowsers(rules=PublicOnly(True)).open(may_reach={shop.host}),
            "scripted": lambda: ScriptedBrowsers(SHOP_ID, {broken: ScriptedPage(failure="cannot be requested")}).open(),
        }
        with openers[request.param]() as browser:
            yield Rig(browser, page, broken)


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE, Viewport(320, 600, 3, touch=True)], ids=str)
def test_picture__of_the_window__has_its_pixels(rig: Rig, viewport: Viewport) -> None:
    with rig.browser.visit(rig.page, viewport, answers=answers) as visit:
        picture = visit.picture(full_page=False)
        assert (picture.width, picture.height) == (
            viewport.width * viewport.device_scale,
            viewport.height * viewport.device_scale,
        )
        assert visit.picture(full_page=True).height >= picture.height
        assert not picture.is_truncated
        assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")


def test_visit__has_address_and_status_of_its_document(rig: Rig) -> None:
    with rig.browser.visit(rig.page, DESKTOP, answers=answers) as visit:
        assert (visit.url, visit.status) == (rig.page, 200)


def test_resize__changes_the_next_picture(rig: Rig) -> None:
    with rig.browser.visit(rig.page, DESKTOP, answers=answers) as visit:
        visit.resize(640, 480)
        picture = visit.picture(full_page=False)
    assert (picture.width, picture.height) == (640, 480)


def test_page__that_fails__has_a_reason_for_people_and_the_next_is_shown(rig: Rig) -> None:
    with pytest.raises(PageFailedError) as raised, rig.browser.visit(rig.broken, DESKTOP, answers=answers):
        pass
    assert raised.value.reason.startswith("cannot be requested")
    with rig.browser.visit(rig.page, DESKTOP, answers=answers) as visit:
        assert visit.status == 200
