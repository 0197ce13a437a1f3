"""Checks of a page against the brand context: which texts are read, and what each mode makes of a problem."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import get_args, get_type_hints

import pytest

from abtest.contract.page_specs import spec_of
from abtest.domain.brand.context import BrandContext, BrandVoice
from abtest.domain.pages import spec
from abtest.domain.pages.brand_gates import brand_verdicts
from abtest.domain.pages.spec import Seo
from abtest.domain.pages.texts import READ, texts_of
from abtest.domain.pages.versions import PageClaim
from tests.support.landing import page

SPEC = spec_of(page())
SEO = Seo(title="The lamp", description="Light of day")
VOICE = BrandVoice(adjectives=("warm",), we_never=("shout",), banned_phrases=("no app", "cheapest"))
STRICT = BrandContext(mode="strict", summary="Lamps", voice=VOICE)
SUPPORTED: PageClaim = {"text": "48,000 lamps", "evidence_ref": "sales", "status": "supported"}
UNREVIEWED: PageClaim = {**SUPPORTED, "status": "unreviewed"}
UNSUPPORTED: PageClaim = {**SUPPORTED, "status": "unsupported"}
HIDDEN = {
    **{block: {"id", "tone", "hide_on"} for block in spec.BLOCKS},
    spec.Video: {"id", "tone", "hide_on", "asset_id", "poster_asset_id"},
    spec.Product: {"id", "tone", "hide_on", "currency"},
    spec.Form: {"id", "tone", "hide_on", "action"},
    spec.FormField: {"name", "type", "autocomplete"},
    spec.Testimonial: {"evidence_ref"},
    spec.Stat: {"evidence_ref"},
    spec.Image: {"asset_id"},
    spec.Link: {"href", "style"},
    spec.Footer: {"tone"},
}
"""Fields with texts that no reader of the page sees."""


def has_text(hint: object) -> bool:
    """Return whether values of a type may be texts."""
    return (isinstance(hint, type) and issubclass(hint, str)) or any(
        has_text(part) or isinstance(part, str) for part in get_args(hint)
    )


@pytest.mark.parametrize("shape", READ)
def test_texts__of_each_type__are_read_or_known_to_be_hidden(shape: type) -> None:
    hints = get_type_hints(shape)
    texts = {field.name for field in fields(shape) if has_text(hints[field.name])}
    assert texts == {*READ[shape], *HIDDEN.get(shape, set())}


def test_texts__are_what_readers_see() -> None:
    texts = list(texts_of(SPEC, SEO))
    assert {"The lamp", "Light of day"} < set(texts)
    assert any("No app, no account" in text for text in texts), "markup is not a part of it"
    assert not [text for text in texts if "**" in text or "https://" in text]


@pytest.mark.parametrize(
    ("context", "phrases", "unsupported", "unreviewed"),
    [
        (BrandContext(voice=VOICE), "pass", "pass", "pass"),
        (replace(STRICT, mode="off"), "pass", "pass", "pass"),
        (BrandContext(mode="balanced"), "pass", "warn", "warn"),
        (BrandContext(mode="balanced", voice=VOICE), "warn", "warn", "warn"),
        (STRICT, "fail", "fail", "warn"),
        (replace(STRICT, voice=replace(VOICE, banned_phrases=("cheapest",))), "pass", "fail", "warn"),
        (BrandContext(mode="strict"), "fail", "fail", "warn"),
        (replace(STRICT, summary="", voice=replace(VOICE, banned_phrases=())), "fail", "fail", "warn"),
    ],
)
def test_verdicts__by_mode_and_completeness(
    context: BrandContext, phrases: str, unsupported: str, unreviewed: str
) -> None:
    def claims(*claims: PageClaim) -> str:
        return brand_verdicts(SPEC, SEO, claims, context)["claims_have_evidence"][0]

    assert brand_verdicts(SPEC, SEO, (), context)["brand_banned_phrases"][0] == phrases
    assert (claims(UNSUPPORTED, UNREVIEWED), claims(UNREVIEWED)) == (unsupported, unreviewed)
    assert claims() == claims(SUPPORTED) == "pass"


def test_verdict__names_the_phrases__and_what_is_missing() -> None:
    assert brand_verdicts(SPEC, SEO, (), STRICT)["brand_banned_phrases"][1] == "the page has banned phrases: no app"
    draft = brand_verdicts(SPEC, SEO, (), replace(STRICT, summary=""))["brand_banned_phrases"][1]
    assert "the brand context is draft" in draft
    claims = brand_verdicts(SPEC, SEO, (UNSUPPORTED, UNREVIEWED), STRICT)["claims_have_evidence"][1]
    assert claims == "1 claims have no evidence, 1 are not reviewed"
