"""Parameters shared by routes of results and analytics."""

import re
from datetime import date
from typing import Annotated

from fastapi import Depends, Query
from pydantic import AfterValidator, TypeAdapter, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract import results as contract
from abtest.contract.base import MomentParameter, Uuid
from abtest.http.deps import Caller, require, use
from abtest.services.results import Readership

FIRST_YEAR, LAST_YEAR = 2000, 2199
# `date.fromisoformat` also accepts `20260131` and week dates since Python 3.11.
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT: TypeAdapter[str] = TypeAdapter(MomentParameter)


def calendar_day(text: str) -> str:
    """Return the date unchanged. Raises PydanticCustomError outside of the years that the ledger can have."""
    try:
        if _DATE.fullmatch(text) is None or not FIRST_YEAR <= date.fromisoformat(text).year <= LAST_YEAR:
            raise ValueError(text)
    except ValueError as error:
        raise PydanticCustomError("date", "must be a date of the years 2000 to 2199, such as 2026-01-31") from error
    return text


def day_or_moment(text: str) -> str:
    """Return a date unchanged, or a moment in UTC. Raises PydanticCustomError."""
    if len(text) == len("2026-01-31"):
        return calendar_day(text)
    moment = _MOMENT.validate_python(text)
    calendar_day(moment[:10])
    return moment


Day = Annotated[str, AfterValidator(calendar_day), WithJsonSchema({"type": "string", "format": "date"})]
"""A calendar day."""

When = Annotated[str, AfterValidator(day_or_moment), WithJsonSchema({"type": "string"})]
"""A calendar day or a moment, which is rewritten to UTC."""

Analyst = Annotated[Caller, require("analytics:read")]


async def noted(caller: Analyst, readership: Annotated[Readership, use(Readership)]) -> Caller:
    """Return the caller, and note that results of the shop are read: it is counted soon then."""
    readership.note(caller.shop_id)
    return caller


ResultsReader = Annotated[Caller, Depends(noted)]
"""Analyst who reads what is counted."""

GoalIds = Annotated[
    list[Uuid],
    Query(max_length=50, description="Only these goals (repeat the parameter); by default all goals in use."),
]
Engine = Annotated[
    contract.Engine | None,
    Query(
        description=(
            "Method of comparison: `frequentist` for a single look, `sequential` for any number of "
            "looks, `group_sequential` for auto-stop's planned looks, `bayesian` for probabilities from weak priors. "
            "By default the one that follows the experiment: `sequential`, `frequentist` once a fixed plan has reached "
            "its end, and `group_sequential` once a planned look was taken."
        )
    ),
]
SegmentEngine = Annotated[
    contract.SegmentEngine | None,
    Query(
        description="Method of comparison, by default that of the experiment's results; not `bayesian` or "
        "`group_sequential`, whose looks are of all visitors."
    ),
]
Correction = Annotated[
    contract.Correction | None,
    Query(
        description="Correction for several comparisons; by default the shop's (initially Holm). `holm` limits the "
        "chance of any false difference, `bh` (Benjamini and Hochberg) the share of false ones among the significant."
    ),
]
CorrectionFamily = Annotated[
    contract.CorrectionFamily,
    Query(
        description="Comparisons that are corrected together: the `treatments` of one goal, those of all `goals` in "
        "use, or `goals_primary_apart`: the primary goal keeps its own alpha."
    ),
]
From = Annotated[
    When | None,
    Query(
        alias="from",
        description="First exposures from this date (UTC) or date-time on, rounded to a quarter of an hour.",
    ),
]
To = Annotated[
    When | None,
    Query(description="Until the end of this date, or before this date-time, rounded up to a quarter of an hour."),
]
FirstDay = Annotated[Day | None, Query(alias="from", description="First calendar day; by default 27 days before `to`.")]
LastDay = Annotated[Day | None, Query(alias="to", description="Last calendar day; by default today.")]
TimeZone = Annotated[
    str, Query(min_length=1, max_length=64, description="IANA time zone of the calendar days; an unknown one is 422.")
]
