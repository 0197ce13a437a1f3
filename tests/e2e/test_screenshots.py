"""Screenshots over HTTP: a real browser pictures pages of this machine, and its pictures show the variations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
import requests

from tests.e2e.receiver import Receiver, eventually
from tests.e2e.story import Story
from tests.support.media import decoded
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]

META = '<meta name="viewport" content="width=device-width">'
BLUE, RED = (0, 0, 255), (255, 0, 0)
SMALL = {"width": 320, "height": 400}
PHONE = {"width": 360, "height": 500, "device_scale": 2}
RED_BANNER = "#banner{background:rgb(255,0,0)!important}"


@dataclass
class Store:
    """Pages with a blue banner, each with the shop's snippet but those under `/bare`."""

    snippet: str
    seen: list[str] = field(default_factory=list)
    happens: Callable[[str], None] = lambda _: None
    port: int = 0

    def url(self, path: str) -> str:
        """Address of a page."""
        return f"http://127.0.0.1:{self.port}{path}"

    def page(self, path: str) -> str:
        """HTML of a page, three windows long."""
        tag = "" if path.startswith("/bare") else f'<script src="{self.snippet}"></script>'
        banner = '<div id="banner" style="height:200px;background:rgb(0,0,255)"></div>'
        return (
            f"<!doctype html><html><head>{META}{tag}</head><body style='margin:0;height:1500px'>{banner}</body></html>"
        )


@pytest.fixture
def shop(story: Story) -> Story:
    """The demo shop, whose host is claimed."""
    story.finish_running()
    story.claim_domain()
    return story


@pytest.fixture
def store(shop: Story) -> Iterator[Store]:
    """A running store."""
    pages = Store(f"{shop.dev['worker_base_url']}/s/{shop.dev['shop_id']}.js")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages.seen.append(self.path)
            pages.happens(self.path)
            is_missing = self.path.startswith("/missing") or "." in self.path
            content = b"gone" if is_missing else pages.page(self.path).encode()
            self.send_response(404 if is_missing else 200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pages.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield pages
    server.shutdown()
    server.server_close()


def ended(shop: Story, job: dict[str, Any]) -> dict[str, Any]:
    """The job, once it has ended."""
    shown: dict[str, Any] = {}

    def has_ended() -> bool:
        settle(shop.dev["directory"], timeout=120)
        shown.update(shop.call("GET", f"/screenshots/{job['job_id']}"))
        return shown["status"] in ("completed", "failed", "cancelled")

    eventually(has_ended, "an end of the job", lambda: shown)
    return shown


def content_of(result: dict[str, Any]) -> bytes:
    """The file of a picture, as anyone gets it; it is as the result describes it."""
    answer = requests.get(result["public_url"], timeout=30)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert sha256(answer.content).hexdigest() == result["sha256"]
    picture = decoded(answer.content)
    assert (picture.format, picture.size) == ("PNG", (result["width"], result["height"]))
    return answer.content


def banner_of(result: dict[str, Any]) -> Any:
    """The color in the middle of the banner."""
    scale = result["viewport"]["device_scale"]
    return decoded(content_of(result)).convert("RGB").getpixel((100 * scale, 100 * scale))


def test_job__of_twelve_with_one_bad_address__has_eleven_pictures_one_error_and_a_signed_event(
    shop: Story, store: Store
) -> None:
    inbox = Receiver()
    inbox.start()
    try:
        hook = shop.call("POST", "/webhooks", 201, url=inbox.url, events=["screenshots.completed"])
        urls = [store.url(f"/page/{number}") for number in range(11)]
        urls.insert(4, "http://127.0.0.1:1/")
        before = {asset["id"] for asset in shop.call("GET", "/assets?limit=100")["data"]}
        job = shop.call("POST", "/screenshots", 202, urls=urls, viewports=[SMALL])
        done = ended(shop, job)
        assert (done["status"], done["progress"], done["shots"]) == ("completed", 100, 12)
        failed = [result for result in done["results"] if result["error"]]
        assert [(result["url"], result["asset_id"]) for result in failed] == [("http://127.0.0.1:1/", None)]
        taken = [result for result in done["results"] if not result["error"]]
        assert [result["url"] for result in taken] == [url for url in urls if "page" in url]
        assert {banner_of(result) for result in taken} == {BLUE}
        assert {(result["width"], result["height"]) for result in taken} == {(320, 400)}
        assets = {asset["id"]: asset for asset in shop.call("GET", "/assets?limit=100")["data"]}
        assert set(assets) - before == {result["asset_id"] for result in taken}
        (arrival,) = inbox.arrivals(1)
        assert arrival.is_signed_by(hook["secret"])
        assert (arrival.about["job_id"], arrival.about["experiment_id"]) == (job["job_id"], None)
        assert arrival.about["results"]["screenshots"] == done["results"]
        shop.call("DELETE", f"/webhooks/{hook['id']}", 204)
    finally:
        inbox.stop()


def test_variations__of_a_draft__are_in_its_pictures_and_in_its_report(shop: Story, store: Store) -> None:
    arms = [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {"name": "Red", "weight": 0.5, "custom_css": RED_BANNER, "custom_js": "document.title = 'red';" + " " * 20_000},
    ]
    made = shop.call("POST", "/experiments", 201, name="Banner", variations=arms)
    urls = [store.url("/page"), store.url("/bare")]
    requested = shop.call("POST", f"/experiments/{made['id']}/request-approval", screenshots=True, screenshot_urls=urls)
    done = ended(shop, {"job_id": requested["screenshot_job_id"]})
    assert (done["status"], done["experiment_id"], done["shots"]) == ("completed", made["id"], 12)
    red = made["variations"][1]["id"]
    for result in done["results"]:
        assert result["error"] is None
        assert banner_of(result) == (RED if result["variation_id"] == red else BLUE), result
        assert result["height"] == 1500 * result["viewport"]["device_scale"]
    report = shop.call("GET", f"/experiments/{made['id']}/report")
    assert [(each["variation_id"], each["viewport"]["width"]) for each in report["pictures"]] == [
        (variation, width)
        for width in (390, 1280)
        for variation in (None, *(each["id"] for each in made["variations"]))
    ]
    for picture in report["pictures"]:
        answer = requests.get(picture["url"], timeout=30)
        assert decoded(answer.content).size == (picture["width"], picture["height"])


def test_cancellation__in_the_middle__keeps_what_was_taken(shop: Story, store: Store) -> None:
    job: dict[str, Any] = {}

    def cancel(path: str) -> None:
        if path == "/page/5" and job:
            shop.call("POST", f"/screenshots/{job['job_id']}/cancel")

    store.happens = cancel
    urls = [store.url(f"/page/{number}") for number in range(12)]
    job.update(shop.call("POST", "/screenshots", 202, urls=urls, viewports=[SMALL]))
    done = ended(shop, job)
    assert done["status"] == "cancelled"
    results = done["results"] or []
    assert len(results) < 10
    for result in results:
        assert banner_of(result) == BLUE
    assert "/page/11" not in store.seen


def test_page__that_answers_404_and_one_at_an_inner_address__are_errors(shop: Story, store: Store) -> None:
    urls = [store.url("/missing"), store.url("/page")]
    done = ended(shop, shop.call("POST", "/screenshots", 202, urls=urls, viewports=[PHONE]))
    missing, page = done["results"]
    assert (done["status"], missing["error"]) == ("completed", "the page answers 404")
    assert (page["width"], page["height"], banner_of(page)) == (720, 1000, BLUE)
    shop.call("POST", "/screenshots", 422, urls=["https://10.0.0.1/"])
