"""Guardian: evidence out of roll-ups, findings and their notifications, pauses."""

from abtest.services.guardian.health import HealthReading
from abtest.services.guardian.run import Guardian

__all__ = ["Guardian", "HealthReading"]
