"""Pages of the catalog's lists, on DynamoDB and in memory."""

from collections.abc import Sequence
from typing import TypeVar

from abtest.ports.catalog import AuditRow, Head, InboxRow

Listed = TypeVar("Listed", AuditRow, Head, InboxRow)


def page(rows: Sequence[Listed], limit: int) -> tuple[Sequence[Listed], str | None]:
    """Return the first `limit` rows and, if there are more, the id that continues the list."""
    # Callers read one row more than the limit; it only shows that there is another page.
    return rows[:limit], rows[limit - 1].id if len(rows) > limit else None
