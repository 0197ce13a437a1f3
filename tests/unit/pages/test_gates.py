"""The gate report of a rendered page: each check passes on a good page, and notices what it is for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.contract.page_specs import spec_of
from abtest.domain.brand.context import UNTOUCHED, BrandContext
from abtest.domain.pages.gates import GateReport, gate_report
from abtest.domain.pages.render import RenderedPage, render
from abtest.domain.pages.spec import Seo
from abtest.domain.pages.verdicts import CheckStatus
from abtest.domain.pages.versions import PageClaim, proposed_claims
from tests.support.landing import LIBRARY, SEO, SITE, page

SPEC = spec_of(page())
GOOD = render(SPEC, assets=LIBRARY, seo=SEO, site=SITE)
NOW = "2026-03-02T09:00:00.000Z"
BALANCED = BrandContext(mode="balanced")
SUPPORTED: PageClaim = {"text": "48,000 lamps", "evidence_ref": "sales", "status": "supported"}
UNSUPPORTED: PageClaim = {**SUPPORTED, "status": "unsupported"}


def report(
    rendered: RenderedPage = GOOD,
    seo: Seo = SEO,
    claims: tuple[PageClaim, ...] = (SUPPORTED,),
    brand: BrandContext = UNTOUCHED,
) -> GateReport:
    """The report of a page with every block, or of a spoiled one."""
    return gate_report(rendered, spec=SPEC, seo=seo, site=SITE, claims=claims, brand=brand, now=NOW)


def status(checks: GateReport, key: str) -> CheckStatus:
    """Status of one check."""
    return next(check["status"] for check in checks["checks"] if check["key"] == key)


def with_html(old: bytes, new: bytes) -> RenderedPage:
    """The page with other bytes at one place."""
    assert old in GOOD.html
    return replace(GOOD, html=GOOD.html.replace(old, new, 1))


def test_report__of_a_page_with_every_block__fails_nothing() -> None:
    checks = report()
    assert checks["passed"]
    assert checks["checked_at"] == NOW
    warned = {check["key"] for check in checks["checks"] if check["status"] != "pass"}
    assert warned == {"links_resolve"}
    assert all(check["message"] for check in checks["checks"] if check["status"] != "pass")


@pytest.mark.parametrize(
    ("key", "spoiled"),
    [
        ("html_valid", with_html(b"<main", b"<main><p><div></div></p")),
        ("html_valid", with_html(b'id="faq"', b'id="steps"')),
        ("no_external_script", with_html(b"<main", b"<script>alert(1)</script><main")),
        ("no_external_script", with_html(b"<main", b'<script src="https://evil.example/x.js"></script><main')),
        ("images_have_alt", with_html(b' alt="', b' data-alt="')),
        ("size_budget", replace(GOOD, nodes=1501)),
        ("csp_safe", replace(GOOD, policy=GOOD.policy.replace("default-src 'none'; ", ""))),
        ("csp_safe", replace(GOOD, policy=GOOD.policy.replace("script-src ", "script-src https://evil.example "))),
        ("csp_safe", replace(GOOD, policy=f"{GOOD.policy}; worker-src *")),
    ],
)
def test_check__of_what_it_is_for__fails(key: str, spoiled: RenderedPage) -> None:
    checks = report(spoiled)
    assert status(checks, key) == "fail"
    assert not checks["passed"]


def test_size__of_bytes_that_do_not_compress__fails() -> None:
    noise = b"".join(b"<!--%d-->" % (7**number) for number in range(1, 700))
    assert status(report(replace(GOOD, html=GOOD.html + noise)), "size_budget") == "fail"


@pytest.mark.parametrize(
    ("key", "seo"),
    [
        ("title_and_description", replace(SEO, description="Too short.")),
        ("title_and_description", replace(SEO, description="x" * 161)),
        ("canonical", replace(SEO, canonical="https://shop.example/other")),
    ],
)
def test_check__of_what_a_person_may_intend__warns(key: str, seo: Seo) -> None:
    checks = report(seo=seo)
    assert status(checks, key) == "warn"
    assert checks["passed"]


def test_claims__without_evidence_or_review__warn() -> None:
    assert status(report(claims=(UNSUPPORTED,), brand=BALANCED), "claims_have_evidence") == "warn"
    proposed = tuple(proposed_claims(SPEC))
    assert {claim["status"] for claim in proposed} == {"unreviewed"}
    assert len(proposed) == 7
    assert status(report(claims=proposed, brand=BALANCED), "claims_have_evidence") == "warn"
    assert status(report(claims=(), brand=BALANCED), "claims_have_evidence") == "pass"
    # Without a brand context, or with one that is off, no gate asks for evidence.
    assert status(report(claims=(UNSUPPORTED,)), "claims_have_evidence") == "pass"
