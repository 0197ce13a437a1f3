"""The tool for people who look at a page: drafts on the shop's own pages, QA visits, explanations, and the bar."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import Json, experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, Shop, html

pytestmark = pytest.mark.browser

TOKEN = "v1.k1.eyJ4IjoxfQ.c2ln"
PREVIEW = f"/?svc_preview={TOKEN}"
H1 = "document.querySelector('h1').textContent"
DRAFT = experiment({"mutations": [mutate("h1", "text", text="Drafted")]}, name="d1")
MOBILE = {"mode": "any", "in": [{"device": "mobile"}], "out": []}
BAR = "#svc-bar"


def previewing(shop: Shop, draft: Json = DRAFT, **more: Any) -> None:
    """The edge accepts the token, for this draft."""
    shop.outcome = {
        "preview": {
            "state": "shown",
            "kind": "experiment",
            "id": draft["id"],
            "name": "Names with a promise",
            "variationId": f"{draft['id']}-treatment",
            "variations": [{"id": each["id"], "name": each["name"]} for each in draft["variations"]],
            "version": 3,
            "status": "draft",
            "expiresAt": "2030-01-01T00:00:00.000Z",
            "hosts": [f"127.0.0.1:{shop.port}", f"localhost:{shop.port}"],
            "token": TOKEN,
            **more,
        },
        "draft": {"experiments": [draft]},
        "names": {draft["id"]: "Names with a promise", f"{draft['id']}-treatment": "Promise"},
    }


def refused(shop: Shop, state: str) -> None:
    """The edge does not accept the token."""
    shop.outcome = {"preview": {"state": state, "message": "This preview has expired. Make a new link."}}


def shown(page: Page) -> str:
    """The text of the bar, once it is there."""
    bar = page.locator(f"{BAR} .bar")
    bar.wait_for()
    return bar.inner_text()


def test_preview__shows_the_draft_with_no_frame_of_the_original_and_changes_nothing_else(
    shop: Shop, open_page: Open
) -> None:
    running = experiment({"mutations": [mutate("p", "text", text="Running")]})
    shop.experiments = [running]
    previewing(shop, {**DRAFT, "pages": pages("/nowhere")})
    watch = f"""<script>window.frames_ = []; (function sample() {{
      if (document.querySelector('h1')) frames_.push({H1}); requestAnimationFrame(sample) }})()</script>"""
    shop.page("/", html("<h1>Original</h1><p>Text</p>", watch))
    page = open_page(PREVIEW)
    page.wait_for_function("frames_.length > 3")
    assert set(page.evaluate("frames_")) == {"Drafted"}
    assert page.inner_text("p") == "Running"
    assert "Preview · Names with a promise · Treatment" in shown(page)
    events = shop.wait_events("experiment_viewed", 2)
    assert {event["experimentId"] for event in events} == {"e1", "d1"}
    assert all(event["qa_mode"] for event in shop.events())
    assert page.url == f"{shop.url}/", "an address that is copied does not carry the preview"


def test_preview__lasts_for_the_session_and_ends(shop: Shop, open_page: Open, context: BrowserContext) -> None:
    shop.experiments = [experiment({"mutations": [mutate("p", "text", text="Running")]})]
    previewing(shop)
    shop.page("/", html("<h1>Original</h1><p>Text</p>"))
    shop.page("/other", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    [cookie] = [each for each in context.cookies() if each["name"] == "svc_preview"]
    assert (cookie["value"], cookie["expires"], cookie["path"]) == (TOKEN, -1, "/")
    open_page("/other", page)
    assert page.inner_text("h1") == "Drafted"
    page.evaluate("history.pushState({}, '', '/?third')")
    assert page.inner_text("h1") == "Drafted"
    with page.expect_navigation():
        page.locator(f"{BAR} >> text=Leave").click()
    assert page.inner_text("h1") == "Original"
    assert [each["name"] for each in context.cookies()] == ["svc_v"]
    open_page(PREVIEW, page)
    with page.expect_navigation():
        page.evaluate("svc.preview.end()")
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("svc.preview") is None
    shop.wait_events("experiment_viewed")
    assert page.locator(BAR).count() == 0


def test_variation__is_switched_in_the_bar(shop: Shop, open_page: Open) -> None:
    previewing(shop)
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    shown(page)
    page.locator(f"{BAR} >> text=Details").click()
    select = page.locator(f"{BAR} select")
    assert select.input_value() == "d1-treatment"
    select.select_option("d1-control")
    page.wait_for_function(f"{H1} === 'Original'")
    select.select_option("")
    page.wait_for_function(f"{H1} === 'Drafted'")


def test_visitor_outside__sees_the_draft_and_reads_why_visitors_like_this_do_not(shop: Shop, open_page: Open) -> None:
    previewing(shop, {**DRAFT, "audience": MOBILE})
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Drafted"
    shown(page)
    page.locator(f"{BAR} >> text=Details").click()
    card = page.locator(f"{BAR} .card").first.inner_text()
    assert 'As a visitor: not in. Not in the audience, rule 1: device is "desktop", compared with "mobile".' in card
    [entry] = page.evaluate("svc.debug().then(({ unforced }) => unforced.experiments)")
    assert (entry["step"], entry["detail"]["value"]) == ("audience", "desktop")
    [entry] = page.evaluate("svc.explain().then(({ experiments }) => experiments)")
    assert (entry["step"], entry["applied"]) == ("forced", True)


@pytest.mark.parametrize("state", ["expired", "invalid", "ended", "unavailable"])
def test_preview_that_is_refused__shows_the_page_as_it_is_with_the_reason(
    state: str, shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [experiment({"mutations": [mutate("p", "text", text="Running")]})]
    refused(shop, state)
    shop.page("/", html("<h1>Original</h1><p>Text</p>"))
    context.add_cookies([{"name": "svc_preview", "value": "v1.old", "url": shop.url}])
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Original"
    assert page.inner_text("p") == "Running"
    assert "No preview" in shown(page)
    assert page.url.endswith(PREVIEW if state == "unavailable" else "/")
    assert "This preview has expired. Make a new link." in page.locator(f"{BAR} .panel").inner_text()
    is_kept = "svc_preview" in page.evaluate("document.cookie")
    assert is_kept == (state == "unavailable"), "later pages ask again only where it helps"
    assert all(event["qa_mode"] for event in shop.wait_events("pageview"))


def test_preview__on_a_host_that_it_is_not_for__shows_nothing(shop: Shop, open_page: Open) -> None:
    previewing(shop, hosts=["shop.example"])
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Original"
    assert "No preview" in shown(page)


def test_preview__that_cannot_be_loaded__leaves_the_page_as_it_is_uncounted(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="Running")]})]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Running"
    [event] = shop.wait_events("experiment_viewed")
    assert event["qa_mode"], "a visit by a preview is not counted"


def test_preview__before_consent__is_shown_and_nothing_is_stored_or_sent(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.runtime["consent"] = {"read": -1, "events": []}
    shop.experiments = [experiment({"mutations": [mutate("p", "text", text="Running")]})]
    previewing(shop)
    shop.page("/", html("<h1>Original</h1><p>Text</p>"))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Drafted"
    shown(page)
    page.evaluate("svc.track('signup')")
    page.wait_for_timeout(400)
    assert context.cookies() == []
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert shop.attempts == []
    page.evaluate("svc.consent(true)")
    assert [each["name"] for each in context.cookies()] == ["svc_preview"]
    open_page("/", page)
    assert page.inner_text("h1") == "Original", "it waits for consent, without the address that called for it"
    page.evaluate("svc.consent(true)")
    page.wait_for_function(f"{H1} === 'Drafted'")
    page.evaluate("svc.consent(false)")
    assert "svc_preview" not in page.evaluate("document.cookie")


def test_personalization_and_flag__are_previewed_whatever_their_targeting(shop: Shop, open_page: Open) -> None:
    personalization = {
        "id": "p1",
        "key": "hero",
        "name": "Hero",
        "type": "visual",
        "surface": "global",
        "state": 1,
        "below": 0,
        "audience": MOBILE,
        "experiences": [
            {"id": "x1", "key": "warm", "name": "Warm", "mutations": [mutate("h1", "text", text="Warm")], "value": 1},
            {"id": "x2", "key": "cold", "name": "Cold", "mutations": [mutate("h1", "text", text="Cold")], "value": 2},
        ],
    }
    previewing(shop, DRAFT, kind="personalization", id="p1", variationId=None, experience="cold")
    shop.outcome["draft"] = {"personalizations": [personalization]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Cold"
    assert page.evaluate("svc.personalization('hero')") == 2
    flag = {"id": "f1", "key": "new", "state": 1, "below": 0, "on": "yes", "off": "no", "paused": True}
    previewing(shop, DRAFT, kind="flag", id="f1", variationId=None, value="on")
    shop.outcome["draft"] = {"flags": [flag]}
    assert open_page(PREVIEW, page).evaluate("svc.flag('new', 'none')") == "yes"
    [entry] = page.evaluate("svc.debug().then(({ unforced }) => unforced.flags)")
    assert entry["step"] == "paused"


def test_scripts_of_a_draft__are_not_those_of_the_page(shop: Shop, open_page: Open) -> None:
    running = experiment({"js": shop.script("document.title += ' running'")})
    shop.experiments = [running]
    draft = experiment({"js": 0}, name="d1", js=1)
    previewing(shop, draft)
    shop.drafted = ["function(){document.title += ' variation'}", "function(){document.title += ' experiment'}"]
    shop.page("/", html("<h1>Original</h1>"))
    title = open_page(PREVIEW).title()
    assert sorted(title.split()) == ["Shop", "experiment", "running", "variation"]
    assert title.index("experiment") < title.index("variation")


@pytest.mark.parametrize("is_loaded", [True, False], ids=["loaded", "not loaded"])
@pytest.mark.parametrize("tag", ["async", "bounded"])
def test_preview__with_other_tags(tag: str, is_loaded: bool, shop: Shop, open_page: Open) -> None:
    if is_loaded:
        previewing(shop)
    else:
        shop.experiments = [DRAFT]
    ready = "<script async src=/s.js onload=\"svc.ready(() => { document.title = 'ready' })\"></script>"
    stub = """<script async blocking="render" id="svc-snippet" src="/s.js"></script><script>
      var calls = []; window.svc = { set() {}, track() { calls.push(arguments) } }; svc.track('early', {});
      document.getElementById('svc-snippet').onload = () => {
        calls.splice(0).forEach((call) => svc.track.apply(svc, call)); document.title = 'ready' };</script>"""
    shop.page("/", html("<h1>Original</h1>", tag=ready if tag == "async" else stub))
    page = open_page(PREVIEW)
    page.wait_for_function(f"{H1} === 'Drafted'")
    page.wait_for_function("document.title === 'ready'")
    if tag == "bounded":
        [event] = shop.wait_events("custom")
        assert event["data"]["event_name"] == "early"
        assert event["qa_mode"]


def test_strict_policy__lets_the_tool_and_the_bar_in(shop: Shop, open_page: Open) -> None:
    host = f"http://localhost:{shop.port}"
    policy = f"default-src 'none'; script-src 'nonce-n1' 'strict-dynamic'; connect-src {host}"
    head = f'<meta http-equiv="content-security-policy" content="{policy}">'
    previewing(shop)
    shop.page("/", html("<h1>Original</h1>", head, '<script nonce="n1" src="/s.js"></script>'))
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Drafted"
    assert "Preview" in shown(page)
    assert page.evaluate(f"getComputedStyle(document.querySelector('{BAR}')).position") == "fixed"


def test_page_that_allows_no_script_address__is_shown_as_it_is(shop: Shop, open_page: Open) -> None:
    policy = "require-trusted-types-for 'script'; trusted-types 'none'"
    head = f'<meta http-equiv="content-security-policy" content="{policy}">'
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="Running")]})]
    previewing(shop)
    shop.page("/", html("<h1>Original</h1>", head))
    assert open_page(PREVIEW).inner_text("h1") == "Running"


def test_page_that_removes_the_bar_and_replaces_svc__keeps_neither_from_working(shop: Shop, open_page: Open) -> None:
    previewing(shop)
    shop.page("/", html("<h1>Original</h1><script>window.svc = {}</script>"))
    page = open_page(PREVIEW)
    shown(page)
    page.evaluate(f"document.querySelector('{BAR}').remove()")
    assert "Preview" in shown(page)
    page.evaluate("document.documentElement.append(document.createElement('div'))")
    with page.expect_navigation():
        page.locator(f"{BAR} >> text=Leave").click()
    assert page.inner_text("h1") == "Original"


def test_link_to_another_host_of_the_shop__carries_the_preview(shop: Shop, open_page: Open) -> None:
    previewing(shop)
    other = f"http://localhost:{shop.port}"
    links = (
        f'<a id=a href="{other}/pay?x=1#y">Pay</a><a id=b href="https://elsewhere.example/">Out</a>'
        '<a id=c href="/">In</a>'
    )
    form = f'<form id=f action="{other}/pay"><input name=q value=1><button>Go</button></form>'
    shop.page("/", html(f"<h1>Original</h1>{links}{form}"))
    shop.page("/pay", html("<h1>Checkout</h1>"))
    page = open_page(PREVIEW)
    page.evaluate("for (const a of document.links) a.addEventListener('click', (event) => event.preventDefault())")
    for name in "abc":
        page.click(f"#{name}")
    assert page.evaluate("[a.search, b.search, c.search]") == [f"?x=1&svc_preview={TOKEN}", "", ""]
    with page.expect_navigation():
        page.click("button")
    assert page.url.startswith(f"{other}/pay?q=1")
    assert page.inner_text("h1") == "Drafted"


def test_qa_visit__explains_records_and_lasts_for_the_session(shop: Shop, open_page: Open) -> None:
    inside = experiment({"mutations": [mutate("h1", "text", text="New"), mutate(".gone", "remove")]}, name="in")
    outside = experiment({"mutations": [mutate("h1", "text", text="Never")]}, name="out", pages=pages("/nowhere"))
    shop.experiments = [inside, outside]
    shop.outcome = {"names": {"in": "Inside", "in-treatment": "Treatment"}}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page("/?svc_qa=1")
    assert page.inner_text("h1") == "New"
    assert "QA visit" in shown(page)
    explained = page.evaluate("svc.explain()")
    assert [(each["id"], each["step"], each["applied"]) for each in explained["experiments"]] == [
        ("in", "assigned", True),
        ("out", "page_rule", False),
    ]
    shop.wait_events("experiment_viewed")
    page.wait_for_function("svc.debug().then(({ events }) => events.every((e) => e.delivery.status === 202))")
    debugged = page.evaluate("svc.debug()")
    assert [event["type"] for event in debugged["events"]] == ["experiment_viewed", "pageview"], "and one page"
    [treatment] = debugged["treatments"]
    assert [(each["elements"], each["times"]) for each in treatment["mutations"]] == [(1, 1), (0, 0)]
    page.evaluate(f"{H1} = 'Page'")
    page.wait_for_function(f"{H1} === 'New'")
    later = page.evaluate("svc.debug()")["treatments"][0]["mutations"][0]
    assert later["times"] == 2
    assert later["lastAt"] >= later["firstAt"] > 0
    open_page("/", page)
    assert "QA visit" in shown(page)


def test_bar__reads_findings_and_tries_rules(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"js": shop.script("throw new Error('mine')")})]
    shop.outcome = {"names": {"e1": "Broken"}}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page("/?svc_qa=1")
    shown(page)
    page.locator(f"{BAR} >> text=Details").click()
    page.locator(f"{BAR} [role=tab] >> text=Findings").click()
    assert "variation_js: mine" in page.locator(f"{BAR} [role=tabpanel]").inner_text()
    page.keyboard.press("ArrowRight")
    pattern = page.locator(f"{BAR} input")
    pattern.fill("/nowhere/*")
    assert page.locator(f"{BAR} [role=tabpanel] [role=status]").inner_text() == "It does not match this address."
    pattern.fill("/")
    assert page.locator(f"{BAR} [role=tabpanel] [role=status]").inner_text() == "It matches this address."
    page.keyboard.press("Escape")
    assert page.locator(f"{BAR} .panel").is_hidden()


def test_explain__on_a_page_that_runs_without_the_tool__loads_it_and_changes_nothing(
    shop: Shop, open_page: Open
) -> None:
    shop.experiments = [
        experiment({"mutations": [mutate("h1", "text", text="New")]}),
        experiment(name="e2", audience=MOBILE),
    ]
    shop.outcome = {"names": {}}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    explained = page.evaluate("svc.explain()")
    assert [(each["step"], each["applied"]) for each in explained["experiments"]] == [
        ("assigned", True),
        ("audience", False),
    ]
    debugged = page.evaluate("svc.debug()")
    assert {event["type"] for event in debugged["events"]} == {"experiment_viewed", "pageview"}
    assert debugged["treatments"][0]["mutations"][0]["elements"] == 1
    assert page.locator(BAR).count() == 0
    page.evaluate("svc.track('after')")
    [event] = shop.wait_events("custom")
    assert "qa_mode" not in event
    assert len(shop.events("pageview")) == 1
    assert f"/s/{SHOP_ID}.js" in page.content()


@pytest.mark.parametrize("why", ["bot", "consent"])
def test_explain__where_nothing_is_decided__returns_the_reason(
    why: str, shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [experiment()]
    shop.outcome = {}
    if why == "consent":
        shop.runtime["consent"] = {"read": -1, "events": []}
    else:
        context.add_init_script("Object.defineProperty(navigator, 'webdriver', {get: () => true})")
    shop.page("/", html("<h1>Original</h1>"))
    [entry] = open_page().evaluate("svc.explain()")["experiments"]
    assert (entry["step"], entry["applied"]) == (why, False)


def test_preview__during_a_qa_visit_takes_its_place_and_neither_runs_twice(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    previewing(shop)
    shop.page("/", html("<h1>Original</h1>"))
    context.add_cookies([{"name": "svc_qa", "value": "1", "url": shop.url}])
    page = open_page(PREVIEW)
    assert page.inner_text("h1") == "Drafted"
    assert sorted(each["name"] for each in context.cookies()) == ["svc_preview", "svc_v"]
    open_page("/", page)
    assert "Preview" in shown(page)
    open_page(f"/?svc_qa=1&svc_preview={TOKEN}", page)
    assert page.inner_text("h1") == "Drafted"


def test_explanations__at_once__are_each_answered(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment()]
    shop.outcome = {}
    shop.page("/", html("<h1>Original</h1>"))
    both = open_page().evaluate("Promise.all([svc.explain(), svc.debug(), svc.explain()])")
    assert [sorted(each) for each in both[::2]] == [["experiments", "flags", "personalizations"]] * 2
    assert both[1]["state"] == "decided"


def test_consent_given_again__in_a_qa_visit__starts_nothing_twice(shop: Shop, open_page: Open) -> None:
    shop.runtime["consent"] = {"read": -1, "events": []}
    shop.experiments = [experiment({"mutations": [mutate("h1", "insertAfter", html="<i>+</i>")]})]
    shop.outcome = {}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page("/?svc_qa=1")
    page.evaluate("svc.consent(true)")
    open_page("/", page)
    for granted in ("true", "false", "true"):
        page.evaluate(f"svc.consent({granted})")
    page.wait_for_function("document.querySelectorAll('i').length === 1")
    page.evaluate("svc.track('last')")
    shop.wait(lambda: any(event["data"].get("event_name") == "last" for event in shop.events("custom")))
    assert all(event["qa_mode"] for event in shop.events())


def test_draft_with_many_ids__is_shown_and_counted_by_them(shop: Shop, open_page: Open) -> None:
    names = [f"{number:032x}" for number in range(1, 4)]
    ids = [f"{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}" for name in names]
    previewing(shop, {**DRAFT, "id": ids[0]}, variationId=ids[2])
    packed = {key: value for key, value in DRAFT.items() if key != "id"}
    packed["variations"] = [{key: value for key, value in each.items() if key != "id"} for each in DRAFT["variations"]]
    text = "".join(name[:16] for name in names) + "".join(name[16:] for name in names)
    shop.outcome["draft"] = {"experiments": [packed], "ids": text}
    shop.page("/", html("<h1>Original</h1>"))
    assert open_page(PREVIEW).inner_text("h1") == "Drafted"
    [event] = shop.wait_events("experiment_viewed")
    assert (event["experimentId"], event["variationId"]) == (ids[0], ids[2])
