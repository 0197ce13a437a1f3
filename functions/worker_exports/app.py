"""Entry point."""

from abtest.wiring.exports import export_worker

handler = export_worker()
