"""What an answer cost the process that gave it; needs nothing that is not in Python."""

import json
import resource
import time
from collections.abc import Callable

Answer = list[list[object]]


def told(question: Callable[[], Answer]) -> str:
    """JSON with the answer, in order, the seconds by the wall and of the processors, the peak memory of the process."""
    wall, processors = time.perf_counter(), _processors()
    answer = question()
    cost = {"seconds": time.perf_counter() - wall, "processors": _processors() - processors}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return json.dumps(cost | {"megabytes": peak, "answer": sorted(answer)})


def _processors() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
