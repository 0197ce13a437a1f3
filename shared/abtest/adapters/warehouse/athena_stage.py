"""What Athena is to compute once for a question: which events came twice, and of those the copies that stand.

Athena computes a named part of a query wherever it is used, and these two are used by every other part. So they are
unloaded into the bucket, under a name of their own, and the question reads them there, in its own words otherwise.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType

from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.adapters.warehouse.athena_relations import with_relations
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.standing_sql import NARROW
from abtest.kit.ids import random_base62
from abtest.ports.blobs import Blobs

STAGED: Mapping[str, tuple[str, ...]] = MappingProxyType({"suspects": ("tail",), "copies": ("event_id", *NARROW)})
"""Named parts of a statement and their columns, in the order in which they are computed; tables `staged_…` of Glue."""
NAME_CHARS = 20
PREFIX = "athena/staged/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where parts of questions lie while they are asked."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def of(self, statement: str, relations: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
        """Compute the parts of a statement, which reads these relations; by name what then stands for each.

        Whoever ends leaves nothing behind; a process that dies leaves it to the bucket's lifecycle.
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
            for name in STAGED:
                for entry in list(self.ledger.list(_prefix(name, run))):
                    self.ledger.delete(entry.key)


def with_staged(statement: str, staged: Mapping[str, str]) -> str:
    """The statement with other texts for some of its named parts; parts that nothing needs any more are left out."""
    parts, last = named_parts(statement), list(STAGED)[-1]
    needless = set(before(last, parts)) - set(STAGED)
    texts = {name: staged.get(name, text) for name, text in parts.items() if name not in needless}
    rest = statement[_ends(statement)[-1] + 1 :]
    return with_relations(rest, texts)


def before(name: str, parts: Mapping[str, str]) -> dict[str, str]:
    """The parts that come before one."""
    found: dict[str, str] = {}
    for each, text in parts.items():
        if each == name:
            break
        found[each] = text
    return found


def named_parts(statement: str) -> dict[str, str]:
    """The named parts of a statement that `sql_texts.with_tables` made: what stands before and within its brackets."""
    parts: dict[str, str] = {}
    starts = len("WITH ")
    for ends in _ends(statement):
        name, _, text = statement[starts:ends].partition(" AS (")
        parts[name.strip(" ,\n")] = text.strip()
        starts = ends + 1
    return parts


def _ends(statement: str) -> list[int]:
    """Where the brackets of the named parts close: brackets within texts are none."""
    found: list[int] = []
    depth, is_text = 0, False
    for place, character in enumerate(statement):
        if character == "'":
            is_text = not is_text
        elif not is_text and character in "()":
            depth += 1 if character == "(" else -1
            if depth == 0:
                found.append(place)
                if not statement.startswith(",", place + 1):
                    break
    return found


def _prefix(name: str, run: str) -> str:
    return f"{PREFIX}{name}/run={run}/"
