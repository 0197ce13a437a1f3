"""Files of a shop: uploaded as a client does, shown on a published landing page, and served to browsers."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser

from tests.e2e.story import Story, new_shop
from tests.support.assets import direct
from tests.support.browser import leave
from tests.support.media import MP4, SVG, encoded, gradient, with_gps
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]

DOMAIN = "pictures.example"
FONT = Path("tests/browser/pages/node_modules/bootstrap-icons/font/fonts/bootstrap-icons.woff2")
PHOTO = encoded(gradient(size=(1300, 900)), "JPEG", quality=95, exif=with_gps())
MEBI = 1 << 20


def uploaded(shop: Story, file_name: str, content: bytes) -> dict[str, Any]:
    """Upload a file to its signed address, without credentials of the shop."""
    digest = sha256(content).hexdigest()
    asset = shop.call("POST", "/assets", 201, file_name=file_name, size_bytes=len(content), sha256=digest)
    assert asset["public_url"] is None
    answer = requests.put(asset["upload"]["url"], content, headers=asset["upload"]["headers"], timeout=30)
    assert answer.status_code == 200, answer.text
    completed: dict[str, Any] = shop.call("POST", f"/assets/{asset['id']}/complete")
    return completed


def spec(photo: str, icon: str, font: str) -> dict[str, Any]:
    """A page with a photo, an icon and a font of its own."""
    hero = {"type": "hero", "id": "top", "heading": "A lamp", "image": {"asset_id": photo, "alt": "A lamp at dusk"}}
    item = {"heading": "Warm", "body": "Light", "image": {"asset_id": icon, "decorative": True}}
    features = {"type": "features", "id": "why", "heading": "Why", "items": [item, item]}
    return {"format": 1, "lang": "en", "theme": {"font": {"asset_id": font}}, "blocks": [hero, features]}


def test_files__that_a_page_shows__are_uploaded_served_and_kept(story: Story, browser: Browser) -> None:
    shop = new_shop(story, DOMAIN)
    shop.call("PATCH", "/settings/install-domains", additionalDomains=[f"www.{DOMAIN}"])
    photo, font = uploaded(shop, "Lamp (1).JPG", PHOTO), uploaded(shop, "letters.woff2", FONT.read_bytes())
    icon = shop.call("POST", "/assets", 201, **direct("sun.svg", SVG))

    stored = requests.get(photo["public_url"], timeout=30)
    assert (stored.status_code, b"secret place" in stored.content) == (200, False)
    assert stored.headers["cache-control"] == "public, max-age=31536000, immutable"
    headers = {"if-none-match": stored.headers["etag"]}
    assert requests.get(photo["public_url"], headers=headers, timeout=30).status_code == 304

    page = shop.call("POST", "/landing-pages", 201, name="Lamp", slug="lamp")
    path = f"/landing-pages/{page['id']}"
    shop.call("POST", f"{path}/versions", 201, spec=spec(photo["id"], icon["id"], font["id"]))
    run = shop.call("POST", f"{path}/qa-runs", 202)
    settle(shop.dev["directory"])  # its checks run in a worker
    shop.call("POST", f"{path}/qa-runs/{run['id']}/approve")
    shop.call("POST", f"{path}/publish", 201)
    shop.call("DELETE", f"/assets/{photo['id']}", 409)

    tab, complaints = browser.new_context().new_page(), list[str]()
    tab.on("console", lambda message: complaints.append(message.text))
    port = shop.dev["worker_base_url"].rpartition(":")[2]
    tab.goto(f"http://{DOMAIN}:{port}/lamp")
    for image in tab.locator("main img").all():
        image.scroll_into_view_if_needed()
        image.evaluate("image => image.decode()")
    widths = tab.evaluate("[...document.querySelectorAll('main img')].map((each) => each.naturalWidth)")
    assert len(widths) == 3
    assert min(widths) > 0
    faces = "(async () => { await document.fonts.ready; return [...document.fonts].map((face) => face.status) })()"
    assert tab.evaluate(faces) == ["loaded"]
    assert complaints == []
    leave(tab)


def test_large_file__is_sent_to_the_bucket_or_answered_in_parts(story: Story) -> None:
    shop = new_shop(story, "films.example")
    film = MP4 + (8 + 5 * MEBI).to_bytes(4, "big") + b"free" + bytes(5 * MEBI)
    address = uploaded(shop, "film.mp4", film)["public_url"]
    moved = requests.get(address, timeout=30, allow_redirects=False)
    assert moved.status_code == 307
    assert requests.get(moved.headers["location"], timeout=30).content == film
    first = requests.get(address, headers={"range": "bytes=0-"}, timeout=30)
    assert (first.status_code, first.headers["content-range"]) == (206, f"bytes 0-{4 * MEBI - 1}/{len(film)}")
    rest = requests.get(address, headers={"range": f"bytes={4 * MEBI}-"}, timeout=30)
    assert first.content + rest.content == film
    head = requests.head(address, headers={"range": "bytes=0-9"}, timeout=30)
    assert (head.status_code, head.content, head.headers["content-length"]) == (206, b"", "10")
