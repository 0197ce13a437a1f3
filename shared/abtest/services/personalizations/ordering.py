"""The order in which personalizations are served: their priorities, set together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abtest.contract.base import PublicationWarning
from abtest.domain.personalizations.model import Personalization
from abtest.kit.errors import LimitReachedError, refused
from abtest.ports.catalog import MAX_COMMIT_ITEMS, WORK_QUEUES, Commit
from abtest.services.context import Caller
from abtest.services.personalizations.records import personalization_in, put_of
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.retrying import retried
from abtest.services.storefronts import warning_of

STEP = 10
"""Between two priorities, so that one more fits in by its own."""

_ITEMS_OF_A_PUT = 2 + len(WORK_QUEUES["PZN"])
_ITEMS_BESIDE = 3
MAX_ORDERED = (MAX_COMMIT_ITEMS - _ITEMS_BESIDE) // _ITEMS_OF_A_PUT
"""How many fit into one commit: each is a head, a body and its work index entry; beside them stand the audit row, which
is kept twice, and the outbox row."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Personalizations in their new order, and why storefronts may not know it yet."""

    personalizations: Sequence[Personalization]
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer says of the publication."""
        return warning_of(self.reasons)


class Ordering:
    """The one use case that writes several personalizations."""

    def __init__(self, store: PersonalizationStore) -> None:
        self._store = store

    def order(self, caller: Caller, ids: Sequence[str]) -> Ordered:
        """Give these the priorities 10, 20, 30 …, all in one commit; others keep theirs.

        Raises LimitReachedError for more than fit into a commit, ValidationFailedError for an unknown id.
        """
        if len(ids) > MAX_ORDERED:
            raise LimitReachedError(f"at most {MAX_ORDERED} personalizations are put in order at once")
        return retried(lambda: self._attempt(caller, ids))

    def _attempt(self, caller: Caller, ids: Sequence[str]) -> Ordered:
        now = self._store.world.now()
        before = self._load(caller.shop_id, ids)
        after = [
            item
            if item.priority == priority
            else replace(item, priority=priority, updated_at=now, version=item.version + 1)
            for item, priority in zip(before, range(STEP, STEP * len(ids) + 1, STEP), strict=True)
        ]
        changed = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
        return Ordered(after, self._commit(caller, changed)) if changed else Ordered(after)

    def _load(self, shop_id: str, ids: Sequence[str]) -> list[Personalization]:
        records = self._store.world.catalog.get_many(shop_id, "PZN", ids)
        found = {record.head.id: personalization_in(record) for record in records}
        for index, personalization_id in enumerate(ids):
            if personalization_id not in found:
                raise refused(f"ids[{index}]", "is no personalization of the shop")
        return [found[personalization_id] for personalization_id in ids]

    def _commit(self, caller: Caller, changed: Sequence[tuple[Personalization, Personalization]]) -> Sequence[str]:
        world, shop_id = self._store.world, caller.shop_id
        row = self._store.world.publish_row(shop_id) if any(item.status == "active" for item, _ in changed) else None
        audit = world.audit_row(
            user_id=caller.user_id,
            shop_id=shop_id,
            action="personalization.order",
            entity=("shop", shop_id, None),
            diff={f"priority.{old.id}": [old.priority, new.priority] for old, new in changed},
        )
        puts = [put_of(old, new) for old, new in changed]
        world.catalog.commit(Commit(puts=puts, audit=[audit], outbox=[row] if row else []))
        return self._store.storefronts.refresh(shop_id, row) if row else ()
