"""What every use case is given: who calls, and the world it may touch."""

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
        """The present moment in the one form."""
        return timestamp(self.clock.now())

    def new_id(self) -> str:
        """A fresh time-ordered id."""
        return uuid7(self.clock.now(), self.random)

    def publish_row(self, shop_id: str) -> OutboxRow:
        """The promise that the shop is published, kept by the sweep if nobody else does."""
        return self.outbox_row(shop_id, "publish", {})

    def outbox_row(self, shop_id: str, topic: Topic, payload: Mapping[str, Any]) -> OutboxRow:
        """A row that waits for whoever carries its topic out."""
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
        """A row that says who did what to which thing; `entity` is its type, id and name."""
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
