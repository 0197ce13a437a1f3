"""Findings of a visit, the merge of a run with reviews, and the context for others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from abtest.domain.brand.context import UNTOUCHED, BrandContext
from abtest.domain.brand.prompt import MAX_PROMPT
from abtest.domain.install.tags import install_tags
from abtest.domain.profiles.context import brand_prompt, store_context
from abtest.domain.profiles.learning import learned, merged
from abtest.domain.profiles.model import StoreProfile
from abtest.domain.profiles.page import Answer
from abtest.domain.profiles.problems import KINDS
from abtest.domain.profiles.review import reviewed, settled
from abtest.domain.profiles.visit import Missed
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError
from tests.support.stores import NOW, PLATFORMS, SHOP_ID, answer, saved, visit

EMPTY = StoreProfile(shop_id=SHOP_ID, created_at=NOW, updated_at=NOW)
RUN_1, RUN_2 = "00000000-0000-7000-8000-0000000000a1", "00000000-0000-7000-8000-0000000000a2"
LATER = "2026-11-25T02:00:00.000Z"
USER = "00000000-0000-7000-8000-0000000000ff"
SNIPPET = (
    f'<link rel="preconnect" href="https://edge.example"><script src="https://edge.example/s/{SHOP_ID}.js"></script>'
)

TEALIUM = '<script async src="https://tags.tiqcdn.com/utag/a/main/prod/utag.js"></script>'


def kinds(*answers: Answer, missed: Iterable[Missed] = (), notes: Iterable[str] = ()) -> dict[str, str]:
    """Return the findings of a visit: messages by kind."""
    return {each.kind: each.message for each in learned(visit(*answers, missed=missed, notes=notes)).problems}


def test_page__with_nothing_wrong__has_no_finding() -> None:
    good = answer(f"<html lang=en><head>{SNIPPET}<title>Lamps</title></head><h1>Lamps</h1><img src=/a.png alt=A>")
    result = learned(visit(good))
    assert result.problems == []
    assert (result.technical.snippet.present_on, result.technical.snippet.is_first) == (1, True)


def test_page__with_the_bounded_tag__has_no_finding() -> None:
    (tag,) = (
        html for name, _, html in install_tags("https://edge.example", SHOP_ID).recommended() if name == "bounded"
    )
    assert kinds(answer(f"<html lang=en><head>{tag}<title>Lamps</title></head><h1>Lamps</h1>")) == {}


@pytest.mark.parametrize(
    ("body", "kind", "quote"),
    [
        ("<title>Lamps", "snippet_missing", "on the home page"),
        (f"<body>{SNIPPET}", "snippet_late", "late"),
        (SNIPPET.replace("<script", "<script async"), "snippet_late", "late"),
        (f"{SNIPPET}<img src=/a.png>", "images_without_alternative", "1 of 1 images"),
        (f"{SNIPPET}<title>{'long ' * 20}", "titles_too_long", "1 page is"),
        (f"{SNIPPET}<script src=http://cdn.example/a.js></script>", "mixed_content", "http://cdn.example/a.js"),
        (
            f"{SNIPPET}<script>googletagmanager.com/gtm.js?id='+i);('GTM-AAAA11')</script>{TEALIUM}",
            "several_tag_managers",
            "Google Tag Manager (GTM-AAAA11), Tealium iQ",
        ),
    ],
)
def test_problem__of_a_page__is_a_finding_with_evidence(body: str, kind: str, quote: str) -> None:
    (problem,) = (each for each in learned(visit(answer(body))).problems if each.kind == kind)
    assert quote in problem.message
    assert problem.clues[0].url == "https://store.example/"
    assert problem.clues[0].excerpt


@pytest.mark.parametrize(
    ("offers", "lack"),
    [
        ('{"@type": "Offer", "price": 8.9, "priceCurrency": "EUR"}', None),
        ('{"@type": "AggregateOffer", "lowPrice": "1", "priceCurrency": "EUR"}', None),
        ('[{"@type": "Offer", "priceSpecification": [{"price": "1", "priceCurrency": "EUR"}]}]', None),
        ('{"@type": "Offer", "price": 0, "priceCurrency": "EUR"}', None),
        ('{"@type": "Offer", "priceCurrency": "EUR"}', "without price"),
        ('{"@type": "Offer", "price": ""}', "without price"),
        ('{"@type": "Offer", "price": "8.90"}', "without priceCurrency"),
        ("null", "without offers"),
    ],
)
def test_product__lacks_what_its_offers_do_not_have(offers: str, lack: str | None) -> None:
    body = f'<script type="application/ld+json">{{"@type": "Product", "name": "A", "offers": {offers}}}</script>'
    problems = [each for each in learned(visit(answer(body))).problems if each.kind == "product_data_incomplete"]
    assert [each.clues[0].excerpt for each in problems] == ([f"Product {lack}"] if lack else [])


def test_cookies__without_a_consent_provider__are_a_finding() -> None:
    setting = answer(SNIPPET, cookies=("session=1; Path=/", "track=2"))
    assert "(session, track)" in kinds(setting)["consent_missing"]
    asking = '<script src="https://consent.cookiebot.com/uc.js"></script>'
    assert "consent_missing" not in kinds(replace(setting, body=f"{SNIPPET}{asking}".encode()))


def test_pages__that_could_not_be_read__are_findings_by_their_reason() -> None:
    missed = [
        Missed("product", "https://store.example/p/1", "unreachable", "no complete response within 10 s", NOW),
        Missed("cart", "https://store.example/cart", "disallowed", "robots.txt forbids it", NOW),
        Missed("content", "https://store.example/x", "refused", "redirects to 10.0.0.1", NOW),
        Missed("content", "https://store.example/y", "not_html", "gives application/pdf", NOW),
    ]
    failing = answer("gone", "https://store.example/z", status=404)
    large = answer(SNIPPET, "https://store.example/l", is_whole=False)
    messages = kinds(answer(SNIPPET), failing, large, missed=missed, notes=["the sitemap names itself"])
    assert set(messages) == {
        "pages_unreachable",
        "pages_lead_away",
        "pages_not_html",
        "pages_fail",
        "pages_too_large",
        "sitemap_unusable",
    }
    assert messages["pages_fail"] == "1 page answers an error: https://store.example/z (404)."


@pytest.mark.parametrize("name", [*PLATFORMS, "handmade"])
def test_profile__after_a_run__names_evidence_for_every_fact_and_finding(name: str) -> None:
    profile = merged(EMPTY, learned(visit(saved(name))), RUN_1, NOW)
    ids = {each.id for each in profile.evidence}
    assert profile.facts
    assert profile.findings
    supports = [each.evidence_ids for each in profile.facts] + [each.evidence_ids for each in profile.findings]
    technical = profile.technical
    assert technical is not None
    supports += [
        each.evidence_ids for each in (technical.platform, *technical.analytics, *technical.frameworks) if each
    ]
    assert all(supports)
    assert {id_ for support in supports for id_ in support} == ids
    assert all(len(each.excerpt) <= 500 for each in profile.evidence)
    assert decode(StoreProfile, encode(profile)) == profile
    assert merged(EMPTY, learned(visit(saved(name))), RUN_1, NOW) == profile


def fact_id(profile: StoreProfile, key: str) -> str:
    """Return the id of the first fact of a key."""
    return next(fact.id for fact in profile.facts if fact.key == key)


@pytest.mark.parametrize("status", ["confirmed", "rejected"])
def test_word_of_a_person__stays_when_a_later_run_sees_something_else(status: str) -> None:
    first = merged(EMPTY, learned(visit(saved("shopify"))), RUN_1, NOW)
    named = reviewed(first, fact_id(first, "platform"), status, USER, LATER)  # type: ignore[arg-type]
    other = merged(named, learned(visit(saved("prestashop"))), RUN_2, LATER)
    assert [(each.value, each.status) for each in other.facts if each.key == "platform"] == [
        ("Shopify", status),
        ("PrestaShop", "suggested"),
    ]
    kept = next(each for each in other.facts if each.value == "Shopify")
    assert (kept.updated_by, kept.updated_at) == (USER, LATER)
    assert set(kept.evidence_ids) <= {each.id for each in other.evidence}
    third = merged(other, learned(visit(saved("shopify"))), RUN_2, LATER)
    assert [(each.value, each.status) for each in third.facts if each.key == "platform"] == [("Shopify", status)]


def test_suggestion__that_is_seen_again__keeps_its_id() -> None:
    first = merged(EMPTY, learned(visit(saved("shopify"))), RUN_1, NOW)
    second = merged(first, learned(visit(saved("shopify"))), RUN_2, LATER)
    assert [each.id for each in second.facts] == [each.id for each in first.facts]
    assert {each.updated_at for each in second.facts} == {LATER}


def test_finding__is_resolved_when_gone__open_when_back__and_dismissed_for_good() -> None:
    lacking, good = answer(f"{SNIPPET}<img src=/a.png>"), answer(SNIPPET)
    first = merged(EMPTY, learned(visit(lacking)), RUN_1, NOW)
    (finding,) = first.findings
    gone = merged(first, learned(visit(good)), RUN_2, LATER)
    assert [(each.status, each.last_seen) for each in gone.findings] == [("resolved", NOW)]
    back = merged(gone, learned(visit(lacking)), RUN_2, LATER)
    assert [(each.id, each.status, each.first_seen, each.last_seen) for each in back.findings] == [
        (finding.id, "open", NOW, LATER)
    ]
    dismissed = settled(back, finding.id, "dismissed", USER, LATER)
    assert [each.status for each in merged(dismissed, learned(visit(lacking)), RUN_2, LATER).findings] == ["dismissed"]
    assert [each.status for each in merged(dismissed, learned(visit(good)), RUN_2, LATER).findings] == ["dismissed"]


def test_review__of_what_is_not_there__is_refused() -> None:
    with pytest.raises(NotFoundError):
        reviewed(EMPTY, RUN_1, "confirmed", USER, NOW)
    with pytest.raises(NotFoundError):
        settled(EMPTY, RUN_1, "dismissed", USER, NOW)


def test_review__of_the_present_status__changes_nothing() -> None:
    first = merged(EMPTY, learned(visit(saved("shopify"))), RUN_1, NOW)
    confirmed = reviewed(first, first.facts[0].id, "confirmed", USER, LATER)
    assert reviewed(confirmed, first.facts[0].id, "confirmed", "another", LATER) is confirmed
    settled_once = settled(first, first.findings[0].id, "resolved", USER, LATER)
    assert settled(settled_once, first.findings[0].id, "resolved", "another", LATER) is settled_once


def test_context__has_confirmed_facts_only() -> None:
    first = merged(EMPTY, learned(visit(saved("shopify"))), RUN_1, NOW)
    assert store_context(first) is None
    assert brand_prompt(UNTOUCHED, first) == ""
    named = reviewed(first, fact_id(first, "brand_name"), "confirmed", USER, LATER)
    named = reviewed(named, fact_id(named, "platform"), "rejected", USER, LATER)
    assert store_context(named) == {"brand_name": ["Lamps & Light"]}
    assert brand_prompt(BrandContext(summary="Calm."), named).endswith("\n- Name: Lamps & Light")


def test_prompt__has_fewer_than_eight_thousand_characters() -> None:
    profile = merged(EMPTY, learned(visit(saved("shopify"))), RUN_1, NOW)
    for each in profile.facts:
        profile = reviewed(profile, each.id, "confirmed", USER, LATER)
    for length in (0, 5_000, 7_000, 20_000):
        text = brand_prompt(BrandContext(guidelines_text="word " * (length // 5)), profile)
        assert len(text) <= MAX_PROMPT


def test_kinds__have_advice_in_sentences() -> None:
    for kind, row in KINDS.items():
        assert row.what_to_do.endswith("."), kind
