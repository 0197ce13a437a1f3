"""Size of the largest answer about a landing page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from abtest.contract.landing_pages import SHOWN_VERSIONS, LandingPage
from abtest.domain.pages import model
from abtest.domain.pages.briefs import ContentBrief
from abtest.domain.pages.gates import rechecked
from abtest.domain.pages.link_checks import LinkResult, links_verdict
from abtest.domain.pages.links import MAX_HREF
from abtest.domain.pages.qa import QaRun, checked, decided, gate_findings
from abtest.domain.pages.rules import MAX_BRIEF_BYTES, MAX_BYTES, MAX_REST_BYTES, refuse_large
from abtest.domain.pages.versions import PageVersion
from abtest.kit import canonical_json
from abtest.kit.documents import encode
from abtest.services.listing import PAGE_BYTES
from abtest.services.pages.qa_runs import SHOWN_RUNS
from tests.unit.aggregates.families import SHOP, number_id

NOW = "2026-03-02T09:00:00.000Z"
LONGEST_NOTE = "\U0001f600" * 5000
KEYS: dict[str, Any] = {"shop_id": SHOP, "landing_page_id": number_id(1), "created_at": NOW}


def padding(document: Any, most: int) -> str:
    """Return a text that fills a document up to so many bytes."""
    return "x" * (most - len(canonical_json.encode(document)))


def largest_version(number: int) -> PageVersion:
    """A version that has all bytes that it may be created with, and then a report about the longest links."""
    spec = {"body": padding({"body": ""}, MAX_BYTES)}
    bare = PageVersion(id=number_id(number), version_number=number, spec=spec, seo_manifest={"title": ""}, **KEYS)
    report = {"passed": True, "checked_at": NOW, "checks": []}
    bare = replace(bare, gate_report=report)
    full = replace(bare, seo_manifest={"title": padding(encode(bare, omit=("spec",)), MAX_REST_BYTES)})
    refuse_large(spec)
    refuse_large(encode(full, omit=("spec",)), most=MAX_REST_BYTES)
    urls = [f"https://{each}.example/".ljust(MAX_HREF, "\U0001f600") for each in range(9)]
    broken = {url: LinkResult(url=url, problem="answers 404", checked_at=NOW) for url in urls}
    return replace(full, gate_report=rechecked(report, {"links_resolve": links_verdict(urls, broken)}, NOW))


def test_largest_page__fits_into_an_answer() -> None:
    versions = [largest_version(number) for number in range(1, SHOWN_VERSIONS + 3)]
    entries = [model.VersionEntry(id=each.id, created_at=NOW) for each in versions]
    page = model.LandingPage(
        id=number_id(1),
        shop_id=SHOP,
        seat=1,
        name="Lamp",
        slug="lamp",
        publish_host="shop.example",
        versions=tuple(entries),
        current_version_id=entries[0].id,
        published_version_id=entries[1].id,
        created_at=NOW,
        updated_at=NOW,
    )
    run = QaRun(id=number_id(50), version_id=versions[0].id, updated_at=NOW, **KEYS)
    run = checked(run, list(gate_findings(versions[0].gate_report)), NOW)
    run = decided(run, "reject", LONGEST_NOTE, number_id(2), NOW)
    brief = ContentBrief(id=number_id(60), shop_id=SHOP, format="landing", angle="", created_at=NOW, updated_at=NOW)
    brief = replace(brief, angle=padding(encode(brief), MAX_BRIEF_BYTES))
    answer = LandingPage.of(page, versions, [], [run] * SHOWN_RUNS, [brief]).model_dump(exclude_unset=True)
    shown = [answer["current_version"], answer["published_version"], *answer["versions"]]
    assert len({each["id"] for each in shown}) == SHOWN_VERSIONS + 2
    assert 4_000_000 < len(canonical_json.encode(answer)) < PAGE_BYTES
