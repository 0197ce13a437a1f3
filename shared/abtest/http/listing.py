"""Query parameters of all lists of resources."""

from typing import Annotated

from fastapi import Depends, Query

from abtest.contract.base import MomentParameter
from abtest.services.listing import ArchivedFilter, Filters, Sort, TimeSort

NamePart = Annotated[str | None, Query(max_length=255, description="Part of the name or key, ignoring case.")]
UpdatedSince = Annotated[MomentParameter | None, Query(description="Only items changed at or after this moment.")]
Archived = Annotated[
    ArchivedFilter, Query(description="`false` hides archived items, `true` lists only them, `all` lists both.")
]


async def narrowed(q: NamePart = None, updated_since: UpdatedSince = None, sort: Sort = "-created_at") -> Filters:
    """Return the filters of a list whose resources cannot be archived."""
    return Filters(q=q, updated_since=updated_since, sort=sort)


async def narrowed_by_time(updated_since: UpdatedSince = None, sort: TimeSort = "-created_at") -> Filters:
    """Return the filters of a list whose items have no names."""
    return Filters(updated_since=updated_since, sort=sort)


async def narrowed_by_time_or_archived(
    archived: Archived = "false", updated_since: UpdatedSince = None, sort: TimeSort = "-created_at"
) -> Filters:
    """Return the filters of a list whose items have no names, and can be archived."""
    return Filters(archived=archived, updated_since=updated_since, sort=sort)


async def narrowed_or_archived(
    archived: Archived = "false", q: NamePart = None, updated_since: UpdatedSince = None, sort: Sort = "-created_at"
) -> Filters:
    """Return the filters of every other list."""
    return Filters(archived=archived, q=q, updated_since=updated_since, sort=sort)


Narrowed = Annotated[Filters, Depends(narrowed)]
"""Filters and order of a list; `where` adds those of the kind."""

NarrowedByTime = Annotated[Filters, Depends(narrowed_by_time)]
"""The same for resources without names."""

NarrowedByTimeOrArchived = Annotated[Filters, Depends(narrowed_by_time_or_archived)]
"""The same for resources without names that can be archived."""

NarrowedOrArchived = Annotated[Filters, Depends(narrowed_or_archived)]
"""The same for resources that can be archived."""
