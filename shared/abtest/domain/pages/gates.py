"""Checks of a rendered page that need no browser, and their report."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict

import brotli
from selectolax.lexbor import LexborHTMLParser

from abtest.domain.brand.context import BrandContext
from abtest.domain.pages.brand_gates import brand_verdicts
from abtest.domain.pages.render import RenderedPage
from abtest.domain.pages.rules import link_uses
from abtest.domain.pages.site import Site
from abtest.domain.pages.spec import PageSpec, Seo
from abtest.domain.pages.verdicts import PASSED, CheckStatus, Verdict
from abtest.domain.pages.versions import PageClaim
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ServiceError

MAX_COMPRESSED = 40 * 1024
MAX_NODES = 1500
DESCRIPTION = range(50, 161)
"""Characters of a description that search engines show as a whole."""

NEVER_OVERRIDDEN = frozenset({"html_valid", "no_external_script", "csp_safe"})
"""Checks without which a page could harm its visitors."""

_DATA = "application/ld+json"
_NEEDED = ("default-src 'none'", "base-uri 'none'", "frame-ancestors 'self'")


class Check(TypedDict):
    """Result of one check."""

    key: str
    status: CheckStatus
    message: str


class GateReport(TypedDict):
    """Results of all checks; one that failed keeps the page from being published."""

    passed: bool
    checked_at: Timestamp
    checks: list[Check]


class GateFailedError(ServiceError):
    """Version with checks that failed; `checks` of the answer has them."""

    status = 422
    code = "gate_failed"

    def __init__(self, version_number: int, checks: Sequence[Check]) -> None:
        keys = ", ".join(check["key"] for check in checks)
        super().__init__(f"version {version_number} fails: {keys}", facts={"checks": [dict(check) for check in checks]})


class QaRequiredError(ServiceError):
    """Version without an approved QA run, in a shop that requires one."""

    status = 409
    code = "qa_required"

    def __init__(self, version_number: int) -> None:
        super().__init__(
            f"version {version_number} has no approved QA run; start one, or turn require_landing_qa of the shop off"
        )


def refuse_failed(version_number: int, report: Mapping[str, Any], *, is_overridden: bool) -> list[str]:
    """Return the failed checks that an override lets pass. Raises GateFailedError for all others."""
    failed: list[Check] = [check for check in report.get("checks", ()) if check["status"] == "fail"]
    if any(not is_overridden or check["key"] in NEVER_OVERRIDDEN for check in failed):
        raise GateFailedError(version_number, failed)
    return [check["key"] for check in failed]


def gate_report(
    page: RenderedPage,
    *,
    spec: PageSpec,
    seo: Seo,
    site: Site,
    claims: Sequence[PageClaim],
    brand: BrandContext,
    now: Timestamp,
) -> GateReport:
    """Return the report of a rendered page. Links are not requested here, so they warn."""
    tree = LexborHTMLParser(page.html)
    verdicts: dict[str, Verdict] = {
        "html_valid": _html(page, tree),
        "no_external_script": _scripts(tree, site),
        "links_resolve": _links(spec),
        "images_have_alt": _images(tree),
        "title_and_description": _description(seo),
        "canonical": canonical_verdict(seo, site),
        **brand_verdicts(spec, seo, claims, brand),
        "size_budget": _size(page),
        "csp_safe": _policy(page, site),
    }
    return _report(verdicts, now)


def rechecked(report: Mapping[str, Any], verdicts: Mapping[str, Verdict], now: Timestamp) -> GateReport:
    """Return the report of a version with later verdicts, which replace those of the same checks."""
    stored = {check["key"]: (check["status"], check["message"]) for check in report["checks"]}
    return _report(stored | dict(verdicts), now)


def _report(verdicts: Mapping[str, Verdict], now: Timestamp) -> GateReport:
    checks = [Check(key=key, status=status, message=message) for key, (status, message) in verdicts.items()]
    return GateReport(passed=all(check["status"] != "fail" for check in checks), checked_at=now, checks=checks)


def _html(page: RenderedPage, tree: LexborHTMLParser) -> Verdict:
    # A parser that moves, closes or adds elements has another number of them than was written.
    read = sum(1 for _ in tree.root.traverse()) if tree.root is not None else 0
    if read != page.nodes:
        return "fail", f"the page has {page.nodes} elements, browsers read {read}"
    ids = Counter(node.attributes["id"] for node in tree.css("[id]"))
    if double := sorted(str(name) for name, count in ids.items() if count > 1):
        return "fail", f"the id {double[0]} occurs twice"
    return PASSED


def _scripts(tree: LexborHTMLParser, site: Site) -> Verdict:
    for node in tree.css("script"):
        is_data = node.attributes.get("type") == _DATA and "src" not in node.attributes
        if not is_data and node.attributes.get("src") != site.snippet_address:
            return "fail", "the page has a script that is not the shop's snippet"
    return PASSED


def _links(spec: PageSpec) -> Verdict:
    outside = sum(not href.startswith(("#", "mailto:", "tel:")) for _, href in link_uses(spec))
    # Anchors without a block are refused before a page is rendered.
    return ("warn", f"not checked: {outside} links to other pages") if outside else PASSED


def _images(tree: LexborHTMLParser) -> Verdict:
    missing = sum("alt" not in node.attributes for node in tree.css("img"))
    return ("fail", f"{missing} images have no alternative text") if missing else PASSED


def _description(seo: Seo) -> Verdict:
    length = len(seo.description)
    if length in DESCRIPTION:
        return PASSED
    return (
        "warn",
        f"the description has {length} characters; {DESCRIPTION[0]} to {DESCRIPTION[-1]} are shown as a whole",
    )


def canonical_verdict(seo: Seo, site: Site) -> Verdict:
    """Return whether search engines show the page at the address that it is going to have."""
    if seo.canonical in (None, site.canonical_address):
        return PASSED
    return "warn", f"search engines will show {seo.canonical} instead of {site.canonical_address}"


def _size(page: RenderedPage) -> Verdict:
    size = len(brotli.compress(page.html))
    if size > MAX_COMPRESSED:
        return "fail", f"the page has {size:,} bytes compressed, {MAX_COMPRESSED:,} are allowed"
    return (
        ("fail", f"the page has {page.nodes:,} elements, {MAX_NODES:,} are allowed")
        if page.nodes > MAX_NODES
        else PASSED
    )


def _policy(page: RenderedPage, site: Site) -> Verdict:
    return ("fail", problem) if (problem := next(_policy_problems(page.policy, site), None)) else PASSED


def _policy_problems(policy: str, site: Site) -> Iterator[str]:
    directives = policy.split("; ")
    yield from (f"the policy lacks {needed}" for needed in _NEEDED if needed not in directives)
    if f"script-src {site.edge_origin}" not in directives:
        yield "the policy allows other scripts than the snippet"
    if "unsafe" in policy or "*" in policy:
        yield "the policy allows what it should not"
