"""Schedule expressions, minute by minute."""

from datetime import UTC, datetime

import pytest

from tools.local.template.document import TemplateError
from tools.local.triggers.expressions import parse

SUNDAY = datetime(2026, 11, 1, 3, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "due"),
    [
        ("cron(30 3 * * ? *)", True),
        ("cron(0/15 * * * ? *)", True),
        ("cron(0/20 * * * ? *)", False),
        ("cron(30 3 ? * SUN *)", True),
        ("cron(30 3 ? * 1 *)", True),
        ("cron(30 3 ? * MON-FRI *)", False),
        ("cron(30 3 1 NOV ? 2026)", True),
        ("cron(30 3 1 JAN,FEB ? *)", False),
        ("cron(15,30 2-4 * * ? 2025-2027)", True),
    ],
)
def test_cron__is_due_in_its_minutes(expression: str, due: bool) -> None:
    assert parse(expression).due(SUNDAY, 0) is due


def test_cron__counts_in_its_timezone() -> None:
    assert parse("cron(30 4 * * ? *)", "Europe/Berlin").due(SUNDAY, 0)


def test_rate__is_due_each_so_many_minutes_after_the_start() -> None:
    assert [minute for minute in range(11) if parse("rate(5 minutes)").due(SUNDAY, minute)] == [5, 10]
    assert parse("rate(1 hour)").due(SUNDAY, 60)


@pytest.mark.parametrize(
    "expression",
    [
        "rate(0 minutes)",
        "rate(5)",
        "cron(* * * *)",
        "cron(61 * * * ? *)",
        "cron(0 0 L * ? *)",
        "at(2026-01-01T00:00:00)",
    ],
)
def test_expression__that_cannot_be_read_is_refused(expression: str) -> None:
    with pytest.raises(TemplateError, match="cannot read the schedule"):
        parse(expression)
