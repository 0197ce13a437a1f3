"""The brand context as one text: its order, its length, and what it reports as cut."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.brand.context import UNTOUCHED, BrandContext, BrandVoice
from abtest.domain.brand.excerpts import Excerpt
from abtest.domain.brand.prompt import prompt_block

VOICE = BrandVoice(
    adjectives=("warm", "plain"),
    we_always=("say you",),
    we_never=("shout",),
    banned_phrases=("cheap",),
    cta_style="Calm",
)
WHOLE = BrandContext(
    mode="strict",
    summary="Lamps that last.",
    voice=VOICE,
    guardrails=("no prices",),
    proof_requirements=("figures",),
    client_notes="Ask Ada.",
    guidelines_text="Be brief.",
)


def test_prompt__of_a_whole_context__has_all_of_it_in_order() -> None:
    assert prompt_block(WHOLE) == (
        "Brand: Lamps that last.\n\nThe voice is:\n- warm\n- plain\n\nCalls to action: Calm\n\nAlways:\n- say you\n\n"
        "Never:\n- shout\n\nBanned phrases:\n- cheap\n\nGuardrails:\n- no prices\n\nNeeds proof:\n- figures\n\n"
        "Notes: Ask Ada.\n\nGuidelines: Be brief."
    )
    assert prompt_block(UNTOUCHED) == ""


def test_prompt__that_is_too_long__names_what_was_cut() -> None:
    long = replace(WHOLE, guardrails=("x" * 300,) * 50, guidelines_text="y" * 20_000)
    text = prompt_block(long)
    assert len(text) < 8000
    assert text.splitlines()[-1].startswith("Cut for length: guardrails (")
    assert text.endswith("of 20,000 characters).")
    assert "Needs proof" in text


LINES = st.lists(st.text(min_size=1, max_size=300), max_size=50).map(tuple)
TEXTS = st.one_of(st.text(max_size=400), st.just("z" * 20_000))
CONTEXTS = st.builds(
    BrandContext,
    summary=TEXTS,
    voice=st.builds(BrandVoice, adjectives=LINES, we_always=LINES, banned_phrases=LINES, cta_style=TEXTS),
    guardrails=LINES,
    client_notes=TEXTS,
    guidelines_text=TEXTS,
    excerpts=st.lists(st.builds(Excerpt, asset_id=TEXTS, name=TEXTS, text=TEXTS), max_size=20).map(tuple),
)


@given(CONTEXTS)
def test_prompt__of_any_context__is_under_its_limit(context: BrandContext) -> None:
    assert len(prompt_block(context)) < 8000
