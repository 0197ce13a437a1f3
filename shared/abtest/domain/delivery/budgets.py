"""Share of a shop's budgets that a part of its config takes: known when the part is saved, before it is published."""

from dataclasses import dataclass

from abtest.domain.assignment.shapes import PublishedExperiment, PublishedFlag, PublishedPersonalization
from abtest.domain.delivery.chunks import INLINE_BYTES
from abtest.domain.delivery.literals import as_text
from abtest.domain.delivery.manifest import MAX_SNIPPET_BYTES
from abtest.domain.experiments.limits import MAX_CONFIG_BYTES
from abtest.kit import canonical_json

BUDGETS = {"config": MAX_CONFIG_BYTES, "snippet": MAX_SNIPPET_BYTES}

SPARE_BYTES = 64 << 10
"""Allowance for the rest of a file: the SDK and the runtime settings."""

_CODE = ("js", "reset_js", "css")
# As long as every name of a chunk, a SHA-256 in hexadecimal.
_CHUNK_NAME = "0" * 64


Weighed = PublishedExperiment | PublishedPersonalization | PublishedFlag


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes of a part in each file that has a budget."""

    config: int = 0
    snippet: int = 0


NOTHING = Weight()


def weight(part: Weighed) -> Weight:
    """Return the weight of an experiment, personalization or flag, with the comma behind it."""
    return Weight(len(canonical_json.encode(part)) + 1, len(as_text(_inlined(part)).encode(errors="replace")) + 1)


def exceeded(current: Weight, before: Weight, after: Weight) -> str | None:
    """Return which budget a change would exceed and by what, in files that weigh `current`; None where it fits.

    A change that makes no file larger always fits, even where the file is too large already.
    """
    for name, budget in BUDGETS.items():
        grown = getattr(after, name) - getattr(before, name)
        total = getattr(current, name) + grown
        if grown > 0 and total > budget:
            return f"the {name} of the shop would have {total} bytes, more than its budget of {budget}"
    return None


def _inlined(part: object, field: str = "") -> object:
    """Return the part with a chunk's name for each text that would become a chunk."""
    if field in _CODE and isinstance(part, str) and len(part.encode(errors="replace")) > INLINE_BYTES:
        return _CHUNK_NAME
    if isinstance(part, dict):
        return {name: _inlined(value, name) for name, value in part.items()}
    return [_inlined(each) for each in part] if isinstance(part, list) else part
