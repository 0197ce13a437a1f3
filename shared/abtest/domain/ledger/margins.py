"""Margins for differences of clocks, and for objects that are written late. All are in milliseconds.

Edge, queue, worker and store have clocks of their own. Each margin is many times what it is for: a margin that is too
large costs reading, one that is too small costs rows.
"""

from abtest.domain.ledger.events import HOUR_MS

CLOCKS_APART_MS = 5 * 60 * 1000
"""Largest difference between the clocks of two processes: what is named after one may lie so far ahead of the other."""

STORE_APART_MS = 60_000
"""Largest difference between the clocks of the store and of a process, for comparing a moment with objects' times."""

RECEIVED_MS = HOUR_MS
"""A row may be in an object of the hour that was so long before it was received: the writer's clock was behind."""

OVERLAP_MS = 3 * HOUR_MS
"""A listing has all objects of the hours that are so much older than it, and perhaps not all of later ones.

Writers use the present hour, and live fifteen minutes.
"""

SETTLED_MS = 2 * OVERLAP_MS
"""Time after the end of an hour from which on its list of objects may be kept, because none is added."""
