"""Outcome of one message of the audit."""

from dataclasses import dataclass, field

MAX_REPORTED = 20
"""Differences of a roll-up or of an object that are logged, and names in the text of an error."""


@dataclass(slots=True)
class Audited:
    """Ids of experiments by outcome. `changed` were edited since they were counted, so nothing could be compared.

    `left`: number of plans without a turn in time. `differing`: parts of hours whose events differ from Parquet, and
    raw objects that differ from their manifests. `failed` has names of these as well.
    """

    equal: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    left: int = 0
    differing: list[str] = field(default_factory=list)
