"""A new release has every shop published once more, in steps that can be repeated."""

import json
from collections.abc import Sequence

import pytest

from abtest.domain.delivery.manifest import pointer_key
from abtest.ports.queue import QueueUnavailableError
from abtest.services import rollout
from abtest.services.publish_requests import publish_message
from abtest.services.rollout import MARK, SHOPS_A_RUN, Rollout
from abtest.services.sweep import publish_from_message
from tests.support.memory import MemoryBlobs, MemoryQueue
from tests.support.storefronts import SHOP_ID, Storefront


class Told(MemoryQueue):
    """Keeps what was sent; refuses the message of a shop."""

    def __init__(self, refused: str = "") -> None:
        super().__init__()
        self.shops: list[str] = []
        self.refused = refused

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        if json.loads(body)["shop_id"] == self.refused:
            raise QueueUnavailableError("busy")
        self.shops.append(json.loads(body)["shop_id"])


def shop(number: int) -> str:
    return f"shop-{number:04d}"


def bucket(count: int) -> MemoryBlobs:
    blobs = MemoryBlobs()
    for number in range(count):
        for environment in ("production", "staging"):
            blobs.put(pointer_key(shop(number), environment), b"{}", content_type="application/json")
    return blobs


def runs(blobs: MemoryBlobs, queue: Told, release: str, count: int) -> list[int]:
    step = Rollout(
        blobs=blobs, queue=queue, bundle=lambda: release, message=lambda shop_id: publish_message(shop_id, [])
    )
    return [step.run() for _ in range(count)]


def all_shops(count: int) -> Sequence[str]:
    return [shop(number) for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, SHOPS_A_RUN - 1, SHOPS_A_RUN, SHOPS_A_RUN + 1])
def test_rollout__of_a_release__has_each_shop_published_once(count: int) -> None:
    blobs, queue = bucket(count), Told()
    told = runs(blobs, queue, "release 1", 4)
    assert max(told) <= SHOPS_A_RUN
    assert queue.shops == all_shops(count)


def test_rollout__of_the_next_release_and_of_the_former_one__begins_anew() -> None:
    blobs, queue = bucket(2), Told()
    for release in ("1", "2", "1"):
        runs(blobs, queue, release, 2)
    assert queue.shops == [*all_shops(2)] * 3


def test_rollout__when_rendering_changed__begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    blobs, queue = bucket(1), Told()
    runs(blobs, queue, "1", 2)
    monkeypatch.setattr(rollout, "RENDERING", rollout.RENDERING + 1)
    assert runs(blobs, queue, "1", 2) == [1, 0]


def test_rollout__when_the_queue_refuses__goes_on_from_there() -> None:
    blobs, queue = bucket(3), Told(refused=shop(1))
    with pytest.raises(QueueUnavailableError):
        runs(blobs, queue, "1", 1)
    queue.refused = ""
    assert runs(blobs, queue, "1", 2) == [3, 0]


def test_rollout__whose_mark_is_removed__is_repeated() -> None:
    blobs, queue = bucket(1), Told()
    runs(blobs, queue, "1", 2)
    blobs.delete(MARK)
    assert runs(blobs, queue, "1", 2) == [1, 0]


def test_shop__that_a_rollout_publishes__serves_the_new_sdk() -> None:
    storefront = Storefront()
    storefront.publication.publish(SHOP_ID)
    storefront.bundle = "(function(config,scripts){globalThis.newer=1})"
    publish_from_message(storefront.publication, publish_message(SHOP_ID, []))
    objects = [stored.blob.content for key, stored in storefront.blobs.objects.items() if key.startswith("objects/")]
    assert any(content.startswith(b"(function(config,scripts){globalThis.newer=1})(") for content in objects)
