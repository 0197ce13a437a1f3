"""Data-layer triggers of a shop: created, listed, replaced, deleted, tried out. Every write is published."""

from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.signals.compilation import compiled
from abtest.domain.signals.evaluation import Evaluation, evaluate
from abtest.domain.signals.model import MAX_TRIGGERS, Trigger, check, replaced, trigger_document, trigger_from
from abtest.domain.signals.shapes import TriggerFields
from abtest.ports.catalog import NameTakenError, StaleVersionError
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.names import Names
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions
from abtest.services.seats import free_seats, seat_name
from abtest.services.storefronts import Storefronts

Says = TriggerFields


def _summary(trigger: Trigger) -> Summary:
    return Summary(
        name=trigger.name,
        status="enabled" if trigger.is_enabled else "disabled",
        attributes={"seat": trigger.seat},
    )


def _seat_taken(_trigger: Trigger, _error: NameTakenError) -> StaleVersionError:
    return StaleVersionError("another trigger was created at the same time; repeat the request")


TRIGGERS: Resource[Trigger] = Resource(
    kind="DLT",
    noun="data-layer trigger",
    to_document=trigger_document,
    from_record=lambda record: trigger_from(record.body),
    summary=_summary,
    audited=lambda trigger: dict(trigger.says),
    names=lambda trigger: Names(own={seat_name("DLT", trigger.seat)}),
    name_taken=_seat_taken,
    # Also for disabled ones: the publication leaves them out itself, and an edit may have just disabled one.
    reaches_shoppers=lambda _before, _after: True,
)


class Triggers(Aggregates[Trigger]):
    """Use cases of data-layer triggers."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        super().__init__(world, TRIGGERS, storefronts)

    def create(self, caller: Caller, says: Says) -> Saved[Trigger]:
        """Create a trigger. Raises ValidationFailedError, CodeBudgetExceededError, LimitReachedError."""
        check(says)
        trigger_id = self.world.new_id()

        def make(occasion: Occasion) -> Trigger:
            return Trigger(
                id=trigger_id,
                shop_id=caller.shop_id,
                # Chosen again on each attempt, because a lost race means that the seat is taken.
                seat=self._free_seat(caller.shop_id),
                says=says,
                created_at=occasion.now,
                updated_at=occasion.now,
            )

        return self.add(caller, trigger_id, make)

    def replace(self, caller: Caller, trigger_id: str, says: Says, *, expected_version: Versions) -> Saved[Trigger]:
        """Replace all fields. Raises NotFoundError, ValidationFailedError, CodeBudgetExceededError."""
        check(says)

        def decide(before: Trigger, occasion: Occasion) -> Change[Trigger]:
            after = replaced(before, says, occasion.now)
            return Change(before=before, after=after, action="data_layer_trigger.update")

        return self.change(caller, trigger_id, decide, expected_version=expected_version)

    def tried(self, says: Says, payload: Any) -> Evaluation:
        """Evaluate a payload with a trigger that is not stored.

        Raises ValidationFailedError, CodeBudgetExceededError.
        """
        check(says, "trigger.")
        # Compiled as for storefronts, so that a test cannot differ from what shoppers' pages do.
        return evaluate(compiled("", says), payload)

    def _free_seat(self, shop_id: str) -> int:
        """The lowest free seat. Raises LimitReachedError."""
        return free_seats(self.world.catalog, shop_id, "DLT", most=MAX_TRIGGERS, plural="data-layer triggers")[0]
