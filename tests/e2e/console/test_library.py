"""Flags, pages, landing pages and ideas: how they are changed and delivered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.e2e.test_landing_pages import spec
from tests.support.console_page import Console
from tests.support.media import encoded, gradient

pytestmark = [pytest.mark.browser, pytest.mark.stack]


def test_flag__made_activated_and_evaluated__gives_its_value(console: Console) -> None:
    console.open("/flags/new")
    console.field("Name").fill("Free shipping")
    expect(console.field("Key")).to_have_value("free-shipping")
    console.write("Value when it is on", "{from: 50}")
    console.click("Make the flag")
    expect(console.page.locator(".message")).to_contain_text("This is not JSON")
    console.write("Value when it is on", '{"from": 50}')
    console.click("Make the flag")
    expect(console.page.get_by_role("heading", name="Free shipping")).to_be_visible()
    console.click("Activate")
    console.page.get_by_role("dialog").get_by_role("button", name="Activate").click()
    expect(console.page.get_by_role("button", name="Pause")).to_be_visible()
    console.go("/flags/tester")
    console.click("Evaluate")
    row = console.page.get_by_role("row", name="free-shipping")
    expect(row).to_contain_text('{"from":50}')
    expect(row).to_contain_text("The visitor is among those who get it.")


def test_page__that_an_active_flag_uses__is_changed_after_a_question(console: Console) -> None:
    page = console.api("POST", "/pages", 201, name="Lamps", includeRules=[{"type": "simple", "pattern": "/lamps/*"}])
    rule = {"id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d38", "pageId": page["id"]}
    targeting = {"pageRules": [rule]}
    console.api("POST", "/flags", 201, key="glow", name="Glow", activate=True, targeting=targeting)
    console.open(f"/pages/{page['id']}")
    expect(console.page.get_by_role("row", name="Glow")).to_contain_text("reaches visitors")
    console.click("Edit")
    console.click("Add an address")
    console.field("On these addresses, 2").fill("/lights/*")
    console.field("Address").fill("https://shop.example/lights/desk")
    console.click("Try it")
    expect(console.page.get_by_text("On this page.")).to_be_visible()
    console.click("Save")
    question = console.page.get_by_role("dialog", name="This reaches visitors now")
    expect(question).to_contain_text("Glow")
    question.get_by_role("button", name="Cancel").click()
    expect(console.page.get_by_role("alert")).to_contain_text("Nothing was changed.")
    assert len(console.api("GET", f"/pages/{page['id']}")["includeRules"]) == 1
    console.click("Save")
    question.get_by_role("button", name="Change it for visitors").click()
    expect(console.page.get_by_text("on /lamps/* or /lights/*")).to_be_visible()


def test_page__changed_by_another_window__keeps_what_was_typed(console: Console) -> None:
    page = console.api("POST", "/pages", 201, name="Lamps", includeRules=[{"type": "simple", "pattern": "/lamps/*"}])
    console.open(f"/pages/{page['id']}")
    console.click("Edit")
    console.field("Name").fill("All lamps")
    console.api("PATCH", f"/pages/{page['id']}", includeRules=[{"type": "simple", "pattern": "/light/*"}])
    console.click("Save")
    console.click("Load the newest and keep what I typed")
    expect(console.field("Name")).to_have_value("All lamps")
    expect(console.field("On these addresses, 1")).to_have_value("/light/*")
    console.click("Save")
    expect(console.page.get_by_role("heading", name="All lamps")).to_be_visible()
    assert console.api("GET", f"/pages/{page['id']}")["includeRules"][0]["pattern"] == "/light/*"


def test_landing_page__published_and_rolled_back__shows_the_earlier_version(console: Console) -> None:
    domain = console.api("GET", "/shop")["domain"]
    console.api("PATCH", "/settings/install-domains", additionalDomains=[f"www.{domain}"])
    console.api("PATCH", "/shop/defaults", require_landing_qa=False)
    page = console.api("POST", "/landing-pages", 201, name="Lamp", slug="lamp", publish_path="/lamp")
    path = f"/landing-pages/{page['id']}"
    console.open(f"{path}/write")
    console.page.get_by_text("The same content as JSON").click()
    expect(console.page.locator(".cm-content")).to_be_visible()
    console.write("Content", '{\n"format": 1,\n"lang": "en",\n"blocks": [{"type": "hero", "id": "top"}]\n}')
    console.click("Write the version")
    expect(console.page.get_by_role("button", name="Line 4")).to_be_visible()
    for heading in ("A lamp for your desk", "Light that follows your day"):
        console.api("POST", f"{path}/versions", 201, spec=spec(heading, domain))
        console.open(f"{path}/publishes")
        console.click("Publish")
        console.page.get_by_role("dialog").get_by_role("button", name="Publish").click()
        expect(console.page.get_by_text("The page is online")).to_be_visible()
    console.click("Roll back to this")
    console.page.get_by_role("dialog").get_by_role("button", name="Roll back to this").click()
    expect(console.page.get_by_text("Rolled back")).to_be_visible()
    rows = console.page.get_by_role("row")
    expect(rows.nth(1)).to_contain_text("version 1")
    expect(rows.nth(1)).to_contain_text("published")
    expect(rows.nth(2)).to_contain_text("superseded")


def test_pictures__small_and_large__are_uploaded_and_shown(console: Console) -> None:
    noise = Image.effect_noise((2000, 2000), 60)
    pictures = {"small.png": encoded(gradient(), "PNG"), "large.png": encoded(noise, "PNG")}
    assert len(pictures["large.png"]) > 3 << 20, "too large for the request: it goes to the signed address"
    page = console.open("/assets")
    files: Any = [{"name": name, "mimeType": "image/png", "buffer": content} for name, content in pictures.items()]
    page.get_by_label("Files to upload").set_input_files(files)
    expect(page.get_by_text("2 files uploaded")).to_be_visible()
    for name in pictures:
        picture = page.get_by_role("listitem").filter(has_text=name).locator("img")
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("(image) => image.naturalWidth") > 0


def test_idea__moved_by_keys_and_made_a_draft__is_tested_by_it(console: Console) -> None:
    for title in ("Shorter form", "Larger pictures"):
        console.api("POST", "/backlog/ideas", 201, title=title)
    console.open("/backlog")
    up = console.page.get_by_label("Move Larger pictures up")
    up.focus()
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("region", name="New").get_by_role("link").first).to_have_text("Larger pictures")
    expect(up).to_be_focused()
    console.page.get_by_label("Stage of Larger pictures").select_option("triaged")
    expect(console.page.get_by_role("region", name="Triaged").get_by_role("link")).to_have_text("Larger pictures")
    console.click("Larger pictures", role="link")
    console.click("Make a draft")
    console.page.get_by_role("dialog").get_by_role("button", name="Make the draft").click()
    expect(console.page).to_have_url(re.compile("/experiments/"))
    order = [idea["title"] for idea in console.api("GET", "/backlog/ideas")["data"]]
    assert order == ["Larger pictures", "Shorter form"]
    [listed] = console.api("GET", "/backlog/ideas?q=Larger")["data"]
    idea = console.api("GET", f"/backlog/ideas/{listed['id']}")
    assert idea["stage"] == "planned"
    assert idea["links"][0]["experiment_name"] == "Larger pictures"


def test_experiment_files__downloaded_and_chosen__make_another_draft(console: Console, tmp_path: Path) -> None:
    made = console.api("POST", "/experiments", 201, name="A warmer lamp")
    console.open(f"/experiments/{made['id']}/files")
    content = console.field("experiment.json")
    content.fill(content.input_value().replace("A warmer lamp", "A colder lamp"))
    console.click("See the plan")
    expect(console.page.get_by_label("Changes of experiment.json")).to_contain_text('+   "name": "A colder lamp"')
    console.click("Apply the plan")
    expect(console.page.get_by_role("heading", name="A colder lamp")).to_be_visible()
    with console.page.expect_download() as download:
        console.click("Download")
    tree = tmp_path / "lamp.json"
    download.value.save_as(tree)
    console.go("/files/import")
    console.page.get_by_label("Choose a downloaded file").last.set_input_files(tree)
    console.click("Make the experiment")
    expect(console.page.get_by_text("The experiment is made, as a draft")).to_be_visible()
    names = [each["name"] for each in console.api("GET", "/experiments")["data"]]
    assert names == ["A colder lamp", "A colder lamp"]
