"""Endpoints that are in use are found by their places: what was ever archived costs no event anything."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Sealed, Webhook
from abtest.ports.catalog import Catalog, Commit, HeadPage, Release
from abtest.services.webhooks.records import WEBHOOKS, live_webhooks, slot_name, taken_slots
from tests.contract.conftest import Ports
from tests.contract.records import OTHER_SHOP, SHOP, iso, new_id
from tests.support.webhooks import stored_webhook

PUTS_A_COMMIT = 48
ARCHIVED = 120


def endpoint(slot: int, seconds: float = 0, **fields: Any) -> Webhook:
    """An endpoint in a place of the shop, made at that moment."""
    told: dict[str, Any] = {"id": new_id(seconds), "shop_id": SHOP} | fields
    return Webhook(
        url="https://hooks.shop.example/in",
        events=("experiment.started",),
        secret=Sealed("sealed"),
        slot=slot,
        created_at=iso(seconds),
        updated_at=iso(seconds),
        **told,
    )


def keep(catalog: Catalog, *webhooks: Webhook) -> list[Webhook]:
    """Store the endpoints, each in its place."""
    for webhook in webhooks:
        catalog.commit(stored_webhook(webhook))
    return list(webhooks)


def archive(catalog: Catalog, count: int) -> None:
    """As many endpoints that were taken out of use."""
    puts = (WEBHOOKS.put(endpoint(0, number, active=False, archived_at=iso(number))) for number in range(count))
    while some := list(islice(puts, PUTS_A_COMMIT)):
        catalog.commit(Commit(puts=some))


class Counted:
    """A catalog whose calls, and the rows that they brought, are counted."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.calls, self.rows = Counter[str](), 0

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._catalog, name)

        def call(*arguments: Any, **named: Any) -> Any:
            answer = called(*arguments, **named)
            self.calls[name] += 1
            self.rows += len(answer.heads if isinstance(answer, HeadPage) else answer)
            return answer

        return call


def test_live__beside_hundreds_that_are_archived__is_found_by_two_reads(ports: Ports) -> None:
    made = keep(ports.catalog, endpoint(7, 1), endpoint(0, 2), endpoint(19, 3))
    for archived in (0, ARCHIVED):
        archive(ports.catalog, archived)
        counted = Counted(ports.catalog)
        assert live_webhooks(cast("Catalog", counted), SHOP) == made[::-1]
        assert counted.calls == {"resolve_many": 1, "get_many": 1}
        assert counted.rows == 2 * len(made)


def test_live__all_places__are_of_their_shop_alone(ports: Ports) -> None:
    own = keep(ports.catalog, *(endpoint(slot, slot) for slot in range(MAX_WEBHOOKS)))
    [other] = keep(ports.catalog, endpoint(3, shop_id=OTHER_SHOP))
    assert live_webhooks(ports.another().catalog, SHOP) == own[::-1]
    assert live_webhooks(ports.another().catalog, OTHER_SHOP) == [other]
    assert taken_slots(ports.catalog, SHOP) == {webhook.slot: webhook.id for webhook in own}


def test_live__of_a_place_that_is_given_back_or_just_now_archived__is_nobody(ports: Ports) -> None:
    [gone, going, there] = keep(ports.catalog, *(endpoint(slot) for slot in range(3)))
    given_back = Release(scope=SHOP, name=slot_name(gone.slot))
    archived = replace(gone, archived_at=iso(5), version=2), replace(going, archived_at=iso(5), version=2)
    ports.catalog.commit(Commit(puts=[WEBHOOKS.put(archived[0])], releases=[given_back]))
    ports.catalog.commit(Commit(puts=[WEBHOOKS.put(archived[1])]))  # as read between its place and itself
    assert live_webhooks(ports.catalog, SHOP) == [there]
    assert set(taken_slots(ports.catalog, SHOP)) == {1, 2}
    assert live_webhooks(ports.catalog, OTHER_SHOP) == []
