"""Cost of a result for the process that computes it; needs only the standard library."""

import json
import resource
import time
from collections.abc import Callable

Answer = list[list[object]]


def measured(question: Callable[[], Answer]) -> str:
    """Return JSON with the sorted answer, seconds of wall and processor time, and the peak memory of the process."""
    wall, processors = time.perf_counter(), _processors()
    answer = question()
    cost = {"seconds": time.perf_counter() - wall, "processors": _processors() - processors}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return json.dumps(cost | {"megabytes": peak, "answer": sorted(answer)})


def _processors() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
