"""The signature of Lambda handlers."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from abtest.kit.clock import Clock

Handler = Callable[[Any, Any], Any]


def deadline(context: Any, clock: Clock, margin: timedelta) -> datetime | None:
    """Return the moment `margin` before the platform ends the invocation; None without a context."""
    if context is None:
        return None
    return clock.now() + timedelta(milliseconds=context.get_remaining_time_in_millis()) - margin
