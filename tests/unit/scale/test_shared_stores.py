"""The stores that processes of the simulation share keep the promises of their ports."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from abtest.ports.blobs import PreconditionFailedError
from abtest.ports.rollup_store import ShopProgress
from benchmarks.scale.folder_blobs import FolderBlobs
from benchmarks.scale.stores import Shared, SharedLeases, SharedRollups

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def bucket(folder: Path) -> FolderBlobs:
    return FolderBlobs(folder, lambda: 1_790_000_000_123)


def put(blobs: FolderBlobs, key: str, content: bytes = b"x", **condition: Any) -> str:
    return blobs.put(key, content, content_type="text/plain", **condition)


def test_blobs__of_another_process__are_the_same(tmp_path: Path) -> None:
    etag = put(bucket(tmp_path), "feed/1", b"first")
    blob = bucket(tmp_path).get("feed/1")
    assert blob is not None
    assert (blob.content, blob.etag) == (b"first", etag)
    assert bucket(tmp_path).get("feed/2") is None
    assert bucket(tmp_path).part("feed/1", 1, 3) == b"irs"
    assert bucket(tmp_path).part("feed/1", 9, 3) == b""


def test_put__if_absent__is_refused_where_there_is_one(tmp_path: Path) -> None:
    put(bucket(tmp_path), "feed/1", b"first", if_absent=True)
    with pytest.raises(PreconditionFailedError):
        put(bucket(tmp_path), "feed/1", b"second", if_absent=True)
    blob = bucket(tmp_path).get("feed/1")
    assert blob is not None
    assert blob.content == b"first"


def test_put__if_match__needs_the_present_object(tmp_path: Path) -> None:
    blobs = bucket(tmp_path)
    etag = put(blobs, "listing/newest", b"first")
    put(blobs, "listing/newest", b"second", if_match=etag)
    with pytest.raises(PreconditionFailedError):
        put(blobs, "listing/newest", b"third", if_match=etag)


def test_list__keys_with_slashes__in_order_behind_a_key(tmp_path: Path) -> None:
    blobs = bucket(tmp_path)
    for key in ("raw/dt=2026-01-01/hh=01/b", "raw/dt=2026-01-01/hh=01/a", "raw/dt=2026-01-02/hh=00/a", "raws/x"):
        put(blobs, key)
    keys = [entry.key for entry in blobs.list("raw/", after="raw/dt=2026-01-01/hh=01/a")]
    assert keys == ["raw/dt=2026-01-01/hh=01/b", "raw/dt=2026-01-02/hh=00/a"]
    assert {entry.modified for entry in blobs.list("raw/")} == {1_790_000_000_123}
    blobs.delete("raw/dt=2026-01-02/hh=00/a")
    assert [entry.key for entry in blobs.list("raw/dt=2026-01-02")] == []


def totals(generation: int) -> dict[str, Any]:
    return {"experiment_id": "e", "measurement_epoch": 1, "generation": generation}


def day(generation: int) -> dict[str, Any]:
    return totals(generation) | {"date": "2026-09-01"}


def test_rollups__older_generation__is_refused_whole(tmp_path: Path) -> None:
    spent: Counter[str] = Counter()
    store = SharedRollups(Shared(tmp_path / "shared"), spent)
    assert store.put(totals(2), {"2026-09-01": day(2)}, {})
    assert not SharedRollups(Shared(tmp_path / "shared"), Counter()).put(totals(2), {"2026-09-01": day(2)}, {})
    assert store.totals("e", 1) == totals(2)
    assert store.days("e", 1, "2026-01-01", "2026-12-31") == [day(2)]
    assert store.summary("e", 1).next_generation == 3


def test_rollups__items_of_a_transaction__cost_twice_as_much_as_one_alone(tmp_path: Path) -> None:
    spent: Counter[str] = Counter()
    store = SharedRollups(Shared(tmp_path / "shared"), spent)
    store.put(totals(1), {}, {})
    assert spent["write_units"] == 1
    store.put(totals(2), {"2026-09-01": day(2)}, {})
    assert spent["write_units"] == 1 + 1, "a small day is in the item of the totals"
    large = {"2026-09-01": day(3) | {"text": Random(1).randbytes(20_000).hex()}}
    store.put(totals(3), large, {})
    assert spent["write_units"] == 1 + 1 + 2 * (1 + spent["units days"] / 2)
    assert spent["units days"] > 40


def test_progress__of_a_lower_offset__is_refused(tmp_path: Path) -> None:
    store = SharedRollups(Shared(tmp_path / "shared"), Counter())
    progress = ShopProgress(shop_id="s", offset=5, until="u", counted_at="b")
    assert store.put_shop_progress(progress)
    assert not store.put_shop_progress(ShopProgress(shop_id="s", offset=4, until="u", counted_at="c"))
    assert not store.put_shop_progress(ShopProgress(shop_id="s", offset=5, until="u", counted_at="a"))
    assert store.shop_progress("s") == progress
    assert list(store.progress_of_shops()) == [progress]


def test_lease__of_another_owner__is_free_when_it_has_ended(tmp_path: Path) -> None:
    ours, theirs = (SharedLeases(Shared(tmp_path / "shared")) for _ in range(2))
    assert ours.acquire("n", owner="a", seconds=60, now=NOW)
    assert not theirs.acquire("n", owner="b", seconds=60, now=NOW + timedelta(seconds=59))
    assert theirs.acquire("n", owner="b", seconds=60, now=NOW + timedelta(seconds=60))
    assert not ours.renew("n", owner="a", seconds=60, now=NOW + timedelta(seconds=60))
    ours.release("n", owner="a")
    assert theirs.is_held("n", now=NOW + timedelta(seconds=60))
