"""A clumsy person: goes back, loses the line, types commas, uses two windows. Nothing typed is lost."""

import pytest
from playwright.sync_api import Browser, Dialog, Route, expect

from tests.e2e.story import Story, new_shop
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

LEAVE = "Leave without saving? What you typed is lost."


def test_form__left_by_the_back_button_search_or_sign_out__asks_and_keeps_what_was_typed(console: Console) -> None:
    page = console.page
    questions: list[str] = []

    def stay(dialog: Dialog) -> None:
        questions.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", stay)
    console.open("/flags")
    console.click("New flag", role="link")
    console.field("Name").fill("Free shipping")
    page.wait_for_timeout(100)  # the form has named itself unsaved
    with page.expect_event("dialog"):  # while it is open, the browser drops keys
        page.go_back()
    page.wait_for_url("**/flags/new")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search for screens and experiments")).to_be_focused()
    page.keyboard.type("goals")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    console.click("Account")
    console.click("Sign out")
    expect(page).to_have_url(f"{console.root}/console/{console.shop_id}/flags/new")
    expect(console.field("Name")).to_have_value("Free shipping")
    assert questions == [LEAVE] * 3


def test_address__that_cannot_be_decoded__is_a_screen_that_does_not_exist(console: Console) -> None:
    page = console.open("/flags/%zz")
    expect(page.get_by_role("heading", name="This screen does not exist")).to_be_visible()


def test_number__typed_by_keys__is_what_was_typed_and_no_number_is_sent(console: Console) -> None:
    page = console.open("/settings/tracking")
    fold = page.get_by_text("How the visitor is handed over")
    fold.click()
    field = console.field("The token is valid for")
    for typed, seen in (("90.5", "90.5"), ("1,5", "1,5"), ("abc", "abc")):
        field.fill("")
        page.keyboard.type(typed)
        expect(field).to_have_value(seen)
    fold.click()
    form = page.locator("form").filter(has=fold)
    form.get_by_role("button", name="Save").click()
    expect(field).to_be_focused()
    expect(form).to_contain_text("This is not a number.")
    field.fill("5000")
    fold.click()
    form.get_by_role("button", name="Save").click()
    expect(field).to_be_focused()
    expect(form).to_contain_text("Must be at most 600")


def test_share__cleared_and_saved__is_not_taken_for_none_or_all(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="Cleared")
    page = console.open(f"/experiments/{made['id']}/targeting")
    share = page.get_by_label("Visitors who take part")
    share.fill("")
    console.click("Save")
    expect(share).to_be_focused()
    expect(share).to_have_attribute("aria-invalid", "true")
    assert console.api("GET", f"/experiments/{made['id']}")["traffic_allocation"] == 1


def test_button__clicked_twice__makes_one_change(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="Clicked twice")
    page = console.open(f"/experiments/{made['id']}")

    def late(route: Route) -> None:
        page.wait_for_timeout(300)  # both clicks come before the first answer
        route.continue_()

    page.route("**/variations", late)
    page.get_by_role("button", name="Add a variation").dblclick()
    expect(page.get_by_text("is added. Give it a share")).to_have_count(1)
    console.settled()
    read = console.api("GET", f"/experiments/{made['id']}")
    assert len(read["variations"]) == len(made["variations"]) + 1


def test_page__opened_while_nothing_answers__keeps_the_session_until_sign_out_which_keeps_nothing(
    console: Console,
) -> None:
    page = console.page
    page.route("**/console/identity/session", lambda route: route.fulfill(status=502, body="<html>"))
    page.goto(f"{console.root}/console/{console.shop_id}/goals")
    expect(page.get_by_role("alert")).to_contain_text("502")
    page.unroute("**/console/identity/session")
    console.click("Try again")
    expect(page.get_by_role("heading", name="Goals")).to_be_visible()
    page.evaluate("window.isSamePage = true")
    console.click("Account")
    console.click("Sign out")
    expect(page.get_by_text("Sign in with an API key")).to_be_visible()
    page.wait_for_function("!window.isSamePage")


def test_page__brought_back_after_the_session_ended__is_the_sign_in_and_kept_while_it_lasts(console: Console) -> None:
    page = console.open("/goals")
    page.evaluate("window.isSamePage = true")
    # Chromium with a debugger keeps no page to bring it back.
    back = "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"
    with page.expect_response("**/console/identity/session"):
        page.evaluate(back)
    page.wait_for_timeout(300)
    assert page.evaluate("window.isSamePage")
    page.evaluate("fetch('/console/identity/session', {method: 'DELETE'})")
    page.evaluate(back)
    expect(page.get_by_text("Sign in with an API key")).to_be_visible()
    page.wait_for_function("!window.isSamePage")


def test_board__on_which_another_person_moved_a_card__shows_where_it_is(console: Console) -> None:
    idea = console.api("POST", "/backlog/ideas", 201, title="A shorter form")
    page = console.open("/backlog")
    console.api("PATCH", f"/backlog/ideas/{idea['id']}", stage="triaged")
    page.get_by_label("Stage of A shorter form").select_option("rejected")
    expect(page.get_by_text("A shorter form was moved to Triaged")).to_be_visible()
    expect(page.get_by_label("Stage of A shorter form")).to_have_value("triaged")
    page.get_by_label("Stage of A shorter form").select_option("rejected")
    page.get_by_label("Stage of A shorter form").select_option("planned")
    console.settled()
    assert console.api("GET", f"/backlog/ideas/{idea['id']}")["stage"] == "planned"


def test_shop__switched_on_the_overview__shows_its_own_experiments(own_shop: Story, browser: Browser) -> None:
    other = new_shop(own_shop, "other-console.example")
    made = other.call("POST", "/experiments", 201, name="Only in the other shop")
    other.call("POST", f"/experiments/{made['id']}/launch")
    console = Console(browser, Story({**own_shop.dev, "api_key": own_shop.dev["user_key"]}))
    console.sign_in()
    page = console.open()
    page.get_by_label("Shop", exact=True).select_option(other.dev["shop_id"])
    expect(page.get_by_role("link", name="Only in the other shop")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="Only in the other shop")).to_have_count(0)
    console.close()
