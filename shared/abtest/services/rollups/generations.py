"""Generations of a divided shop: what its units count together, and what each of them counted, in the ledger's bucket.

A generation is begun by the shop's worker, under the shop's lease, and its units work in any order and any number of
times: what they store has names of their own, and the same content up to the same offset. Nothing of it is read by
anyone else before the shop's worker adds it up.
"""

import re
import zlib
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from abtest.domain.ledger.partitions import KINDS, Division, Unit
from abtest.domain.ledger.shop_results import digest_of, results_of
from abtest.kit import canonical_json
from abtest.kit.documents import Document, decode, encode
from abtest.ports.blobs import Blobs
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import LedgerObjectError, ShopPlans, UnitCounted

GENERATIONS, STATES = "partitions/", "state/"
KEPT_BEFORE = 3
"""Generations whose states the units of a new one may continue."""

_KEY = re.compile(rf"{GENERATIONS}(?P<shop>[^/]+)/(?P<offset>\d+)-(?P<visitors>\d+)x(?P<ids>\d+)-[0-9a-f]{{24}}/")
_BINARY, _REPEATED = "application/octet-stream", ".repeated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """Units count the shop up to `offset`, an offset with news of the shop, and its days up to `at` (Unix ms).

    The feed has everything there that the ledger held at `listed_at` (Unix ms). `release`: of `ShopUnits`. `plans`: a
    digest of the plans. `before`: keys of generations whose states units continue, the newest first.
    """

    shop_id: str
    offset: int
    listed_at: int
    at: int
    division: Division
    release: str
    plans: str
    before: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Beginning of the keys of everything in it."""
        digest = canonical_json.sha256(asdict(self))[:24]
        division = f"{self.division.visitors}x{self.division.ids}"
        return f"{GENERATIONS}{self.shop_id}/{self.offset}-{division}-{digest}/"

    def document(self) -> Document:
        """Return the stored form."""
        return encode(self)


def generation_of(document: Any) -> Generation:
    """Read the stored form. Raises ValueError, TypeError or KeyError for anything else."""
    return decode(Generation, document)


def division_of(state: StoredState | None) -> Division:
    """Return the division of the shop whose progress has this state."""
    match = _KEY.fullmatch(state.key) if state else None
    return Division(visitors=int(match["visitors"]), ids=int(match["ids"])) if match else Division()


def plans_digest(shop: ShopPlans) -> str:
    """Return a digest of what is to be counted of a shop."""
    return canonical_json.sha256([shop.currency, *sorted(digest_of(plan) for plan in shop.plans)])


@dataclass(frozen=True, slots=True)
class Generations:
    """The generations in the ledger's bucket. Every call may raise BlobsUnavailableError."""

    ledger: Blobs

    def newest(self, shop_id: str) -> Generation | None:
        """Return the generation that was begun last, or None. One that cannot be read is none."""
        blob = self.ledger.get(_newest_key(shop_id))
        try:
            return generation_of(canonical_json.loads(blob.content, own=True)) if blob else None
        except (ValueError, TypeError, KeyError):
            return None

    def begin(self, generation: Generation) -> None:
        """Make it the newest one."""
        content = canonical_json.encode(generation.document())
        self.ledger.put(_newest_key(generation.shop_id), content, content_type="application/json")

    def done(self, generation: Generation) -> frozenset[str]:
        """Return the names of the units that are done."""
        prefix = f"{generation.key}done/"
        return frozenset(entry.key.removeprefix(prefix) for entry in self.ledger.list(prefix))

    def worked_at(self, generation: Generation) -> int:
        """Return when a unit of it stored something last, or when it was begun (Unix ms)."""
        stored = (entry for name in ("done/", "part/") for entry in self.ledger.list(f"{generation.key}{name}"))
        return max([generation.at, *(entry.modified for entry in stored)])

    def put_tried(self, generation: Generation, unit: Unit) -> None:
        """Store that a worker begins a unit, for the first time or again."""
        first = f"{generation.key}tried/{unit.name}"
        key = first if self.ledger.get(first) is None else f"{first}{_REPEATED}"
        self.ledger.put(key, b"tried", content_type=_BINARY)

    def tried(self, generation: Generation, since: int) -> frozenset[str]:
        """Return the names of the units that a worker began again after a moment (Unix ms).

        A first worker that died is not counted: its unit is begun again at once.
        """
        prefix = f"{generation.key}tried/"
        listed = [
            entry for entry in self.ledger.list(prefix) if entry.key.endswith(_REPEATED) and entry.modified > since
        ]
        return frozenset(entry.key.removeprefix(prefix).removesuffix(_REPEATED) for entry in listed)

    def put(self, generation: Generation, unit: Unit, counted: UnitCounted) -> None:
        """Store the outcome of a unit, which is done then."""
        document = {
            "results": counted.results.document(),
            "failed": dict(counted.failed),
            "rows": counted.rows,
            "oldest": counted.oldest,
            "offset": counted.offset,
            "covers": counted.covers,
            "state": encode(counted.state) if counted.state else None,
            "held": counted.held,
        }
        self.ledger.put(_done_key(generation.key, unit), _packed(document, counted.shared), content_type=_BINARY)

    def outcome(self, generation: Generation, unit: Unit) -> UnitCounted:
        """Return the stored outcome of a unit that is done. Raises LedgerObjectError where it cannot be read."""
        key = _done_key(generation.key, unit)
        stored = self._read(key)
        if stored is None:
            raise LedgerObjectError(key, "does not exist, or is not what was written")
        document = dict(stored.document)
        return UnitCounted(
            results=results_of(document.pop("results")),
            state=_state(document.pop("state")),
            shared=stored.rest,
            **document,
        )

    def put_part(self, generation: Generation, unit: Unit, state: StoredState) -> None:
        """Store the state of a unit that goes on with its next message."""
        self.ledger.put(_part_key(generation.key, unit), _packed({"state": encode(state)}), content_type=_BINARY)

    def state(self, generation: Generation, unit: Unit) -> StoredState | None:
        """Return the state that a unit continues: its own part, or that of an earlier generation."""
        keys = [_part_key(generation.key, unit)]
        for before in generation.before:
            keys += [_done_key(before, unit), _part_key(before, unit)]
        for key in keys:
            stored = self._read(key)
            state = _state(stored.document["state"]) if stored else None
            if state is not None and state.offset <= generation.offset:
                return state
        return None

    def forget(self, shop_id: str, *, kept: Generation | None, until: int) -> None:
        """Delete what is older than `until` (Unix ms) of other generations, and states of other divisions.

        The state of a shop in one piece is one of another division where a generation is kept.
        """
        keys = (kept.key, *kept.before) if kept else ()
        units = {unit.name for kind in KINDS for unit in kept.division.units(kind)} if kept else set()
        for entry in self.ledger.list(f"{GENERATIONS}{shop_id}/"):
            is_used = kept is not None and (entry.key.startswith(keys) or entry.key == _newest_key(shop_id))
            if not is_used and entry.modified <= until:
                self.ledger.delete(entry.key)
        for entry in self.ledger.list(f"{STATES}{shop_id}/") if kept else ():
            if entry.modified <= until:
                self.ledger.delete(entry.key)
        states = f"{STATES}{shop_id}."
        for entry in self.ledger.list(states):
            if entry.key.removeprefix(states).partition("/")[0] not in units and entry.modified <= until:
                self.ledger.delete(entry.key)

    def _read(self, key: str) -> "_Stored | None":
        """Return a stored object; None where it does not exist or is not what was written."""
        blob = self.ledger.get(key)
        digest, _, packed = blob.content.partition(b"\n") if blob else (b"", b"", b"")
        if not packed or digest != sha256(packed).hexdigest().encode():
            return None
        length, _, content = packed.partition(b"\n")
        document = canonical_json.loads(zlib.decompress(content[: int(length)]), own=True)
        return _Stored(document, content[int(length) :])


@dataclass(frozen=True, slots=True)
class _Stored:
    document: dict[str, Any]
    rest: bytes


def _state(document: Document | None) -> StoredState | None:
    return decode(StoredState, document) if document else None


def _packed(document: Document, rest: bytes = b"") -> bytes:
    """Return the digest of what follows, the length of the document, the document, and the rest."""
    compressed = zlib.compress(canonical_json.encode(document), 1)
    packed = b"%d\n%b%b" % (len(compressed), compressed, rest)
    return sha256(packed).hexdigest().encode() + b"\n" + packed


def _newest_key(shop_id: str) -> str:
    return f"{GENERATIONS}{shop_id}/newest.json"


def _done_key(generation: str, unit: Unit) -> str:
    return f"{generation}done/{unit.name}"


def _part_key(generation: str, unit: Unit) -> str:
    return f"{generation}part/{unit.name}"
