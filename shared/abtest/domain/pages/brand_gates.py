"""Checks of a page against the brand context of its shop: banned phrases, and evidence of claims."""

from collections.abc import Mapping, Sequence

from abtest.domain.brand.context import BrandContext, BrandMode
from abtest.domain.brand.phrases import banned_phrases
from abtest.domain.pages.spec import PageSpec, Seo
from abtest.domain.pages.texts import texts_of
from abtest.domain.pages.verdicts import PASSED, CheckStatus, Verdict
from abtest.domain.pages.versions import PageClaim

_NAMED = 5
_SEVERITY: Mapping[BrandMode, CheckStatus] = {"off": "pass", "balanced": "warn", "strict": "fail"}


def brand_verdicts(
    spec: PageSpec, seo: Seo, claims: Sequence[PageClaim], context: BrandContext
) -> Mapping[str, Verdict]:
    """Return the verdicts by check. The mode of the context decides what a problem is; `off` checks nothing."""
    if context.mode == "off":
        return dict.fromkeys(("claims_have_evidence", "brand_banned_phrases"), PASSED)
    return {
        "claims_have_evidence": _claims(claims, context),
        "brand_banned_phrases": _phrases(spec, seo, context),
    }


def _claims(claims: Sequence[PageClaim], context: BrandContext) -> Verdict:
    unsupported = sum(claim["status"] == "unsupported" for claim in claims)
    unreviewed = sum(claim["status"] == "unreviewed" for claim in claims)
    if not unsupported and not unreviewed:
        return PASSED
    status = _SEVERITY[context.mode] if unsupported else "warn"
    return status, f"{unsupported} claims have no evidence, {unreviewed} are not reviewed"


def _phrases(spec: PageSpec, seo: Seo, context: BrandContext) -> Verdict:
    status = _SEVERITY[context.mode]
    if status == "fail" and context.status != "complete":
        # Strict means that nothing goes out unchecked, and half a context checks half.
        return status, f"not checked: the brand context is {context.status}, and has to be complete in strict mode"
    occurring = banned_phrases(texts_of(spec, seo), context.voice.banned_phrases)
    if not occurring:
        return PASSED
    more = f", and {len(occurring) - _NAMED} more" if len(occurring) > _NAMED else ""
    return status, f"the page has banned phrases: {', '.join(occurring[:_NAMED])}{more}"
