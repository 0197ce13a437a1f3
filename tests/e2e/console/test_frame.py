"""The frame of the console: sign-in, navigation, search, an ended session."""

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.e2e.story import Story
from tests.support.console_page import NARROW, Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]


def test_key__typed_at_the_sign_in__opens_the_console_and_is_not_kept(own_shop: Story, browser: Browser) -> None:
    console = Console(browser, own_shop)
    console.page.goto(f"{console.root}/console")
    console.page.get_by_text("Sign in with an API key").click()
    console.page.get_by_label("API key").fill("svc_sk_wrong")
    console.page.keyboard.press("Enter")
    expect(console.page.get_by_role("alert")).to_contain_text("key")
    console.page.get_by_label("API key").fill(own_shop.dev["api_key"])
    console.page.keyboard.press("Enter")
    expect(console.page).to_have_url(f"{console.root}/console/{console.shop_id}")
    kept = console.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert own_shop.dev["api_key"] not in kept
    assert "__Host-" not in kept
    console.close()


def test_session__that_ends_under_an_open_screen__asks_to_sign_in_over_it(console: Console) -> None:
    console.open("/experiments")
    console.context.clear_cookies()
    console.page.get_by_label("Status").select_option("running")
    sheet = console.page.get_by_role("dialog", name="Your session has ended")
    sheet.get_by_label("API key").fill(console.story.dev["api_key"])
    sheet.get_by_role("button", name="Sign in").click()
    expect(sheet).to_have_count(0)
    expect(console.page.get_by_role("heading", name="Experiments")).to_be_visible()


def test_search__by_keys__goes_to_an_experiment(console: Console) -> None:
    made = console.api("POST", "/experiments", 201, name="A longer lamp")
    console.open("/experiments")
    console.page.keyboard.press("Control+k")
    console.page.keyboard.type("longer")
    expect(console.page.get_by_role("option", name="A longer lamp")).to_be_visible()
    console.page.keyboard.press("Enter")
    expect(console.page).to_have_url(f"{console.root}/console/{console.shop_id}/experiments/{made['id']}")


def test_navigation__at_320_px__opens_by_its_button_and_nothing_scrolls_sideways(
    own_shop: Story, browser: Browser
) -> None:
    console = Console(browser, own_shop, size=NARROW)
    console.sign_in()
    console.open("/experiments")
    assert console.page.evaluate("document.documentElement.scrollWidth") <= 320
    console.click("Menu")
    console.page.get_by_role("navigation", name="Screens").get_by_role("link", name="Overview").click()
    expect(console.page.get_by_role("heading", name="Overview")).to_be_visible()
    console.close()


def test_api_calls__of_a_screen__can_be_copied(console: Console) -> None:
    console.open("/experiments")
    console.click("API")
    expect(console.page.get_by_role("dialog")).to_contain_text("curl -X GET")
    expect(console.page.get_by_role("dialog")).to_contain_text("/api/v1/experiments?")


@pytest.mark.parametrize("path", ["", "/experiments"])
def test_first_screen__reads_each_thing_once(console: Console, path: str) -> None:
    urls: list[str] = []
    console.page.on("request", lambda request: urls.append(request.url) if "/api/v1/" in request.url else None)
    console.open(path)
    assert urls
    assert sorted(set(urls)) == sorted(urls), "what is requested early is what the screen reads"


def test_page__until_its_scripts_run__has_the_navigation_in_the_chosen_theme(console: Console) -> None:
    page = console.open("/experiments")
    console.click("Account")
    page.get_by_label("Dark colours").check()
    navigation = page.get_by_role("navigation", name="Screens")
    places = navigation.inner_text()

    def late(route: Route) -> None:
        page.wait_for_timeout(500)
        route.continue_()

    page.route("**/assets/main-*.js", late)
    page.goto(page.url, wait_until="commit")
    expect(navigation.get_by_role("link", name="Experiments")).to_have_attribute("aria-current", "page")
    assert navigation.inner_text() == places
    expect(page.locator("#main")).to_be_empty()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    navigation.evaluate("element => { element.isFirst = true }")
    console.settled()
    assert navigation.evaluate("element => element.isFirst"), "the frame stays where it is"
    assert navigation.inner_text() == places


def test_screen__that_throws_or_is_gone__is_named_in_its_place_and_the_frame_goes_on(console: Console) -> None:
    module = "export default () => { throw new Error('a fault of the screen') }"
    console.page.route(
        "**/assets/planning-*.js", lambda route: route.fulfill(body=module, content_type="text/javascript")
    )
    console.page.route("**/assets/program-*.js", lambda route: route.fulfill(status=404))
    console.open("/planning")
    expect(console.page.get_by_role("alert")).to_contain_text("A fault of the screen.")
    console.page.get_by_role("navigation", name="Screens").get_by_role("link", name="Program").click()
    expect(console.page.get_by_role("alert")).to_contain_text("earlier release")
    console.page.get_by_role("navigation", name="Screens").get_by_role("link", name="Experiments").click()
    expect(console.page.get_by_role("heading", name="Experiments", exact=True)).to_be_visible()
