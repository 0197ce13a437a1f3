"""Rules that several fields of a spec have to fulfil together."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ada_url import URL

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.pages import markdown
from abtest.domain.pages.colours import TEXT_RATIO, contrast, palette
from abtest.domain.pages.spec import (
    Comparison,
    FontAsset,
    Form,
    Image,
    Link,
    Markdown,
    PageSpec,
    Section,
    Seo,
    Theme,
    Tone,
    Video,
)
from abtest.domain.pages.walk import parts
from abtest.kit import canonical_json
from abtest.kit.errors import FieldError, ServiceError, ValidationFailedError

MAX_BYTES = 256 * 1024
"""Of a spec. A page is answered with up to twelve versions, and Lambda allows 4.5 MB of them."""

MAX_REST_BYTES = 48 * 1024
"""Of a version besides its spec: claims, metadata, copied brief, reports."""

MAX_BRIEF_BYTES = 32 * 1024
MAX_PROBLEMS = 20

_IMAGE, _VIDEO, _FONT = "image/", "video/", "font/woff2"
_TONES: tuple[Tone, ...] = ("plain", "muted", "dark")

Problem = tuple[str, str]
"""Path of a field, and the reason why it is refused."""


class DocumentTooLargeError(ServiceError):
    """Spec, rest of a version, or content brief with too many bytes."""

    status = 413
    code = "payload_too_large"

    def __init__(self, what: str, most: int) -> None:
        super().__init__(f"{what} must have at most {most // 1024} KB as JSON")


def refuse_large(document: Mapping[str, object], what: str = "the spec", most: int = MAX_BYTES) -> None:
    """Raise DocumentTooLargeError for a document that exceeds so many bytes as JSON."""
    if len(canonical_json.encode(document)) > most:
        raise DocumentTooLargeError(what, most)


def refuse_conflicts(spec: PageSpec) -> None:
    """Raise ValidationFailedError with each field that conflicts with another one."""
    refuse_problems(
        [
            *contrast_problems(spec.theme),
            *_id_problems(spec.blocks),
            *_anchor_problems(spec),
            *_table_problems(spec),
            *_form_problems(spec),
        ]
    )


def refuse_unfit_assets(spec: PageSpec, seo: Seo, assets: Mapping[str, AssetFacts]) -> None:
    """Raise ValidationFailedError for assets that do not exist, or whose type does not fit their place."""
    refuse_problems(list(_asset_problems(spec, seo, assets)))


def refuse_foreign_forms(spec: PageSpec, hosts: Collection[str]) -> None:
    """Raise ValidationFailedError for forms that post elsewhere than the page's policy allows."""
    reason = "must be an address on one of the shop's domains (install-domains), without a port"
    forms = ((f"{path}.action", URL(form.action)) for path, form in parts(spec) if isinstance(form, Form))
    refuse_problems(
        [(path, reason) for path, action in forms if action.hostname not in hosts or action.port not in ("", "443")]
    )


def asset_uses(spec: PageSpec, seo: Seo) -> Iterator[tuple[str, str, str]]:
    """Yield each use of an asset: its path, the id, and how its MIME type must begin."""
    for path, part in parts(spec):
        if isinstance(part, Image):
            yield f"{path}.asset_id", part.asset_id, _IMAGE
        elif isinstance(part, FontAsset):
            yield f"{path}.asset_id", part.asset_id, _FONT
        elif isinstance(part, Video):
            yield f"{path}.asset_id", part.asset_id, _VIDEO
            yield f"{path}.poster_asset_id", part.poster_asset_id, _IMAGE
    if seo.og_image_asset_id:
        yield "seo_manifest.og_image_asset_id", seo.og_image_asset_id, _IMAGE


def link_uses(spec: PageSpec) -> Iterator[Problem]:
    """Yield the path and the address of each link. A link in Markdown has the path of its text."""
    for path, part in parts(spec):
        if isinstance(part, Link):
            yield f"{path}.href", part.href
        elif isinstance(part, Markdown):
            yield from ((path, href) for href in markdown.links(part))


def contrast_problems(theme: Theme) -> Iterator[Problem]:
    """Yield the colours of a theme whose text could not be read on what is behind it."""
    for tone in _TONES:
        colours = palette(theme, tone)
        # The dark tone derives the colour of its links from both, so that it is legible where the text is.
        used = {"text": colours.text} if tone == "dark" else {"text": colours.text, "primary": colours.link}
        for name, colour in used.items():
            for surface in dict.fromkeys((colours.surface, colours.card)):
                if (ratio := contrast(colour, surface)) < TEXT_RATIO:
                    yield f"spec.theme.{name}", _too_weak(colour, surface, tone, ratio)


def _too_weak(colour: str, surface: str, tone: Tone, ratio: float) -> str:
    # Cut off and not rounded, so that 4.49 is not reported as 4.5.
    reached = int(ratio * 100) / 100
    return (
        f"must have a contrast of {TEXT_RATIO} or more with what is behind it; {colour} on {surface} "
        f"(tone {tone}) has {reached:.2f}"
    )


def _id_problems(blocks: Sequence[Section]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for place, block in enumerate(blocks):
        if (other := first.setdefault(block.id, place)) != place:
            yield f"spec.blocks[{place}].id", f"must differ from the id of blocks[{other}]"


def _anchor_problems(spec: PageSpec) -> Iterator[Problem]:
    ids = {block.id for block in spec.blocks}
    for path, href in link_uses(spec):
        if href.startswith("#") and href[1:] not in ids:
            yield path, "must lead to the id of a block of this page"


def _table_problems(spec: PageSpec) -> Iterator[Problem]:
    for path, part in parts(spec):
        if isinstance(part, Comparison):
            count = len(part.columns)
            for place, row in enumerate(part.rows):
                if len(row.cells) != count:
                    yield f"{path}.rows[{place}].cells", f"must have {count} items, one per column"


def _form_problems(spec: PageSpec) -> Iterator[Problem]:
    for path, form in parts(spec):
        if not isinstance(form, Form):
            continue
        names = Counter(field.name for field in form.fields)
        for place, field in enumerate(form.fields):
            at = f"{path}.fields[{place}]"
            if names[field.name] > 1:
                yield f"{at}.name", "must differ from the names of the form's other fields"
            if field.type == "select" and not field.options:
                yield f"{at}.options", "is required for a select"
            if field.type != "select" and field.options:
                yield f"{at}.options", "is allowed for a select only"


def _asset_problems(spec: PageSpec, seo: Seo, assets: Mapping[str, AssetFacts]) -> Iterable[Problem]:
    for path, asset_id, kind in asset_uses(spec, seo):
        asset = assets.get(asset_id)
        if asset is None:
            yield path, "must be the id of an asset of this shop that is complete and not archived"
        elif not asset.mime_type.startswith(kind):
            yield path, f"must be an asset of type {kind.rstrip('/')}, not {asset.mime_type}"
        elif kind == _IMAGE and not (asset.width and asset.height):
            yield path, "must be an image whose size is known"
        elif kind != _VIDEO and asset.is_in_parts and not asset.renditions:
            # It would be answered with a redirect to the bucket, which the policy of a page forbids.
            yield path, "must have at most 4 MiB; browsers could not load this file on a page"


def refuse_problems(problems: Sequence[Problem]) -> None:
    """Raise ValidationFailedError with the problems, if there are any."""
    if problems:
        path, reason = problems[0]
        fields = [FieldError(*problem) for problem in problems[:MAX_PROBLEMS]]
        raise ValidationFailedError(f"{path}: {reason}", fields=fields)
