"""Entry point of event ingest."""

from abtest.wiring.edge import ingest

handler = ingest().events
