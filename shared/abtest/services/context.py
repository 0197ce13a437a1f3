"""Context of every use case: the caller, and the catalog, clock and randomness that it uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from abtest.kit.clock import Clock, Timestamp, timestamp
from abtest.kit.ids import Randomness, after_uuid, uuid7
from abtest.kit.repeatable import current_run
from abtest.ports.catalog import AuditRow, Catalog, InboxRow, OutboxRow, Topic

CallerKind = Literal["shop", "user", "tracking_source", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated key, or a session of the console in one shop. `user_id` owns the key and signs the audit.

    `shop_id` is "" for a user key. `key_id` of a session is the session's id.
    """

    key_id: str
    kind: CallerKind
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
        """Return a new time-ordered id. A repeated request makes the same ids as its first run."""
        run = current_run()
        return uuid7(run.next_moment(), run) if run else self.unrepeated_id()

    def unrepeated_id(self) -> str:
        """Return a new id that a repetition does not make again: an owner of a lease, a row of work to do."""
        return uuid7(self.clock.now(), self.random)

    def bits(self, count: int) -> int:
        """Return unpredictable bits. A repeated request draws those of its first run, so its secrets are the same."""
        return (current_run() or self.random).bits(count)

    @property
    def is_repeated(self) -> bool:
        """True when an earlier run of this request may have stored its work."""
        run = current_run()
        return run is not None and run.is_repeated

    def audit_row_id(self) -> str | None:
        """Return the id of the audit row by which a later run of this request finds its change.

        None for a request that cannot be repeated: its rows get their ids when they are written.
        """
        return self.new_id() if current_run() else None

    def is_stored(self, shop_id: str, audit_row_id: str | None) -> bool:
        """Return whether an earlier run of this request committed the change with this audit row."""
        if audit_row_id is None or not self.is_repeated:
            return False
        rows, _ = self.catalog.audit(shop_id, entity_id=None, limit=1, after_id=after_uuid(audit_row_id))
        return any(row.id == audit_row_id for row in rows)

    def publish_row(self, shop_id: str) -> OutboxRow:
        """Build the row after which the shop is published, by the sweep if the request does not."""
        return self.outbox_row(shop_id, "publish", {})

    def outbox_row(self, shop_id: str, topic: Topic, payload: Mapping[str, Any]) -> OutboxRow:
        """Build a row that waits for the worker of its topic."""
        # Written only together with what caused it. Deliveries get this id, and their delay is measured from its time.
        return OutboxRow(id=self.unrepeated_id(), shop_id=shop_id, topic=topic, payload=payload, created_at=self.now())

    def system_message(self, shop_id: str, text: str) -> InboxRow:
        """Build a message of the service in the shop's inbox."""
        # Written only together with what it reports, as rows of the outbox are.
        return InboxRow(
            id=self.unrepeated_id(), shop_id=shop_id, role="system", body=text, sender_id=None, created_at=self.now()
        )

    def audit_row(
        self,
        *,
        user_id: str,
        shop_id: str,
        action: str,
        entity: tuple[str, str, str | None],
        diff: Any,
        now: Timestamp | None = None,
        row_id: str | None = None,
    ) -> AuditRow:
        """Build an audit row; `entity` is the type, id and name of its subject."""
        entity_type, entity_id, entity_name = entity
        return AuditRow(
            id=row_id or self.new_id(),
            shop_id=shop_id,
            user_id=user_id,
            action=action,
            entity_type=entity_type,
            entity_id=entity_id,
            entity_name=entity_name,
            diff=diff,
            created_at=now or self.now(),
        )
