"""The cost of the nightly audit: its parts add up, and its limits hold."""

from dataclasses import replace

import pytest

from abtest.services.audit.shop_rows import MOST_OBJECTS
from tools.cost.__main__ import main
from tools.cost.audit import Auditing, audit_a_night
from tools.cost.counting import Counting
from tools.cost.model import prices

GIVEN, COUNTING, PRICE = Auditing(), Counting(), prices()
DAY = 1_000_000


def night(events_a_day: float = DAY, **changes: float) -> float:
    return audit_a_night(replace(GIVEN, **changes), COUNTING, events_a_day, PRICE)


def test_night__without_a_sample__costs_nothing() -> None:
    assert night(audit_records=0, audit_hours=0) == 0


def test_night__of_twice_the_records_or_hours__costs_twice_as_much() -> None:
    for part, other in (("audit_records", "audit_hours"), ("audit_hours", "audit_records")):
        once = night(**{part: 20, other: 0})
        assert night(**{part: 40, other: 0}) == pytest.approx(2 * once)


def test_night__of_records__is_mostly_a_request_for_each_manifest() -> None:
    objects = 60 * 24 * 42
    assert night(audit_hours=0, audit_gb=0) == pytest.approx(20 * objects * PRICE["s3_get"])
    assert night(100 * DAY, audit_hours=0, audit_gb=0) == pytest.approx(20 * MOST_OBJECTS * PRICE["s3_get"])


def test_option__of_the_audit__changes_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--audit-records", "0", "--audit-hours", "0"])
    assert "| USD | 0.00 | 0.00 | 0.00 |" in capsys.readouterr().out
