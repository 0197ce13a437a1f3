"""Days of the week in a time zone."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import Input, Unique

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
SomeDays = Annotated[list[Weekday], Field(min_length=1, max_length=6), Unique]
TimeZone = Annotated[str, Field(min_length=1, max_length=64)]


class ResultsWeekdays(Input):
    """Count only visitors first exposed on these days, in this IANA time zone."""

    days: SomeDays
    timezone: TimeZone


class WeekdaySchedule(Input):
    """Days without delivery, in this IANA time zone."""

    excludedDays: SomeDays
    timezone: TimeZone
