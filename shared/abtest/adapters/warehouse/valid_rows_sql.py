"""SQL that selects the valid row among copies of an event, in the order of precedence of `domain.ledger.rows`.

Few events have copies, and most rows are not needed. So ids that occur twice are searched by their last characters,
which are short and nearly random in generated ids. Only these suspects are compared, with copies of any kind, because
the valid one may be of a kind that is not needed. Reading those as well is cheaper than excluding them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from abtest.adapters.warehouse.sql_texts import Table, any_of, literal
from abtest.domain.ledger.cells import DIMENSIONS
from abtest.domain.ledger.events import MAX_SKEW_MS, SKEW_AHEAD_MS, SKEW_BEHIND_MS
from abtest.domain.ledger.rows import PRECEDENCE

WIDE = ("data", "url")
"""Columns that only filters of goals read. They order last, so they matter only between otherwise equal copies."""

NARROW = tuple(column for column, _ in PRECEDENCE if column not in WIDE)
TAIL = "substr(event_id, -12)"
"""Expression by which suspects are searched."""
_VISIT_COLUMNS = ("session_id", *DIMENSIONS)
HAPPENED_AT = "least(ts, received_at)"
_SKEW = "(received_at - sent_at)"
_IS_WRONG = f"({_SKEW} < -{SKEW_AHEAD_MS} OR {_SKEW} > {SKEW_BEHIND_MS})"
IS_CORRECTED = f"coalesce({_IS_WRONG} AND {_SKEW} BETWEEN -{MAX_SKEW_MS} AND {MAX_SKEW_MS}, FALSE)"
"""Whether our clock replaced the sender's, as in `domain.ledger.rows.sender_time`."""
SENDER_TS = f"CASE WHEN {IS_CORRECTED} THEN ts - {_SKEW} ELSE ts END"
"""Time of the event by the sender's clock."""
CLOCKS = 4
_SENDER = f"CASE sender WHEN 'browser' THEN 0 WHEN 'server' THEN 2 ELSE {CLOCKS} END"
CLOCK = f"{_SENDER} + CASE WHEN {IS_CORRECTED} THEN 1 ELSE 0 END"
"""Number of `domain.ledger.rows.SenderClock`, odd if corrected; CLOCKS more if the sender is not known."""


@dataclass(frozen=True, slots=True)
class Suspects:
    """Relation `(tail)`, made by an engine, of the rows of a shop since some moment that may have copies.

    `tail` is the expression over a row. Rows with the same event id are either all suspects or have no copies. `sifted`
    is a relation made by `ValidRows.sifted_statement`, from which rows of rare kinds and suspects are read.
    """

    relation: str
    tail: str
    sifted: str | None = None


_KIND, _IS_SUSPECT = "kind_number", "is_suspect"
"""Columns of sifted rows: the number of their rare kind, if any, and whether they may have copies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidRows:
    """Valid rows of a shop that were received and happened at or after a moment (Unix ms), without QA visits.

    `events` is the relation's name. A row is needed if it meets one of the conditions in `kinds`. Without `dimensions`,
    columns of session and segment are not read. `suspects` are searched where they are not given. Rows of the kinds in
    `rare` are few, and each is of one such kind.
    """

    events: str
    shop_id: str
    since: int
    kinds: tuple[str, ...]
    dimensions: tuple[str, ...] = DIMENSIONS
    suspects: Suspects | None = None
    rare: tuple[str, ...] = ()

    @property
    def mine(self) -> str:
        """Condition of every row, before copies are compared."""
        return f"shop_id = {literal(self.shop_id)} AND received_at >= {literal(self.since)}"

    def tables(self) -> list[Table]:
        """Return the tables that `rows` refers to."""
        suspects = f"""
    SELECT {TAIL} AS tail FROM {self.events} WHERE {self.mine}
    GROUP BY {TAIL} HAVING count(*) > 1"""  # noqa: S608 - columns and escaped literals alone
        if self.suspects:
            suspects = f"SELECT tail FROM {self.suspects.relation}"  # noqa: S608 - a name of our own
        return [("suspects", suspects), ("copies", self._copies())]

    def rows(self, columns: Iterable[str], *kinds: str) -> str:
        """Return the query for the valid rows of some kinds. `is_copy` is true for rows that have copies.

        Kinds with a single event type are the fastest.
        """
        listed = ", ".join(columns)
        copies = f"""
    SELECT {listed}, TRUE AS is_copy FROM copies WHERE {any_of(kinds)}"""  # noqa: S608 - columns and escaped literals alone
        return "\n    UNION ALL".join([*(self._alone(listed, kind) for kind in kinds), copies])

    def sifted_statement(self, suspects: Suspects) -> str:
        """Return the query that makes `suspects.sifted` in one scan of `events`."""
        numbered = " ".join(f"WHEN {kind} THEN {self.kinds.index(kind)}" for kind in self.rare)
        return f"""
SELECT {self._columns}, tail IS NOT NULL AS {_IS_SUSPECT}, CASE {numbered} END AS {_KIND}
FROM {self.events} LEFT JOIN {suspects.relation} ON tail = {suspects.tail}
WHERE {self.mine} AND (tail IS NOT NULL OR ({self._counts} AND {any_of(self.rare)}))"""  # noqa: S608 - columns and escaped literals alone

    def _alone(self, listed: str, kind: str) -> str:
        """Return the query for the rows of a kind that have no copies."""
        if self._sifted and kind in self.rare:
            return f"""
    SELECT {listed}, FALSE AS is_copy FROM {self._sifted}
    WHERE NOT {_IS_SUSPECT} AND {_KIND} = {self.kinds.index(kind)}"""  # noqa: S608 - names of columns alone
        return f"""
    SELECT {listed}, FALSE AS is_copy FROM {self.events} LEFT JOIN suspects ON tail = {self._tail}
    WHERE {self.mine} AND {self._counts} AND ({kind}) AND tail IS NULL"""  # noqa: S608 - columns and escaped literals alone

    @property
    def _sifted(self) -> str | None:
        return self.suspects.sifted if self.suspects else None

    @property
    def _tail(self) -> str:
        return self.suspects.tail if self.suspects else TAIL

    @property
    def _narrow(self) -> tuple[str, ...]:
        return NARROW if self.dimensions else tuple(column for column in NARROW if column not in _VISIT_COLUMNS)

    @property
    def _columns(self) -> str:
        return ", ".join(("event_id", *self._narrow))

    @property
    def _counts(self) -> str:
        return f"NOT qa_mode AND ts >= {literal(self.since)}"

    def _copies(self) -> str:
        compared = f"{self.events} JOIN suspects ON tail = {self._tail} WHERE {self.mine}"
        if self._sifted:
            compared = f"{self._sifted} WHERE {_IS_SUSPECT}"
        return f"""
    SELECT {self._columns}
    FROM (
        SELECT {self._columns}, row_number() OVER (PARTITION BY event_id ORDER BY {precedence(self._narrow)}) AS place
        FROM (
            SELECT {self._columns} FROM {compared}
        ) AS compared
    ) AS ordered
    WHERE place = 1 AND ({self._counts} AND {any_of(self.kinds)})"""  # noqa: S608 - columns and escaped literals alone


def precedence(columns: Iterable[str]) -> str:
    """Return the ORDER BY terms of these columns that put the valid one of copies first."""
    null = dict(PRECEDENCE)
    return ", ".join(f"coalesce({column}, {literal(null[column])})" for column in columns)
