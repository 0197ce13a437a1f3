"""After a flip the CDN drops what it keeps: once for each state, and never is one lost."""

import pytest

from abtest.ports.blobs import BlobsUnavailableError
from abtest.services.publication import PublicationOutcome
from tests.support.delivered import keep, personalization
from tests.support.storefronts import SHOP_ID, Storefront, experiment


@pytest.fixture
def storefront() -> Storefront:
    made = Storefront()
    publish(made)
    return made


def publish(storefront: Storefront) -> PublicationOutcome:
    storefront.clock.advance(seconds=1)
    return storefront.publication.publish(SHOP_ID)


def promised(storefront: Storefront) -> int:
    return len(storefront.catalog.outbox("publish", created_before="9999", limit=9))


def test_invalidation__after_the_first_flip__names_the_snippet(storefront: Storefront) -> None:
    (paths,) = storefront.cdn.orders.values()
    assert paths == [f"/s/{SHOP_ID}.js", f"/s/{SHOP_ID}.js?env=production"]


def test_invalidation__of_a_shop_with_environments__names_them_all(storefront: Storefront) -> None:
    keep(storefront.catalog, personalization(environment_key="staging"))
    publish(storefront)
    assert list(storefront.cdn.orders.values())[-1][1:] == [
        f"/s/{SHOP_ID}.js?env=production",
        f"/s/{SHOP_ID}.js?env=staging",
    ]


def test_invalidation__when_nothing_changed__is_not_ordered_again(storefront: Storefront) -> None:
    publish(storefront)
    assert len(storefront.cdn.orders) == 1


def test_invalidation__of_content_that_was_there_before__is_another_one(storefront: Storefront) -> None:
    storefront.keep(experiment())
    publish(storefront)
    storefront.keep(experiment(status="paused"))
    publish(storefront)
    assert len(storefront.cdn.orders) == 3


def test_invalidation__that_is_refused__fails_nothing_and_is_repeated(storefront: Storefront) -> None:
    storefront.cdn.available = False
    storefront.keep(experiment())
    assert publish(storefront).ok
    assert (len(storefront.cdn.orders), promised(storefront)) == (1, 1)
    storefront.cdn.available = True
    assert publish(storefront).ok
    assert len(storefront.cdn.orders) == 2


def test_invalidation__whose_repetition_cannot_be_promised__leaves_the_callers_promise(
    storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    storefront.cdn.available = False
    storefront.keep(experiment())
    publication = storefront.publication
    monkeypatch.setattr(storefront.catalog, "commit", lambda _: 1 / 0)
    assert not publication.publish(SHOP_ID).ok


def test_invalidation__by_a_process_that_dies_after_the_flip__is_ordered_by_the_next(
    storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    storefront.keep(experiment())
    with monkeypatch.context() as patched:
        patched.setattr(storefront.cdn, "invalidate", lambda *_, **__: 1 / 0)
        assert not publish(storefront).ok
    publish(storefront)
    assert len(storefront.cdn.orders) == 2


def test_memory__that_cannot_be_written__costs_an_order_under_the_same_reference(
    storefront: Storefront, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = storefront.blobs.put

    def refusing(key: str, *content: bytes, **options: str) -> str:
        if key.startswith("code/"):
            raise BlobsUnavailableError
        return put(key, *content, **options)  # type: ignore[arg-type]

    storefront.keep(experiment())
    with monkeypatch.context() as patched:
        patched.setattr(storefront.blobs, "put", refusing)
        assert publish(storefront).ok
    assert publish(storefront).ok
    assert len(storefront.cdn.orders) == 2
