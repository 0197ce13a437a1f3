"""Experiments from the browser alone: from an idea of a headline to what was learned."""

import pytest
from playwright.sync_api import Route, expect

from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

LAMPS = {"type": "simple", "pattern": "/lamps"}


def in_dialog(console: Console, verb: str) -> None:
    """Press a verb of the experiment, and confirm it."""
    console.click(verb)
    console.page.get_by_role("dialog").get_by_role("button", name=verb, exact=True).click()
    expect(console.page.get_by_role("dialog")).to_have_count(0)


def stored(console: Console) -> dict[str, object]:
    """Return the only experiment of the shop."""
    return console.api("GET", "/experiments")["data"][0]  # type: ignore[no-any-return]


def test_experiment__from_hypothesis_to_learning__is_made_in_the_browser_alone(console: Console) -> None:
    page = console.open("/experiments")
    page.get_by_role("link", name="New experiment").first.click()
    console.field("Name").fill("Say where it is made")
    page.get_by_label("Hypothesis").fill("If we say where it is made, more visitors will buy, because they trust it.")
    console.click("Next: page and change")

    # The draft is there, and a reload goes on with it.
    expect(page.get_by_role("button", name="Add a change")).to_be_visible()
    page.reload()
    page.get_by_label("Page", exact=True).fill("https://shop.example/lamps")
    console.click("Add a change")
    page.get_by_label("Element 1").fill("h1")
    page.get_by_label("New text").fill("Made by hand in Weimar")
    console.click("Next: goals")
    console.click("Next: traffic and plan")
    page.get_by_label("Present rate", exact=False).fill("5")
    page.get_by_label("Visitors a day", exact=False).fill("2000")
    expect(page.get_by_role("group", name="Smallest change worth finding")).to_contain_text("days")
    console.click("Launch")
    expect(page.get_by_text("Running", exact=True)).to_be_visible()

    made = stored(console)
    assert made["targeting"]["pageRules"][0]["includeRules"] == [LAMPS]  # type: ignore[index]
    assert [goal["name"] for goal in made["goals"]] == ["Added to cart", "Revenue"]  # type: ignore[attr-defined]
    assert made["planned_test"]["baseline_rate"] == 0.05  # type: ignore[index]
    assert made["variations"][1]["mutations"][0]["text"] == "Made by hand in Weimar"  # type: ignore[index]

    in_dialog(console, "Pause")
    expect(page.get_by_text("Paused", exact=True)).to_be_visible()
    console.click("Complete")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Outcome").select_option("won")
    dialog.get_by_label("Learning").fill("The place matters")
    dialog.get_by_role("button", name="Complete", exact=True).click()
    expect(page.get_by_text("Completed", exact=True)).to_be_visible()
    learned = page.get_by_text("Won. Winner: Variant. The place matters")
    expect(learned).to_be_visible()
    page.get_by_role("link", name="History").click()
    expect(learned).to_have_count(2)


def test_running_experiment__edited__asks_whom_it_reaches_and_keeps_what_was_typed(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="A longer lamp")
    console.api("POST", f"/experiments/{made['id']}/launch")
    page = console.open(f"/experiments/{made['id']}/targeting")
    share = page.get_by_label("Visitors who take part")
    share.fill("40")
    console.api("PATCH", f"/experiments/{made['id']}", name="A longer lamp indeed")
    console.click("Save")
    console.click("Load the newest and keep what I typed")
    expect(page.get_by_role("heading", name="A longer lamp indeed")).to_be_visible()
    assert share.input_value() == "40"
    console.click("Save")
    dialog = page.get_by_role("dialog", name="This reaches visitors now")
    expect(dialog.get_by_role("link", name="A longer lamp indeed")).to_be_visible()
    dialog.get_by_role("button", name="Change it for visitors").click()
    expect(page.get_by_text("40 % of visitors")).to_be_visible()
    assert stored(console)["traffic_allocation"] == 0.4


def test_approval__of_a_design_that_changed__is_of_the_newest_request(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="A brighter lamp")
    path = f"/experiments/{made['id']}"
    console.api("POST", f"{path}/request-approval", message="Please look")
    console.api("POST", f"{path}/approve")
    rule = {"id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d38", "includeRules": [LAMPS], "excludeRules": []}
    console.api("PATCH", path, targeting={"pageRules": [rule]})
    console.api("POST", f"{path}/request-approval", message="With a reason now")
    page = console.open(f"{path}/approval")
    expect(page.get_by_role("region", name="Changes since the last approval")).to_contain_text("/lamps")
    console.click("Request changes")
    expect(page.get_by_role("alert").first).to_be_visible()
    page.get_by_label("Message").fill("Which lamps?")
    console.click("Request changes")
    expect(page.get_by_text("Which lamps?").first).to_be_visible()
    assert stored(console)["status"] == "changes_requested"


def test_experiments__many_ticked__are_archived_together(console: Console) -> None:
    for name in ("First", "Second", "Third"):
        console.api("POST", "/experiments", 201, name=name)
    page = console.open("/experiments")
    page.get_by_label("Name contains").fill("sec")
    expect(page.get_by_role("link", name="First")).to_have_count(0)
    page.get_by_label("Name contains").fill("")
    page.get_by_label("Choose First").check()
    page.get_by_label("Choose Third").check()
    console.click("Archive 2")
    page.get_by_role("dialog").get_by_role("button", name="Archive", exact=True).click()
    expect(page.get_by_text("2 archived.")).to_be_visible()
    expect(page.get_by_role("link", name="First")).to_have_count(0)
    page.get_by_label("Archived").select_option("true")
    expect(page.get_by_role("link", name="Third")).to_be_visible()


def test_pause__that_is_stored_and_not_published__is_shown_until_it_is_published_again(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="A louder lamp")
    console.api("POST", f"/experiments/{made['id']}/launch")
    page = console.open(f"/experiments/{made['id']}")

    def half_done(route: Route) -> None:
        error = {"code": "commerce_plane_post_commit_publish_failed", "message": "storefronts keep the version before"}
        body = {"error": error, "persisted": True, "retriable": True, "committed": route.fetch().json(), "reasons": []}
        route.fulfill(status=502, json=body)

    page.route("**/pause", half_done)
    in_dialog(console, "Pause")
    expect(page.get_by_text("Paused", exact=True)).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="not yet published")).to_be_visible()
    console.click("Publish now")
    expect(page.get_by_text("not yet published")).to_have_count(0)
