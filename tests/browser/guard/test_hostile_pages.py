"""Pages that harm a browser end in a sentence for people, or are shown as well as they can be; nothing hangs."""

from __future__ import annotations

import io
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from abtest.adapters.browser import ChromiumBrowsers, processes
from abtest.adapters.browser.chromium import ChromiumBrowser
from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.browser import MAX_PIXELS, MAX_VISITS, BrowserLostError, Fixed, PageFailedError
from tests.support.sites import Answer, Site, site

pytestmark = pytest.mark.browser

RULES = PublicOnly(allow_loopback=True)
SHORT = 3.0
"""Seconds for pages that never end."""


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with site() as served:
        yield served


@pytest.fixture(scope="module")
def browser(shop: Site) -> Iterator[ChromiumBrowser]:
    with ChromiumBrowsers(rules=RULES).open(may_reach={shop.host}) as opened:
        yield opened


SHOWN = {
    "alert": "<script>alert(1);confirm(2);prompt(3)</script>",
    "alert-at-leave": "<script>addEventListener('beforeunload',e=>{e.preventDefault();e.returnValue='x'})</script>",
    "print": "<script>print()</script>",
    "popup": "<script>for(let i=0;i<20;i++)open('/popup')</script>",
    "download": "<iframe src='/file'></iframe>",
    "service-worker": "<script>navigator.serviceWorker.register('/worker.js').catch(()=>{})</script>",
    "never-loads": "<img src='/endless-image'>",
    "grows": "<script>onscroll=()=>{for(let i=0;i<50;i++)document.body.append(document.createElement('p'))}</script>",
    "full-screen": "<script>document.documentElement.requestFullscreen().catch(()=>{})</script>",
    "permissions": "<script>navigator.geolocation.getCurrentPosition(()=>{});Notification.requestPermission()</script>",
    "many-requests": "<script>for(let i=0;i<1100;i++)fetch('/none?'+i).catch(()=>{})</script>",
    "much-console": "<script>for(let i=0;i<1100;i++)console.error('x'.repeat(9999))</script>",
}


@pytest.mark.parametrize("name", SHOWN)
def test_page__that_annoys__is_shown(name: str, shop: Site, browser: ChromiumBrowser) -> None:
    shop.pages["/file"] = lambda: Answer(b"x", "application/zip", headers={"Content-Disposition": "attachment"})
    shop.pages["/endless-image"] = lambda: Answer(trickle(b"x"), "image/png")
    url = shop.page(f"<!doctype html><title>x</title><h1>shown</h1>{SHOWN[name]}", f"/{name}")
    with browser.visit(url, DESKTOP, seconds=12) as visit:
        assert visit.evaluate("() => document.querySelector('h1').textContent") == "shown"
        assert visit.picture(full_page=True).png.startswith(b"\x89PNG")
        assert len(visit.requests) <= 1000
        assert len(visit.console) <= 1000


def trickle(piece: bytes) -> Iterator[bytes]:
    for _ in range(300):
        yield piece
        time.sleep(0.05)


ENDLESS = {
    "endless-loop": ("<script>while(true);</script>", "did not load within 3 s"),
    "endless-loop-later": ("<script>onload=()=>{while(true);}</script><h1>x", "did not load within 3 s"),
    "endless-reload": ("<script>location.reload()</script>", "keeps loading other pages|did not load within 3 s"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_page__that_never_rests__fails_in_time(name: str, shop: Site, browser: ChromiumBrowser) -> None:
    html, reason = ENDLESS[name]
    started = time.monotonic()
    with (
        pytest.raises(PageFailedError, match=reason),
        browser.visit(shop.page(html, f"/{name}"), DESKTOP, seconds=SHORT),
    ):
        pass
    assert time.monotonic() - started < SHORT + 8


def test_page__with_an_endless_body__fails_in_time(shop: Site, browser: ChromiumBrowser) -> None:
    shop.pages["/endless"] = lambda: Answer(itertools.chain([b"<h1>x"], trickle(b"<p>x")))
    with pytest.raises(PageFailedError, match="did not load"), browser.visit(shop.url("/endless"), DESKTOP, seconds=2):
        pass


def test_page__that_is_a_download__fails(shop: Site, browser: ChromiumBrowser) -> None:
    shop.pages["/zip"] = lambda: Answer(b"x", "application/zip", headers={"Content-Disposition": "attachment"})
    with pytest.raises(PageFailedError, match="is a download"), browser.visit(shop.url("/zip"), DESKTOP):
        pass


@pytest.mark.parametrize("url", ["file:///etc/hostname", "chrome://version", "about:blank", "data:text/html,x"])
def test_address__that_is_not_of_the_net__is_refused(url: str, browser: ChromiumBrowser) -> None:
    with pytest.raises(PageFailedError, match="does not begin with https"), browser.visit(url, DESKTOP):
        pass


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:9/", "pages must not reach"),
        ("https://10.1.2.3/", "not a public address"),
        ("http://shop.example/", "must begin with https"),
        ("https://metadata.internal/", "not a name of the public net"),
    ],
)
def test_address__that_the_rules_refuse__fails_with_their_reason(
    url: str, reason: str, browser: ChromiumBrowser
) -> None:
    url = url.replace(":9/", ":8999/")
    with pytest.raises(PageFailedError, match=reason), browser.visit(url, DESKTOP):
        pass


def test_redirect__to_an_address_that_is_refused__fails(shop: Site, browser: ChromiumBrowser) -> None:
    shop.pages["/inner"] = lambda: Answer(status=302, headers={"Location": "https://169.254.169.254/latest"})
    with pytest.raises(PageFailedError, match="metadata services"), browser.visit(shop.url("/inner"), DESKTOP):
        pass


def test_page__longer_than_a_picture__is_cut(shop: Site, browser: ChromiumBrowser) -> None:
    html = "<meta name=viewport content='width=device-width'><body style='margin:0'>" + "<div style='height:9000000px'>"
    with browser.visit(shop.page(html, "/long"), PHONE) as visit:
        picture = visit.picture(full_page=True)
    assert picture.is_truncated
    assert 0.95 * MAX_PIXELS < picture.width * picture.height <= MAX_PIXELS


def test_picture__of_a_long_page__has_each_part_at_its_place(shop: Site, browser: ChromiumBrowser) -> None:
    bands = "".join(f"<div style='height:100px;background:rgb({n},{255 - n},9)'></div>" for n in range(80))
    html = f"<meta name=viewport content='width=device-width'><body style='margin:0'>{bands}"
    with browser.visit(shop.page(html, "/bands"), Viewport(390, 844, 3, touch=True)) as visit:
        picture = visit.picture(full_page=True)
    assert (picture.width, picture.height, picture.is_truncated) == (1170, 24_000, False)
    image = Image.open(io.BytesIO(picture.png)).convert("RGB")
    assert [image.getpixel((600, 300 * n + 150)) for n in range(80)] == [(n, 255 - n, 9) for n in range(80)]


def test_page__that_leads_on__is_shown_where_it_ends(shop: Site, browser: ChromiumBrowser) -> None:
    shop.page("<h1>end", "/end")
    url = shop.page("<script>location='/next'</script>", "/first")
    shop.page("<meta http-equiv=refresh content='0;url=/end'>", "/next")
    with browser.visit(url, DESKTOP) as visit:
        visit.evaluate("() => new Promise(done => setTimeout(done, 300))")
        assert visit.url == shop.url("/end")
        assert visit.status == 200


def test_page__whose_tab_crashes__fails_and_the_next_is_shown(shop: Site, browser: ChromiumBrowser) -> None:
    url = shop.page("<h1>x</h1>", "/fine")
    with browser.visit(url, DESKTOP) as visit:
        kill_renderers()
        with pytest.raises(PageFailedError, match="crashed"):
            visit.evaluate("() => new Promise(done => setTimeout(done, 5000))")
    with browser.visit(url, DESKTOP) as visit:
        assert visit.status == 200


def kill_renderers() -> None:
    for pid in processes.members_of(sessions_below(os.getpid())):
        if "--type=renderer" in Path(f"/proc/{pid}/cmdline").read_text():
            os.kill(pid, signal.SIGKILL)


def sessions_below(pid: int) -> frozenset[int]:
    """Sessions of the browsers that the driver of a process has started; each is named after its first process."""
    drivers = [child for child in children_of(pid) if "run-driver" in Path(f"/proc/{child}/cmdline").read_text()]
    return frozenset(child for driver in drivers for child in children_of(driver))


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def test_visits__are_two_at_once__in_profiles_of_their_own(shop: Site, browser: ChromiumBrowser) -> None:
    url = shop.page("<h1>x</h1>", "/cookies")
    together = threading.Barrier(2)

    def cookies(number: int) -> str:
        with browser.visit(url, DESKTOP) as visit:
            visit.evaluate("n => { document.cookie = 'n=' + n }", number)
            together.wait(20)
            return str(visit.evaluate("() => document.cookie"))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(cookies, [1, 2])) == ["n=1", "n=2"]


def test_page__that_does_not_end__leaves_its_neighbour_alone(shop: Site, browser: ChromiumBrowser) -> None:
    url, hostile = shop.page("<h1>x</h1>", "/calm"), shop.page("<script>while(true);</script>", "/loop")

    def hang() -> None:
        with pytest.raises(PageFailedError), browser.visit(hostile, DESKTOP, seconds=2):
            pass

    with ThreadPoolExecutor(1) as pool, browser.visit(url, DESKTOP) as visit:
        pool.submit(hang).result()
        assert visit.evaluate("() => document.querySelector('h1').textContent") == "x"


def test_visits__beyond_the_share_of_a_process__begin_in_a_new_one(shop: Site, browser: ChromiumBrowser) -> None:
    url = shop.page("<h1>x</h1>", "/often")
    mains: set[int] = set()
    for _ in range(MAX_VISITS + 1):
        with browser.visit(url, DESKTOP):
            mains |= sessions_below(os.getpid())
    assert len(mains) in (2, 3), "the one before, a new one, and at most one more that a busy machine made necessary"


def test_answer__takes_the_place_of_the_network(shop: Site, browser: ChromiumBrowser) -> None:
    url = shop.page("<script src='https://shop.example/a.js'></script><h1>x</h1>", "/answered")
    script = Fixed(200, {"content-type": "text/javascript"}, b"document.title='answered'")
    with browser.visit(
        url, DESKTOP, answers={"https://shop.example/a.js": script}.get, init_script="window.n=7"
    ) as visit:
        assert visit.evaluate("m => document.title + n + m.x", {"x": 1}) == "answered71"


def test_answer__that_raises__costs_its_request_only(shop: Site, browser: ChromiumBrowser) -> None:
    def answers(url: str) -> Fixed | None:
        if url.endswith("/a.js"):
            raise RuntimeError("storage")
        return None

    url = shop.page("<script src='/a.js'></script><h1>x</h1>", "/unanswered")
    with browser.visit(url, DESKTOP, answers=answers) as visit:
        assert [each.failure for each in visit.requests if each.url.endswith("/a.js")] != [None]


def test_bytes__beyond_those_of_a_job__are_refused(shop: Site) -> None:
    shop.pages["/large"] = lambda: Answer(b"<!--" + b"x" * 3_000_000 + b"--><h1>x")
    browsers = ChromiumBrowsers(rules=RULES, max_bytes=2_000_000)
    with browsers.open(may_reach={shop.host}) as browser:
        with pytest.raises(PageFailedError), browser.visit(shop.url("/large"), DESKTOP, seconds=5):
            pass
        with pytest.raises(PageFailedError, match="transferred too much"), browser.visit(shop.url("/large"), DESKTOP):
            pass


def test_processes__after_a_job__are_gone_whatever_its_page_does(shop: Site) -> None:
    url = shop.page("<script>while(true);</script>", "/busy")
    others, ours = children(), set[int]()

    def job() -> None:
        with ChromiumBrowsers(rules=RULES).open(may_reach={shop.host}) as browser:
            try:
                with browser.visit(url, DESKTOP, seconds=2):
                    pass
            finally:
                with browser.visit(shop.page("<h1>x", "/calm"), DESKTOP):
                    ours.update(children() - others)

    with pytest.raises(PageFailedError):
        job()
    assert ours
    assert not children() & ours


def children() -> set[int]:
    """Processes of all browsers that this process has started."""
    return set(processes.members_of(sessions_below(os.getpid())))


WORKER = """
import sys, time
from abtest.adapters.browser import ChromiumBrowsers
from abtest.domain.browsing.viewport import DESKTOP
from abtest.domain.egress.targets import PublicOnly
host, url = sys.argv[1:]
with ChromiumBrowsers(rules=PublicOnly(allow_loopback=True)).open(may_reach={host}) as browser:
    with browser.visit(url, DESKTOP):
        print("open", flush=True)
        time.sleep(60)
"""


def test_processes__of_a_worker_that_was_killed__end_with_it(shop: Site) -> None:
    url = shop.page("<h1>x</h1>", "/killed")
    command = [sys.executable, "-c", WORKER, shop.host, url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "open\n"
        sessions = sessions_below(worker.pid)
        assert processes.members_of(sessions)
        worker.kill()
        worker.stdout.close()
    until = time.monotonic() + 10
    while processes.members_of(sessions) and time.monotonic() < until:
        time.sleep(0.05)
    assert not processes.members_of(sessions)


def test_browser__that_is_not_installed__is_lost_with_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BrowserLostError, match="apt-get install chromium"), ChromiumBrowsers(rules=RULES).open():
        pass
