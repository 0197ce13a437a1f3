"""Data-layer triggers of a shop: made, listed, replaced, deleted, tried out. Every write is published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract.base import PublicationWarning
from abtest.domain.changes.diff import Diff, differences
from abtest.domain.signals.compilation import compiled
from abtest.domain.signals.evaluation import Evaluation, evaluate
from abtest.domain.signals.model import MAX_TRIGGERS, Trigger, check, replaced, trigger_document, trigger_from
from abtest.kit.errors import LimitReachedError, NotFoundError
from abtest.ports.catalog import (
    AuditRow,
    Claim,
    Commit,
    Head,
    NameTakenError,
    OutboxRow,
    Put,
    Record,
    Release,
    Remove,
    StaleVersionError,
)
from abtest.services.context import Caller, World
from abtest.services.listing import Listing
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.reusable.targets import NameContains
from abtest.services.storefronts import Storefronts, warning_of

Says = Mapping[str, Any]

_SEAT = "DLT#SEAT#"


@dataclass(frozen=True, slots=True)
class SavedTrigger:
    """A trigger that is stored, and why storefronts may not know it yet: empty when they do."""

    trigger: Trigger
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer adds."""
        return warning_of(self.reasons)


class Triggers:
    """Use cases of data-layer triggers."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        self._world = world
        self._storefronts = storefronts
        self._listing = Listing(world.catalog, "DLT", _trigger_in, plural="data-layer triggers")

    def page(self, shop_id: str, *, limit: int, after: str | None) -> tuple[list[Trigger], str | None]:
        """Newest first, and the key that continues the list."""
        return self._listing.page(shop_id, NameContains(), limit=limit, after=after)

    def get(self, shop_id: str, trigger_id: str) -> Trigger:
        """One of the shop's. Raises NotFoundError."""
        record = self._world.catalog.get(shop_id, "DLT", trigger_id)
        if record is None:
            raise NotFoundError("no such data-layer trigger")
        return _trigger_in(record)

    def create(self, caller: Caller, says: Says) -> SavedTrigger:
        """A new one. Raises ValidationFailedError, CodeBudgetExceededError, LimitReachedError."""
        check(says)
        now = self._world.now()
        blank = Trigger(
            id=self._world.new_id(), shop_id=caller.shop_id, seat=0, says=says, created_at=now, updated_at=now
        )
        return retried(lambda: self._seated(caller, blank))

    def replace(self, caller: Caller, trigger_id: str, says: Says, *, expected_version: int | None) -> SavedTrigger:
        """Everything it says. Raises NotFoundError, ValidationFailedError, CodeBudgetExceededError."""
        check(says)

        def attempt() -> SavedTrigger:
            before = self.get(caller.shop_id, trigger_id)
            refuse_other_version(expected_version, before.version)
            after = replaced(before, says, self._world.now())
            if after is before:
                return SavedTrigger(before)
            stored = replace(after, version=before.version + 1)
            return self._save(
                caller, stored, self._audit(caller, stored, "update", differences(dict(before.says), dict(says)))
            )

        return retried(attempt)

    def delete(self, caller: Caller, trigger_id: str, *, expected_version: int | None) -> Sequence[str]:
        """Remove it; why storefronts may not know it yet. Raises NotFoundError."""

        def attempt() -> Sequence[str]:
            before = self.get(caller.shop_id, trigger_id)
            refuse_other_version(expected_version, before.version)
            row = self._publish_row(before)
            self._world.catalog.commit(
                Commit(
                    removes=[Remove(head=_head(before))],
                    releases=[Release(scope=before.shop_id, name=_seat_name(before.seat))],
                    audit=[self._audit(caller, before, "delete", differences(dict(before.says), {}))],
                    outbox=[row],
                )
            )
            return self._storefronts.refresh(caller.shop_id, row)

        return retried(attempt)

    def tried(self, says: Says, payload: Any) -> Evaluation:
        """What the payload means to such a trigger. Raises ValidationFailedError, CodeBudgetExceededError."""
        check(says, "trigger.")
        return evaluate(compiled("", says), payload)

    def _seated(self, caller: Caller, blank: Trigger) -> SavedTrigger:
        """Stored in a free seat; whoever takes it first has it. Raises LimitReachedError, StaleVersionError."""
        stored = replace(blank, version=1, seat=self._free_seat(blank.shop_id))
        try:
            return self._save(caller, stored, self._audit(caller, stored, "create", differences({}, dict(stored.says))))
        except NameTakenError as error:
            raise StaleVersionError("another trigger was created at the same time; repeat") from error

    def _free_seat(self, shop_id: str) -> int:
        heads = self._world.catalog.list(shop_id, "DLT", limit=MAX_TRIGGERS).heads
        taken = {head.attributes.get("seat") for head in heads}
        free = (seat for seat in range(MAX_TRIGGERS) if seat not in taken)
        if (seat := next(free, None)) is None:
            raise LimitReachedError(f"a shop has {MAX_TRIGGERS} data-layer triggers at most; delete one first")
        return seat

    def _save(self, caller: Caller, stored: Trigger, audit: AuditRow) -> SavedTrigger:
        row = self._publish_row(stored)
        claim = Claim(
            scope=stored.shop_id, name=_seat_name(stored.seat), target_id=stored.id, target_shop_id=stored.shop_id
        )
        record = Record(head=_head(stored), body=trigger_document(stored))
        put = Put(record=record, expected_version=stored.version - 1)
        self._world.catalog.commit(Commit(puts=[put], claims=[claim], audit=[audit], outbox=[row]))
        return SavedTrigger(stored, self._storefronts.refresh(caller.shop_id, row))

    def _publish_row(self, trigger: Trigger) -> OutboxRow:
        return self._world.publish_row(trigger.shop_id)

    def _audit(self, caller: Caller, trigger: Trigger, verb: str, diff: Diff) -> AuditRow:
        return self._world.audit_row(
            user_id=caller.user_id,
            shop_id=trigger.shop_id,
            action=f"data_layer_trigger.{verb}",
            entity=("data_layer_trigger", trigger.id, trigger.name),
            diff=diff,
        )


def _seat_name(seat: int) -> str:
    return f"{_SEAT}{seat}"


def _trigger_in(record: Record) -> Trigger:
    return trigger_from(record.body)


def _head(trigger: Trigger) -> Head:
    return Head(
        shop_id=trigger.shop_id,
        kind="DLT",
        id=trigger.id,
        version=trigger.version,
        created_at=trigger.created_at,
        updated_at=trigger.updated_at,
        name=trigger.name,
        status="enabled" if trigger.is_enabled else "disabled",
        attributes={"seat": trigger.seat},
    )
