"""Brand context on the wire."""
# ruff: noqa: N815 - the contract spells these names so

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field

from abtest.contract.base import ABSENT, Input, Output, Unique, Uuid
from abtest.contract.names import READABLE
from abtest.domain.brand.context import BrandContext as Context
from abtest.domain.brand.context import BrandMode, BrandStatus
from abtest.domain.brand.context import BrandVoice as Voice
from abtest.domain.brand.prompt import prompt_block

Line = Annotated[str, Field(min_length=1), READABLE]
"""Item of a list. Lengths and numbers are rules of the domain (422)."""

_PARTS = {
    "proofRequirements": "proof_requirements",
    "clientNotes": "client_notes",
    "guidelinesText": "guidelines_text",
    "weAlways": "we_always",
    "weNever": "we_never",
    "bannedPhrases": "banned_phrases",
    "ctaStyle": "cta_style",
}


class BrandVoiceInput(Input):
    """How the shop speaks. Absent fields are empty."""

    adjectives: list[Line] = ABSENT
    weAlways: list[Line] = ABSENT
    weNever: list[Line] = ABSENT
    bannedPhrases: list[Line] = ABSENT
    ctaStyle: str = ABSENT


class BrandContextInput(Input):
    """Parts of the brand context, each in place of the stored one. Absent parts keep their value."""

    mode: BrandMode = ABSENT
    summary: str = ABSENT
    voice: BrandVoiceInput = ABSENT
    guardrails: list[Line] = ABSENT
    proofRequirements: list[Line] = ABSENT
    clientNotes: str = ABSENT
    guidelinesText: str = ABSENT
    asset_ids: Annotated[list[Uuid], Unique] = ABSENT

    def provided(self) -> Any:
        """Return the parts under the names of the domain."""
        fields = super().provided()
        if "voice" in fields:
            fields["voice"] = Voice(**_named(fields["voice"]))
        return _named(fields)


class BrandVoice(Output):
    """How the shop speaks."""

    adjectives: list[str]
    weAlways: list[str]
    weNever: list[str]
    bannedPhrases: list[str]
    ctaStyle: str


class BrandAssetExcerpt(Output):
    """Beginning of the text of a brand file, or its state in parentheses: `(being read)`, `(cannot be read: …)`."""

    name: str
    excerpt: str


class BrandContext(Output):
    """Brand context of the shop, and the same as one text for those who write for it."""

    hasProfile: bool
    mode: BrandMode
    status: BrandStatus
    summary: str
    voice: BrandVoice
    guardrails: list[str]
    proofRequirements: list[str]
    clientNotes: str
    clientAssetExcerpts: list[BrandAssetExcerpt]
    guidelinesText: str
    promptBlock: str

    @classmethod
    def of(cls, context: Context) -> Self:
        """Return the response of a context."""
        voice = context.voice
        return cls(
            hasProfile=context.status != "empty",
            mode=context.mode,
            status=context.status,
            summary=context.summary,
            voice=BrandVoice(
                adjectives=list(voice.adjectives),
                weAlways=list(voice.we_always),
                weNever=list(voice.we_never),
                bannedPhrases=list(voice.banned_phrases),
                ctaStyle=voice.cta_style,
            ),
            guardrails=list(context.guardrails),
            proofRequirements=list(context.proof_requirements),
            clientNotes=context.client_notes,
            clientAssetExcerpts=[BrandAssetExcerpt(name=each.name, excerpt=each.shown) for each in context.excerpts],
            guidelinesText=context.guidelines_text,
            promptBlock=prompt_block(context),
        )


def _named(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_PARTS.get(name, name): tuple(each) if isinstance(each, list) else each for name, each in fields.items()}
