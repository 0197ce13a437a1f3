"""Priorities: the order in which personalizations are served, set together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abtest.contract.base import PublicationWarning
from abtest.domain.changes.change import Change
from abtest.domain.personalizations.model import Personalization
from abtest.kit.errors import LimitReachedError, refused
from abtest.ports.catalog import MAX_COMMIT_ITEMS, WORK_QUEUES
from abtest.services.context import Caller
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.retries import retried
from abtest.services.storefronts import warning_of

STEP = 10
"""Distance of priorities, so that one more fits between two."""

_ITEMS_OF_A_PUT = 2 + len(WORK_QUEUES["PZN"])
_OTHER_ITEMS = 6
MAX_ORDERED = (MAX_COMMIT_ITEMS - _OTHER_ITEMS) // _ITEMS_OF_A_PUT
"""How many fit into one commit: each is a head, a body and its work index entry. The other items are the audit row,
with its four entries, and the outbox row."""


@dataclass(frozen=True, slots=True)
class Prioritized:
    """Personalizations in their new order, and why storefronts may not have it yet."""

    personalizations: Sequence[Personalization]
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """Warning in the response when the publication failed."""
        return warning_of(self.reasons)


class Priorities:
    """Use case that writes several personalizations at once."""

    def __init__(self, store: PersonalizationStore) -> None:
        self._store = store

    def order(self, caller: Caller, ids: Sequence[str]) -> Prioritized:
        """Give these the priorities 10, 20, 30 …, all in one commit; others keep theirs.

        Raises LimitReachedError for more than fit into a commit, ValidationFailedError for an unknown id.
        """
        if len(ids) > MAX_ORDERED:
            raise LimitReachedError(f"at most {MAX_ORDERED} personalizations are put in order at once")
        return retried(lambda: self._attempt(caller, ids))

    def _attempt(self, caller: Caller, ids: Sequence[str]) -> Prioritized:
        now = self._store.world.now()
        before = self._load(caller.shop_id, ids)
        priorities = range(STEP, STEP * len(ids) + 1, STEP)
        # Unmoved ones are not written: their versions, and with them callers' ETags, stay valid.
        moved = [(item, new) for item, new in zip(before, priorities, strict=True) if item.priority != new]
        if not moved:
            return Prioritized(before)
        changes = [
            Change(before=item, after=replace(item, priority=new, updated_at=now), action="personalization.order")
            for item, new in moved
        ]
        audit = self._store.world.audit_row(
            user_id=caller.user_id,
            shop_id=caller.shop_id,
            action="personalization.order",
            entity=("shop", caller.shop_id, None),
            diff={f"priority.{item.id}": [item.priority, new] for item, new in moved},
        )
        stored, reasons = self._store.save_many(changes, audit)
        changed = {item.id: item for item in stored}
        return Prioritized([changed.get(item.id, item) for item in before], reasons)

    def _load(self, shop_id: str, ids: Sequence[str]) -> list[Personalization]:
        by_id = {item.id: item for item in self._store.get_many(shop_id, ids)}
        for index, personalization_id in enumerate(ids):
            if personalization_id not in by_id:
                raise refused(f"ids[{index}]", "must be a personalization of the shop")
        return [by_id[personalization_id] for personalization_id in ids]
