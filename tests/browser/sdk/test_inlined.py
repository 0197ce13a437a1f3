"""The published snippet inside a page of its own text, with hostile text in every field that a customer fills."""

import json
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Page

from abtest.domain.delivery import snippet
from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.storefront import bundle
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html
from tests.support.delivered import experience, flag, keep, personalization
from tests.support.storefronts import SHOP_ID, Storefront, experiment, experiment_id, goal, variation

pytestmark = pytest.mark.browser

HOSTILE = [
    "</script><script>window.harmed=1</script>",
    "<!--<script>",
    "]]>--><!-- -->",
    "\u2028\u2029",
    "$& $` $' $1 $$",
    "__proto__",
    "\ud800 lone",
    "\\u003c/script>\\",
    "'\"`${window.harmed=1}`*/ //",
]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    return browser.new_page()


def published(text: str) -> str:
    """The snippet of a shop that says this everywhere."""
    mutation = {"selector": text, "action": "html", "html": text, "text": text, "attributes": {text: text}}
    attributes = {"selector": "h1", "action": "attribute", "attributes": {text: text, "__proto__": text}}
    storefront = Storefront()
    script = f"return {json.dumps(text)}"
    arm = variation(1, name=text, mutations=[mutation, attributes], custom_css=text, custom_js=script)
    storefront.keep(
        experiment(
            name=text,
            experiment_css=text,
            experiment_js=script,
            experiment_reset_js=script,
            variations=(variation(0, name=text), arm),
            goals=(goal(name=text, selector=text, text_match=text),),
        )
    )
    shown = experience(name=text, value={text: text, "__proto__": {text: 1}}, custom_css=text, custom_js=script)
    keep(storefront.catalog, personalization(name=text, experiences=(shown,)))
    keep(storefront.catalog, flag(name=text, on_value={text: [text]}, off_value=text))
    publication = replace(storefront.publication, bundle=bundle)
    outcome = publication.publish(SHOP_ID)
    assert outcome.ok, outcome.reasons
    assert list(outcome.reasons) == []
    return served(storefront)


def served(storefront: Storefront) -> str:
    """The snippet that was published last."""
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    snippet = storefront.blobs.get(object_key(read_pointer(pointer.content).snippet.sha256))
    assert snippet is not None
    return snippet.content.decode()


@pytest.mark.parametrize("text_from", [0, snippet.TEXT_FROM], ids=["text", "expression"])
@pytest.mark.parametrize("text", HOSTILE)
def test_snippet__inlined_with_hostile_text__starts_and_leaves_the_page_whole(
    page: Page, text: str, text_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippet, "TEXT_FROM", text_from)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content(f"<!doctype html><script>{published(text)}</script><h1>Shop</h1><p id=after>all of it</p>")
    assert page.evaluate("[typeof svc, typeof harmed]") == ["object", "undefined"]
    assert page.inner_text("#after") == "all of it"
    assert page.evaluate("document.scripts.length") == 1
    assert errors == []


def test_snippet__of_many_experiments__knows_their_ids(shop: Shop, open_page: Open) -> None:
    storefront = Storefront()
    arms = [
        tuple(variation(2 * number + arm, weight=float(arm), is_control=not arm) for arm in (0, 1))
        for number in range(9)
    ]
    for number, pair in enumerate(arms):
        storefront.keep(experiment(number + 1, variations=pair, goals=(goal(),)))
    assert replace(storefront.publication, bundle=bundle).publish(SHOP_ID).ok
    text = served(storefront)
    assert arms[0][1].id not in text
    shop.page("/", html("", tag=f"<script>{text}</script>"))
    assigned = open_page().evaluate("svc.assignments().map((each) => [each.experimentId, each.variationId])")
    assert assigned == [[experiment_id(number + 1), pair[1].id] for number, pair in enumerate(arms)]


def test_snippet__of_a_shop_without_experiments__is_small_and_starts(page: Page) -> None:
    storefront = Storefront()
    publication = replace(storefront.publication, bundle=bundle)
    assert publication.publish(SHOP_ID).ok
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    snippet = read_pointer(pointer.content).snippet.sha256
    whole, small = storefront.blobs.get(object_key(snippet)), storefront.blobs.get(object_key(snippet, "br"))
    assert whole is not None
    assert small is not None
    assert len(small.content) < len(bundle().encode()) / 3
    page.set_content(f"<script>{whole.content.decode()}</script><p id=after>all of it</p>")
    assert page.evaluate("typeof svc") == "object"
