"""A shop in moto, as the functions of publication find it: stored by the adapters, published on demand."""

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.domain.experiments.model import Experiment
from abtest.ports.catalog import Commit, OutboxRow, Put
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.publication import Publication, PublicationOutcome
from abtest.services.shop_records import puts_of
from abtest.wiring.publication import publication
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import MOMENT, SHOP_ID, shop


class PublishedShop:
    """The shop of `storefronts` in the template's tables and buckets."""

    def __init__(self, stack: AwsStack) -> None:
        self._stack = stack
        self.bodies = S3Blobs(stack.name("BlobsBucket"))
        self.catalog = DynamoCatalog(stack.name("CatalogTable"), self.bodies)
        self.delivery = S3Blobs(stack.name("DeliveryBucket"))
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.catalog.commit(Commit(puts=puts_of(shop())))

    def keep(self, kept: Experiment) -> None:
        """Store a new experiment."""
        self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(kept), expected_version=0)]))

    def promise(self, row: OutboxRow) -> None:
        """Commit an outbox row."""
        self.catalog.commit(Commit(outbox=[row]))

    def publish(self) -> PublicationOutcome:
        """Publish as worker_publish does."""
        return self.publication().publish(SHOP_ID)

    def publication(self) -> Publication:
        """The use case in worker_publish's environment."""
        self._stack.enter("WorkerPublish")
        return publication()


def promised(number: int, *, topic: str = "publish", shop_id: str = SHOP_ID, created_at: str = MOMENT) -> OutboxRow:
    """An outbox row; rows of different numbers have different ids."""
    return OutboxRow(
        id=f"0192a3b4-0000-7000-8000-0000000000c{number}",
        shop_id=shop_id,
        topic="publish" if topic == "publish" else "webhook",
        payload={},
        created_at=created_at,
    )
