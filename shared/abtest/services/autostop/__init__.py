"""Auto-stop's schedule: looks at roll-ups, decisions, pauses."""

from abtest.services.autostop.run import AutoStopRun as AutoStopRun
