"""Previews over HTTP: a draft on a shop's page through the proxy, in a frame of another origin, until it is revoked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, expect

from tests.e2e.story import Story
from tests.support.previewed import PreviewedShop, served

pytestmark = [pytest.mark.browser, pytest.mark.stack]

TITLE = "The lamp that lasts"


@pytest.fixture
def shop(story: Story) -> Iterator[PreviewedShop]:
    """A page of the demo shop with its snippet, a second page, and a basket that a cookie keeps."""
    story.claim_domain()
    shop = PreviewedShop()
    tag = f"<script src='{story.dev['worker_base_url']}/s/{story.dev['shop_id']}.js'></script>"
    shop.page(
        "/", f"<!doctype html><head>{tag}</head><h1>A lamp</h1><a href='/basket'>Basket</a>", Set_Cookie="basket=1"
    )
    shop.pages["/basket"] = lambda request: (
        200,
        {"content-type": "text/html"},
        f"<!doctype html><head>{tag}</head><h1>A lamp</h1><p>{request.headers.get('cookie')}</p>".encode(),
    )
    with served(shop.answer, "127.0.0.1") as host:
        shop.host = host
        yield shop


def draft(story: Story) -> Any:
    """Return a draft whose variation changes the headline of every page."""
    mutation = {"selector": "h1", "action": "text", "text": TITLE}
    return story.call(
        "POST",
        "/experiments",
        201,
        name="A headline with a promise",
        variations=[
            {"name": "Control", "weight": 0.5, "is_control": True},
            {"name": "Promise", "weight": 0.5, "is_control": False, "mutations": [mutation]},
        ],
    )


def test_draft__previewed_in_a_frame__is_seen_clicked_through_switched_and_revoked(
    story: Story, shop: PreviewedShop, browser: Browser
) -> None:
    made = draft(story)
    opened = story.call("POST", "/previews", 201, url=f"http://{shop.host}/", experiment_id=made["id"])
    sent: list[str] = []
    context = browser.new_context()
    context.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page = context.new_page()
    shop.page("/console", f"<!doctype html><iframe src='{opened['preview_url']}'></iframe>")
    console = f"http://{shop.host}/console"
    page.goto(console)
    frame = page.frame_locator("iframe")
    expect(frame.locator("h1")).to_have_text(TITLE)
    frame.locator("a").click()
    expect(frame.locator("p")).to_contain_text("basket=1")
    expect(frame.locator("h1")).to_have_text(TITLE)

    edge, token = story.dev["worker_base_url"], opened["token"]
    state = requests.get(f"{edge}/api/preview/state", params={"pst": token}, timeout=30).json()
    assert state["page"] == {"url": f"http://{shop.host}/basket", "status": 200}
    assert "basket" in state["cookies"]
    assert not [url for url in sent if url.startswith(f"{edge}/events") or url.endswith("/events")]

    change = {"variation_id": made["variations"][0]["id"]}
    switched = requests.post(f"{edge}/api/preview/state", params={"pst": token}, json=change, timeout=30)
    assert switched.status_code == 204
    page.goto(console)
    expect(frame.locator("h1")).to_have_text("A lamp")

    story.call("DELETE", f"/previews/{opened['session_id']}", 204)
    answer = requests.get(f"{edge}/api/preview", params={"pst": token, "url": f"http://{shop.host}/"}, timeout=30)
    assert (answer.status_code, answer.json()["error"]) == (401, "preview_token_invalid")
    context.close()
