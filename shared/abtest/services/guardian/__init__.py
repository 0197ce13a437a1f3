"""Guardian at work: evidence out of roll-ups, findings into the catalog with what is told of them, pauses."""

from abtest.services.guardian.health import HealthReading
from abtest.services.guardian.run import Guardian

__all__ = ["Guardian", "HealthReading"]
