"""Composition of the dispatch of decisions, which two schedules share."""

from abtest.adapters.sqs import SqsQueue
from abtest.services.decisions.dispatch import DecisionDispatch
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of


def decision_dispatch() -> DecisionDispatch:
    """Return the sender of DecideQueue. Raises MissingSettingError."""
    config = settings()
    config.need("catalog_table", "decide_queue_url")
    return DecisionDispatch(world=world_of(config), queue=SqsQueue(config.decide_queue_url))
