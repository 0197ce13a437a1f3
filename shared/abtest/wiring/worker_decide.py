"""Composition root of worker_decide."""

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoLeases, DynamoLookStore, DynamoRollupStore
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.sqs import SqsQueue
from abtest.ports.waits import CallerKind
from abtest.services.autostop import AutoStop
from abtest.services.decisions.shop_round import ShopRound
from abtest.services.decisions.worker import DecisionWorker
from abtest.services.guardian import Guardian
from abtest.services.results import RollupReader
from abtest.services.rollups.reach import ShopReaches
from abtest.wiring.batches import each_message
from abtest.wiring.experiment_store import experiment_store
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings


def create_handler() -> Handler:
    """Return the handler of DecideQueue. Raises MissingSettingError.

    Messages that failed are reported and come again.
    """
    aws.serve(CallerKind.WORKER)
    config, store = settings(), experiment_store()
    config.need("ephemeral_table", "rollups_table", "ledger_bucket", "decide_queue_url")
    rollups = DynamoRollupStore(config.rollups_table)
    reader = RollupReader(rollups)
    worker = DecisionWorker(
        round=ShopRound(
            world=store.world,
            leases=DynamoLeases(config.ephemeral_table),
            auto_stop=AutoStop(store=store, reader=reader, looks=DynamoLookStore(config.rollups_table)),
            guardian=Guardian(store, reader, ShopReaches(rollups, S3Blobs(config.ledger_bucket)).now),
        ),
        queue=SqsQueue(config.decide_queue_url),
        metrics=EmbeddedMetrics(config.aws_lambda_function_name, store.world.clock),
    )
    return each_message(worker.carry_out)
