"""States of shops in the ledger's bucket: the rows of a shop's copy and what it has counted, at an offset of the feed.

A state is one object, `state/<shop>/<offset>-<SHA-256>`: a line of JSON, then the results, then the copy's file where
that is small. A larger file is cut into parts, which are objects named by their content: the next state has many of
them again, because rows are only appended. Whatever is not exactly as it was written is in doubt, and is not used.
"""

import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from abtest.adapters.warehouse.releases import counting_release, rows_release
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.shop_results import Results, results_of
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import BlobEntry, Blobs
from abtest.ports.rollup_store import StoredState

STATES = "state/"
FORMAT = 1
AT_ONCE = 16
LEVEL = 1
"""Level of compression: higher ones take three times as long and save a tenth."""

KEPT_MS = HOUR_MS
"""Objects that are younger are not deleted: another process may be writing the state that they belong to."""

_KEY = re.compile(rf"{STATES}(?P<shop>[^/]+)/(?P<offset>\d{{1,15}})-(?P<digest>[0-9a-f]{{64}})")
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, IndexError, zlib.error)


class StateInDoubtError(Exception):
    """The stored state is not the one that was written, or another release wrote it; the message gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopState:
    """A state. `since`: the copy has the rows received from this moment on; `held` is their number.

    `changed`: when days were changed that may not be stored yet, by date (`YYYY-MM-DD`). Moments are Unix ms. `covers`:
    all rows are in the feed up to this offset, which may be behind `offset`.
    """

    shop_id: str
    offset: int
    since: int
    held: int
    results: Results
    changed: Mapping[str, int] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    covers: int = 0


@dataclass(frozen=True, slots=True)
class ShopStates:
    """The states in a bucket. Every call may raise BlobsUnavailableError."""

    ledger: Blobs
    clock: Clock
    part_bytes: int

    def read(self, stored: StoredState, shop_id: str, file: Path, *, since: int) -> ShopState:
        """Read a state, and write the rows of its copy to the file. Raises StateInDoubtError.

        It must have the rows received from `since` (Unix ms) on.
        """
        header, body = self._opened(stored.key)
        try:
            _check(header, stored, shop_id, since)
            results, is_current = Results(), header["counting"] == counting_release()
            if is_current:
                results = results_of(canonical_json.loads(zlib.decompress(body[: header["results"]]), own=True))
            # Counts of another release are left out: its rows are the same, and are counted again.
            state = ShopState(
                shop_id=shop_id,
                offset=header["offset"],
                since=header["since"],
                held=header["held"],
                results=results,
                changed=header["changed"],
                covers=header.get("covers", 0),
                parts=tuple(header["parts"]),
            )
            inline = None if state.parts else zlib.decompress(body[header["results"] :])
        except _UNREADABLE as error:
            raise StateInDoubtError(f"cannot be read: {type(error).__name__} {error}") from error
        with file.open("wb") as target:
            if inline is not None:
                target.write(inline)
            for slice_ in self._slices(shop_id, state.parts):
                target.write(slice_)
        return state

    def write(self, state: ShopState, file: Path, *, known: Collection[str]) -> tuple[StoredState, tuple[str, ...]]:
        """Store the state with its copy's file, and return also its parts. Parts in `known` exist already."""
        size = file.stat().st_size
        parts = self._put_parts(state.shop_id, file, size, set(known)) if size > self.part_bytes else ()
        results = zlib.compress(canonical_json.encode(state.results.document()), LEVEL)
        header = {
            "format": FORMAT,
            "rows": rows_release(),
            "counting": counting_release(),
            "shop_id": state.shop_id,
            "offset": state.offset,
            "since": state.since,
            "held": state.held,
            "changed": state.changed,
            "covers": state.covers,
            "parts": parts,
            "results": len(results),
        }
        inline = b"" if parts else zlib.compress(file.read_bytes(), LEVEL)
        content = canonical_json.encode(header) + b"\n" + results + inline
        key = f"{STATES}{state.shop_id}/{state.offset}-{sha256(content).hexdigest()}"
        self.ledger.put(key, content, content_type="application/octet-stream")
        return StoredState(key=key, offset=state.offset), parts

    def forget(self, written: StoredState, *, named: StoredState | None) -> None:
        """Delete the shop's states that are older than `named`, which readers know, and parts that no other state has.

        A reader that still has an older one rebuilds its copy.
        """
        match = _KEY.fullmatch(written.key)
        if match is None:
            return
        prefix = f"{STATES}{match['shop']}/"
        until = to_milliseconds(self.clock.now()) - KEPT_MS
        first = min(written.offset, named.offset) if named else written.offset
        listed = list(self.ledger.list(prefix))
        used: set[str] = set()
        for entry in listed:
            offset = _offset_of(entry)
            if offset is not None and offset >= first:
                used |= {entry.key, *(_part_key(match["shop"], digest) for digest in self._parts_of(entry.key))}
        for entry in listed:
            if entry.key not in used and entry.modified <= until:
                self.ledger.delete(entry.key)

    def _opened(self, key: str) -> tuple[dict[str, Any], bytes]:
        match = _KEY.fullmatch(key)
        if match is None:
            raise StateInDoubtError("its key is not one of a state")
        blob = self.ledger.get(key)
        if blob is None:
            raise StateInDoubtError("does not exist")
        if sha256(blob.content).hexdigest() != match["digest"]:
            raise StateInDoubtError("its content is not the one that was written")
        line, _, body = blob.content.partition(b"\n")
        try:
            header = canonical_json.loads(line, own=True)
        except canonical_json.InvalidJsonError as error:
            raise StateInDoubtError(f"cannot be read: {error}") from error
        if not isinstance(header, dict):
            raise StateInDoubtError("cannot be read: it does not begin with an object")
        return header, body

    def _parts_of(self, key: str) -> Sequence[str]:
        try:
            parts = self._opened(key)[0].get("parts", ())
        except StateInDoubtError:  # no reader can use it
            return ()
        return tuple(parts)

    def _slices(self, shop_id: str, parts: Sequence[str]) -> Iterator[bytes]:
        """Yield the slices of the file in order, a few of them in memory at a time."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for start in range(0, len(parts), AT_ONCE):
                yield from pool.map(lambda digest: self._slice(shop_id, digest), parts[start : start + AT_ONCE])

    def _slice(self, shop_id: str, digest: str) -> bytes:
        blob = self.ledger.get(_part_key(shop_id, digest))
        if blob is None:
            raise StateInDoubtError(f"its part {digest} does not exist")
        try:
            content = zlib.decompress(blob.content)
        except zlib.error as error:
            raise StateInDoubtError(f"its part {digest} cannot be read: {error}") from error
        if sha256(content).hexdigest() != digest:
            raise StateInDoubtError(f"its part {digest} is not the one that was written")
        return content

    def _put_parts(self, shop_id: str, file: Path, size: int, known: set[str]) -> tuple[str, ...]:
        def put(start: int) -> str:
            with file.open("rb") as source:
                source.seek(start)
                content = source.read(self.part_bytes)
            digest = sha256(content).hexdigest()
            if digest not in known:
                compressed = zlib.compress(content, LEVEL)
                self.ledger.put(_part_key(shop_id, digest), compressed, content_type="application/octet-stream")
            return digest

        with ThreadPoolExecutor(AT_ONCE) as pool:
            return tuple(pool.map(put, range(0, size, self.part_bytes)))


def _check(header: Mapping[str, Any], stored: StoredState, shop_id: str, since: int) -> None:
    if header["format"] != FORMAT or header["rows"] != rows_release():
        raise StateInDoubtError("another release wrote it")
    if header["shop_id"] != shop_id:
        raise StateInDoubtError("it is another shop's")
    if header["offset"] != stored.offset:
        raise StateInDoubtError(f"its offset is {header['offset']} instead of {stored.offset}")
    if header["since"] > since:
        raise StateInDoubtError("its rows do not reach back far enough")


def _offset_of(entry: BlobEntry) -> int | None:
    match = _KEY.fullmatch(entry.key)
    return int(match["offset"]) if match else None


def _part_key(shop_id: str, digest: str) -> str:
    return f"{STATES}{shop_id}/parts/{digest}"
