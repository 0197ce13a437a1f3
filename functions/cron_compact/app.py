"""Entry point of the compaction schedule."""

from abtest.wiring.ledger_crons import compact

handler = compact()
