"""Entry point of the nightly audit."""

from abtest.wiring.ledger_crons import audit

handler = audit()
