"""The cache inside the process: what it asks the store for, and what it serves when the store fails."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.edge import cached_reads as module
from abtest.edge.cached_reads import KEPT
from abtest.edge.publications import Publications
from abtest.kit.errors import NotFoundError
from abtest.ports import waits
from abtest.ports.blobs import Blob, BlobsUnavailableError
from tests.support.memory import MemoryBlobs
from tests.support.storefronts import SHOP_ID, Storefront, experiment
from tests.support.waits import never_in_a_hurry


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    never_in_a_hurry(monkeypatch)


@pytest.fixture
def storefront() -> Storefront:
    made = Storefront()
    made.publication.publish(SHOP_ID)
    return made


@pytest.fixture
def publications(storefront: Storefront) -> Publications:
    return Publications(storefront.blobs, storefront.clock)


def read(publications: Publications, *, fresh: bool = False) -> tuple[bool, str]:
    """Whether the experiment is in what is served, and the cache's state."""
    body, state = publications.read("config", SHOP_ID, "production", "identity", fresh=fresh)
    return b"Experiment 1" in b64decode(body.base64), state


def publish_experiment(storefront: Storefront) -> None:
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)


def after_a_second(storefront: Storefront) -> None:
    storefront.clock.advance(seconds=KEPT.total_seconds())


def test_read__first__misses_and_then_hits(publications: Publications) -> None:
    assert [read(publications)[1] for _ in range(3)] == ["miss", "hit", "hit"]


def test_read__after_a_publication__serves_it_within_a_second(
    storefront: Storefront, publications: Publications
) -> None:
    read(publications)
    publish_experiment(storefront)
    assert read(publications) == (False, "hit")
    after_a_second(storefront)
    assert read(publications) == (True, "miss")


def test_read__fresh__serves_a_publication_at_once(storefront: Storefront, publications: Publications) -> None:
    read(publications)
    publish_experiment(storefront)
    assert read(publications, fresh=True) == (True, "bypass")
    assert read(publications) == (True, "hit")


def test_read__of_what_was_never_published__is_not_found(publications: Publications) -> None:
    with pytest.raises(NotFoundError):
        publications.read("snippet", "0192a3b4-0000-7000-8000-00000000000b", "production", "br")
    with pytest.raises(NotFoundError):
        publications.read("snippet", SHOP_ID, "staging", "br")


def test_read__while_the_store_fails__serves_what_was_served_last(
    storefront: Storefront, publications: Publications
) -> None:
    read(publications)
    after_a_second(storefront)
    storefront.blobs.available = False
    assert [read(publications)[1], read(publications, fresh=True)[1], read(publications)[1]] == ["stale"] * 3
    storefront.blobs.available = True
    publish_experiment(storefront)
    after_a_second(storefront)
    assert read(publications) == (True, "miss")


def test_read__while_the_store_fails_from_the_start__says_so(
    storefront: Storefront, publications: Publications
) -> None:
    storefront.blobs.available = False
    with pytest.raises(BlobsUnavailableError):
        read(publications)


def test_read__when_only_the_new_object_cannot_be_read__serves_the_old_one(
    storefront: Storefront, publications: Publications
) -> None:
    read(publications)
    publish_experiment(storefront)
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    storefront.blobs.delete(object_key(read_pointer(pointer.content).config.sha256))
    after_a_second(storefront)
    assert read(publications) == (False, "stale")


def test_read__of_more_than_memory_may_hold__forgets_the_oldest(
    storefront: Storefront, publications: Publications, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CACHE_BYTES", 1)
    read(publications)
    publications.read("snippet", SHOP_ID, "production", "br")
    assert publications.read("snippet", SHOP_ID, "production", "br")[1] == "hit"
    assert read(publications)[1] == "miss"


class HangingBlobs(MemoryBlobs):
    """A bucket whose reads hang until a test lets them go on."""

    def __init__(self, blobs: MemoryBlobs) -> None:
        super().__init__()
        self.objects = blobs.objects
        self.goes_on = Event()
        self.goes_on.set()
        self.reads = 0

    def get(self, key: str) -> Blob | None:
        self.reads += 1
        assert self.goes_on.wait(60)
        return super().get(key)


@pytest.fixture
def hanging(storefront: Storefront, monkeypatch: pytest.MonkeyPatch) -> Iterator[HangingBlobs]:
    monkeypatch.setattr(waits, "EDGE", replace(waits.EDGE, copy=0.01, publication=0.01))
    blobs = HangingBlobs(storefront.blobs)
    yield blobs
    blobs.goes_on.set()


def hung_after_one_read(storefront: Storefront, hanging: HangingBlobs, monkeypatch: pytest.MonkeyPatch) -> Publications:
    """A cache with a copy, whose store hangs since then; it had all the time that it needed."""
    publications = Publications(hanging, storefront.clock)
    with monkeypatch.context() as patient:
        patient.setattr(waits, "EDGE", replace(waits.EDGE, copy=60, publication=60))
        read(publications)
    after_a_second(storefront)
    hanging.goes_on.clear()
    return publications


def test_read__while_the_store_hangs__serves_the_copy_and_asks_once_a_second(
    storefront: Storefront, hanging: HangingBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    publications = hung_after_one_read(storefront, hanging, monkeypatch)
    before = hanging.reads
    assert [read(publications) for _ in range(5)] == [(False, "stale")] * 5
    assert hanging.reads == before + 1


def test_read__that_ends_late__replaces_the_copy(
    storefront: Storefront, hanging: HangingBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    publications = hung_after_one_read(storefront, hanging, monkeypatch)
    publish_experiment(storefront)
    assert read(publications) == (False, "stale")
    hanging.goes_on.set()
    until = monotonic() + 60
    while read(publications) != (True, "hit"):
        assert monotonic() < until


def test_read__that_ends_after_a_younger_one__replaces_nothing(
    storefront: Storefront, hanging: HangingBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    publications = hung_after_one_read(storefront, hanging, monkeypatch)
    key: Any = (SHOP_ID, "production", "config", "identity")
    began = storefront.clock.now()
    old, _ = publications.read("config", SHOP_ID, "production", "identity")
    hanging.goes_on.set()
    publish_experiment(storefront)
    after_a_second(storefront)
    monkeypatch.setattr(waits, "EDGE", replace(waits.EDGE, copy=60, publication=60))
    assert read(publications) == (True, "miss")
    publications.cache.keep(key, old, began)
    assert read(publications) == (True, "hit")


def test_read__without_a_copy_while_the_store_hangs__is_unavailable(
    storefront: Storefront, hanging: HangingBlobs
) -> None:
    hanging.goes_on.clear()
    with pytest.raises(BlobsUnavailableError):
        read(Publications(hanging, storefront.clock))
