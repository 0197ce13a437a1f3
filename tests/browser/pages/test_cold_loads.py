"""Cold loads of shop pages that nobody here wrote: no frame of the original for the nine actions, throttled or not.

`PAGE_LOADS` says how many loads of each kind: three unless told, thirty for a figure worth quoting.
"""

import os
import struct
import zlib
from base64 import b64decode
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from abtest.domain.delivery.mutations import normalised
from tests.browser.pages.conftest import SAMPLER, installed
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.shop import SNIPPET_TAG, Shop

pytestmark = pytest.mark.browser

LOADS = int(os.environ.get("PAGE_LOADS", "3"))
MARK = '<b class="ours">New</b>'
ACTIONS: list[Any] = [
    {"selector": "h1", "action": "text", "text": "New headline"},
    {"selector": ".navbar-brand", "action": "setText", "text": "New brand"},
    {"selector": ".lead", "action": "html", "html": "<em>New</em> lead"},
    {"selector": "header, .col-md-6 .d-flex", "action": "style", "styles": {"outline-color": "rgb(1, 2, 3)"}},
    {"selector": ".col .card", "action": "setStyle", "styles": {"outlineColor": "rgb(4, 5, 6)"}},
    {"selector": ".card-img-top", "action": "attribute", "attribute": {"name": "alt", "value": "New picture"}},
    {"selector": ".badge.position-absolute", "action": "remove"},
    {"selector": "footer p", "action": "insertBefore", "html": MARK},
    {"selector": ".nav-item:nth-child(2)", "action": "insertAfter", "html": f'<li class="nav-item">{MARK}</li>'},
]
# What is seen of the original, each by a name: nothing, if all is well. A target that is not parsed yet is not seen.
ORIGINAL = """
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = [];
  const hidden = +getComputedStyle(document.documentElement).opacity === 0;
  const note = (name, found) => { if (found && !hidden) seen.push(name); };
  note('text', all('h1').some((e) => e.textContent !== 'New headline'));
  note('setText', all('.navbar-brand').some((e) => e.textContent !== 'New brand'));
  note('html', all('.lead').some((e) => e.innerHTML !== '<em>New</em> lead' && e.textContent));
  note('style', all('header, .col-md-6 .d-flex').some((e) => e.style.outlineColor !== 'rgb(1, 2, 3)'));
  note('setStyle', all('.col .card').some((e) => e.style.outlineColor !== 'rgb(4, 5, 6)'));
  note('attribute', all('.card-img-top').some((e) => e.alt !== 'New picture'));
  note('remove', all('.badge.position-absolute').length);
  note('insertBefore', all('footer p').some((e) => e.previousElementSibling?.className !== 'ours'));
  note('insertAfter', all('.nav-item:nth-child(2)').some((e) => !e.nextElementSibling?.querySelector('.ours')));
  window.samples_ = (window.samples_ || 0) + (document.body ? 1 : 0);
  return seen;
"""
LOOK = f"<script>sample_(() => {{{ORIGINAL}}})</script>"
THROTTLED = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 90_000}


def serve_page(shop: Shop, package: str) -> None:
    """The template as it is, with our sampler and snippet in front of everything in its head."""
    folder = installed(package) / "dist"
    shop.folders = {"/css/": folder / "css", "/js/": folder / "js", "/assets/": folder / "assets"}
    text = (folder / "index.html").read_text()
    shop.page("/", text.replace("<head>", f"<head>{SAMPLER}{LOOK}{SNIPPET_TAG}"))


def throttle(context: BrowserContext, page: Page) -> None:
    """A slow network and a quarter of the processor."""
    session = context.new_cdp_session(page)
    session.send("Network.emulateNetworkConditions", THROTTLED)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})


def load(context: BrowserContext, shop: Shop, *, slow: bool) -> list[str]:
    """What frames of one cold load showed of the original."""
    context.clear_cookies()
    page = context.new_page()
    if slow:
        throttle(context, page)
    page.goto(shop.url, wait_until="load", timeout=30000)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("samples_") >= 2
    assert page.locator(".ours").count() >= 2
    frames: list[str] = page.evaluate("frames_")
    page.close()
    return [frame for frame in frames if frame != "[]"]


@pytest.mark.parametrize("slow", [False, True], ids=["fast", "throttled"])
@pytest.mark.parametrize("package", ["startbootstrap-shop-homepage", "startbootstrap-shop-item"])
def test_cold_loads__show_no_frame_of_the_original(
    package: str, slow: bool, shop: Shop, context: BrowserContext
) -> None:
    shop.experiments = [experiment({"mutations": normalised(ACTIONS)})]
    serve_page(shop, package)
    assert [load(context, shop, slow=slow) for _ in range(LOADS)] == [[]] * LOADS


def test_sampler__sees_the_original_where_nothing_treats_it(shop: Shop, context: BrowserContext) -> None:
    serve_page(shop, "startbootstrap-shop-homepage")
    page = context.new_page()
    page.goto(shop.url)
    page.wait_for_function("frames_.length > 1")
    assert page.evaluate("JSON.parse(frames_.at(-1)).length") == len(ACTIONS)


def pixel(png: bytes) -> tuple[int, ...]:
    """The colour of the first pixel."""
    data = b""
    at = 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return tuple(zlib.decompressobj().decompress(data, 4)[1:4])


RED, GREEN = (255, 0, 0), (0, 255, 0)


@pytest.mark.parametrize("treated", [False, True], ids=["original", "treated"])
def test_sampler__agrees_with_a_screencast(treated: bool, shop: Shop, context: BrowserContext) -> None:
    """A page that is red in the original and green when treated: what was painted, against what was sampled."""
    green = [{"selector": "body", "action": "style", "styles": {"background": "rgb(0, 255, 0)"}}]
    if treated:
        shop.experiments = [experiment({"mutations": green})]
    look = "<script>sample_(() => document.body && getComputedStyle(document.body).backgroundColor)</script>"
    spin = "<p>0</p><script>setInterval(() => { document.querySelector('p').textContent++ }, 16)</script>"
    shop.page(
        "/",
        f"<!doctype html><html><head><title>Shop</title>{SAMPLER}{look}{SNIPPET_TAG}</head>"
        f'<body style="background: rgb(255, 0, 0)"><main style="height: 900px"></main>{spin}</body></html>',
    )
    page = context.new_page()
    session = context.new_cdp_session(page)
    painted: list[tuple[int, ...]] = []

    def take(frame: Any) -> None:
        painted.append(pixel(b64decode(frame["data"])))
        session.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

    session.on("Page.screencastFrame", take)
    session.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
    page.goto(shop.url)
    page.wait_for_function("count_ > 30")
    session.send("Page.stopScreencast")
    coloured = {colour for colour in painted if colour in (RED, GREEN)}
    sampled = {frame for frame in page.evaluate("frames_") if frame and "rgb" in frame}
    assert coloured == ({GREEN} if treated else {RED}), painted
    assert sampled == ({'"rgb(0, 255, 0)"'} if treated else {'"rgb(255, 0, 0)"'})
