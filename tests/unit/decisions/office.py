"""A shop in memory, and a worker of DecideQueue whose messages stay in its queue."""

from __future__ import annotations

from typing import Any

from abtest.kit.errors import DatabaseBusyError
from abtest.services.decisions.messages import TASKS, DecisionRequest, decision_message, read_decision_message
from tests.support.autostopping import CONTROL, TREATMENT, Shopkeeper, plan, running
from tests.support.deciding import Deciders
from tests.support.storefronts import SHOP_ID, experiment_id

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
BOTH = decision_message(SHOP_ID, TASKS)
UNREADABLE: Any = plan(mde="no number")


class Office(Shopkeeper):
    """A shop, and one worker whose messages stay in its queue."""

    def __init__(self) -> None:
        super().__init__()
        self.deciders: Deciders = self.use()

    def prepared(self, number: int, arms: Any = EVEN, **fields: Any) -> None:
        self.keep(running(number, **fields))
        self.count(1, arms, number=number)

    def work(self, body: str = BOTH) -> Any:
        return self.deciders.worker.carry_out(body)

    def sent(self) -> list[tuple[DecisionRequest, int]]:
        """Messages that wait, with their delays, and no longer do."""
        waiting = [(read_decision_message(each.body), each.delay_seconds) for each in self.deciders.queue.sent]
        assert {each.group for each in self.deciders.queue.sent} <= {SHOP_ID}
        self.deciders.queue.sent.clear()
        return waiting

    def breaks(self, port: str, name: str, *numbers: int) -> None:
        """Let a read of these experiments fail, alone and together with others."""
        broken = getattr(self.deciders, port) if port != "catalog" else self.catalog
        ids = {experiment_id(number) for number in numbers}
        for call in (name, f"{name}_many" if port == "catalog" else {"totals": "totals_of", "state": "states"}[name]):
            setattr(broken, call, _broken(getattr(broken, call), ids))


def _broken(call: Any, ids: set[str]) -> Any:
    def read(*arguments: Any, **named: Any) -> Any:
        if any(each in repr(arguments) for each in ids):
            raise DatabaseBusyError
        return call(*arguments, **named)

    return read
