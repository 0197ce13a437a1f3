"""What the worker may read and write: what belongs to webhooks, and nothing beside it."""

from collections.abc import Callable

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoLeases
from abtest.adapters.dynamo.table import Table
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit
from abtest.services.context import World
from tests.integration.worker_webhooks.office import SHOP
from tests.support.moto_stack import AwsStack

Call = Callable[["Tables"], object]


class Tables:
    """Those of the stack that others use, too."""

    def __init__(self, stack: AwsStack) -> None:
        self.catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.items = Table(stack.name("CatalogTable"), sorted_items=True)
        self.leases = DynamoLeases(stack.name("EphemeralTable"))
        self.world = World(catalog=self.catalog, clock=SystemClock(), random=SystemRandomness())


REFUSED: dict[str, tuple[str, Call]] = {
    "a key": ("GetItem", lambda tables: tables.catalog.resolve(None, "KEY#hash")),
    "a record of another kind": ("GetItem", lambda tables: tables.catalog.get(SHOP, "EXP", "one")),
    "such records at once": ("BatchGetItem", lambda tables: tables.catalog.get_many(SHOP, "EXP", ["one", "two"])),
    "endpoints and others at once": (
        "BatchGetItem",
        lambda tables: tables.items.get_many([(f"X#HOOK#{SHOP}#one", "BODY"), (f"X#KEY#{SHOP}#one", "BODY")]),
    ),
    "a list": ("Query", lambda tables: tables.catalog.list(SHOP, "HOOK", limit=1)),
    "the inbox": ("Query", lambda tables: tables.catalog.inbox(SHOP, limit=1)),
    "a publication that waits": (
        "Query",
        lambda tables: tables.catalog.unpublished(SHOP, limit=1),
    ),
    "a publication's end": ("DeleteItem", lambda tables: tables.catalog.outbox_done(tables.world.publish_row(SHOP))),
    "an event": (
        "PutItem",
        lambda tables: tables.catalog.commit(Commit(outbox=[tables.world.outbox_row(SHOP, "webhook", {})])),
    ),
    "another lease": ("GetItem", lambda tables: tables.leases.is_held("rollup", now=tables.world.clock.now())),
}
"""What the worker has no business with, and by which call it would get there."""


@pytest.mark.parametrize("what", REFUSED)
def test_worker__that_asks_for_what_is_not_its_own__is_refused(local_stack: AwsStack, what: str) -> None:
    action, call = REFUSED[what]
    tables, guard = Tables(local_stack), local_stack.guard("WorkerWebhooks")
    with pytest.raises(AssertionError, match=f"WorkerWebhooks lacks .'dynamodb:{action} on "), guard.running():
        call(tables)
