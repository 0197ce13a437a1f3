"""QA of a landing page in the browser of the stack: it fails, is mended, passes, is approved and published."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import pytest
import requests
from PIL import Image

from tests.e2e.story import Story, new_shop
from tests.e2e.test_assets import uploaded
from tests.support.media import encoded, gradient
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]

DOMAIN = "lanterns.example"
SEO = {
    "title": "A lantern for late summer",
    "description": "A lantern that burns for nine hours, made of tin and glass by people who mend what they sell.",
}


def noise() -> bytes:
    """Return a picture that compresses badly, as a photo of grass does."""
    return encoded(Image.effect_noise((1100, 1100), 120).convert("RGB"), "JPEG", quality=80)


def spec(image_ids: list[str]) -> dict[str, Any]:
    """Return a page with a picture in each of its features."""
    items = [
        {"heading": f"Lantern {place}", "body": "Made by hand.", "image": {"asset_id": each, "alt": "A lantern"}}
        for place, each in enumerate(image_ids)
    ]
    hero = {"type": "hero", "id": "top", "heading": "Light for late summer", "body": "Nine hours of it."}
    features = {"type": "features", "id": "why", "heading": "Why", "items": items}
    return {"format": 1, "lang": "en", "theme": {}, "blocks": [hero, features]}


class Lantern:
    """Landing page of a shop."""

    def __init__(self, story: Story, domain: str = DOMAIN) -> None:
        self.shop = new_shop(story, domain)
        self.shop.call("PATCH", "/settings/install-domains", additionalDomains=[f"www.{domain}"])
        page = self.shop.call("POST", "/landing-pages", 201, name="Lantern", slug="lantern", publish_path="/lantern")
        self.path = f"/landing-pages/{page['id']}"

    def with_pictures(self, *contents: bytes) -> None:
        """Add a version that shows these files."""
        ids = [uploaded(self.shop, f"lantern-{place}.jpg", each)["id"] for place, each in enumerate(contents)]
        self.shop.call("POST", f"{self.path}/versions", 201, spec=spec(ids), seo_manifest=SEO)

    def checked(self) -> dict[str, Any]:
        """Return a QA run after its checks."""
        run = self.shop.call("POST", f"{self.path}/qa-runs", 202)
        assert (run["status"], run["screenshots"]) == ("queued", {})
        settle(self.shop.dev["directory"])
        ended: dict[str, Any] = self.shop.call("GET", f"{self.path}/qa-runs/{run['id']}")
        return ended

    @property
    def status(self) -> str:
        """Status of the page."""
        status: str = self.shop.call("GET", self.path)["status"]
        return status


def colours(run: dict[str, Any]) -> set[Any]:
    """Return the colours of the pictures of a run."""
    contents = (requests.get(each["public_url"], timeout=30).content for each in run["screenshots"].values())
    pictures = [Image.open(io.BytesIO(content)).convert("RGB") for content in contents]
    return {colour for picture in pictures for _, colour in picture.getcolors(2**24) or []}


def test_pictures__while_an_experiment_runs_on_the_page__are_without_it(story: Story) -> None:
    lantern = Lantern(story, "red-lanterns.example")
    small = encoded(gradient(size=(100, 100)), "JPEG", quality=80)
    lantern.with_pictures(small, small)
    red = [{"selector": "body", "action": "style", "styles": {"background-color": "#ff0000"}}]
    made = lantern.shop.call(
        "POST",
        "/experiments",
        201,
        name="Red",
        goals=[{"name": "Added to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
        variations=[
            {"name": "Control", "weight": 0, "is_control": True},
            {"name": "Red", "weight": 1, "is_control": False, "mutations": red},
        ],
    )
    lantern.shop.call("POST", f"/experiments/{made['id']}/launch", override_checklist_warnings=True)
    seen = colours(lantern.checked())
    assert seen
    assert (255, 0, 0) not in seen


def test_page__that_fails_in_a_browser__is_mended_approved_and_published(story: Story, tmp_path: Path) -> None:
    lantern = Lantern(story)
    shop, path = lantern.shop, lantern.path
    lantern.with_pictures(noise(), noise(), noise())
    shop.call("POST", f"{path}/publish", 409)

    failed = lantern.checked()
    assert failed["status"] == "failed", failed["findings"]
    # A busy machine may add a warning.
    (finding,) = (each for each in failed["findings"] if each["severity"] == "error")
    assert (finding["check"], finding["severity"], finding["viewport"]["width"]) == ("size_budget", "error", 390)
    assert "bytes on a phone, " in finding["message"]
    assert finding["value"] > finding["limit"] == 1_500_000
    shop.call("POST", f"{path}/qa-runs/{failed['id']}/approve", 409)

    calm = encoded(gradient(size=(1100, 1100)), "JPEG", quality=80)
    lantern.with_pictures(calm, calm)
    first = lantern.checked()
    assert (first["status"], first["findings"]) == ("passed", [])
    rejected = shop.call("POST", f"{path}/qa-runs/{first['id']}/reject", note="The wick is upside down")
    assert (rejected["findings"][-1]["message"], lantern.status) == ("The wick is upside down", "draft")

    run = lantern.checked()
    for label, width in (("390x844@2-touch", 780), ("1280x800@1", 1280)):
        picture = run["screenshots"][label]
        png = requests.get(picture["public_url"], timeout=30).content
        (tmp_path / f"{label}.png").write_bytes(png)
        assert struct.unpack(">II", png[16:24]) == (picture["width"], picture["height"])
        assert (picture["width"], picture["truncated"]) == (width, False)
    assert shop.call("POST", f"{path}/qa-runs/{run['id']}/approve")["status"] == "approved"
    assert lantern.status == "ready"
    assert shop.call("POST", f"{path}/publish", 201)["status"] == "published"
    address = f"http://127.0.0.1:{shop.dev['worker_base_url'].rpartition(':')[2]}/lantern"
    shown = requests.get(address, headers={"host": DOMAIN}, timeout=30)
    assert (shown.status_code, "Light for late summer" in shown.text) == (200, True)
