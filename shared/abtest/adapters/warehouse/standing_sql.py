"""The SQL that tells copies apart: of rows with one event id the row that stands, as `domain.ledger.rows` orders them.

Hardly any event comes twice, and most rows matter to no question. So ids are looked for twice by their last characters
(which are short, and as good as random in ids that machines make), and only what looks as if it came twice is compared.
Where copies differ in whether they matter, those that do not are read as well: one of them may be what stands.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from abtest.adapters.warehouse.sql_texts import Table, any_of, literal
from abtest.domain.ledger.rows import PRECEDENCE

WIDE = ("data", "url")
"""Columns that only judges look at. They order last, so which of copies that differ in them alone stands is all one."""

NARROW = tuple(column for column, _ in PRECEDENCE if column not in WIDE)
TAIL = "substr(event_id, -12)"
HAPPENED_AT = "least(ts, received_at)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Rows of a shop that were received and happened at or after a moment (Unix ms) and belong to no QA visit.

    `events` is the relation's name; `kinds` are the conditions under one of which a row matters at all.
    """

    events: str
    shop_id: str
    since: int
    kinds: tuple[str, ...]

    @property
    def mine(self) -> str:
        """What every row must meet before copies are told apart."""
        return f"shop_id = {literal(self.shop_id)} AND received_at >= {literal(self.since)}"

    def tables(self) -> list[Table]:
        """What `rows` refers to."""
        return [("suspects", self._suspects()), ("copies", self._copies())]

    def rows(self, columns: Iterable[str], kind: str) -> str:
        """The rows of one kind that stand, with `is_copy`: whether there are others like it."""
        listed = ", ".join(columns)
        return f"""
    SELECT {listed}, FALSE AS is_copy FROM {self.events}
    WHERE {self.mine} AND {self._counts} AND ({kind})
        AND NOT EXISTS (SELECT 1 FROM suspects WHERE suspects.tail = {TAIL})
    UNION ALL
    SELECT {listed}, TRUE AS is_copy FROM copies WHERE {kind}"""  # noqa: S608 - columns and escaped literals alone

    @property
    def _counts(self) -> str:
        return f"NOT qa_mode AND ts >= {literal(self.since)}"

    @property
    def _matters(self) -> str:
        return f"{self._counts} AND {any_of(self.kinds)}"

    def _suspects(self) -> str:
        return f"""
    SELECT tail, copies > mattering AS has_others
    FROM (
        SELECT {TAIL} AS tail, count(*) AS copies, count(CASE WHEN {self._matters} THEN 1 END) AS mattering
        FROM {self.events}
        WHERE {self.mine}
        GROUP BY {TAIL}
    ) AS tails
    WHERE copies > 1 AND mattering > 0"""  # noqa: S608 - columns and escaped literals alone

    def _copies(self) -> str:
        columns = ", ".join(("event_id", *NARROW))
        return f"""
    SELECT {columns}
    FROM (
        SELECT {columns}, row_number() OVER (PARTITION BY event_id ORDER BY {precedence(NARROW)}) AS place
        FROM (
            SELECT {columns} FROM {self.events}
            WHERE {self.mine} AND {self._matters} AND {TAIL} IN (SELECT tail FROM suspects)
            UNION ALL
            SELECT {columns} FROM {self.events}
            WHERE {self.mine} AND NOT coalesce({self._matters}, FALSE)
                AND {TAIL} IN (SELECT tail FROM suspects WHERE has_others)
        ) AS doubtful
    ) AS ordered
    WHERE place = 1 AND {self._matters}"""  # noqa: S608 - columns and escaped literals alone


def precedence(columns: Iterable[str]) -> str:
    """The order in which the first of copies stands, as far as these columns tell."""
    null = dict(PRECEDENCE)
    return ", ".join(f"coalesce({column}, {literal(null[column])})" for column in columns)
