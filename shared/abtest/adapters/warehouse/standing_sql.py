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
        return [
            ("suspects", self._suspects()),
            ("doubtful", self._doubtful()),
            ("mixed", _MIXED),
            ("copies", self._copies()),
        ]

    def rows(self, columns: Iterable[str], *kinds: str) -> str:
        """The rows of some kinds that stand, with `is_copy`: whether there are others like it.

        Kinds that ask for one type each are found fastest.
        """
        listed = ", ".join(columns)
        parts = [
            f"""
    SELECT {listed}, FALSE AS is_copy FROM {self.events} LEFT JOIN suspects ON tail = {TAIL}
    WHERE {self.mine} AND {self._counts} AND ({kind}) AND tail IS NULL"""  # noqa: S608 - columns and escaped literals alone
            for kind in kinds
        ]
        copies = f"""
    SELECT {listed}, TRUE AS is_copy FROM copies WHERE {any_of(kinds)}"""  # noqa: S608 - columns and escaped literals alone
        return "\n    UNION ALL".join([*parts, copies])

    @property
    def _counts(self) -> str:
        return f"NOT qa_mode AND ts >= {literal(self.since)}"

    @property
    def _matters(self) -> str:
        return f"({self._counts} AND {any_of(self.kinds)})"

    def _suspects(self) -> str:
        return f"""
    SELECT {TAIL} AS tail, count(*) AS alike FROM {self.events} WHERE {self.mine}
    GROUP BY {TAIL} HAVING count(*) > 1"""  # noqa: S608 - columns and escaped literals alone

    def _doubtful(self) -> str:
        return f"""
    SELECT {_COLUMNS}, tail, alike FROM {self.events} JOIN suspects ON tail = {TAIL}
    WHERE {self.mine} AND {self._matters}"""  # noqa: S608 - columns and escaped literals alone

    def _copies(self) -> str:
        return f"""
    SELECT {_COLUMNS}
    FROM (
        SELECT {_COLUMNS}, row_number() OVER (PARTITION BY event_id ORDER BY {precedence(NARROW)}) AS place
        FROM (
            SELECT {_COLUMNS} FROM doubtful
            UNION ALL
            SELECT {_COLUMNS} FROM {self.events} JOIN mixed ON mixed_tail = {TAIL}
            WHERE {self.mine} AND NOT coalesce({self._matters}, FALSE)
        ) AS compared
    ) AS ordered
    WHERE place = 1 AND {self._matters}"""  # noqa: S608 - columns and escaped literals alone


_COLUMNS = ", ".join(("event_id", *NARROW))

# What is alike with rows that matter, and does not.
_MIXED = "SELECT tail AS mixed_tail FROM doubtful GROUP BY tail HAVING count(*) < max(alike)"


def precedence(columns: Iterable[str]) -> str:
    """The order in which the first of copies stands, as far as these columns tell."""
    null = dict(PRECEDENCE)
    return ", ".join(f"coalesce({column}, {literal(null[column])})" for column in columns)
