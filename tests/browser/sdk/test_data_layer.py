"""Data-layer triggers: every push is told once, whatever the page does to its layer, and leads to what was asked."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

Json = dict[str, Any]
PAGE = html("<h1>Original</h1>")
H1 = "document.querySelector('h1').textContent"
PUSH = "dataLayer.push({event: 'lead', n: 1})"
PURCHASE = """{event: 'purchase', ecommerce: {transaction_id: 'T-1', value: '1,299.50', currency: 'USD', tax: 5,
  coupon: ' SPRING ', items: [{item_id: 'a', price: 5}]}}"""
REVENUE: Json = {
    "revenue": {
        "revenue": ["ecommerce.value"],
        "order_id": ["ecommerce.transaction_id"],
        "currency": ["ecommerce.currency"],
        "cost": ["ecommerce.tax"],
        "properties": [
            {"from": ["ecommerce.coupon"], "to": "coupon", "trim": True, "lower": True},
            {"from": ["ecommerce.items.0"], "to": "first", "type": "json"},
        ],
    }
}


def listening(*triggers: Json) -> Json:
    """A config with these triggers; each counts a custom event `seen` with `n` unless it says more."""
    seen = {"event": "lead", "layer": "dataLayer", "track": "seen", "properties": [{"from": ["n"], "to": "n"}]}
    listed = [{"id": f"t{number}", **(each or seen)} for number, each in enumerate(triggers)]
    return {"signals": {"triggers": listed}}


def before(script: str) -> str:
    """A page that runs the script before the snippet."""
    return html("<h1>Original</h1>", head=f"<script>{script}</script>")


def numbers(shop: Shop) -> list[Any]:
    return [event["data"]["n"] for event in shop.events("custom")]


def test_purchase__pushed_as_ga4_does__is_one_order_and_none_when_loaded_again(shop: Shop, open_page: Open) -> None:
    shop.config = listening({"event": "purchase", "layer": "dataLayer", **REVENUE})
    shop.page("/", html(f"<h1>Thanks</h1><script>dataLayer = []; dataLayer.push({PURCHASE})</script>"))
    page = open_page()
    (order,) = shop.wait_events("order")
    assert order["data"] == {
        "orderId": "T-1",
        "revenue": 1299.5,
        "currency": "USD",
        "cost": 5,
        "coupon": "spring",
        "first": {"item_id": "a", "price": 5},
    }
    page.reload()
    page.evaluate(f"dataLayer.push({PURCHASE}), svc.track('end')")
    shop.wait_events("custom")
    assert len(shop.events("order")) == 1


def test_purchase__without_an_order_id_or_currency__is_revenue_of_no_particular_order(
    shop: Shop, open_page: Open
) -> None:
    shop.config = listening({"event": "purchase", "layer": "dataLayer", "revenue": {"revenue": ["value"]}})
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate("dataLayer = [{event: 'purchase', value: 'NaN'}, {event: 'purchase', value: 5}]")
    (goal,) = shop.wait_events("goal")
    assert goal["data"] == {"goalId": "__revenue__", "revenue": 5, "currency": "EUR"}


def test_conversion__in_the_same_turn__follows_its_exposure(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment()]
    shop.config = listening({"event": "purchase", "layer": "dataLayer", **REVENUE})
    shop.page("/", before(f"dataLayer = [{PURCHASE}]"))
    open_page()
    shop.wait_events("order")
    assert [event["type"] for event in shop.events()][:3] == ["experiment_viewed", "pageview", "order"]


def test_pageview__carries_the_properties(shop: Shop, open_page: Open) -> None:
    trigger = {"event": "virtual", "layer": "dataLayer", "pageview": True, "properties": [{"from": ["p"], "to": "p"}]}
    shop.config = {**listening(trigger), "holdout": {"state": 1, "below": 0, "epoch": 7}}
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate("dataLayer = []; dataLayer.push({event: 'virtual', p: 'cart'})")
    told = shop.wait_events("pageview", 2)[1]["data"]
    assert told == {"p": "cart", "cohort": "active", "holdout_config_epoch": 7}


PUSHES = {
    "before the snippet": ("dataLayer = [{event: 'lead', n: 1}]", ""),
    "after it": ("", f"window.dataLayer = []; {PUSH}"),
    "by an array of var": (f"var dataLayer = []; {PUSH}", ""),
    "to an array of var": ("var dataLayer = []", PUSH),
    "with others": ("dataLayer = []", "dataLayer.push({event: 'other'}, 5, null, 'x', {event: 'lead', n: 1}, [])"),
    "as arguments": ("dataLayer = []", "(function () { dataLayer.push(arguments) })('event', 'lead', {n: 1})"),
    "to another array": ("dataLayer = [{event: 'x'}]", f"dataLayer = [...dataLayer]; {PUSH}"),
    "with another array": ("dataLayer = []", "dataLayer = [{event: 'lead', n: 1}]"),
    "twice into place": (f"dataLayer = []; {PUSH}", "dataLayer = dataLayer.slice(); dataLayer = dataLayer.concat()"),
    "past our push": ("dataLayer = []", "dataLayer[0] = {event: 'lead', n: 1}"),
    "by an own push of the page's": (
        "dataLayer = []",
        "{ const old = dataLayer.push; dataLayer.push = (...all) => old.apply(dataLayer, all) }" + PUSH,
    ),
    "by a push of the page's from before": (
        "dataLayer = []; dataLayer.push = function (...all) { return Array.prototype.push.apply(this, all) }",
        PUSH,
    ),
    "after Array.prototype.push was replaced": (
        "dataLayer = []",
        "Array.prototype.push = function () { throw Error('page') };" + PUSH,
    ),
    "by Array.prototype.push of the page's": (
        "Array.prototype.push = function (item) { this[this.length] = item; return 99 }; dataLayer = []",
        PUSH,
    ),
    "frozen": ("dataLayer = Object.freeze([{event: 'lead', n: 1}])", ""),
    "changed afterwards": ("dataLayer = []; it = {event: 'lead', n: 1}", "dataLayer.push(it); it.n = 2; it.event = 0"),
    "beside what cannot be read": (
        "dataLayer = [{get event() { throw Error('page') }}, {event: 'lead', get n() { throw Error('page') }}]",
        f"dataLayer.push(new Proxy({{}}, {{getPrototypeOf() {{ throw Error('page') }}}})); {PUSH}",
    ),
    "of another frame": (
        "dataLayer = []; frame = document.createElement('iframe')",
        "document.body.append(frame); dataLayer.push(frames[0].eval(`({event: 'lead', n: 1})`))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", PUSHES)
def test_push__of_any_kind__is_told_once(how: str, shop: Shop, open_page: Open) -> None:
    early, late = PUSHES[how]
    shop.config = listening({})
    shop.page("/", before(early))
    page = open_page()
    page.evaluate(late or "0")
    page.evaluate("document.body.click(), svc.track('end', {n: 'end'})")
    shop.wait(lambda: "end" in numbers(shop))
    assert numbers(shop) == [1, "end"]


def test_push__of_the_same_object_twice__is_told_twice(shop: Shop, open_page: Open) -> None:
    shop.config = listening({})
    shop.page("/", before("it = {event: 'lead', n: 1}; dataLayer = [it, it]"))
    page = open_page()
    page.evaluate("dataLayer.push(it), dataLayer.push(it), document.body.click()")
    shop.wait_events("custom", 4)
    page.evaluate("svc.track('end', {n: 'end'})")
    shop.wait(lambda: "end" in numbers(shop))
    assert numbers(shop) == [1, 1, 1, 1, "end"]


def test_push__what_it_returns_and_does_to_the_array__stays(shop: Shop, open_page: Open) -> None:
    shop.config = listening({})
    shop.page("/", before("dataLayer = [1]"))
    page = open_page()
    assert page.evaluate("[dataLayer.push(2, 3), dataLayer.slice()]") == [3, [1, 2, 3]]
    assert page.evaluate("(dataLayer = undefined, typeof dataLayer)") == "undefined"
    assert page.evaluate("delete window.dataLayer && 'dataLayer' in window") is False


def test_layers__of_other_names__are_listened_to_and_others_left_alone(shop: Shop, open_page: Open) -> None:
    trigger = {"event": "lead", "track": "seen", "properties": [{"from": ["n"], "to": "n"}]}
    names = ["shopLayer", "location", "svc", "constructor", "frozenLayer"]
    shop.config = listening(*({**trigger, "layer": name} for name in names))
    shop.page("/", before("Object.defineProperty(window, 'frozenLayer', {value: Object.freeze([])})"))
    page = open_page()
    page.evaluate("shopLayer = [{event: 'lead', n: 2}]; dataLayer = [{event: 'lead', n: 3}]")
    assert shop.wait_events("custom")[0]["data"]["n"] == 2
    assert page.evaluate("location.pathname + typeof svc.track + (constructor === Window)") == "/functiontrue"
    page.evaluate("svc.track('end', {n: 'end'})")
    shop.wait(lambda: "end" in numbers(shop))
    assert numbers(shop) == [2, "end"]


def test_push__that_is_cyclic__is_told_as_far_as_it_goes(shop: Shop, open_page: Open) -> None:
    trigger: dict[str, Any] = {"event": "e", "layer": "dataLayer", "track": "seen"}
    trigger["properties"] = [{"from": ["o"], "to": "o", "type": "json"}, {"from": ["o.o.o.n"], "to": "n"}]
    shop.config = listening(trigger)
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate("o = {n: 1, at: new Date(0), el: document.body, f() {}}; o.o = o; dataLayer = [{event: 'e', o}]")
    told = shop.wait_events("custom")[0]["data"]
    assert told["n"] == 1
    assert told["o"]["o"]["o"]["n"] == 1
    wide = "all = []; for (let i = 0; i < 50; i++) all[i] = all; dataLayer.push({event: 'e', o: all})"
    assert page.evaluate(f"{wide}; svc.assignments()") == []
    assert shop.wait_events("custom", 2)[1]["data"] == {"event_name": "seen"}


def rewarded(path: str = "page.tier", value: Any = "gold") -> Json:
    """An experiment for an audience that the data layer makes."""
    audience = {"mode": "all", "in": [{path: value}], "out": []}
    return experiment({"mutations": [mutate("h1", "text", text="Gold")]}, audience=audience)


def mapping(**fields: Any) -> Json:
    return {"from": ["user.tier"], "to": "page.tier", "trim": True, "lower": True, **fields}


def login(**fields: Any) -> Json:
    return {"event": "login", "layer": "dataLayer", "mappings": [mapping(**fields)], "reevaluate": True}


LOGIN = "dataLayer.push({event: 'login', user: {tier: ' GOLD'}})"


def test_mapping__with_reevaluation__shows_the_treatment_at_once(shop: Shop, open_page: Open) -> None:
    shop.experiments = [rewarded()]
    shop.config = listening(login())
    shop.page("/", before("svc = {page: {template: 'x'}}; dataLayer = []"))
    page = open_page()
    assert page.evaluate(H1) == "Original"
    assert page.evaluate(f"{LOGIN}, {H1}") == "Gold"
    page.reload()
    assert page.evaluate(H1) == "Original"
    assert page.evaluate("localStorage.length") == 0


def test_mapping__without_reevaluation__is_known_at_the_next_decision(shop: Shop, open_page: Open) -> None:
    shop.experiments = [rewarded()]
    shop.config = listening({**login(), "reevaluate": False})
    shop.page("/", before("dataLayer = []"))
    page = open_page()
    assert page.evaluate(f"{LOGIN}, {H1}") == "Original"
    assert page.evaluate(f"history.pushState(0, '', '/next'), {H1}") == "Gold"


def test_mapping__pushed_before_the_snippet__is_known_at_the_first_decision(shop: Shop, open_page: Open) -> None:
    shop.experiments = [rewarded()]
    shop.config = listening({**login(), "reevaluate": False})
    shop.page("/", before(f"dataLayer = []; {LOGIN}"))
    assert open_page().evaluate(H1) == "Gold"


def test_mapping__that_persists__is_known_on_later_pages_until_it_ends(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [rewarded()]
    shop.config = listening(login(persist=True, ttl=2))
    shop.page("/", before("svc = {page: {template: 'x'}}; dataLayer = []"))
    page = context.new_page()
    page.clock.install(time=1_800_000_000)
    open_page("/", page)
    page.evaluate(LOGIN)
    page.reload()
    assert page.evaluate(H1) == "Gold"
    page.clock.set_fixed_time(1_800_000_000 + 2 * 86_400 - 60)
    page.reload()
    assert page.evaluate(H1) == "Gold"
    page.clock.set_fixed_time(1_800_000_000 + 2 * 86_400 + 60)
    page.reload()
    assert page.evaluate(H1) == "Original"
    assert page.evaluate("Object.keys(localStorage)") == []


@pytest.mark.parametrize(
    ("pushed", "kind", "condition"),
    [
        ("'a\"😀\\n{[,:'", "string", 'a"😀\n{[,:'),
        ("[1, 'x,y', true]", "string_array", {"$eq": ["1", "x,y", "true"]}),
        ("-1.5e-7", "number", -1.5e-7),
        ("false", "boolean", {"$eq": False}),
        ("{a: [], b: {}, c: [null, {d: ['e']}]}", "json", {"$eq": {"a": [], "b": {}, "c": [None, {"d": ["e"]}]}}),
    ],
)
def test_kept_attributes__of_every_type__come_back_as_they_were(
    pushed: str, kind: str, condition: Any, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [rewarded("kept", condition)]
    mapped = {"from": ["v"], "to": "kept", "type": kind, "persist": True}
    shop.config = listening({"event": "e", "layer": "dataLayer", "mappings": [mapped]})
    shop.page("/", before("dataLayer = []"))
    page = open_page()
    page.evaluate(f"dataLayer.push({{event: 'e', v: {pushed}}})")
    assert page.evaluate("Object.keys(localStorage)") == ["svc_a.kept"]
    page.reload()
    assert page.evaluate(H1) == "Gold"
    page.evaluate("localStorage['svc_a.kept'] = '99999999999999:{\"a'")
    page.reload()
    assert page.evaluate(H1) == "Original"


def test_kept_attributes__are_read_only_when_an_audience_asks(shop: Shop, open_page: Open) -> None:
    count = "reads = []; const get = Storage.prototype.getItem;"
    count += "Storage.prototype.getItem = function (name) { reads.push(name); return get.call(this, name) }"
    shop.config = listening(login(persist=True))
    shop.page("/", before(count))
    page = open_page()
    assert "svc_a.page.tier" not in page.evaluate("reads")
    shop.experiments = [rewarded()]
    page.reload()
    assert "svc_a.page.tier" in page.evaluate("reads")


def test_script__that_pushes_when_it_is_shown__does_not_loop(shop: Shop, open_page: Open) -> None:
    script = shop.script("runs = (window.runs || 0) + 1; " + LOGIN)
    shop.experiments = [rewarded() | {"js": script}]
    shop.config = listening(login(), {**login(), "track": "seen"})
    shop.page("/", before("dataLayer = []"))
    page = open_page()
    page.evaluate(LOGIN)
    page.wait_for_function("window.runs")
    page.evaluate("svc.track('end')")
    shop.wait(lambda: any(event["data"]["event_name"] == "end" for event in shop.events("custom")))
    assert page.evaluate("runs") == 1
    assert len(shop.events("custom")) == 3


def test_set__that_a_getter_calls_while_we_listen__does_not_loop(shop: Shop, open_page: Open) -> None:
    shop.config = listening({"event": "e", "layer": "dataLayer", "reevaluate": True})
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate(
        "dataLayer = []; count = 0; const it = () => ({event: 'e', get x() { return 1 }});"
        "const old = dataLayer.push; dataLayer.push = function (...all) { old.apply(this, all);"
        " if (count++ < 2000) this.push(it()) }; dataLayer.push(it())"
    )
    assert page.evaluate("count") == 2001


def test_consent__is_waited_for_and_what_was_kept_goes_with_it(shop: Shop, open_page: Open) -> None:
    shop.experiments = [rewarded()]
    shop.config = listening(login(persist=True), {"event": "purchase", "layer": "dataLayer", **REVENUE})
    shop.runtime["consent"] = {"read": shop.script("return window.answer"), "events": []}
    shop.page("/", before(f"dataLayer = []; {LOGIN}"))
    page = open_page()
    page.evaluate(f"it = {PURCHASE}; dataLayer.push(it); it.ecommerce.value = 1")
    assert page.evaluate(f"[{H1}, document.cookie, localStorage.length]") == ["Original", "", 0]
    assert shop.attempts == []
    page.evaluate("svc.consent(true)")
    assert page.evaluate(f"[{H1}, Object.keys(localStorage)]") == ["Gold", ["svc_a.page.tier"]]
    assert shop.wait_events("order")[0]["data"]["revenue"] == 1299.5
    kinds = [event["type"] for event in shop.events()]
    assert kinds.index("experiment_viewed") < kinds.index("order")
    page.evaluate("svc.consent(false)")
    assert page.evaluate("[document.cookie, Object.keys(localStorage)]") == ["", []]
    expect(page.locator("h1")).to_have_text("Original")  # once the page has had its two frames
    page.evaluate(f"dataLayer.push({PURCHASE}); {LOGIN}")
    assert page.evaluate(f"[{H1}, Object.keys(localStorage)]") == ["Original", []]
