"""The SQL that tells copies apart: of rows with one event id the row that stands, as `domain.ledger.rows` orders them.

Hardly any event comes twice, and most rows matter to no question. So ids are looked for twice by their last characters
(which are short, and as good as random in ids that machines make), and only what looks as if it came twice is compared,
whether it matters or not: one that does not may be what stands. To read that as well costs less than to leave it out.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from abtest.adapters.warehouse.sql_texts import Table, any_of, literal
from abtest.domain.ledger.cells import DIMENSIONS
from abtest.domain.ledger.rows import PRECEDENCE

WIDE = ("data", "url")
"""Columns that only judges look at. They order last, so which of copies that differ in them alone stands is all one."""

NARROW = tuple(column for column, _ in PRECEDENCE if column not in WIDE)
TAIL = "substr(event_id, -12)"
"""What ids are looked for by."""
_TOLD_OF_VISITS = ("session_id", *DIMENSIONS)
HAPPENED_AT = "least(ts, received_at)"


@dataclass(frozen=True, slots=True)
class Suspects:
    """A relation `(tail)` that an engine made: by it rows are known that may have copies.

    `tail` is the expression over a row: whatever it is, rows with one event id are either all among the suspects or
    have no copies. The rows are those of a shop that were received since some moment. `sifted` is a relation made by
    `Standing.sifting`: then rows of rare kinds and suspects come from there.
    """

    relation: str
    tail: str
    sifted: str | None = None


_KIND, _IS_SUSPECT = "kind_number", "is_suspect"
"""What sifted rows say of themselves: which of the rare kinds they are of, if any, and whether they may have copies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Rows of a shop that were received and happened at or after a moment (Unix ms) and belong to no QA visit.

    `events` is the relation's name; `kinds` are the conditions under one of which a row matters at all. Without
    `dimensions` nobody asks which session or segment a row is of: those columns order last but for WIDE. `suspects` are
    looked for where they are not given. Rows of the kinds that are `rare` are few, and of one of them each.
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
        """What every row must meet before copies are told apart."""
        return f"shop_id = {literal(self.shop_id)} AND received_at >= {literal(self.since)}"

    def tables(self) -> list[Table]:
        """What `rows` refers to."""
        return [
            ("suspects", f"SELECT tail FROM {self.suspects.relation}" if self.suspects else self._suspects()),  # noqa: S608 - a name of our own
            ("copies", self._copies()),
        ]

    def rows(self, columns: Iterable[str], *kinds: str) -> str:
        """The rows of some kinds that stand, with `is_copy`: whether there are others like it.

        Kinds that ask for one type each are found fastest.
        """
        listed = ", ".join(columns)
        copies = f"""
    SELECT {listed}, TRUE AS is_copy FROM copies WHERE {any_of(kinds)}"""  # noqa: S608 - columns and escaped literals alone
        return "\n    UNION ALL".join([*(self._alone(listed, kind) for kind in kinds), copies])

    def sifting(self, suspects: Suspects) -> str:
        """The query that makes `suspects.sifted`, in one reading of `events`."""
        numbered = " ".join(f"WHEN {kind} THEN {self.kinds.index(kind)}" for kind in self.rare)
        return f"""
SELECT {self._columns}, tail IS NOT NULL AS {_IS_SUSPECT}, CASE {numbered} END AS {_KIND}
FROM {self.events} LEFT JOIN {suspects.relation} ON tail = {suspects.tail}
WHERE {self.mine} AND (tail IS NOT NULL OR ({self._counts} AND {any_of(self.rare)}))"""  # noqa: S608 - columns and escaped literals alone

    def _alone(self, listed: str, kind: str) -> str:
        """Rows of a kind that need not be compared with any."""
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
        return NARROW if self.dimensions else tuple(column for column in NARROW if column not in _TOLD_OF_VISITS)

    @property
    def _columns(self) -> str:
        return ", ".join(("event_id", *self._narrow))

    @property
    def _counts(self) -> str:
        return f"NOT qa_mode AND ts >= {literal(self.since)}"

    @property
    def _matters(self) -> str:
        return f"({self._counts} AND {any_of(self.kinds)})"

    def _suspects(self) -> str:
        return f"""
    SELECT {TAIL} AS tail FROM {self.events} WHERE {self.mine}
    GROUP BY {TAIL} HAVING count(*) > 1"""  # noqa: S608 - columns and escaped literals alone

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
    WHERE place = 1 AND {self._matters}"""  # noqa: S608 - columns and escaped literals alone


def precedence(columns: Iterable[str]) -> str:
    """The order in which the first of copies stands, as far as these columns tell."""
    null = dict(PRECEDENCE)
    return ", ".join(f"coalesce({column}, {literal(null[column])})" for column in columns)
