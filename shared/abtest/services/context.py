"""Context of every use case: the caller, and the catalog, clock and randomness that it uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from abtest.kit.clock import Clock, Timestamp, timestamp
from abtest.kit.ids import Randomness, uuid7
from abtest.ports.catalog import AuditRow, Catalog, OutboxRow, Topic

KeyKind = Literal["shop", "user", "tracking_source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated key. `user_id` owns the key and signs the audit; `shop_id` is "" for a user key."""

    key_id: str
    kind: KeyKind
    user_id: str
    shop_id: str
    scopes: frozenset[str]
    request_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The catalog, the clock and the randomness that use cases share."""

    catalog: Catalog
    clock: Clock
    random: Randomness

    def now(self) -> Timestamp:
        """Return the present moment as a timestamp."""
        return timestamp(self.clock.now())

    def new_id(self) -> str:
        """Return a new time-ordered id."""
        return uuid7(self.clock.now(), self.random)

    def publish_row(self, shop_id: str) -> OutboxRow:
        """Build the row after which the shop is published, by the sweep if the request does not."""
        return self.outbox_row(shop_id, "publish", {})

    def outbox_row(self, shop_id: str, topic: Topic, payload: Mapping[str, Any]) -> OutboxRow:
        """Build a row that waits for the worker of its topic."""
        return OutboxRow(id=self.new_id(), shop_id=shop_id, topic=topic, payload=payload, created_at=self.now())

    def audit_row(
        self,
        *,
        user_id: str,
        shop_id: str,
        action: str,
        entity: tuple[str, str, str | None],
        diff: Any,
        now: Timestamp | None = None,
    ) -> AuditRow:
        """Build an audit row; `entity` is the type, id and name of its subject."""
        entity_type, entity_id, entity_name = entity
        return AuditRow(
            id=self.new_id(),
            shop_id=shop_id,
            user_id=user_id,
            action=action,
            entity_type=entity_type,
            entity_id=entity_id,
            entity_name=entity_name,
            diff=diff,
            created_at=now or self.now(),
        )
