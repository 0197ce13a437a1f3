"""Entry point of the edge's health, and of every address that is no route."""

from abtest.wiring.edge import health

handler = health().answer
