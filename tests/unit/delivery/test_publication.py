"""Publication: what is written, in which order, who wins, and what a crash leaves behind."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import brotli
import pytest

from abtest.domain.credentials.signing import is_browser_signature
from abtest.domain.delivery import manifest
from abtest.domain.delivery.manifest import Pointer, object_key, pointer_key, read_pointer
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.blobs import Blob
from tests.support.memory import MemoryBlobs
from tests.support.storefronts import BUNDLE, ROOTS, SHOP_ID, Storefront, experiment, variation


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def pointer_of(storefront: Storefront) -> Pointer | None:
    blob = storefront.blobs.get(pointer_key(SHOP_ID))
    return None if blob is None else read_pointer(blob.content)


def pointer(storefront: Storefront) -> Pointer:
    found = pointer_of(storefront)
    assert found is not None
    return found


def content(storefront: Storefront, key: str) -> bytes:
    blob = storefront.blobs.get(key)
    assert blob is not None
    return blob.content


def config(storefront: Storefront) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(content(storefront, object_key(pointer(storefront).config.sha256)))
    return found


def snippet(storefront: Storefront) -> str:
    return content(storefront, object_key(pointer(storefront).snippet.sha256)).decode()


def names(storefront: Storefront) -> list[str]:
    return [each["name"] for each in config(storefront)["experiments"]]


def test_publish__of_a_shop_without_experiments__serves_a_small_valid_config(storefront: Storefront) -> None:
    assert storefront.publication.publish(SHOP_ID).ok
    found = config(storefront)
    assert (found["shop_id"], found["experiments"]) == (SHOP_ID, [])
    assert found["runtime"]["currency"] == "EUR"
    assert is_browser_signature(ROOTS, SHOP_ID, found["runtime"]["events_signature"])
    assert snippet(storefront).startswith(f"{BUNDLE}({{")


def test_publish__of_running_experiments__serves_them_and_no_others(storefront: Storefront) -> None:
    storefront.keep(experiment(1))
    storefront.keep(experiment(2, status="paused"))
    storefront.keep(experiment(3))
    storefront.publication.publish(SHOP_ID)
    assert names(storefront) == ["Experiment 1", "Experiment 3"]


def test_publish__of_more_experiments_than_a_page__serves_all(storefront: Storefront) -> None:
    for number in range(120):
        storefront.keep(experiment(id=f"0192a3b4-0000-7000-8000-000000001{number:03d}"))
    storefront.publication.publish(SHOP_ID)
    assert len(names(storefront)) == 120


def test_publish__leaves_other_shops_alone(storefront: Storefront) -> None:
    other = "0192a3b4-0000-7000-8000-00000000000b"
    storefront.keep(experiment(1, shop_id=other))
    storefront.publication.publish(SHOP_ID)
    assert names(storefront) == []
    assert storefront.blobs.get(pointer_key(other)) is None


def test_publish__writes_every_variant_of_both_objects(storefront: Storefront) -> None:
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)
    for published in (pointer(storefront).config, pointer(storefront).snippet):
        plain = content(storefront, object_key(published.sha256))
        assert len(plain) == published.bytes
        assert manifest.published(plain) == published
        assert brotli.decompress(content(storefront, object_key(published.sha256, "br"))) == plain
        assert gzip.decompress(content(storefront, object_key(published.sha256, "gzip"))) == plain


def test_publish__of_an_unknown_shop__fails_for_good(storefront: Storefront) -> None:
    outcome = storefront.publication.publish("0192a3b4-0000-7000-8000-0000000000ee")
    assert (outcome.ok, outcome.retriable) == (False, False)


def test_publish__repeated_without_a_change__keeps_the_objects_and_raises_the_revision(storefront: Storefront) -> None:
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)
    before, objects = pointer(storefront), set(storefront.blobs.objects)
    storefront.clock.advance(hours=1)
    storefront.publication.publish(SHOP_ID)
    after = pointer(storefront)
    assert (after.config, after.snippet, after.published_at) == (before.config, before.snippet, before.published_at)
    assert after.revision > before.revision
    assert set(storefront.blobs.objects) == objects


def test_publish__after_a_change__serves_it_under_a_higher_revision(storefront: Storefront) -> None:
    storefront.publication.publish(SHOP_ID)
    before = config(storefront)["delivery"]["revision"]
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)
    assert names(storefront) == ["Experiment 1"]
    assert config(storefront)["delivery"]["revision"] > before


def test_publish__after_an_experiment_stopped__serves_it_no_more(storefront: Storefront) -> None:
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)
    storefront.keep(experiment(status="paused"))
    storefront.publication.publish(SHOP_ID)
    assert names(storefront) == []


def test_publish__with_a_new_sdk__renders_the_snippet_anew(storefront: Storefront) -> None:
    storefront.publication.publish(SHOP_ID)
    storefront.bundle = "(function(){})"
    storefront.publication.publish(SHOP_ID)
    assert snippet(storefront).startswith("(function(){})({")


def test_publish__with_a_broken_script__leaves_it_out_and_says_so(storefront: Storefront) -> None:
    broken = variation(1, custom_js="a = ;", custom_css="h1{}")
    storefront.keep(experiment(variations=(variation(0), broken)))
    outcome = storefront.publication.publish(SHOP_ID)
    assert outcome.ok
    assert outcome.reasons == [
        "'Experiment 1' / 'V1': JS is left out: line 1, column 5: unexpected token in expression: ';'"
    ]
    delivered = config(storefront)["experiments"][0]["variations"][1]
    assert "js" not in delivered
    assert delivered["css"] == "h1{}"


def test_publish__of_more_than_a_storefront_may_load__fails_for_good_and_names_the_size(storefront: Storefront) -> None:
    storefront.publication.publish(SHOP_ID)
    for number in range(12):
        storefront.keep(experiment(number, experiment_css="x" * 200_000))
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, False)
    assert outcome.reasons[0].startswith("code_budget_exceeded: the config of the shop has 24")
    assert names(storefront) == []


class Interrupting(MemoryBlobs):
    """A bucket that does something once, before a chosen call to `put`."""

    def __init__(self, before_put: int, action: Callable[[], None]) -> None:
        super().__init__()
        self._countdown = before_put
        self._action = action

    def put(self, key: str, content: bytes, **options: Any) -> str:
        self._countdown -= 1
        if self._countdown == 0:
            self._action()
        return super().put(key, content, **options)


class CrashError(Exception):
    """The process dies here."""


WRITES = 7
MEMORY = 1
"""What a publication writes last, for the next one."""


@pytest.mark.parametrize("write", range(1, WRITES + 1))
def test_publish__dying_before_any_write__leaves_the_old_publication_whole(write: int) -> None:
    def crash() -> None:
        raise CrashError

    blobs = Interrupting(WRITES + MEMORY + write, crash)
    storefront = Storefront(blobs=blobs)
    storefront.publication.publish(SHOP_ID)
    storefront.keep(experiment())
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, True)
    assert names(storefront) == []
    for published in (pointer(storefront).config, pointer(storefront).snippet):
        assert all(blobs.get(object_key(published.sha256, encoding)) for encoding in ("br", "gzip", "identity"))
    assert storefront.publication.publish(SHOP_ID).ok
    assert names(storefront) == ["Experiment 1"]


@pytest.mark.parametrize("write", range(1, WRITES + 1))
def test_publish__overtaken_by_a_newer_publication__leaves_the_newer_one(write: int) -> None:
    def newer() -> None:
        shop.keep(experiment(name="newer"))
        assert shop.publication.publish(SHOP_ID).ok

    blobs = Interrupting(write, newer)
    shop = Storefront(blobs=blobs)
    shop.keep(experiment(name="older"))
    assert shop.publication.publish(SHOP_ID).ok
    assert names(shop) == ["newer"]


def test_publish__overtaken_by_one_that_changed_nothing__does_not_bring_the_old_state_back() -> None:
    storefront = Storefront()
    storefront.publication.publish(SHOP_ID)

    def unchanged_again() -> None:
        storefront.keep(experiment(status="paused"))
        assert storefront.publication.publish(SHOP_ID).ok

    storefront.blobs = Interrupting(WRITES + MEMORY + 1, unchanged_again)
    storefront.publication.publish(SHOP_ID)
    storefront.keep(experiment())
    storefront.publication.publish(SHOP_ID)
    assert names(storefront) == []


def test_publish__losing_to_an_older_publication__looks_again_and_wins() -> None:
    storefront = Storefront()
    older = storefront.publication.world.catalog.next_revision(SHOP_ID)

    def flip_older() -> None:
        stale = Pointer(
            revision=older,
            content="stale",
            config=manifest.Published("0" * 64, 1),
            snippet=manifest.Published("1" * 64, 1),
            published_at="2026-01-01T00:00:00.000Z",
        )
        MemoryBlobs.put(
            storefront.blobs, pointer_key(SHOP_ID), manifest.write_pointer(stale), content_type="application/json"
        )

    storefront.blobs = Interrupting(WRITES, flip_older)
    storefront.keep(experiment())
    assert storefront.publication.publish(SHOP_ID).ok
    assert names(storefront) == ["Experiment 1"]


def test_publish__while_the_bucket_is_silent__fails_with_the_reason(storefront: Storefront) -> None:
    storefront.blobs.available = False
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, True)
    assert outcome.reasons[0].startswith("service_unavailable: ")


def test_publish__while_the_database_is_busy__fails_with_the_reason(
    storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_shop_id: str) -> int:
        raise DatabaseBusyError

    monkeypatch.setattr(storefront.catalog, "next_revision", busy)
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, True)
    assert outcome.reasons[0].startswith("database_busy: ")


def test_publish__while_others_flip_without_end__gives_up_and_can_be_repeated() -> None:
    class Contended(MemoryBlobs):
        def get(self, key: str) -> Blob | None:
            blob = super().get(key)
            if blob is not None and key == pointer_key(SHOP_ID):
                flipped = json.loads(blob.content) | {"published_at": f"{len(flips)}"}
                flips.append(super().put(key, json.dumps(flipped).encode(), content_type="application/json"))
            return blob

    flips: list[str] = []
    storefront = Storefront()
    storefront.publication.publish(SHOP_ID)
    contended = Contended()
    contended.objects = storefront.blobs.objects
    storefront.blobs = contended
    outcome = storefront.publication.publish(SHOP_ID)
    assert (outcome.ok, outcome.retriable) == (False, True)
