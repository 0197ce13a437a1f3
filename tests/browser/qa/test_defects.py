"""Planted defects: each is reported by the right check at the right element, and nothing is reported on sound pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.domain.pages.qa import Finding
from abtest.domain.qa.facts import Look, Page
from abtest.domain.qa.findings import findings
from tests.browser.landing.conftest import rendered
from tests.browser.landing.test_pages import LOOKS, everything
from tests.browser.qa.conftest import LookAt
from tests.property.test_landing_pages import documents, is_accepted
from tests.support.landing import ASSETS, EDGE, SITE, other_forms
from tests.support.landing_defects import BANNED, DEFECTS, Defect, sound
from tests.support.sizes import sized

pytestmark = pytest.mark.browser

PAGE = Page(SITE.canonical_address, EDGE, ASSETS, (BANNED,), is_strict=True)


def reported(*looks: Look) -> list[Finding]:
    """Return the findings, without those about the speed of this machine."""
    return [each for each in findings(looks, PAGE) if each["check"] != "speed"]


@pytest.mark.parametrize("defect", DEFECTS, ids=[each.name.replace(" ", "-") for each in DEFECTS])
def test_defect__is_reported_by_its_check_at_its_element(look: LookAt, defect: Defect) -> None:
    needs_widths = defect.check in ("layout", "controls")
    seen = look(defect.html, defect.policy, defect.viewport, defect.answers, at_all_widths=needs_widths)
    due = [each for each in reported(seen) if (each["check"], each["selector"]) == (defect.check, defect.selector)]
    assert due, json.dumps(reported(seen), indent=1)
    assert due[0]["severity"] == "error"
    # Something to do follows what is wrong.
    assert len(due[0]["message"]) > 30


def test_defects__are_thirty_and_one_at_a_time(look: LookAt) -> None:
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS) >= 30
    page = sound()
    looks = [look(page.html, page.policy, each, at_all_widths=True) for each in (PHONE, DESKTOP)]
    assert reported(*looks) == []


@pytest.mark.parametrize(("tone", "width", "theme"), LOOKS, ids=[f"{tone}-{width}" for tone, width, _ in LOOKS])
def test_page__with_every_block__has_no_findings(look: LookAt, tone: str, width: int, theme: dict[str, Any]) -> None:
    page = rendered(everything(tone, theme))
    viewport = PHONE if width == PHONE.width else DESKTOP
    assert reported(look(page.html, page.policy, viewport, at_all_widths=True)) == []


def test_page__with_the_blocks_in_their_other_forms__has_no_findings(look: LookAt) -> None:
    page = rendered(other_forms())
    assert reported(look(page.html, page.policy, Viewport(360, 640, 1, touch=True), at_all_widths=True)) == []


@settings(
    max_examples=sized(40, 2),
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(documents().filter(is_accepted))
def test_any_page__has_no_findings(look: LookAt, document: dict[str, Any]) -> None:
    page = rendered(document)
    assert reported(look(page.html, page.policy, DESKTOP, at_all_widths=True)) == []


def test_defect__in_several_windows__is_one_finding(look: LookAt) -> None:
    defect = next(each for each in DEFECTS if each.check == "forms")
    windows = [Viewport(390, 844, 1, touch=True), DESKTOP]
    due = reported(*(look(defect.html, defect.policy, each) for each in windows))
    assert [(each["check"], each["viewport"]) for each in due] == [("forms", None)]
