"""Entry point of the ingest worker: a batch of SQS messages into one ledger object, unreadable ones reported back."""

from abtest.wiring.worker_ingest import create_handler

handler = create_handler()
