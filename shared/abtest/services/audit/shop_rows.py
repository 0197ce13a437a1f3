"""Rows of one shop in the raw ledger, without the feed, from which roll-ups are counted: what it lacks is a difference.

Small ledgers are read as a whole. Of larger ones, as many raw objects as `WHOLE_BYTES` have are drawn each night and
read as a whole; of the others the shop's sections are read, by manifests, which the audit of hours compares with their
objects. Beyond `MOST_OBJECTS`, older hours are read from Parquet, which that audit compares with raw objects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import RAW, Section, ShopFiles, events_file, hour_of_key, is_raw, raw_start
from abtest.ports.blobs import BlobEntry, Blobs
from abtest.services.audit.sample import drawn
from abtest.services.ledger_files import LedgerFiles
from abtest.services.ledger_manifests import Manifests

WHOLE_BYTES = 256_000_000
MOST_OBJECTS = 100_000
MANIFESTS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class Pieces:
    """The shop's rows: Parquet files of older hours, then raw objects or sections in the order of storing."""

    parquet: tuple[str, ...]
    raw: Sequence[str | Section]

    def files(self, end: int, *, start: int = 0) -> ShopFiles:
        """Return the raw objects from `start` to `end`, which is not included; Parquet files come before the first."""
        some = self.raw[start:end]
        return ShopFiles(
            parquet=() if start else self.parquet,
            raw=tuple(one for one in some if isinstance(one, str)),
            sections=tuple(one for one in some if isinstance(one, Section)),
        )


class ShopRows:
    """Raw objects since a moment (Unix ms), listed once for several plans of a shop; for one thread."""

    def __init__(
        self,
        ledger: Blobs,
        shop_id: str,
        *,
        since: int,
        seed: str,
        whole_bytes: int = WHOLE_BYTES,
        most_objects: int = MOST_OBJECTS,
    ) -> None:
        self._ledger = ledger
        self._shop_id = shop_id
        self._most = most_objects
        listed = ledger.list(RAW, after=raw_start(since))
        # The order in which a run's listing could see them; the key breaks ties, so that each audit tries the same
        # cuts.
        self._entries = sorted(
            (entry for entry in listed if is_raw(entry.key)), key=lambda entry: (entry.modified, entry.key)
        )
        self._read = _drawn(self._entries, f"{seed} {shop_id}", whole_bytes)

    def pieces(self, *, since: int, until: int, check: Callable[[], None] = lambda: None) -> Pieces:
        """Return the rows received from `since` on that were stored up to `until` (both Unix ms).

        `check` is called between readings of manifests. Raises BlobsUnavailableError, and what `check` does.
        """
        first = raw_start(since)
        entries = [entry for entry in self._entries if entry.key > first and entry.modified <= until]
        settled = _settled(entries, until - DAY_MS, self._most)
        parquet: tuple[str, ...] = ()
        if settled:
            files = LedgerFiles(self._ledger).of_shop(self._shop_id, since)
            uncovered = set(files.raw)
            parquet = tuple(key for key in files.parquet if events_file(key).hour in settled)
            entries = [e for e in entries if e.key in uncovered or hour_of_key(e.key) not in settled]
        keys = [entry.key for entry in entries]
        self._look_up([key for key in keys if key not in self._read], check)
        return Pieces(parquet, [one for key in keys if (one := self._read[key]) is not None])

    def _look_up(self, keys: Sequence[str], check: Callable[[], None]) -> None:
        # In portions, because manifests have the sections of all shops.
        for start in range(0, len(keys), MANIFESTS_AT_ONCE):
            check()
            some = keys[start : start + MANIFESTS_AT_ONCE]
            manifests = Manifests(self._ledger).read(some)
            for key in some:
                self._read[key] = manifests[key].sections.get(self._shop_id) if key in manifests else key


def _drawn(entries: Sequence[BlobEntry], seed: str, whole_bytes: int) -> dict[str, str | Section | None]:
    """Return what is read of each object that is read as a whole."""
    order = sorted(entries, key=lambda entry: drawn(seed, entry.key))
    sizes = accumulate(entry.size for entry in order)
    fitting = takewhile(lambda one: one[1] <= whole_bytes, zip(order, sizes, strict=True))
    return {entry.key: entry.key for entry, _ in fitting}


def _settled(entries: Sequence[BlobEntry], before: int, most: int) -> frozenset[int]:
    """Return the hours that are read from Parquet: older than the newest `most` objects, and stored before a moment.

    Whatever was stored later may have been stored behind a roll-up, so its hour is read from raw objects.
    """
    if len(entries) <= most:
        return frozenset()
    hours = [hour_of_key(entry.key) for entry in entries]
    newest = sorted(hours)[-most]
    late = {hour for entry, hour in zip(entries, hours, strict=True) if entry.modified > before}
    return frozenset(hour for hour in hours if hour < newest) - late
