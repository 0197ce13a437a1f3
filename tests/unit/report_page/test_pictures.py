"""Pictures in reports: next to each other by window, from one origin, nothing of them but text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from selectolax.lexbor import LexborHTMLParser

from abtest.contract.report import Report, ReportPicture
from abtest.contract.screenshots import ScreenshotWindow
from abtest.services.report_page import policy, render_report
from tests.support.report_facts import at, draft, ident

ORIGIN = "https://assets.example"
PAGE = "https://shop.example/lamps"


def picture(variation: int | None, width: int = 390, url: str = PAGE) -> ReportPicture:
    """A picture of one variation in one window."""
    return ReportPicture(
        variation_id=None if variation is None else ident(1, variation),
        page_url=url,
        viewport=ScreenshotWindow(width=width, height=844, device_scale=2),
        taken_at=at(1),
        url=f"{ORIGIN}/a/{ident(3, variation or 9)}/0123456789abcdef/w960.webp",
        width=960,
        height=2078,
    )


def pictured(pictures: Sequence[ReportPicture]) -> Report:
    """A report of two variations with these pictures."""
    report = draft(["Control", "Short headline"], verdict="not_started", sentence="This experiment has not started yet")
    return report.model_copy(update={"pictures": list(pictures)})


def test_pictures__of_one_window__are_next_to_each_other() -> None:
    page = LexborHTMLParser(
        render_report(pictured([picture(each, width) for width in (390, 1280) for each in (None, 0, 1)]))
    )
    rows = page.css(".window")
    assert [row.css("h3")[0].text() for row in rows] == [
        f"Phone, 390 x 844 pixels {PAGE}",
        f"Desktop, 1280 x 844 pixels {PAGE}",
    ]
    for row in rows:
        images = row.css("figure img")
        assert [image.attributes["alt"] for image in images] == [
            f"{start}, in a window of {390 if row is rows[0] else 1280} x 844 pixels"
            for start in (
                "The page without the experiment",
                "The page with variation Control",
                "The page with variation Short headline",
            )
        ]
        assert {(image.attributes["width"], image.attributes["height"]) for image in images} == {("960", "2078")}


def test_policy__of_a_report_with_pictures__allows_their_origin_only() -> None:
    report = pictured([picture(0), picture(1)])
    assert policy(report) == (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data: {ORIGIN}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    meta = LexborHTMLParser(render_report(report)).css("meta[http-equiv]")[0]
    assert meta.attributes["content"] == policy(report).removesuffix("; frame-ancestors 'none'")
    assert "img-src data:;" in policy(pictured([]))


@pytest.mark.parametrize(
    "hostile", ['https://shop.example/"><img src=x>', "https://shop.example/</h3><script>1</script>"]
)
def test_address__of_a_hostile_page__is_text(hostile: str) -> None:
    page = LexborHTMLParser(render_report(pictured([picture(0, url=hostile)])))
    assert len(page.css("img")) == 1
    assert page.css("script") == []
    assert hostile in page.css(".window h3")[0].text()
