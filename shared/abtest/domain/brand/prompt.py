"""Brand context as one text, for a person or a language model that writes for the shop."""

from abtest.domain.brand.context import BrandContext

MAX_PROMPT = 7_999
_NOTICE = 900
"""Characters kept for the notice about what was cut."""

_LEAST = 200
"""A text is not worth being cut to fewer characters."""


def prompt_block(context: BrandContext) -> str:
    """Return the text, in a fixed order and under 8,000 characters; its last paragraph names what was cut."""
    voice = context.voice
    parts: tuple[tuple[str, str, str | tuple[str, ...]], ...] = (
        ("summary", "Brand", context.summary),
        ("voice.adjectives", "The voice is", voice.adjectives),
        ("voice.ctaStyle", "Calls to action", voice.cta_style),
        ("voice.weAlways", "Always", voice.we_always),
        ("voice.weNever", "Never", voice.we_never),
        ("voice.bannedPhrases", "Banned phrases", voice.banned_phrases),
        ("guardrails", "Guardrails", context.guardrails),
        ("proofRequirements", "Needs proof", context.proof_requirements),
        ("clientNotes", "Notes", context.client_notes),
        ("guidelinesText", "Guidelines", context.guidelines_text),
        ("clientAssetExcerpts", "Brand files", _file_texts(context)),
    )
    paragraphs: list[str] = []
    cut: list[str] = []
    room = MAX_PROMPT - _NOTICE
    for name, title, value in parts:
        paragraph, left_out = _listed(title, value, room) if isinstance(value, tuple) else _text(title, value, room)
        if paragraph:
            paragraphs.append(paragraph)
            room -= len(paragraph) + 2
        if left_out:
            cut.append(f"{name} ({left_out})")
    notice = [f"Cut for length: {', '.join(cut)}."] if cut else []
    return "\n\n".join([*paragraphs, *notice])


def _file_texts(context: BrandContext) -> str:
    """Return the texts that were read. States of the others are left out."""
    return "\n\n".join(f"{excerpt.name}:\n{excerpt.text}" for excerpt in context.excerpts if excerpt.text)


def _text(title: str, text: str, room: int) -> tuple[str, str]:
    kept = text[: max(0, room - len(title) - 2)]
    if len(kept) < len(text) and len(kept) < _LEAST:
        kept = ""
    lost = len(text) - len(kept)
    return (f"{title}: {kept}" if kept else ""), (f"{lost:,} of {len(text):,} characters" if lost else "")


def _listed(title: str, items: tuple[str, ...], room: int) -> tuple[str, str]:
    paragraph, kept = f"{title}:", 0
    for item in items:
        if len(paragraph) + len(item) + 3 > room:
            break
        paragraph += f"\n- {item}"
        kept += 1
    lost = len(items) - kept
    return (paragraph if kept else ""), (f"{lost} of {len(items)} items" if lost else "")
