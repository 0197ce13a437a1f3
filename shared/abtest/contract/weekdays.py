"""Days of the week in a time zone."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from abtest.contract.base import Input, Unique
from abtest.kit.time_zones import database_spelling

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
SomeDays = Annotated[list[Weekday], Field(min_length=1, max_length=6), Unique]
TimeZone = Annotated[
    str, Field(min_length=1, max_length=64), AfterValidator(lambda name: database_spelling(name) or name)
]
"""IANA name in any case, stored as the database spells it. Rules of the resource refuse one that is not in it."""


class ResultsWeekdays(Input):
    """Count only visitors first exposed on these days, in this IANA time zone."""

    days: SomeDays
    timezone: TimeZone


class WeekdaySchedule(Input):
    """Days without delivery, in this IANA time zone."""

    excludedDays: SomeDays
    timezone: TimeZone
