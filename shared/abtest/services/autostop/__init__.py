"""Auto-stop: looks at roll-ups, decisions, pauses."""

from abtest.services.autostop.run import AutoStop as AutoStop
