"""A shop that installs its tag as docs/install-recipes.md has it, and the service's check of its pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from abtest.adapters.outbound_http import OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.kit.clock import ManualClock
from abtest.services.context import Caller
from abtest.services.last_seen import LastSeen
from abtest.services.settings.installation import Installations, Pages
from abtest.services.settings.store import SettingsStore
from tests.browser.pages.conftest import ELSEWHERE, SAMPLER
from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.shop import PATIENCE, Shop
from tests.support.api import START, MemoryManagement, founded
from tests.support.memory import MemorySessions

DOCUMENT = (Path(__file__).parents[4] / "docs" / "install-recipes.md").read_text()
DELAY = 300
"""Milliseconds after which the snippet may arrive: the page is parsed by then, and would have been painted."""

AMPLE = 10_000
"""Limit of the bounded tag here: a busy machine keeps it, too."""

LOOK = f"""
  if (window === top) {{
    sample_(() => [seen_('h1'), seen_('h2')]);
    setTimeout(() => fetch('/gate'), {DELAY});
  }}
"""


Open = Callable[..., Page]


def section(name: str) -> str:
    """Return a section of the recipes."""
    (text,) = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)
    return str(text)


def block(name: str, language: str, place: int = 0) -> str:
    """Return a block of code in a section of the recipes."""
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", section(name), re.DOTALL)
    return blocks[place]


class Store:
    """A shop that has installed the snippet from a host of its own, which is `localhost` here."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        management = MemoryManagement(ManualClock(START))
        rules = PublicOnly(allow_loopback=True)
        self._installations = Installations(
            SettingsStore(management.world, management.republication),
            Pages(sender=OutboundHttp(rules), rules=rules),
            LastSeen(sessions=MemorySessions()),
            self.host,
        )
        tenant = founded(management)
        self.id = tenant.shop.id
        self._caller = Caller(
            key_id="", kind="shop", user_id=tenant.user_id, shop_id=self.id, scopes=frozenset(), request_id=""
        )
        shop.config["shop_id"] = self.id
        shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New title")]})]

    @property
    def host(self) -> str:
        """Origin of the snippet, another one than that of the pages."""
        return f"http://localhost:{self.shop.port}"

    @property
    def tags(self) -> dict[str, str]:
        """The tags by name, the bounded one with an ample limit, and the snippet's text as one that is inlined."""
        installation = self._installations.get(self._caller)
        tags: dict[str, str] = {tag.name: tag.html.replace("})(1000);", f"}})({AMPLE});") for tag in installation.tags}
        assert f"({AMPLE});" in tags["bounded"]
        return {**tags, "inlined": f"<script>{self.shop.snippet()}</script>"}

    @property
    def tag(self) -> str:
        """The tag that is recommended."""
        return self.tags["bounded"]

    def filled(self, text: str) -> str:
        """Return a text of the document with the values of this shop."""
        return text.replace("https://<snippet host>", self.host).replace("<shop id>", self.id)

    def serve(self, html: str, path: str = "/") -> None:
        """Serve a page; the snippet waits for a request of `/gate`."""
        self.shop.files[f"/s/{self.id}.js"] = ["", self.shop.snippet()]
        self.shop.page(path, html)

    def check(self, path: str = "/") -> tuple[str | None, list[str]]:
        """Return the tag and the errors that the service reports of a page."""
        result = self._installations.verify(self._caller, self.shop.url + path)
        return result.tag, result.errors


@pytest.fixture
def store(shop: Shop) -> Store:
    """The shop of a test, with its snippet installed nowhere yet."""
    return Store(shop)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile whose pages are sampled from outside, so that their HTML is that of the platform alone."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    context.route(ELSEWHERE, lambda route: route.abort())
    context.add_init_script(SAMPLER.removeprefix("<script>").removesuffix("</script>") + LOOK)
    yield context
    context.close()


def titles(page: Page, place: int = 0) -> list[str]:
    """Return the headlines (or those of the second kind) that frames have shown, two frames of the variation last."""
    page.wait_for_function("seen_('h1') === 'New title' && !!window.svc?.chunk")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shown = [json.loads(frame)[place] for frame in page.evaluate("frames_")]
    return [title for title, _ in groupby(filter(None, shown))]
