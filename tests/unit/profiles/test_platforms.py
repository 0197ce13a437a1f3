"""Platforms and tools: what saved pages of stores show, and what must not be taken for them."""

from __future__ import annotations

import re
import time

import pytest

from abtest.domain.profiles.learning import learned
from abtest.domain.profiles.signatures import ENOUGH, detected, kind_of_path, signatures
from abtest.domain.profiles.statements import platform_of
from tests.support.stores import PLATFORMS, page, saved, visit


@pytest.mark.parametrize("name", PLATFORMS)
def test_platform__of_its_page__is_the_only_one_with_evidence(name: str) -> None:
    given = page(saved(name).body)  # without the headers and cookies that a proxy could remove
    platforms = [each for each in detected([given]) if each.kind == "platform"]
    assert [each.key for each in platforms] == [name]
    assert platforms[0].confidence >= ENOUGH
    assert platforms[0].clues
    assert all(clue.url == given.url and clue.sha256 == given.sha256 for clue in platforms[0].clues)


@pytest.mark.parametrize("name", ["shopify", "shopware", "prestashop"])
def test_platform__by_headers_and_cookies__needs_no_markup(name: str) -> None:
    given = saved(name)
    bare = page("<html><p>One moment, please.", headers=given.headers, cookies=given.cookies)
    assert [each.key for each in detected([bare])] == [name]


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("shopify", "Dawn"),
        ("woocommerce", "storefront"),
        ("magento", "Magento/luma"),
        ("prestashop", "classic"),
        ("shopware", None),
        ("bigcommerce", None),
    ],
)
def test_theme__is_the_one_that_the_page_loads(name: str, theme: str | None) -> None:
    result = learned(visit(saved(name)))
    facts = {each.key: each for each in result.statements}
    assert result.technical.theme == theme
    assert ("theme" in facts) == (theme is not None)
    if theme is not None:
        assert facts["theme"].value == theme
        assert theme.lower() in facts["theme"].clues[0].excerpt.lower()


def test_page__that_only_names_platforms__has_none() -> None:
    result = learned(visit(saved("handmade")))
    assert result.technical.platform is None
    assert {each.key for each in result.statements}.isdisjoint({"platform", "theme"})


def test_pages__with_signs_of_two_platforms__suggest_neither() -> None:
    result = learned(visit(saved("shopify"), saved("prestashop")))
    assert result.technical.platform is None
    assert "platform" not in {each.key for each in result.statements}
    assert "platform_ambiguous" in {each.kind for each in result.problems}


def test_one_weak_sign__however_often__is_not_enough() -> None:
    pages = [page('<html><body class="woocommerce-page">', f"https://store.example/{n}") for n in range(20)]
    assert platform_of(detected(pages)) is None


@pytest.mark.parametrize(
    ("head", "tool"),
    [
        ('<script src="https://consent.cookiebot.com/uc.js" data-cbid="1"></script>', "cookiebot"),
        ('<script src="https://cdn.cookielaw.org/scripttemplates/otSDKStub.js"></script>', "onetrust"),
        ('<script src="https://app.usercentrics.eu/browser-ui/latest/loader.js"></script>', "usercentrics"),
        ("<script>window.didomiOnReady = [];</script>", "didomi"),
        ('<script src="https://www.googletagmanager.com/gtag/js?id=G-ABC123DEF4" async></script>', "google_analytics"),
        ("<script>gtag('config', 'G-ABC123DEF4');</script>", "google_analytics"),
        ("<script>_paq.push(['setTrackerUrl', u+'matomo.php']);</script>", "matomo"),
        ('<script src="https://cdn.optimizely.com/js/1.js"></script>', "optimizely"),
        ('<script id="__NEXT_DATA__" type="application/json">{}</script>', "next"),
        ('<app-root ng-version="17.1.0"></app-root>', "angular"),
        ('<script src="/js/jquery-3.7.1.min.js"></script>', "jquery"),
    ],
)
def test_tool__is_known_by_what_its_vendor_documents(head: str, tool: str) -> None:
    assert [each.key for each in detected([page(f"<html><head>{head}</head>")])] == [tool]


def test_container__of_a_tag_manager__is_named() -> None:
    shown = learned(visit(saved("shopify"))).technical.tag_managers
    assert [(each.name, each.details) for each in shown] == [("Google Tag Manager", {"id": ["GTM-LAMPS01"]})]


def test_script__in_a_comment_or_noscript__is_not_loaded_and_not_seen() -> None:
    tag = '<script src="https://consent.cookiebot.com/uc.js"></script>'
    assert detected([page(f"<html><!-- {tag} --><noscript>{tag}</noscript><template>{tag}</template>")]) == []


def test_signs__have_names_that_are_unique_and_groups_for_their_details() -> None:
    every = signatures()
    assert len({each.key for each in every}) == len(every)
    for sign in (sign for each in every for sign in each.signs):
        assert (sign.detail is not None) == ("value" in sign.pattern.groupindex), sign
        assert sign.weight or sign.detail, sign


def test_signs__on_hostile_texts__take_no_time() -> None:
    beginnings = [
        re.sub(r"\\.|[\[\](){}?*+|^$]", " ", sign.pattern.pattern)[:40] for each in signatures() for sign in each.signs
    ]
    scripts = "".join(f"<script>{(text * 70_000)[:60_000]}</script>" for text in beginnings[::12])
    started = time.process_time()
    detected([page(scripts)])
    assert time.process_time() - started < 6


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "home"),
        ("/products/arc-lamp", "product"),
        ("/en-us/products/arc-lamp", "product"),
        ("/product/lindenblueten/", "product"),
        ("/catalogue/the-lamp_1/", "product"),
        ("/fr/accueil/1-carnet-ligne.html", "product"),
        ("/collections/all", "collection"),
        ("/product-category/kraeuter/", "collection"),
        ("/catalogue/category/books_1/", "collection"),
        ("/fr/3-carnets", "collection"),
        ("/catalogue/", "collection"),
        ("/catalogue/the-lamp_1/reviews/", "content"),
        ("/catalogue/the-lamp_1/reviews/add/", None),
        ("/cart", "cart"),
        ("/warenkorb/", "cart"),
        ("/checkout/cart/", "cart"),
        ("/pages/contact", "content"),
        ("/account/login", None),
        ("/checkout", None),
        ("/checkout/confirm", None),
        ("/wp-admin/", None),
        ("/shop/?add-to-cart=12", None),
        ("/files/terms.pdf", None),
        ("/search", None),
    ],
)
def test_kind_of_a_page__follows_its_path(path: str, kind: str | None) -> None:
    assert kind_of_path(path) == kind
