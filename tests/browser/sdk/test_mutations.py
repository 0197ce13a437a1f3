"""The nine actions (folded into seven), on what is there, on what comes later, and through re-renders."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import Json, experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

BODY = '<h1 id="t" class="a" title="old" style="color: red; margin: 1px">Original <b>bold</b></h1><p id="n">next</p>'

ACTIONS = [
    (mutate("#t", "text", text="<New>"), "document.querySelector('#t').innerHTML", "&lt;New&gt;"),
    (mutate("#t", "html", html="<i>New</i>"), "document.querySelector('#t').innerHTML", "<i>New</i>"),
    (
        mutate("#t", "style", styles={"color": "blue", "backgroundColor": "white !important", "--x": "1"}),
        "document.querySelector('#t').getAttribute('style')",
        "color: blue; margin: 1px; --x: 1; background-color: white !important;",
    ),
    (
        mutate("#t", "attribute", attributes={"title": "new", "class": None, "data-k": "v"}),
        "document.querySelector('#t').outerHTML.match(/<h1[^>]*>/)[0]",
        '<h1 id="t" title="new" style="color: red; margin: 1px" data-k="v">',
    ),
    (mutate("#t", "remove"), "document.querySelectorAll('#t').length", 0),
    (
        mutate("#n", "insertBefore", html="<p>1</p>text<p>2</p>"),
        "[...document.querySelectorAll('body *')].map((e) => e.id || e.textContent).join()",
        "t,bold,1,2,n",
    ),
    (
        mutate("#t", "insertAfter", html="<p>1</p><p>2</p>"),
        "[...document.querySelectorAll('body *')].map((e) => e.id || e.textContent).join()",
        "t,bold,1,2,n",
    ),
]

# What the page shows, whatever the order in which attributes and declarations were written.
SNAPSHOT = """document.body.textContent + [...document.querySelectorAll('body *')].map((e) => e.localName +
  [...e.attributes].map((a) => a.name + '=' + a.value.split(/; ?/).filter(Boolean).sort()).sort()).sort()"""
EXPECTED_SNAPSHOT = "Original boldnextb,h1class=a,id=t,style=color: red,margin: 1px,title=old,pid=n"


@pytest.mark.parametrize(("mutation", "look", "expected"), ACTIONS, ids=lambda value: str(value)[:40])
def test_action__applies_to_parsed_and_to_late_content_and_gives_the_page_back(
    mutation: Json, look: str, expected: Any, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [experiment({"mutations": [mutation]}, pages=pages("\\/"))]
    shop.page("/", html(BODY))
    page = open_page()
    assert page.evaluate(look) == expected
    late = f"(async () => {{ document.body.innerHTML = {BODY!r}; await null; return {look}; }})()"
    assert page.evaluate(late) == expected, "before the next frame"
    assert page.evaluate(SNAPSHOT) != EXPECTED_SNAPSHOT
    page.evaluate("history.pushState({}, '', '/elsewhere')")
    page.wait_for_function(f"(wanted) => {SNAPSHOT} === wanted", arg=EXPECTED_SNAPSHOT)


def test_mutations__of_one_treatment__build_on_each_other(shop: Shop, open_page: Open) -> None:
    mutations = [
        mutate("#n", "insertAfter", html='<div class="new">x</div>'),
        mutate(".new", "text", text="y"),
        mutate("#t", "html", html='<b class="inner">1</b>'),
        mutate("#t .inner", "attribute", attributes={"title": "z"}),
    ]
    shop.experiments = [experiment({"mutations": mutations})]
    shop.page("/", html(BODY))
    page = open_page()
    assert page.inner_text(".new") == "y"
    assert page.get_attribute(".inner", "title") == "z"


@pytest.mark.parametrize("place", [0, 1, 2], ids=["first", "between", "last"])
def test_selector__that_does_not_parse__takes_its_variation_back_and_harms_no_other(
    place: int, shop: Shop, open_page: Open
) -> None:
    sound = [mutate("h1", "text", text="New"), mutate("#t", "text", text="New")]
    broken = [*sound[:place], mutate("h1[", "remove"), *sound[place:]]
    other = experiment({"mutations": [mutate("p", "style", styles={"color": "rgb(1, 2, 3)"})]}, name="e2")
    shop.experiments = [experiment({"mutations": broken, "css": "h1{top:7px}"}), other]
    shop.page("/", html(BODY))
    page = open_page()
    assert "New" not in page.inner_text("body")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).top") == "auto"
    [error] = shop.wait_events("sdk_error")
    assert "h1[" in error["data"]["message"]
    assert error["experimentId"] == "e1"
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["experimentId"] == "e2", "half a variation is not counted"
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<h1>Later</h1>')")
    assert "New" not in page.inner_text("body"), "and nothing of it is applied later"


def test_selector__that_matches_nothing__is_reported_once_a_session(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "remove"), mutate(".gone", "text", text="New")]})]
    shop.page("/", html(BODY, "<script>let rush = setTimeout; setTimeout = (f, ms) => rush(f, ms / 10)</script>"))
    page = open_page()
    [error] = shop.wait_events("sdk_error")
    assert error["data"] == {"kind": "selector_missing", "message": ".gone"}
    assert (error["experimentId"], error["variationId"]) == ("e1", "e1-treatment")
    assert len(shop.wait_events("experiment_viewed")) == 1, "a warning: what matches is shown and counted"
    open_page("/", page)
    page.wait_for_timeout(900)
    page.evaluate("svc.track('last')")
    shop.wait_events("custom")
    assert len(shop.events("sdk_error")) == 1


@pytest.mark.parametrize("selector", ["[open", '[open="', ".open /*", ".open\\", ":not(.open"])
def test_selector__that_is_not_closed__is_reported_and_harms_no_later_content(
    selector: str, shop: Shop, open_page: Open
) -> None:
    spoilt = experiment({"mutations": [mutate(selector, "text", text="Open")]}, name="e0")
    shop.experiments = [spoilt, experiment({"mutations": [mutate(".late", "text", text="New")]})]
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p class=late>Late</p>')")
    assert page.inner_text(".late") == "New"
    [error] = shop.wait_events("sdk_error")
    assert error["experimentId"] == "e0"


LIST = "".join(f"<li>{n}</li>" for n in "abcde")
RENDER = f"document.querySelector('ul').innerHTML = {LIST!r}"
ITEMS = "[...document.querySelectorAll('li')].map((e) => e.textContent).join('')"


def rendered(shop: Shop, open_page: Open, *mutations: Json, body: str = f"<ul>{LIST}</ul>") -> Page:
    """The page after the snippet treated the list."""
    shop.experiments = [experiment({"mutations": list(mutations)})]
    shop.page("/", html(body))
    return open_page()


@pytest.mark.parametrize(
    ("action", "expected"),
    [({"action": "remove"}, "abde"), ({"action": "insertBefore", "html": "<li>+</li>"}, "ab+cde")],
)
def test_positional__over_fifty_renders__acts_once_each(
    action: Json, expected: str, shop: Shop, open_page: Open
) -> None:
    page = rendered(shop, open_page, {"selector": "li:nth-child(3)", **action})
    assert page.evaluate(ITEMS) == expected
    seen = page.evaluate(
        f"(async () => {{ const seen = []; for (let i = 0; i < 50; i++) {{ {RENDER}; await null; "
        f"seen.push({ITEMS}); }} return seen; }})()"
    )
    assert seen == [expected] * 50


@pytest.mark.parametrize(
    ("action", "expected"),
    [({"action": "remove"}, "abdexx"), ({"action": "insertAfter", "html": "<li>+</li>"}, "abc+dexx")],
)
def test_positional__when_items_are_added_later__is_not_resolved_again(
    action: Json, expected: str, shop: Shop, open_page: Open
) -> None:
    page = rendered(shop, open_page, {"selector": "li:nth-child(3)", **action})
    append = "document.querySelector('ul').insertAdjacentHTML('beforeend', '<li>x</li>')"
    assert (
        page.evaluate(f"(async () => {{ {append}; await null; {append}; await null; return {ITEMS}; }})()") == expected
    )


@pytest.mark.parametrize("selector", ["li:nth-child(3)", "li.x"])
@pytest.mark.parametrize("action", ["insertBefore", "insertAfter"])
def test_insertion__when_the_page_copies_its_own_html__stays_single(
    action: str, selector: str, shop: Shop, open_page: Open
) -> None:
    body = f"<ul>{LIST}</ul>".replace("<li>c", '<li class="x">c')
    page = rendered(shop, open_page, mutate(selector, action, html="<li>+</li>"), body=body)
    copy = "document.querySelector('ul').innerHTML += '<li>x</li>'"
    assert (
        page.evaluate(f"(async () => {{ {copy}; await null; {copy}; await null; return {ITEMS}; }})()").count("+") == 1
    )


def test_insertion__when_its_target_is_moved__moves_along(shop: Shop, open_page: Open) -> None:
    page = rendered(shop, open_page, mutate("#m", "insertAfter", html="<i>+</i>"), body='<p id="m"></p><div></div>')
    move = "document.querySelector('div').append(document.querySelector('#m'))"
    found = page.evaluate(f"(async () => {{ {move}; await null; return document.querySelector('div').innerHTML; }})()")
    assert found.startswith('<p id="m"></p><i ')
    assert page.locator("i").count() == 1


def test_every_second__while_the_list_is_parsed_in_pieces__is_resolved_on_the_whole(
    shop: Shop, open_page: Open
) -> None:
    gate = "<script>requestAnimationFrame(() => requestAnimationFrame(() => fetch('/gate')))</script>"
    shop.experiments = [experiment({"mutations": [mutate("li:nth-child(even)", "remove")]})]
    whole = html(f"<ul>{LIST}</ul><p>end</p>")
    before, after = whole.split("<li>c")
    shop.page("/", before + "<li>c" + gate, after)
    page = open_page()
    assert page.evaluate(ITEMS.replace("e.textContent", "e.firstChild.data")) == "ace"


@pytest.mark.parametrize("fields", [{"action": "text", "text": "New"}, {"action": "html", "html": "New"}])
def test_content__while_the_element_itself_is_parsed_in_pieces__is_replaced_whole(
    fields: Json, shop: Shop, open_page: Open
) -> None:
    gate = "<script>requestAnimationFrame(() => requestAnimationFrame(() => fetch('/gate')))</script>"
    shop.experiments = [experiment({"mutations": [{"selector": "h1", **fields}]}, pages=pages("\\/"))]
    before, after = html(f"{gate}<h1>Half of the ||Original <b>content</b></h1>").split("||")
    shop.page("/", before, after)
    page = open_page()
    assert page.inner_html("h1") == "New"
    page.evaluate("history.pushState({}, '', '/elsewhere')")
    page.wait_for_function("document.querySelector('h1').innerText === 'Half of the Original content'")


def test_text__when_the_page_writes_its_own_again__returns(shop: Shop, open_page: Open) -> None:
    page = rendered(shop, open_page, mutate("#t", "text", text="New"), body=BODY)
    write = "document.querySelector('#t').textContent = 'Original'"
    assert (
        page.evaluate(f"(async () => {{ {write}; await null; return document.querySelector('#t').textContent; }})()")
        == "New"
    )


def test_page_that_fights_back__does_not_hang(shop: Shop, open_page: Open) -> None:
    page = rendered(shop, open_page, mutate("#t", "text", text="New"), body=BODY)
    page.evaluate(
        "new MutationObserver(() => { if (t.textContent !== 'Mine') t.textContent = 'Mine'; })"
        ".observe(t, {childList: true}); t.textContent = 'Mine'"
    )
    assert page.evaluate("1 + 1") == 2


def test_mutation__that_fails_at_one_of_several_elements__leaves_no_trace_at_any(shop: Shop, open_page: Open) -> None:
    broken = mutate("li", "attribute", attributes={"title": "New", "bad name": "y"})
    shop.experiments = [experiment({"mutations": [broken]})]
    shop.page("/", html("<ul><li>1</li><li>2</li><li>3</li></ul>"))
    page = open_page()
    assert page.evaluate("[...document.querySelectorAll('li')].map((li) => li.title).join()") == ",,"
    assert len(shop.wait_events("sdk_error")) == 1
    assert page.evaluate("svc.assignments()") == [], "it is not shown"


def test_text__of_an_element_and_of_one_in_it__is_the_outer_one(shop: Shop, open_page: Open) -> None:
    both = mutate("h2, h2 a", "text", text="New")
    positional = experiment({"mutations": [mutate("li:nth-child(1)", "text", text="First")]}, name="e2")
    shop.experiments = [experiment({"mutations": [both]}), positional]
    shop.page("/", html("<h2>Old <a href=/>link</a></h2><ul><li>1</li></ul>"))
    page = open_page()
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<h2>Later <a href=/>link</a></h2>')")
    assert page.evaluate("[...document.querySelectorAll('h2')].map((h2) => h2.textContent).join()") == "New,New"
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed", 2)} == {"e1", "e2"}
    assert shop.events("sdk_error") == []
