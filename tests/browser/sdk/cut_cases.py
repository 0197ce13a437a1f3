"""Configs that call for this part of the SDK and that, and the pages on which they are looked at."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from abtest.domain.delivery.mutations import normalised
from tests.browser.sdk.configs import audience, experiment, flag, fold, goal, mutate, pages, personalization, triggered
from tests.browser.sdk.shop import SHOP_ID, SIGNATURE

Json = Any
Case = tuple[str, str, Json]
"""Address, attributes of the snippet's tag, config."""

SHOP = "https://www.shop.example"
VISITOR = "0123456789abcdef0123456789abcdef"
SEED = 20260112
RANDOM = 4
RUNTIME: Json = {
    "environment": "production",
    "currency": "EUR",
    "events_url": f"{SHOP}/events",
    "events_signature": SIGNATURE,
}


def _mutations(*listed: Json) -> Json:
    return {"mutations": normalised(listed)}


def _with(treatment: Json | None = None, **more: Any) -> Callable[[str], Json]:
    return lambda name: {"experiments": [experiment(treatment, name=name, **more)]}


def _shown(treatment: Json | None = None, **more: Any) -> Callable[[str], Json]:
    return lambda name: {"personalizations": [personalization(treatment, name=name.replace("e", "p"), **more)]}


def _settings(**more: Any) -> Callable[[str], Json]:
    return lambda _: {"runtime": more}


def _redirects(to: str) -> Callable[[str], Json]:
    return _with({"redirect_url": to}, type="redirect", pages=pages("/"))


SUNDAY = {"days": ["sunday"], "zone": "Europe/Berlin"}
EVERY_DAY = {"days": ["saturday", "sunday"], "zone": "Europe/Berlin"}
PURCHASE = {"event": "purchase", "layer": "dataLayer", "pageview": True, "reevaluate": True, "track": "late"}
TEXT = mutate("h1", "text", text="New")
JS = "ran.push(document.querySelector('h1').textContent)"
FEATURES: dict[str, Callable[[str], Json]] = {
    "nothing": lambda _: {},
    "text": _with(_mutations(TEXT)),
    "control": _with(_mutations(TEXT), control=True),
    "a landing page's": _with(_mutations(TEXT), served=True),
    "epoch": lambda name: {"experiments": [experiment(name=name, epoch=3) | {"state": fold(f"{name}:3")}]},
    "customer": _with(_mutations(TEXT), identity="customer"),
    "html": _with(_mutations(mutate(".a", "html", html="<b>x</b>"), mutate(".b", "remove"))),
    "values": _with(
        _mutations(
            mutate("p", "style", styles={"gap": "1px", "column-gap": "2px", "color": "red !important"}),
            mutate("a", "attribute", attributes={"href": "#x", "rel": None, "title": "t"}),
        )
    ),
    "insertion": _with(
        _mutations(mutate("h1", "insertAfter", html="<hr>"), mutate("h1", "insertBefore", html="t<s>s</s>"))
    ),
    "place": _with(
        _mutations(mutate("li:first-child", "remove"), mutate("li:last-child", "insertAfter", html="<li>3"))
    ),
    "within": _with(_mutations(mutate("p:has(b)", "html", html="<b>y</b>"), mutate("p[", "remove"), TEXT)),
    "css": _with({"css": "h1{color:red}"}, css="p{color:blue}"),
    "import": _with({"css": "@import '/x.css';h1{color:red}"}),
    "js": _with({"js": JS}, js=JS, reset_js="ran.push('reset')", pages=pages("/")),
    "throws": _with({"js": "throw new Error('x')", **_mutations(TEXT)}),
    "hide": _shown({"js": JS, "hide": ["h1", "p["]}),
    "url": _with(_mutations(TEXT), pages={"in": [{"include": [{"re": "/other\\?"}, {"query": [["size", "1"]]}]}]}),
    "place only": _with(_mutations(TEXT), pages=pages("/other")),
    "blocks": _with(
        {"blocks": [{"rules": {"include": [{"path": "/other"}]}, **_mutations(TEXT), "css": "i{color:red}"}]}
    ),
    "dark": _with(_mutations(TEXT), dark=EVERY_DAY),
    "light": _with(_mutations(TEXT), dark={"days": ["monday"], "zone": "Mars/Here"}),
    "audience": _with(_mutations(TEXT), audience=audience({"country": "DE"})),
    "when": _with({"js": JS}, pages={"mode": "all", "in": [{"when": {"traffic_source": "direct"}}]}),
    "data layer": _with({"js": JS}, audience=audience({"data_layer.event": "purchase"})),
    "dom": _with({"js": JS}, pages=triggered("dom_ready")),
    "event": _with(_mutations(TEXT), pages=triggered("event:late")),
    "delay": _with({"css": "h1{color:red}"}, pages=triggered("delay:2500")),
    "element": _with(_mutations(TEXT), pages=triggered("element:#drawn i")),
    "surface": _with(_mutations(TEXT), surface="checkout"),
    "group": _with(_mutations(TEXT), group={"id": "g", "epoch": 2, "state": fold("g:2"), "ranges": [[0, 5000]]}),
    "no group": _with(_mutations(TEXT), group={"id": "g", "epoch": 1, "state": fold("g"), "ranges": []}),
    "holdout": lambda _: {"holdout": {"state": fold("h"), "below": 500, "epoch": 2}},
    "held out": lambda _: {"holdout": {"state": fold("h"), "below": 10000, "epoch": 2}},
    "click": _with(goals=[goal("click", selector="button", once=False), goal("custom", event="late")]),
    "text click": _with(goals=[goal("click", text="buy NOW")]),
    "capture": _with(
        goals=[goal("click", selector="[data-x]", capture=[{"property": "x", "source": "dataset", "attribute": "x"}])]
    ),
    "view": _with(goals=[goal("pageview", url={"path": "/other"}), goal("revenue")]),
    "any view": _with(control=True, goals=[goal("pageview"), goal("click", selector="a", pages={"include": []})]),
    "redirect": _redirects("/target?a=1"),
    "redirect here": _redirects("/"),
    "redirect nowhere": _redirects("javascript:alert(1)"),
    "redirect control": _with({"redirect_url": "/target"}, type="redirect", control=True),
    "value": _shown({"value": {"id": 1, "b": [2], "a": None}}, type="api"),
    "experience": _shown({"css": "h1{color:green}", "js": JS, "reset_js": JS, **_mutations(TEXT)}, pages=pages("/")),
    "not shown": _shown({"value": 1}, below=0, goals=[goal("click", selector="button")]),
    "rule": _shown(
        rules=[{"experience": "vip", "audience": audience({"country": "DE"}), "pages": pages("/")}],
        experiences=[{"id": "vip1", "key": "vip", "value": "v"}, {"id": "d1", "key": "default", "value": None}],
        audience={"mode": "any", "in": [], "out": []},
        surface="banner",
    ),
    "flag": lambda _: {"flags": [flag("k", on={"id": 1, "b": 2, "a": 3}), flag("k2", paused=True, dark=SUNDAY)]},
    "flag rules": lambda _: {"flags": [flag("k", audience=audience({"country": "DE"})), flag("__proto__", below=0)]},
    "signals": lambda _: {"signals": {"triggers": [PURCHASE]}},
    "no signals": lambda _: {"signals": {"triggers": []}},
    "mapping": lambda _: {
        "signals": {
            "triggers": [
                {
                    "event": "purchase",
                    "layer": "dataLayer",
                    "revenue": {"revenue": ["ecommerce.value"], "order_id": ["ecommerce.transaction_id"]},
                    "mappings": [{"from": ["event"], "to": "country", "persist": True}],
                }
            ]
        }
    },
    "zones": lambda _: {"zones": ["Europe/Berlin"]},
    "environments": _settings(environments=[{"key": "staging", "domains": ["www.shop.example"]}]),
    "own environment": _settings(environments=[{"key": "production", "domains": ["www.shop.example"]}]),
    "consent": _settings(consent={"read": "window.isAsked=1;return undefined", "events": ["answered"]}),
    "consented": _settings(consent={"read": "return true", "events": []}),
    "handover": _settings(
        handover={"param": "h", "domains": ["pay.example"], "timeout": 300, "ttl": 30, "signed": False, "url": SHOP}
    ),
    "shared": _settings(domains=["shop.example"]),
    "not shared": _settings(domains=["example.org"]),
    "exposures": lambda name: {**_with(_mutations(TEXT))(name), "runtime": {"exposures": ["ga4", "segment"]}},
    "preview": _settings(preview=True),
    "assets": _settings(assets_url=f"{SHOP}/s/"),
}
ADDRESSES = [
    "/",
    "/",
    "/other?size=1",
    "/?svc_force=e1:1,e2:0",
    "/?svc_qa=1",
    f"/?h={VISITOR[::-1]}&utm_source=mail#!/x",
]
NEEDS_OTHERS = {
    "nothing",
    "light",
    "no group",
    "not shared",
    "own environment",
    "no signals",
    "zones",
    "control",
    "dom",
}
"""Alone these do what others do, or nothing."""
TAGS = ["", "", 'data-surface="checkout"', "data-late=1", 'data-hide-ms="0"']


def merged(names: Sequence[str]) -> Json:
    """The config of a shop with these features."""
    config: Json = {
        "shop_id": SHOP_ID,
        "runtime": RUNTIME,
        "signals": {},
        "profile": {},
        "delivery": {"format": 1, "revision": 1},
        "experiments": [],
    }
    for number, name in enumerate(names, 1):
        for field, value in FEATURES[name](f"e{number}").items():
            before = config.get(field)
            if isinstance(value, list) and before:
                config[field] = [*before, *value]
            else:
                config[field] = {**before, **value} if field == "runtime" and before else value
    return config


def cases() -> Iterator[Case]:
    """Each feature alone, late and impatient pages, then random sets of them on random pages."""
    for name in FEATURES:
        if name not in NEEDS_OTHERS:
            yield "/", "", merged([name])
    yield "/", "data-late=1", merged(["text", "experience", "value", "flag", "redirect", "any view"])
    yield "/", 'data-hide-ms="0"', merged(["hide", "text click", "shared", "import"])
    random = Random(SEED)
    for _ in range(RANDOM):
        names = random.sample(list(FEATURES), random.randint(4, 12))
        yield random.choice(ADDRESSES), random.choice(TAGS), merged(names)
