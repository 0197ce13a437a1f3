"""Entry point of event ingest."""

from abtest.wiring.edge_events import create_handler

handler = create_handler()
