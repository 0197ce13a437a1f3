"""Version of a landing page, never changed: its spec, the brief it was written from, and what rendering gave."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from abtest.domain.pages.spec import PageSpec, Stat, Testimonial
from abtest.domain.pages.walk import parts
from abtest.kit.clock import Timestamp

ClaimStatus = Literal["supported", "unsupported", "unreviewed"]


class PageClaim(TypedDict):
    """Statement that needs evidence."""

    text: str
    evidence_ref: str | None
    status: ClaimStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVersion:
    """One version. `brief_snapshot` is the brief as the API showed it; `html_key` names the rendered page."""

    id: str
    shop_id: str
    version: int = 0
    landing_page_id: str
    version_number: int
    spec: Mapping[str, Any]
    brief_id: str | None = None
    brief_snapshot: Mapping[str, Any] = field(default_factory=dict)
    gate_report: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[Any, ...] = ()
    seo_manifest: Mapping[str, Any] = field(default_factory=dict)
    render_manifest: Mapping[str, Any] = field(default_factory=dict)
    r2_prefix: str | None = None
    html_key: str | None = None
    created_by: str | None = None
    created_at: Timestamp


def proposed_claims(spec: PageSpec) -> Iterator[PageClaim]:
    """Yield the figures and quotes of a spec as claims that wait for a review."""
    for _, part in parts(spec):
        if isinstance(part, Stat):
            text = f"{part.value} {part.label}"
        elif isinstance(part, Testimonial):
            text = f"{part.quote} ({part.name})"
        else:
            continue
        yield PageClaim(text=text, evidence_ref=part.evidence_ref, status="unreviewed")
