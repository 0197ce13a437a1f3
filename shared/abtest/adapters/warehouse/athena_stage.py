"""Parts of a query that Athena computes once: events that occur twice, and the valid row among their copies.

Athena computes a named part of a query at each use, and nearly all other parts use these two. So they are unloaded into
the bucket under a run's name, and the query reads them from there. The rest of the query is unchanged.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.adapters.warehouse.athena_relations import with_relations
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.valid_rows_sql import NARROW
from abtest.kit.ids import random_base62
from abtest.ports.blobs import Blobs

STAGED: Mapping[str, tuple[str, ...]] = MappingProxyType({"suspects": ("tail",), "copies": ("event_id", *NARROW)})
"""Named parts of a statement and their columns, in order of computation; they are the tables `staged_…` of Glue."""
NAME_CHARS = 20
PREFIX = "athena/staged/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Storage of a query's parts while it runs."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def of(self, statement: str, relations: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        """Compute the parts of a statement that reads these relations. Return the query for each stored part by name.

        The objects are removed when the context ends; after a crash, the bucket's lifecycle removes them.
        """
        run = random_base62(NAME_CHARS, self.queries.random)
        parts = named_parts(statement)
        staged: dict[str, str] = {}
        try:
            for name, columns in STAGED.items():
                known = {**relations, **before(name, {**parts, **staged})}
                target = literal(f"s3://{self.bucket}/{_prefix(name, run)}")
                unload = f"UNLOAD (\n{with_relations(parts[name], known)}\n) TO {target} WITH (format = 'PARQUET')"
                self.queries.run(unload)
                listed = ", ".join(columns)
                staged[name] = f"SELECT {listed} FROM staged_{name} WHERE run = {literal(run)}"  # noqa: S608 - escaped
            yield staged
        finally:
            # All names, because an UNLOAD that failed may have written objects as well.
            for name in STAGED:
                for entry in list(self.ledger.list(_prefix(name, run))):
                    self.ledger.delete(entry.key)


def with_staged(statement: str, staged: Mapping[str, str]) -> str:
    """Return the statement with other texts for some of its parts, without the parts that are not used any more."""
    parts, last = named_parts(statement), list(STAGED)[-1]
    needless = set(before(last, parts)) - set(STAGED)
    texts = {name: staged.get(name, text) for name, text in parts.items() if name not in needless}
    rest = statement[_ends(statement)[-1] + 1 :]
    return with_relations(rest, texts)


def before(name: str, parts: Mapping[str, str]) -> dict[str, str]:
    """Return the parts before the one with this name."""
    earlier: dict[str, str] = {}
    for each, text in parts.items():
        if each == name:
            break
        earlier[each] = text
    return earlier


def named_parts(statement: str) -> dict[str, str]:
    """Return the named parts of a statement that `sql_texts.with_tables` made, as text by name."""
    parts: dict[str, str] = {}
    starts = len("WITH ")
    for ends in _ends(statement):
        name, _, text = statement[starts:ends].partition(" AS (")
        parts[name.strip(" ,\n")] = text.strip()
        starts = ends + 1
    return parts


def _ends(statement: str) -> list[int]:
    """Return where the parentheses of the named parts close, ignoring those in string literals."""
    ends: list[int] = []
    depth, is_text = 0, False
    for place, character in enumerate(statement):
        if character == "'":
            # An escaped quote is two quotes, which change this twice.
            is_text = not is_text
        elif not is_text and character in "()":
            depth += 1 if character == "(" else -1
            if depth == 0:
                ends.append(place)
                if not statement.startswith(",", place + 1):
                    break
    return ends


def _prefix(name: str, run: str) -> str:
    return f"{PREFIX}{name}/run={run}/"
