"""Brand context of a shop, and how far it is filled in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from abtest.domain.brand.excerpts import Excerpt
from abtest.domain.brand.phrases import has_words
from abtest.kit.errors import FieldError, ValidationFailedError

RECORD_ID = "SET#BRAND"

MAX_ITEMS, MAX_ITEM, MAX_TEXT = 50, 300, 20_000
"""Items of a list, characters of an item, characters of a text."""

BrandMode = Literal["off", "balanced", "strict"]
BrandStatus = Literal["empty", "draft", "complete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandVoice:
    """How the shop speaks."""

    adjectives: tuple[str, ...] = ()
    we_always: tuple[str, ...] = ()
    we_never: tuple[str, ...] = ()
    banned_phrases: tuple[str, ...] = ()
    cta_style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrandContext:
    """Brand context of a shop. `mode` is what gates make of it: nothing, warnings, or failures."""

    mode: BrandMode = "off"
    summary: str = ""
    voice: BrandVoice = field(default_factory=BrandVoice)
    guardrails: tuple[str, ...] = ()
    proof_requirements: tuple[str, ...] = ()
    client_notes: str = ""
    guidelines_text: str = ""
    excerpts: tuple[Excerpt, ...] = ()

    @property
    def status(self) -> BrandStatus:
        """Return how far it is filled in."""
        if self.summary and self.voice.adjectives and (self.voice.we_always or self.voice.we_never):
            return "complete"
        return "empty" if replace(self, mode="off") == UNTOUCHED else "draft"


UNTOUCHED = BrandContext()


def replaced(context: BrandContext, parts: Mapping[str, Any]) -> BrandContext:
    """Return the context with these parts in place of its own. Raises ValidationFailedError."""
    after = replace(context, **parts)
    if problems := list(_problems(after)):
        first = problems[0]
        raise ValidationFailedError(f"{first.path}: {first.message}", fields=problems)
    return after


def _problems(context: BrandContext) -> Iterator[FieldError]:
    voice = context.voice
    for path, text in (
        ("summary", context.summary),
        ("voice.ctaStyle", voice.cta_style),
        ("clientNotes", context.client_notes),
        ("guidelinesText", context.guidelines_text),
    ):
        if len(text) > MAX_TEXT:
            yield FieldError(path, f"must have at most {MAX_TEXT:,} characters")
    yield from _list_problems("voice.adjectives", voice.adjectives)
    yield from _list_problems("voice.weAlways", voice.we_always)
    yield from _list_problems("voice.weNever", voice.we_never)
    yield from _list_problems("voice.bannedPhrases", voice.banned_phrases)
    yield from _list_problems("guardrails", context.guardrails)
    yield from _list_problems("proofRequirements", context.proof_requirements)
    for place, phrase in enumerate(voice.banned_phrases[:MAX_ITEMS]):
        if not has_words(phrase):
            yield FieldError(f"voice.bannedPhrases[{place}]", "must have a letter or a digit")


def _list_problems(path: str, items: tuple[str, ...]) -> Iterator[FieldError]:
    if len(items) > MAX_ITEMS:
        yield FieldError(path, f"must have at most {MAX_ITEMS} items")
    for place, item in enumerate(items[:MAX_ITEMS]):
        if len(item) > MAX_ITEM:
            yield FieldError(f"{path}[{place}]", f"must have at most {MAX_ITEM} characters")
