"""Facts that people confirmed, for others to rely on: as data, and as a text next to the brand's."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from abtest.domain.brand.context import BrandContext
from abtest.domain.brand.prompt import MAX_PROMPT, prompt_block
from abtest.domain.profiles.model import StoreProfile

TITLES: Mapping[str, str] = {
    "brand_name": "Name",
    "language": "Languages",
    "currency": "Currencies",
    "call_to_action": "Calls to action in use",
    "accent_colour": "Accent colour",
    "background_colour": "Background colour",
    "text_colour": "Text colour",
    "font": "Fonts",
    "platform": "Platform",
    "theme": "Theme",
}
"""Facts that matter to people who write for the store, in their order, with their titles."""


def store_context(profile: StoreProfile) -> Mapping[str, Sequence[str]] | None:
    """Return the confirmed values by key; None before anyone has confirmed one."""
    values: defaultdict[str, list[str]] = defaultdict(list)
    for fact in profile.facts_in("confirmed"):
        values[fact.key].append(fact.value)
    return dict(values) or None


def brand_prompt(brand: BrandContext, profile: StoreProfile) -> str:
    """Return the brand's text with a paragraph of confirmed facts behind it, under 8,000 characters.

    Facts that find no room are left out as a whole, in the order of their importance.
    """
    text = prompt_block(brand)
    confirmed = store_context(profile) or {}
    lines = [f"- {title}: {', '.join(confirmed[key])}" for key, title in TITLES.items() if key in confirmed]
    paragraph = "The store, as its pages show and its team confirmed:"
    kept: list[str] = []
    for line in lines:
        if len(text) + len(paragraph) + 2 + sum(len(each) + 1 for each in (*kept, line)) <= MAX_PROMPT:
            kept.append(line)
    if not kept:
        return text
    return "\n\n".join(part for part in (text, "\n".join((paragraph, *kept))) if part)
