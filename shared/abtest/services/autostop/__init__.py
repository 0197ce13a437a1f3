"""Auto-stop at work: reads roll-ups, keeps looks, pauses."""

from abtest.services.autostop.run import AutoStopRun as AutoStopRun
